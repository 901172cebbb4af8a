"""A node word into its collocates: the words that stand near it more often than by chance."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np

from lmstudio.data.browse.association import dice, log_likelihood, mutual_information, t_score
from lmstudio.data.browse.frequencies import EVERYTHING
from lmstudio.data.browse.listing import Column, Listing
from lmstudio.data.browse.search import Query, word_hits
from lmstudio.data.browse.words import WordFilter, Words
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import Message, msg

_FARTHEST = 50  # tokens on a side
_NOTE = Message("Counting neighbours")


@dataclass(frozen=True)
class Window:
    """How many tokens to the left and right of the node count as near, in the same sentence."""

    left: int = 5
    right: int = 5

    def check(self) -> None:
        """AppError if nothing or too much is near."""
        sides = (self.left, self.right)
        if min(sides) < 0 or max(sides) > _FARTHEST or not any(sides):
            raise AppError(
                "A window has 0 to {most} tokens on each side, and at least one in all.",
                most=_FARTHEST,
            )


@dataclass(frozen=True)
class Collocations(Listing):
    """Collocates by falling log-likelihood; measures as in `association`.

    The text is what is no node itself. A token near two nodes counts once in `near`, and on each
    side where it is near one in `left` and `right` ("surface co-occurrence", Evert 2008).
    """

    word: Annotated[list[str], Column(msg("Word"))]
    near: Annotated[np.ndarray, Column(msg("Near the node"))]
    left: Annotated[np.ndarray, Column(msg("To the left"))]
    right: Annotated[np.ndarray, Column(msg("To the right"))]
    count: Annotated[np.ndarray, Column(msg("Count"))]
    """(W,) int64, in all of the text"""
    log_likelihood: Annotated[np.ndarray, Column(msg("Log-likelihood"))]
    mutual_information: Annotated[np.ndarray, Column(msg("Mutual information"))]
    t_score: Annotated[np.ndarray, Column(msg("t-score"))]
    dice: Annotated[np.ndarray, Column(msg("Dice"))]
    nodes: int  # times that the node stands in the text
    tokens: int  # of the text without the nodes
    near_tokens: int  # those of them that stand near a node


def collocations(
    corpus: Path,
    segmentation: Path,
    node: Query,
    window: Window,
    *,
    part: str = "",
    min_count: int = 1,
    shown: WordFilter = EVERYTHING,
    job: Job,
) -> Collocations:
    """What stands `min_count` times near `node`, a word query. AppError if that is nowhere."""
    window.check()
    words = Words(corpus, segmentation, job=job)
    length = len(node.text.split())
    found = np.concatenate(list(word_hits(words, node, part, job=job)))
    if not len(found):
        raise AppError("{word} is not in this text.", word=node.text)
    sides = _near(words, found, length, window, job)
    counted = _counted(words, part, sides, job)  # (4, types): near, left, right, in all
    near_tokens, tokens = int(counted[0].sum()), int(counted[3].sum())
    listed = np.flatnonzero(counted[0] >= max(min_count, 1))
    listed = listed[shown.keeps([words.types[t] for t in listed])]
    near, left, right, count = counted[:, listed]
    r, n = np.float64(near_tokens), np.float64(tokens)
    return Collocations(
        [words.types[t] for t in listed], near, left, right, count,
        log_likelihood(near, r, count, n), mutual_information(near, r, count, n),
        t_score(near, r, count, n), dice(near, r, count),
        nodes=len(found), tokens=tokens, near_tokens=near_tokens,
    ).ordered("log_likelihood")  # fmt: skip


_LEFT, _RIGHT, _NODE = 1, 2, 4


def _near(words: Words, nodes: np.ndarray, length: int, window: Window, job: Job) -> np.ndarray:
    """(T,) uint8: what each token is to the nodes, of _LEFT, _RIGHT and _NODE."""
    marks = np.zeros(len(words), np.uint8)
    sentence = words.sentence_of(nodes)
    first, end = words.starts[sentence], words.starts[sentence + 1]
    for mark, places in _places(nodes, length, window):
        job.tick(0, 0, _NOTE)
        marks[places[(places >= first) & (places < end)]] |= mark
    return marks


def _places(nodes: np.ndarray, length: int, window: Window) -> Iterator[tuple[int, np.ndarray]]:
    """The tokens at each distance from the nodes (H,), some beyond the sentence."""
    for distance in range(1, window.left + 1):
        yield _LEFT, nodes - distance
    for distance in range(window.right):
        yield _RIGHT, nodes + length + distance
    for distance in range(length):
        yield _NODE, nodes + distance


def _counted(words: Words, part: str, marks: np.ndarray, job: Job) -> np.ndarray:
    """(4, types) int64: of what is no node, counts near, left, right and in all."""
    chosen = words.in_part(part)
    counts = np.zeros((4, len(words.types)), np.int64)
    for start, end in words.chunks(job, _NOTE):
        text = words.spread(chosen, start, end) & (marks[start:end] < _NODE)
        ids, mark = words.ids[start:end][text], marks[start:end][text]
        for row, wanted in enumerate((mark > 0, mark & _LEFT > 0, mark & _RIGHT > 0, mark < _NODE)):
            counts[row] += np.bincount(ids[wanted], minlength=len(words.types))
    return counts
