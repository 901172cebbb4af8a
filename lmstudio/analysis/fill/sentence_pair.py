"""The train part of a segmentation in; two stretches of it, and whether one follows the other, out.

A pair as BERT learns from for next sentence prediction, made by data.pairs.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lmstudio.data.cut_from import corpus_of, documents_at
from lmstudio.data.layout import CorpusText, Tokens
from lmstudio.data.pairs import NextSentencePairs
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import Message

WINDOW = 48
"""Tokens of a pair at most, marks included."""
_BLOCKS, _BLOCK = 8, 40  # stretches of sentences that a pair is drawn from: all of it would be slow


@dataclass(frozen=True)
class SentencePair:
    """Two stretches of text."""

    first: str
    second: str
    follows: bool
    notice: Message | None  # what is odd about the corpus


def sentence_pair(segmentation: Path, seed: int, *, job: Job) -> SentencePair:
    """Draw a pair; another seed, another pair. AppError where the text makes none."""
    tokens, rng = Tokens(segmentation), np.random.default_rng(seed)
    bounds = tokens.bounds("train")
    documents = documents_at(segmentation, bounds[:, 0])
    job.check()
    some = _some(len(bounds), rng)
    pairs = NextSentencePairs(bounds[some], documents[some])
    examples = pairs.examples(WINDOW, rng)
    drawn = examples[int(rng.integers(len(examples)))]
    text = CorpusText(corpus_of(segmentation))
    first, second = (_text(tokens, text, int(drawn[side]), int(drawn[f"{side}_size"]))
                     for side in ("a", "b"))  # fmt: skip
    alone = len(documents) > 0 and documents.min() == documents.max()
    return SentencePair(first, second, bool(drawn["follows"] == 1), pairs.notice if alone else None)


def _some(sentences: int, rng: np.random.Generator) -> np.ndarray:
    """Numbers, ascending, of sentences in a few stretches from all over; of a short text all."""
    if sentences <= _BLOCKS * _BLOCK:
        return np.arange(sentences)
    edges = np.linspace(0, sentences - _BLOCK, _BLOCKS + 1).astype(np.int64)
    starts = rng.integers(edges[:-1], edges[1:])
    return np.unique(starts[:, None] + np.arange(_BLOCK))


def _text(tokens: Tokens, text: CorpusText, first: int, size: int) -> str:
    """What stands where tokens of one stretch do; line after line."""
    starts = np.asarray(tokens.sentences["token"])
    last, found = first + size - 1, []
    for number in range(*np.searchsorted(starts, [first, last], side="right") - [1, 0]):
        begin = int(tokens.offsets["start"][max(first, int(starts[number]))])
        end = int(tokens.offsets["end"][min(last, int(starts[number + 1]) - 1)])
        found.append(text.line(int(tokens.sentences["line"][number]))[begin:end])
    if not found:
        raise AppError("There is no token in this text. Type some words.")
    return " ".join(found)
