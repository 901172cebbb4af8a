"""The colours and rules of charts: for a page with light and dark, and for a file by itself."""

import re
from html import escape

from lmstudio.look import FAMILIES, TOKENS

CHART = """
svg text{font-size:12px}
svg .axis{fill:var(--muted)}
svg .end{text-anchor:end}
svg .middle{text-anchor:middle}
svg .grid{stroke:var(--grid)}
svg .oracle{stroke:var(--text);stroke-width:1.5;stroke-dasharray:6 3}
svg .curve{fill:none;stroke-width:1.5;stroke-linejoin:round}
svg .leader{fill:none;stroke-width:1}
svg .mark{stroke:var(--surface);stroke-width:1}
"""
"""Rules of what `chart` draws."""
FONTS = ('system-ui,"Noto Sans CJK SC","Microsoft YaHei UI","PingFang SC","WenQuanYi Micro Hei",'
         "sans-serif")  # fmt: skip
_HEAD = 30  # pixels above a chart that stands by itself, for its title


def variables() -> str:
    """The colours as CSS variables of a page, light or dark as its reader's setting is."""
    dark = {f"family-{name}": look.dark for name, look in FAMILIES.items()}
    dark |= {f"text-{name}": look.dark for name, look in FAMILIES.items()}
    return (
        f":root{{{_listed(light())}}}\n@media (prefers-color-scheme: dark){{"
        f":root{{{_listed(TOKENS['dark'] | dark)}}}}}\n"
    )


def alone(drawing: str, title: str) -> str:
    """A drawing of `chart` as an SVG file, light, which programs without variables read too."""
    size = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', drawing)
    assert size is not None
    width, height = float(size[1]), float(size[2]) + _HEAD
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f"viewBox=\"0 {-_HEAD} {width:g} {height:g}\" font-family='{FONTS}'"
    )
    ground = (
        f'<style>{CHART}</style><rect y="{-_HEAD}" width="{width:g}" height="{height:g}" '
        f'fill="var(--surface)"/><text x="12" y="-10" fill="var(--text)">{escape(title)}</text>'
    )
    drawn = drawing.replace(f"<svg {size[0]}", head, 1).replace(">", f">{ground}", 1)
    colours = light()
    return re.sub(r"var\(--([\w-]+)\)", lambda found: colours[found[1]], drawn)


def light() -> dict[str, str]:
    """The colours of the light theme by the names of the variables."""
    lines = {f"family-{name}": look.line for name, look in FAMILIES.items()}
    return TOKENS["light"] | lines | {f"text-{n}": look.text for n, look in FAMILIES.items()}


def _listed(colours: dict[str, str]) -> str:
    return "".join(f"--{name}:{colour};" for name, colour in colours.items())
