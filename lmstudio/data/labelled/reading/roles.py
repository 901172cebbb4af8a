"""The columns of a table to what they are: the text, the second text, the label, the part.

Columns are known by their names. Where these say nothing, as in files without a header, the label
is the column with the fewest different values, and texts are the longest others.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from lmstudio.errors import AppError
from lmstudio.messages import listed
from lmstudio.text.document import NO_COLUMN
from lmstudio.text.files.columns import NAMES as OF_CORPORA
from lmstudio.text.files.columns import PARTS, Row

NAMES = {
    "text": (
        "text", "sentence", "text_a", "sentence1", "sentence_a", "text1", "premise", "question1",
        "query1", "s1", "context", "passage", "content", "review", "comment", "query", "title",
        "文本", "句子", "句子1", "文本1", "前提", "内容", "正文", "评论", "原文", "文章", "篇章",
        "标题",
    ),
    "other": (
        "text_b", "sentence2", "sentence_b", "text2", "hypothesis", "question2", "query2", "s2",
        "question", "句子2", "文本2", "假设", "问题",
    ),
    "label": (
        "label_desc", "label_des", "label", "gold_label", "labels", "intent", "class", "category",
        "sentiment", "target", "answer", "标签", "类别", "分类", "意图", "情感", "情感倾向", "关系",
        "是否相似", "答案",
    ),
    "part": (*OF_CORPORA["part"], "subset", "set"),
}  # fmt: skip
_QUESTION, _ANSWER = ("question", "问题"), ("answer", "答案")
_KNOWN = {name for role in ("text", "other", "label") for name in NAMES[role]}
_LABEL = 40  # characters; a longer cell is no label
_TEXT = 4  # mean characters that a second text has at least
_NEARLY_ALL = 0.9  # of the cells of a column that says the part
_OFTEN = 0.5  # of the rows: different values of a label at most, known labels at least


@dataclass(frozen=True)
class Roles:
    """Names of the columns, and the numbers, from 0, of those that are used; None for none."""

    names: tuple[str, ...]
    text: int
    other: int | None
    label: int | None
    part: int | None = None

    def part_of(self, row: Row) -> str:
        """The part that a row is of, as its own column says; "" where it says nothing of use."""
        return PARTS.get(cell(row, self.part).casefold(), "")

    @property
    def kind(self) -> str:
        """What they are for: classify, pair or qa."""
        if self.other is None:
            return "classify"
        used = self.guess()
        asked = used["other"].casefold() in _QUESTION
        return "qa" if asked and used.get("label", "").casefold() in _ANSWER else "pair"

    def guess(self) -> dict[str, str]:
        """The names of the columns that are used, by role."""
        used = {"text": self.text, "other": self.other, "label": self.label, "part": self.part}
        return {role: self.names[n] for role, n in used.items() if n is not None}


def is_header(row: Row) -> bool:
    """A row with a name that columns of labelled examples have."""
    return any((cell or "").strip().casefold() in _KNOWN for cell in row)


def roles(
    names: Sequence[str], rows: Sequence[Row], chosen: dict[str, str], kind: str, *, named: bool,
    labels: Collection[str] = (),
) -> Roles:  # fmt: skip
    """What the columns are. `chosen`: names or numbers by role; `named`: the file has `names`.

    `rows` are the first ones; `labels` what is known to be one. Raises AppError if a column was
    chosen that is not there.
    """
    used = {role: _number(wanted, names) for role, wanted in chosen.items()
            if wanted and wanted != NO_COLUMN}  # fmt: skip
    taken = set(used.values())
    if "part" not in used and named and chosen.get("part") != NO_COLUMN:
        _add_part(used, taken, names, rows)
    for role in ("text", "other", "label"):
        if role not in used and not (role == "other" and kind == "classify"):
            number = _named(names, role, taken) if named else None
            if number is not None:
                used[role] = number
                taken.add(number)
    free = [n for n in range(len(names)) if n not in taken]
    if "label" not in used and not (named and {"text", "other"} <= used.keys()):
        number = _label_like(free, rows, labels, needs_repeats=named and "text" in used)
        if number is not None and len(names) > 1:
            used["label"] = number
            free.remove(number)
    if "text" not in used:
        used["text"] = _longest(free, rows)
        free = [n for n in free if n != used["text"]]
    if "other" not in used and kind != "classify" and (not named or kind in ("pair", "qa")):
        _add_other(used, free, rows, sure=kind in ("pair", "qa"))
    return Roles(tuple(names), used["text"], used.get("other"), used.get("label"),
                 used.get("part"))  # fmt: skip


def _add_part(
    used: dict[str, int], taken: set[int], names: Sequence[str], rows: Sequence[Row]
) -> None:
    """A column is so called, and nearly all of its cells are names of parts."""
    number = _named(names, "part", taken)
    if number is not None:
        known = sum(cell(row, number).casefold() in PARTS for row in rows)
        if known >= _NEARLY_ALL * max(1, len(rows)):
            used["part"] = number
            taken.add(number)


def _add_other(used: dict[str, int], free: list[int], rows: Sequence[Row], *, sure: bool) -> None:
    """The second text is the longest column that is left, if it is one; the first comes first."""
    texts = [n for n in free if _mean(rows, n) >= _TEXT and not _are_numbers(rows, n)]
    texts = texts if sure else [n for n in texts if _share(rows, n) > _OFTEN]
    if texts:
        used["other"] = _longest(texts, rows)
        if used["other"] < used["text"]:
            used["text"], used["other"] = used["other"], used["text"]


def _number(wanted: str, names: Sequence[str]) -> int:
    folded = [name.strip().casefold() for name in names]
    if wanted.strip().casefold() in folded:
        return folded.index(wanted.strip().casefold())
    if wanted.strip().isdecimal() and 1 <= int(wanted) <= len(names):
        return int(wanted) - 1
    raise AppError(
        "There is no column {name}. The columns are {names}.",
        name=wanted, names=listed(names[:30]),
    )  # fmt: skip


def _named(names: Sequence[str], role: str, taken: set[int]) -> int | None:
    folded = [name.strip().casefold() for name in names]
    found = (folded.index(name) for name in NAMES[role] if name in folded)
    return next((number for number in found if number not in taken), None)


def _label_like(
    free: list[int], rows: Sequence[Row], labels: Collection[str], *, needs_repeats: bool
) -> int | None:
    """The column with known labels, or the fewest different values; the shortest and last."""
    for n in reversed(free):
        if sum(cell(row, n) in labels for row in rows) >= _OFTEN * len(rows):
            return n
    likely = [n for n in free if 0 < _mean(rows, n) <= _LABEL]
    if needs_repeats:
        likely = [n for n in likely if _share(rows, n) <= _OFTEN]
    return min(likely, key=lambda n: (_share(rows, n), _mean(rows, n), -n), default=None)


def _longest(numbers: Sequence[int], rows: Sequence[Row]) -> int:
    return max(numbers, key=lambda n: (not _are_numbers(rows, n), _mean(rows, n)), default=0)


def cell(row: Row, number: int | None) -> str:
    """A cell without white space around it; "" where the row has none."""
    return (row[number] or "").strip() if number is not None and number < len(row) else ""


def _mean(rows: Sequence[Row], number: int) -> float:
    return sum(len(cell(row, number)) for row in rows) / max(1, len(rows))


def _share(rows: Sequence[Row], number: int) -> float:
    """Different values a row."""
    return len({cell(row, number) for row in rows}) / max(1, len(rows))


def _are_numbers(rows: Sequence[Row], number: int) -> bool:
    return all(cell(row, number).replace(".", "", 1).isdecimal() for row in rows)
