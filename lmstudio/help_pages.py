"""A panel and a language in; its page of the help, as Markdown, out.

resources/help/LANGUAGE/PANEL.md; formulas stand in it as `![words](formula:NAME)`, the picture of
which is resources/help/formulas/NAME.svg. They are drawn by packaging/formulas.py.
"""

import re

from lmstudio import messages, resources
from lmstudio.errors import AppError
from lmstudio.messages import listed

FORMULA = re.compile(r"!\[([^\]]*)\]\(formula:([\w-]+)\)")
_INK = "#000000"
_CHINESE_BREAK = re.compile(r"(?<=[^\x00-\xff])\n(?=\*{0,2}`?[^\x00-\xff])")
"""A line that ends and goes on in Chinese, which has no spaces between words."""


def names() -> list[str]:
    """The keys of the panels that have a page, in alphabetical order."""
    return sorted(path.stem for path in resources.path("help", "en").glob("*.md"))


def page(key: str, language: str = "") -> str:
    """The Markdown of a page, in the language in use. AppError where there is none."""
    path = resources.path("help", language or messages.language(), f"{key}.md")
    if not path.exists():
        raise AppError("There is no page {name} in the help. There are: {names}.",
                       name=key, names=listed(names()))  # fmt: skip
    return _CHINESE_BREAK.sub("", path.read_text(encoding="utf-8"))


def title(key: str) -> str:
    """The heading of a page, in the language in use."""
    return page(key).partition("\n")[0].lstrip("# ")


def plain(key: str) -> str:
    """A page for a terminal: formulas as words, without marks."""
    text = FORMULA.sub(lambda found: f"    {found[1]}", page(key))
    return re.sub(r"\*\*|`|^#+ ", "", text, flags=re.MULTILINE)


def formula(name: str, ink: str) -> bytes:
    """The SVG of a formula in a colour such as "#1f2328"."""
    drawn = resources.path("help", "formulas", f"{name}.svg").read_text(encoding="utf-8")
    return drawn.replace(_INK, ink, 1).encode("utf-8")
