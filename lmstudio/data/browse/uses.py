"""Hits of a concordance into occurrences: a word, each time in the sentence it stands in."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lmstudio.data.browse.hit_context import hit_context
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.text.encoding import utf8
from lmstudio.text.sentences import sentence_spans

Hit = tuple[int, int, int]
"""A line of the corpus, from 0, and the code points of the hit in it."""


@dataclass(frozen=True)
class Occurrence:
    """A word in a sentence, at code points `start` to `end`."""

    text: str
    start: int
    end: int
    sense: str = ""  # which meaning it has, where that is known
    line: int = -1  # of the corpus, from 0; -1 if it was typed


def occurrences_of(corpus: Path, hits: Sequence[Hit], *, job: Job) -> list[Occurrence]:
    """The sentences of hits in a corpus folder; of a very long one, what is near the hit."""
    found = []
    for number, (line, start, end) in enumerate(hits):
        job.tick(number, len(hits), Message("Reading the context"))
        around = hit_context(corpus, line, start, end, job=job)
        place = len(around.left)
        text = around.left + around.hit + around.right
        first, last = _sentence(text, place)
        stop = min(place + len(around.hit), last)
        found.append(Occurrence(text[first:last], place - first, stop - first, line=line))
    return found


def typed(word: str, lines: Sequence[str]) -> list[Occurrence]:
    """Every place of a word in sentences that were typed, one a line.

    AppError where one holds half a character.
    """
    for line in lines:
        utf8(line)
    return [
        Occurrence(line, match.start(), match.end())
        for line in lines
        for match in re.finditer(re.escape(word), line)
    ]


def _sentence(text: str, place: int) -> tuple[int, int]:
    """The sentence that holds a place of a text."""
    spans = sentence_spans(text)
    return next(((a, b) for a, b in spans if a <= place < b), (0, len(text)))
