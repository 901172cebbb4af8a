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
    """The part of a passage that was read at once."""

    starts: np.ndarray  # (T,) float logits
    ends: np.ndarray  # (T,)
    spans: Sequence[tuple[int, int] | None]  # T: where a token stands in the passage; None: not


def best_answers(
    passage: str, windows: Sequence[Window], longest: int, *, may_be_none: bool
) -> list[Answer]:
    """The MOST best answers of at most `longest` tokens, the best first; their p sum to 1."""
    scores: dict[tuple[int, int], float] = {}
    for window in windows:
        for score, span in _best(window, longest):
            scores[span] = max(score, scores.get(span, -np.inf))
    if may_be_none or not scores:
        scores[0, 0] = min((float(w.starts[0] + w.ends[0]) for w in windows), default=0.0)
    ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:MOST]
    weights = np.exp([score - ranked[0][1] for _, score in ranked])
    shares = (weights / weights.sum()).tolist()
    return [
        Answer(passage[start:end], start, end, p, score)
        for ((start, end), score), p in zip(ranked, shares, strict=True)
    ]


def _best(window: Window, longest: int) -> list[tuple[float, tuple[int, int]]]:
    """The best answers in a window, with scores."""
    places = [n for n, span in enumerate(window.spans) if span and span[0] < span[1]]
    if not places:
        return []
    starts, ends = window.starts[places], window.ends[places]
    longest = min(longest, len(places))
    table = np.full((longest, len(places)), -np.inf)  # [tokens - 1, start]
    for more in range(longest):
        table[more, : len(places) - more] = starts[: len(places) - more] + ends[more:]
    most = min(MOST, table.size)
    chosen = np.argpartition(-table, most - 1, axis=None)[:most]
    found = []
    for more, first in zip(*np.unravel_index(chosen, table.shape), strict=True):
        if np.isfinite(score := float(table[more, first])):
            start, end = window.spans[places[first]], window.spans[places[first + more]]
            assert start is not None
            assert end is not None
            found.append((score, (start[0], end[1])))
    return found
