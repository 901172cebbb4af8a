"""Labelled examples to rows of a table: the text, the second text, what it is labelled as."""

from collections.abc import Iterable

from lmstudio.data.labelled.example import Example
from lmstudio.gui.tables import Cell, Column, Row
from lmstudio.messages import tr

_LONGEST = 300  # characters of a cell


def columns() -> list[Column]:
    """Of a table of examples of any kind."""
    return [
        Column("text", tr("Text")),
        Column("other", tr("Second text"), width=150),
        Column("label", tr("Label"), width=170),
    ]


def rows(kind: str, examples: Iterable[Example]) -> list[Row]:
    """A row for each example."""
    return [_row(number, kind, example) for number, example in enumerate(examples)]


def _row(number: int, kind: str, example: Example) -> Row:
    said = labelled_as(kind, example)
    tip = "\n".join(filter(None, [example.text[:_LONGEST], example.other, said, example.place]))
    return Row(number, {
        "text": Cell(_line(example.text), tip=tip),
        "other": Cell(_line(example.other), tip=tip),
        "label": Cell(said, tip=tip, tone="" if example.labelled else "muted"),
    })  # fmt: skip


def labelled_as(kind: str, example: Example) -> str:
    """The label, the tagged spans or the answers in a line."""
    if not example.labelled:
        return tr("not labelled")
    if kind in ("classify", "pair"):
        return example.label
    if not example.spans:
        return tr("no answer") if kind == "qa" else ""
    told = [f"{example.text[span.start : span.end]} {span.type}".strip() for span in example.spans]
    return " · ".join(told)[:_LONGEST]


def _line(text: str) -> str:
    return " ".join(text[:_LONGEST].split())
