"""Start and end logits of the windows of a passage -> its best answers, or that there is none.

As in Devlin et al. 2019, section 4.3: the score of an answer is the logit of its start plus that
of its end; that of none, which stands at the first mark, is the lowest over the windows, as every
window without the answer says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lmstudio.analysis.tasks.prediction import Answer

MOST = 20
"""Answers that are kept."""


@dataclass(frozen=True)
class Window:
    """The part of a passage that was read at once: N tokens of it."""

    starts: np.ndarray  # (N,) float logits
    ends: np.ndarray  # (N,)
    spans: Sequence[tuple[int, int]]  # N: where they stand in the passage
    none: float  # logits of both ends at the first mark


def best_answers(
    passage: str, windows: Sequence[Window], longest: int, *, may_be_none: bool
) -> list[Answer]:
    """The MOST best answers of at most `longest` tokens, the best first; their p sum to 1."""
    scores: dict[tuple[int, int], float] = {}
    for window in windows:
        for score, span in _best(window, longest):
            scores[span] = max(score, scores.get(span, -np.inf))
    if may_be_none or not scores:
        scores[0, 0] = min((window.none for window in windows), default=0.0)
    ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:MOST]
    weights = np.exp([score - ranked[0][1] for _, score in ranked])
    shares = (weights / weights.sum()).tolist()
    return [
        Answer(passage[start:end], start, end, p, score)
        for ((start, end), score), p in zip(ranked, shares, strict=True)
    ]


def _best(window: Window, longest: int) -> list[tuple[float, tuple[int, int]]]:
    """The best answers in a window, with scores."""
    if not window.spans:
        return []
    count = len(window.spans)
    longest = min(longest, count)
    table = np.full((longest, count), -np.inf)  # [tokens - 1, start]
    for more in range(longest):
        table[more, : count - more] = window.starts[: count - more] + window.ends[more:]
    most = min(MOST, table.size)
    chosen = np.argpartition(-table, most - 1, axis=None)[:most]
    found = []
    for more, first in zip(*np.unravel_index(chosen, table.shape), strict=True):
        if np.isfinite(score := float(table[more, first])):
            span = window.spans[first][0], window.spans[first + more][1]
            found.append((score, span))
    return found
