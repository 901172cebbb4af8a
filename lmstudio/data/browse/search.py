"""A query and a corpus into hits: where a text, a pattern, words or tags stand, batch by batch."""

import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from lmstudio.data.browse.patterns import compiled, stoppable
from lmstudio.data.browse.words import Words
from lmstudio.data.layout import IMPORT_AGAIN, PART_NAMES, CorpusText, mapped
from lmstudio.errors import AppError
from lmstudio.files import reading
from lmstudio.jobs import Job
from lmstudio.messages import Message

Kind = Literal["text", "regex", "word", "tag"]
KINDS: tuple[Kind, ...] = ("text", "regex", "word", "tag")

HIT = np.dtype([("line", "<i4"), ("start", "<i4"), ("end", "<i4")])
"""A line of the corpus and the code points of the hit in it."""

_BATCH = 1 << 20  # bytes of text looked at between two ticks; a longer line is a batch
_NOTE = Message("Searching")


@dataclass(frozen=True)
class Query:
    """What is looked for.

    text    exactly these characters
    regex   a regular expression of Python's `re`, matched line by line; empty matches are no hits
    word    a word of a segmentation, or several in a row between spaces; `*` and `?` in a word
            stand for any characters and for one
    tag     a part of speech as the text came with it, or several in a row: `n`, `v*`, `*/nr`,
            `发展/v 的/u`
    """

    text: str
    kind: Kind = "text"
    ignore_case: bool = False

    def check(self) -> None:
        """AppError if nothing can be found with this."""
        if self.kind not in KINDS:
            raise AppError(
                "There is no search called {kind}. Choose text, regex, word or tag.", kind=self.kind
            )
        if not (self.text.strip() if self.kind in ("word", "tag") else self.text):
            raise AppError("Say what to search for.")
        if re.search(r"[\ud800-\udfff]", self.text):
            raise AppError("The text to search for holds half a character. Remove it.")
        if self.kind == "text" and "\n" in self.text:
            raise AppError("A search stays inside a line. Search for text without a line end.")
        if self.kind == "regex":
            compiled(self.text)


def text_hits(corpus: Path, query: Query, part: str, *, job: Job) -> Iterator[np.ndarray]:
    """HIT arrays in the order of the corpus, for the kinds text and regex.

    A pattern is matched in each line alone; `part` "" is all parts.
    """
    query.check()
    lines = CorpusText(corpus).lines
    text = mapped(corpus / "text.utf8", np.dtype("u1"), IMPORT_AGAIN)
    exact = query.kind == "text" and not query.ignore_case
    pattern = compiled(
        re.escape(query.text) if query.kind == "text" else query.text,
        ignore_case=query.ignore_case,
    )
    for first, last in _batches(lines["start"], len(text)):
        job.tick(int(lines["start"][first]), len(text), _NOTE)
        begin = int(lines["start"][first])
        end = int(lines["start"][last - 1]) + int(lines["size"][last - 1])
        with reading(corpus / "text.utf8", IMPORT_AGAIN):
            data = text[begin:end].tobytes()
            content = "" if exact else data.decode("utf-8")
        if exact:
            hits = _exact(data, query.text, lines["start"][first:last] - begin)
        else:
            hits = _matches(content, pattern, job)
        hits["line"] += first
        if part:
            hits = hits[lines["part"][hits["line"]] == PART_NAMES.index(part)]
        yield hits


def _batches(starts: np.ndarray, size: int) -> Iterator[tuple[int, int]]:
    """First line and end of runs of lines of about `_BATCH` bytes."""
    starts = np.ascontiguousarray(starts)
    first = 0
    while first < len(starts):
        last = int(np.searchsorted(starts, starts[first] + _BATCH))
        yield first, max(last, first + 1)
        first = max(last, first + 1)


def _exact(data: bytes, wanted: str, starts: np.ndarray) -> np.ndarray:
    """Hits of a plain text, found in the bytes; `starts` (L,) of the lines in `data`."""
    needle = wanted.encode()
    if needle not in data:
        return np.empty(0, HIT)
    found = np.array([match.start() for match in re.finditer(re.escape(needle), data)], np.int64)
    octets = np.frombuffer(data, "u1")
    before = np.zeros(len(data) + 1, np.int32)  # code points before each byte
    np.cumsum((octets & 0xC0) != 0x80, out=before[1:])
    hits = np.empty(len(found), HIT)
    hits["line"] = line = np.searchsorted(starts, found, side="right") - 1
    hits["start"] = before[found] - before[starts[line]]
    hits["end"] = hits["start"] + len(wanted)
    return hits


def _matches(content: str, pattern: re.Pattern[str], job: Job) -> np.ndarray:
    """Hits of a pattern in each line of `content`."""
    found = array("i")
    with stoppable(job):
        for number, line in enumerate(content.split("\n")):
            for match in pattern.finditer(line):
                start, end = match.span()
                if start < end:
                    found.extend((number, start, end))
    return np.frombuffer(found, np.int32).copy().view(HIT)


def word_hits(words: Words, query: Query, part: str, *, job: Job) -> Iterator[np.ndarray]:
    """Numbers (H,) of the tokens at which the words of the query begin, inside one sentence."""
    query.check()
    with stoppable(job):
        wanted = [words.matching(w, ignore_case=query.ignore_case) for w in query.text.split()]
    chosen = words.in_part(part)
    for start, end in words.chunks(job, _NOTE):
        found = start + np.flatnonzero(wanted[0][words.ids[start:end]])
        sentence = words.sentence_of(found)
        inside = chosen[sentence] & (found + len(wanted) <= words.starts[sentence + 1])
        yield _followed(found[inside], wanted[1:], words.ids)


def _followed(found: np.ndarray, wanted: Sequence[np.ndarray], ids: np.ndarray) -> np.ndarray:
    """Those of `found` (H,) whose next tokens are of the sets `wanted`, one after the other."""
    for distance, following in enumerate(wanted, start=1):
        found = found[following[ids[found + distance]]]
    return found


def word_spans(words: Words, tokens: np.ndarray, length: int) -> np.ndarray:
    """(H,) HIT: from the begin of each token to the end of the last of `length` tokens."""
    hits = np.empty(len(tokens), HIT)
    hits["line"] = words.line_of(tokens)
    hits["start"] = words.tokens.offsets["start"][tokens]
    hits["end"] = words.tokens.offsets["end"][tokens + length - 1]
    return hits
