"""formulas.toml -> resources/help/formulas/NAME.svg: the formulas of the help, typeset as outlines.

    python packaging/formulas.py

Needs matplotlib, whose typesetting of TeX's mathematics it uses; neither the program nor its tests
do. Each picture keeps the formula it was made of, so that a test notices where they differ.
"""

import tomllib
from pathlib import Path
from xml.sax.saxutils import escape

from matplotlib import rcParams
from matplotlib.path import Path as Outline
from matplotlib.textpath import TextPath

HERE = Path(__file__).parent
PICTURES = HERE.parent / "resources" / "help" / "formulas"
SIZE = 20  # of the letters, in the units of the pictures
MARGIN = 1.0
LETTERS = {Outline.MOVETO: "M", Outline.LINETO: "L", Outline.CURVE3: "Q", Outline.CURVE4: "C",
           Outline.CLOSEPOLY: "Z"}  # fmt: skip


def picture(formula: str) -> str:
    """The SVG of a formula in TeX's mathematics."""
    outline = TextPath((0, 0), f"${formula}$", size=SIZE, usetex=False)
    box = outline.get_extents()
    left, top = box.x0 - MARGIN, box.y1 + MARGIN
    parts = []
    for points, code in outline.iter_segments(simplify=False, curves=True):
        pairs = zip(points[::2] - left, top - points[1::2], strict=True)
        closed = code == Outline.CLOSEPOLY
        places = "" if closed else " ".join(f"{x:.2f} {y:.2f}" for x, y in pairs)
        parts.append(LETTERS[code] + places)
    width, height = box.width + 2 * MARGIN, box.height + 2 * MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.1f}" height="{height:.1f}" '
        f'viewBox="0 0 {width:.1f} {height:.1f}">\n<desc>{escape(formula)}</desc>\n'
        f'<path fill="#000000" d="{"".join(parts)}"/>\n</svg>\n'
    )


def main() -> None:
    """Draw all of them anew."""
    rcParams["mathtext.fontset"] = "cm"
    formulas = tomllib.loads((HERE / "formulas.toml").read_text(encoding="utf-8"))
    PICTURES.mkdir(parents=True, exist_ok=True)
    for old in PICTURES.glob("*.svg"):
        old.unlink()
    for name, formula in formulas.items():
        (PICTURES / f"{name}.svg").write_text(picture(formula), encoding="utf-8")


if __name__ == "__main__":
    main()
