"""The training part of a corpus into words that a dictionary may lack."""

from collections.abc import Collection
from pathlib import Path

import numpy as np

from lmstudio.data.layout import PART_NAMES, CorpusText
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.text.jieba_tokenizer import base_dictionary
from lmstudio.text.word_finding import LONGEST, Suggestion, find_words

MOST = 20_000_000  # code points looked at: about 1 GB of memory
_TICK = 10_000  # lines


def suggest(
    corpus: Path, known: Collection[str], cache: Path, limit: int, *, job: Job
) -> list[Suggestion]:
    """The `limit` best strings that are neither in jieba's dictionary nor in `known`.

    `corpus` is a corpus folder, `cache` where jieba's dictionary is kept ready. Of the training
    part the first 20 million characters are looked at.
    """
    frequencies, _ = base_dictionary(cache)
    text = _training_text(corpus, job)

    def check(length: int) -> None:
        job.tick(length, LONGEST + 1, Message("Looking for new words"))

    found = find_words(text, _Known(frequencies, known), limit, check)
    job.tick(LONGEST + 1, LONGEST + 1)
    return found


class _Known:
    """Words of jieba's dictionary, where prefixes of words have frequency 0, or of another one."""

    def __init__(self, frequencies: dict[str, int], others: Collection[str]) -> None:
        self._frequencies, self._others = frequencies, frozenset(others)

    def __contains__(self, word: object) -> bool:
        return bool(self._frequencies.get(str(word))) or word in self._others


def _training_text(corpus: Path, job: Job) -> str:
    text = CorpusText(corpus)
    lines: list[str] = []
    size = 0
    for count, number in enumerate(np.flatnonzero(text.lines["part"] == PART_NAMES.index("train"))):
        if count % _TICK == 0:
            job.tick(0, LONGEST + 1, Message("Looking for new words"))
        lines.append(text.line(int(number)))
        size += len(lines[-1]) + 1
        if size >= MOST:
            break
    return "\n".join(lines)
