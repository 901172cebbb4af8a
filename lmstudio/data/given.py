"""The words that the files of a corpus gave, with their tags, line by line."""

from bisect import bisect_left
from pathlib import Path

import numpy as np

from lmstudio.data.layout import GIVEN, IMPORT_AGAIN, mapped
from lmstudio.files import read_json, reading

WORDS, TAGS = "words.idx", "tags.json"

Spans = list[tuple[int, int]]


def has_given(folder: Path) -> bool:
    """Some document of the corpus in this folder came with its words."""
    return (folder / WORDS).exists()


class GivenWords:
    """Given words, mapped, not read. AppError where a file is missing or damaged.

    `tags` are the names of the tags; tag 0 is "", for a word without one.
    """

    def __init__(self, folder: Path) -> None:
        self.records = mapped(folder / WORDS, GIVEN, IMPORT_AGAIN)
        with reading(folder / TAGS, IMPORT_AGAIN):
            self.tags: list[str] = list(map(str, read_json(folder / TAGS)))
            if self.tags[:1] != [""]:
                raise ValueError("damaged")
        self._next = (0, 0)  # line after the one asked for last, and its first record

    def of(self, line: int) -> tuple[Spans, np.ndarray]:
        """Spans (code points) and tags (W,) u2 of a line's words; none if none were given.

        Quick for lines asked for in order.
        """
        first = self._next[1] if self._next[0] == line else self._first(line, 0)
        end = self._first(line + 1, first)
        self._next = line + 1, end
        own = self.records[first:end]
        spans = list(zip(own["start"].tolist(), own["end"].tolist(), strict=True))
        return spans, np.array(own["tag"])

    def _first(self, line: int, low: int) -> int:
        """The first record of a line or of one after it, not before `low`; it is likely near."""
        step = 64
        while low + step < len(self.records) and self.records["line"][low + step] < line:
            low, step = low + step, 2 * step
        high = min(low + step, len(self.records))
        # not np.searchsorted, which would copy the whole mapped column
        return bisect_left(self.records["line"], line, low, high)
