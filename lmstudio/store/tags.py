"""Tags: words that the user puts on corpora, runs and findings to find them again."""

from collections.abc import Sequence
from typing import Literal

from lmstudio.store.db import Database

Noun = Literal["corpus", "run", "finding"]


def tags(db: Database, noun: Noun) -> dict[int, tuple[str, ...]]:
    """The tags of all rows that have some, by their ids, in alphabetical order."""
    found: dict[int, tuple[str, ...]] = {}
    sql = "select row_id, tag from tag where noun = ? order by row_id, tag"
    for number, tag in db.rows(sql, noun):
        found[number] = (*found.get(number, ()), tag)
    return found


def set_tags(db: Database, noun: Noun, row_id: int, words: Sequence[str]) -> None:
    """Put these tags on a row, instead of those that it had."""
    with db.transaction() as connection:
        connection.execute("delete from tag where noun = ? and row_id = ?", (noun, row_id))
        connection.executemany(
            "insert or ignore into tag values (?, ?, ?)", [(noun, row_id, word) for word in words]
        )
