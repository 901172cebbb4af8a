r"""A header and rows in; a LaTeX table in the style of booktabs out.

Text is escaped, columns of numbers stand at the right with one number of decimals each. What the
CSV file has to every digit is rounded here to what a page shows.
"""

import math
import re
from collections.abc import Sequence
from itertools import zip_longest
from numbers import Integral, Real
from typing import TypeGuard

Cells = Sequence[object]

LONGEST = 40
"""Rows that a table may have on one page; a longer one may break."""
_FIGURES = 4  # of the largest number of a column
_MOST = 6  # decimals
_NUMBER = re.compile(r"[<≈~ ]*[-+−]?[\d,.\u2009]+( ?±.*)?( ?[%kMG])?|[-+]?∞|[–—]|")
_NEEDS = r"needs \usepackage{booktabs,longtable}; for Chinese, XeLaTeX with \usepackage{ctex}"
_ESCAPED = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "`": r"\textasciigrave{}",
    "[": "{[}", "]": "{]}", "*": "{*}",  # after a row's end, they would be read with it
    "\u2009": r"\,", "…": r"\dots{}", "—": "---", "–": "--",
    "±": r"$\pm$", "×": r"$\times$", "·": r"$\cdot$", "∞": r"$\infty$", "−": "$-$",
}  # fmt: skip
_ESCAPES = str.maketrans(_ESCAPED)
_JOINED = re.compile(r"(?<=[-'])(?=[-'])")  # or two of these become another mark


def latex_table(header: Sequence[str], rows: Sequence[Cells]) -> str:
    """The table, to be included in a document; a cell that is None is empty.

    Integers are written whole. Of other numbers the largest of a column has four figures, and all
    have its decimals; what would be 0 then is written with a power of ten.
    """
    columns = list(zip_longest(*rows)) if rows else [()] * len(header)
    numeric = [_is_numeric(column) for column in columns]
    written = [_column(column) for column in columns]
    sides = "".join("r" if right else "l" for right in numeric)
    body = [_row(cells) for cells in zip(*written, strict=True)]
    titles = _row([escaped(title) for title in header])
    long = len(rows) > LONGEST
    kind = "longtable" if long else "tabular"
    head = [r"\toprule", titles, r"\midrule", *([r"\endhead"] if long else [])]
    lines = [
        f"% {_NEEDS}", rf"\begin{{{kind}}}{{@{{}}{sides}@{{}}}}",
        *head, *body, r"\bottomrule", rf"\end{{{kind}}}",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """Text as LaTeX prints it: what has a meaning there is written out, controls are left out."""
    plain = "{}".join(part.translate(_ESCAPES) for part in _JOINED.split(text))
    return "".join(_printable(character) for character in plain)


def _printable(character: str) -> str:
    if character.isprintable():
        return character
    return " " if character.isspace() else ""


def _row(cells: Sequence[str]) -> str:
    return rf"{' & '.join(cells)} \\"


def _is_numeric(column: Cells) -> bool:
    """Numbers only, or text that shows them, beside cells that are empty."""
    kept = [cell for cell in column if cell not in (None, "")]
    return bool(kept) and all(_is_number(cell) or _shows_number(cell) for cell in kept)


def _is_number(cell: object) -> TypeGuard[Real]:
    return isinstance(cell, Real) and not isinstance(cell, bool)


def _shows_number(cell: object) -> bool:
    return isinstance(cell, str) and _NUMBER.fullmatch(cell) is not None


def _column(column: Cells) -> list[str]:
    numbers = [
        float(cell) for cell in column if _is_number(cell) and not isinstance(cell, Integral)
    ]
    places = _places([number for number in numbers if math.isfinite(number)])
    return [_number(cell, places) if _is_number(cell) else escaped(_text(cell)) for cell in column]


def _text(cell: object) -> str:
    return "" if cell is None else str(cell)


def _places(numbers: Sequence[float]) -> int:
    """How many decimals a column of numbers has."""
    if all(number.is_integer() for number in numbers):
        return 0
    largest = max(map(abs, numbers))
    places = max(1, _FIGURES - (len(str(int(largest))) if largest >= 1 else 0))
    least = min(abs(number) for number in numbers if number)
    while places < _MOST and round(least, places) == 0:
        places += 1
    return places


def _number(cell: Real, places: int) -> str:
    value = float(cell)
    if math.isnan(value):
        return "--"
    if math.isinf(value):
        return r"$\infty$" if value > 0 else r"$-\infty$"
    if isinstance(cell, Integral):
        text = str(int(cell))
    elif value and round(value, places) == 0:
        power = math.floor(math.log10(abs(value)))
        return rf"${value / 10**power:.1f}\times10^{{{power}}}$"
    else:
        text = f"{value:.{places}f}"
    return f"${text}$" if text.startswith("-") else text
