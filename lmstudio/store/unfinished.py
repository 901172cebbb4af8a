"""Rows that a longer import adds on its way: not listed before it ends, swept if it was killed.

Such a row is made with `MARK` in its facts, in the transaction that adds it; `finish` takes the
mark away, in the transaction that adds what the import is for.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeVar

from lmstudio.store.rows import CorpusRow, Facts, SegmentationRow

if TYPE_CHECKING:
    from lmstudio.store.workspace import Workspace

MARK = "unfinished"
NOUNS = ("segmentation", "corpus")  # each before what it stands on
_Row = TypeVar("_Row", CorpusRow, SegmentationRow)


def listed(rows: Iterable[_Row]) -> list[_Row]:
    """Those without a mark."""
    return [row for row in rows if MARK not in row.facts]


def without_mark(facts: Facts) -> Facts:
    """The facts of a row that stays."""
    return {name: fact for name, fact in facts.items() if name != MARK}


def finish(ws: "Workspace", noun: str, row_id: int) -> None:
    """Take the mark of a corpus or a segmentation away."""
    row = ws.corpus(row_id) if noun == "corpus" else ws.segmentation(row_id)
    ws.set_facts(noun, row_id, without_mark(row.facts))


def sweep(ws: "Workspace") -> None:
    """Delete what has a mark. Whoever made it is dead: the caller holds the lock."""
    for noun in NOUNS:
        marked = f"json_valid(facts) and json_type(facts, '$.{MARK}') is not null"
        for row in ws.db.rows(f"select id from {noun} where {marked}"):
            ws.delete(noun, row["id"])
