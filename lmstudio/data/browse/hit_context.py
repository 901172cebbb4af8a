"""A hit of a concordance into the text around it: bounded, however long its line is."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lmstudio.data.layout import IMPORT_AGAIN, LINE, mapped
from lmstudio.files import reading
from lmstudio.jobs import Job

AROUND = 400  # code points on each side of the hit
_NEIGHBOUR = 200  # code points of the line before and of the line after
_LONGEST_HIT = 1000  # code points of the hit itself
_BLOCK = 1 << 20  # bytes looked at between two looks at the job
_WIDEST = 4  # bytes of a code point


@dataclass(frozen=True)
class HitContext:
    """The hit in its line, and what stands in the lines before and after. All may be cut."""

    before: str  # the end of the line before, "" if there is none
    left: str
    hit: str
    right: str
    after: str  # the begin of the line after
    begins: bool  # `left` begins with its line
    ends: bool  # `right` ends with it; and the hit is whole


def hit_context(corpus: Path, line: int, start: int, end: int, *, job: Job) -> HitContext:
    """The text around code points `start` to `end` of line `line` (from 0) of a corpus folder.

    Bytes are counted, not decoded: a line of a hundred megabytes costs a tenth of a second.
    """
    lines = mapped(corpus / "lines.idx", LINE, IMPORT_AGAIN)
    text = mapped(corpus / "text.utf8", np.dtype("u1"), IMPORT_AGAIN)
    with reading(corpus / "text.utf8", IMPORT_AGAIN):
        own = _octets(text, lines, line)
        first = max(start - AROUND, 0)
        shown = min(end - start, _LONGEST_HIT)
        wanted = start - first + shown + AROUND
        at = _place(own, first, job)
        found = _decoded(own[at : at + wanted * _WIDEST])
        right = found[start - first + shown :]
        whole = at + wanted * _WIDEST >= len(own) and shown == end - start
        return HitContext(
            before=_decoded(_octets(text, lines, line - 1)[-_NEIGHBOUR * _WIDEST :])[-_NEIGHBOUR:],
            left=found[: start - first],
            hit=found[start - first : start - first + shown],
            right=right[:AROUND],
            after=_decoded(_octets(text, lines, line + 1)[: _NEIGHBOUR * _WIDEST])[:_NEIGHBOUR],
            begins=first == 0,
            ends=whole and len(right) <= AROUND,
        )


def _octets(text: np.ndarray, lines: np.ndarray, line: int) -> np.ndarray:
    """The bytes of a line; none where there is no such line."""
    if not 0 <= line < len(lines):
        return text[:0]
    start = int(lines["start"][line])
    return text[start : start + int(lines["size"][line])]


def _place(octets: np.ndarray, wanted: int, job: Job) -> int:
    """The byte at which code point `wanted` begins; the end if there are not so many."""
    seen = 0
    for begin in range(0, len(octets), _BLOCK):
        job.check()
        begins = (octets[begin : begin + _BLOCK] & 0xC0) != 0x80
        count = int(np.count_nonzero(begins))
        if seen + count > wanted:
            return begin + int(np.flatnonzero(begins)[wanted - seen])
        seen += count
    return len(octets)


def _decoded(octets: np.ndarray) -> str:
    """Text whose first and last character may be cut."""
    return octets.tobytes().decode("utf-8", errors="ignore")
