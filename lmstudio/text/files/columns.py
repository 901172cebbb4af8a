"""The first rows of a table to what its columns are: text, title, label, part.

Title, label and part are columns with exactly a name that is known for it; the text is a column so
called, or else the one with the longest cells.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from lmstudio.messages import listed
from lmstudio.text.document import NO_COLUMN, ReadOptions
from lmstudio.text.read import ReadError

Row = list[str | None]
"""Cells; None for one whose value the file does not have."""

NAMES = {
    "text": (
        "text", "content", "文本", "正文", "内容", "sentence", "text_a", "句子", "body", "review",
        "评论", "paragraphs", "原文",
    ),
    "title": ("title", "标题", "题目", "篇名", "题名", "headline"),
    "label": ("label", "标签", "类别", "分类", "category", "class"),
    "part": ("part", "split", "划分", "数据集"),
}  # fmt: skip
PARTS = {
    "train": "train", "training": "train", "训练": "train", "训练集": "train",
    "valid": "valid", "val": "valid", "validation": "valid", "dev": "valid", "验证": "valid",
    "验证集": "valid", "开发集": "valid",
    "test": "test", "testing": "test", "测试": "test", "测试集": "test",
}  # fmt: skip
_KNOWN = {name for names in NAMES.values() for name in names}
_NUMBER = re.compile(r"\s*[-+]?[\d.,]+%?\s*")
_SHORT = 20  # characters: a longer cell names no column
_LONGER = 4  # times: as the cells of a text column are than its name


@dataclass(frozen=True)
class Columns:
    """Names of the columns, and the numbers, from 0, of those that are used."""

    names: list[str]
    header: bool  # the first row holds the names
    used: dict[str, int]  # text always; title, label, part if there are such

    def guess(self) -> dict[str, str]:
        """The names of the columns that are used."""
        return {role: self.names[number] for role, number in self.used.items()}


def judge(sample: Sequence[Row], options: ReadOptions, names: Sequence[str] = ()) -> Columns:
    """The columns of a table from its first rows; `names` where the file gives them itself.

    Raises ReadError if there is no row, or a column was chosen that is not there.
    """
    rows = list(sample)
    if not rows:
        raise ReadError("There is no usable text in it.")
    chosen = [options.text_column, options.title_column, options.label_column, options.part_column]
    header = not names and _has_header(rows, options.header, [name for name in chosen if name])
    if not names:
        (commonest, _), *_ = Counter(map(len, rows)).most_common(1)
        width = max(len(rows[0]), commonest)
        names = _distinct(rows[0] if header else [], width)
        rows = rows[1:] if header else rows
    return Columns(list(names), header, _used(list(names), rows, chosen))


def _used(names: list[str], rows: list[Row], chosen: list[str]) -> dict[str, int]:
    """Columns by role: the chosen ones, and of the others what their names say."""
    used = {}
    for role, wanted in zip(NAMES, chosen, strict=True):
        if wanted and wanted != NO_COLUMN:
            used[role] = _number_of(wanted, names)
    for role, wanted in zip(NAMES, chosen, strict=True):
        if wanted == NO_COLUMN:
            continue
        number = _named(names, role)
        if role in used or number is None or number in used.values():
            continue
        if role != "part" or all(_cell(row, number).lower() in PARTS for row in rows):
            used[role] = number
    if "text" not in used:
        free = [n for n in range(len(names)) if n not in used.values()]
        used["text"] = max(free, key=lambda n: _length(rows, n), default=0)
    return {role: used[role] for role in NAMES if role in used}


def _number_of(wanted: str, names: list[str]) -> int:
    folded = [name.strip().casefold() for name in names]
    if wanted.strip().casefold() in folded:
        return folded.index(wanted.strip().casefold())
    if wanted.strip().isdecimal() and 1 <= int(wanted) <= len(names):
        return int(wanted) - 1
    raise ReadError(
        "There is no column {name}. The columns are {names}.",
        name=wanted, names=listed(names[:30]),
    )  # fmt: skip


def _named(names: list[str], role: str) -> int | None:
    """The first column with a known name, in the order in which the names are known."""
    folded = [name.strip().casefold() for name in names]
    return next((folded.index(name) for name in NAMES[role] if name in folded), None)


def _has_header(rows: list[Row], wanted: str, chosen: list[str]) -> bool:
    if wanted != "auto":
        return wanted == "yes"
    first = [(cell or "").strip().casefold() for cell in rows[0]]
    if any(name in _KNOWN for name in first):
        return True
    if any(name.strip().casefold() in first and not name.isdecimal() for name in chosen):
        return True
    if len(rows) == 1 or not all(first) or len({*first}) < len(first):
        return False
    if any(len(name) > _SHORT or _NUMBER.fullmatch(name) for name in first):
        return False
    return any(_looks_named(rows, number) for number in range(len(first)))


def _looks_named(rows: list[Row], number: int) -> bool:
    """Below are only numbers, or far longer cells than the first one."""
    below = [_cell(row, number) for row in rows[1:]]
    if all(_NUMBER.fullmatch(cell) for cell in below):
        return True
    return _length(rows[1:], number) >= _LONGER * _length(rows[:1], number)


def _cell(row: Row, number: int) -> str:
    return (row[number] or "").strip() if number < len(row) else ""


def _length(rows: list[Row], number: int) -> float:
    """Mean bytes of the cells: Chinese says more with a character. Numbers are left out."""
    cells = [_cell(row, number) for row in rows]
    texts = [cell.encode("utf-8", "replace") for cell in cells if not _NUMBER.fullmatch(cell)]
    return sum(map(len, texts)) / max(1, len(rows))


def _distinct(first: Row, width: int) -> list[str]:
    """A name for each column: what the header says, else its number; no name twice."""
    names: dict[str, None] = {}
    times: Counter[str] = Counter()
    for number in range(width):
        said = name = _cell(first, number) or str(number + 1)
        while name in names:
            times[said] += 1
            name = f"{said} ({times[said] + 1})"
        names[name] = None
    return list(names)
