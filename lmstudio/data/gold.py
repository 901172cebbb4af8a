"""The lines of a part into the words that others are scored by, and a segmentation's of the same.

The words are those given with the text, or those of a segmentation that is taken for reference.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lmstudio.data.given import GivenWords
from lmstudio.data.layout import PART_NAMES, CorpusText, Tokens
from lmstudio.data.vocab import Vocabulary
from lmstudio.jobs import Job
from lmstudio.messages import Message

_TICK = 1000  # lines


@dataclass(frozen=True)
class GoldLines:
    """Lines of one part whose words are given, and the words that the training part holds."""

    numbers: list[int]  # of the lines in the corpus
    texts: list[str]
    words: list[list[str]]
    training_words: set[str]


def gold_lines(corpus: Path, part: str, *, job: Job) -> GoldLines:
    """The gold lines of a corpus folder that has given words; lines without words are left out."""
    text, given = CorpusText(corpus), GivenWords(corpus)
    wanted, train = PART_NAMES.index(part), PART_NAMES.index("train")
    found = GoldLines([], [], [], set())
    for number, of in enumerate(np.asarray(text.lines["part"]).tolist()):
        if number % _TICK == 0:
            job.tick(number, len(text), Message("Reading the given words"))
        if of not in (wanted, train) or not (spans := given.of(number)[0]):
            continue
        line = text.line(number)
        words = [line[start:end] for start, end in spans]
        if of == train:
            found.training_words.update(words)
        if of == wanted:
            found.numbers.append(number)
            found.texts.append(line)
            found.words.append(words)
    return found


def reference_lines(corpus: Path, segmentation: Path, part: str, *, job: Job) -> GoldLines:
    """All lines of a part as a segmentation folder cuts them; its vocabulary is known."""
    text = CorpusText(corpus)
    numbers = np.flatnonzero(text.lines["part"] == PART_NAMES.index(part)).tolist()
    texts = _texts(text, numbers, job)
    words = tokens_of_lines(segmentation, numbers, texts, job=job)
    return GoldLines(numbers, texts, words, set(Vocabulary.load(segmentation).types))


def _texts(text: CorpusText, numbers: list[int], job: Job) -> list[str]:
    """The lines with these numbers."""
    found = []
    for done, number in enumerate(numbers):
        if done % _TICK == 0:
            job.tick(done, len(numbers), Message("Reading the tokens"))
        found.append(text.line(number))
    return found


def tokens_of_lines(
    segmentation: Path, numbers: list[int], texts: list[str], *, job: Job
) -> list[list[str]]:
    """What a segmentation folder made of these lines, as pieces of their text."""
    tokens = Tokens(segmentation)
    lines = np.asarray(tokens.sentences["line"][:-1])
    starts = np.append(tokens.sentences["token"][:-1], len(tokens.ids))
    firsts = starts[np.searchsorted(lines, numbers, side="left")].tolist()
    lasts = starts[np.searchsorted(lines, numbers, side="right")].tolist()
    found = []
    for done, (first, last, text) in enumerate(zip(firsts, lasts, texts, strict=True)):
        if done % _TICK == 0:
            job.tick(done, len(texts), Message("Reading the tokens"))
        spans = tokens.offsets[first:last].tolist()
        found.append([text[start:end] for start, end in spans])
    return found
