"""Probabilities of the next token and options in; the token that is chosen out.

In this order, as the common libraries have it: the repetition penalty of Keskar et al. 2019
("CTRL"), temperature, top-k (Fan, Lewis & Dauphin 2018, "Hierarchical neural story generation"),
top-p (Holtzman et al. 2020, "The curious case of neural text degeneration"), min-p (Nguyen et al.
2024, "Turning up the heat"). What is left is scaled to sum to 1 before each of the last three.

The penalty is published for logits, whose zero means nothing and which counts do not have. Here
ln p stands for them in every model: it is never positive, so the penalty multiplies it.
"""

from collections.abc import Collection

import numpy as np

from lmstudio.analysis.generation.options import GenerationOptions
from lmstudio.data.layout import UNK


def shares(
    probs: np.ndarray, options: GenerationOptions, written: Collection[int] = ()
) -> np.ndarray:
    """(rows,) with what share each id is drawn, given the model's p and the ids it has written.

    They sum to 1. All 0 where there is nothing to draw: p undefined, or only of <unk>.
    """
    if np.isnan(probs).any():
        return np.zeros(len(probs))
    with np.errstate(divide="ignore"):
        logs = np.log(probs)
    if not options.unknown:
        logs[UNK] = -np.inf
    if options.repetition != 1 and written:
        logs[list(written)] *= options.repetition
    highest = logs.max()
    if highest == -np.inf:
        return np.zeros(len(probs))
    if options.temperature == 0:
        return (np.arange(len(probs)) == logs.argmax()).astype(float)
    found = np.exp((logs - highest) / options.temperature)
    if 0 < options.top_k < len(found):
        found = _only(found, ranked(found, options.top_k))
    found /= found.sum()
    if options.top_p < 1:
        left = np.flatnonzero(found)
        order = left[np.argsort(-found[left], kind="stable")]
        enough = int(np.searchsorted(found[order].cumsum(), options.top_p - 1e-12)) + 1
        found = _only(found, order[:enough])
        found /= found.sum()
    if options.min_p:
        found[found < options.min_p * found.max()] = 0.0
        found /= found.sum()
    return found


def drawn(found: np.ndarray, luck: float) -> int:
    """The id at `luck`, from 0 to 1, of the `shares`; none that has no share."""
    sums = found.cumsum()
    place = int(np.searchsorted(sums, luck * sums[-1], side="right"))
    return min(place, int(np.flatnonzero(found)[-1]))


def ranked(probs: np.ndarray, count: int) -> np.ndarray:
    """(count,) the ids with the highest p, the first of equals first; NaN is none."""
    if np.isnan(probs).any():
        probs = np.where(np.isnan(probs), -np.inf, probs)
    count = min(count, len(probs))
    least = np.partition(probs, -count)[-count]
    places = np.flatnonzero(probs >= least)
    return places[np.argsort(-probs[places], kind="stable")][:count]


def rank(probs: np.ndarray, number: int) -> int:
    """The place of an id among all, from 1, the first of equals first."""
    above = probs > probs[number]
    return int(above.sum() + (probs[:number] == probs[number]).sum()) + 1


def _only(probs: np.ndarray, kept: np.ndarray) -> np.ndarray:
    found = np.zeros(len(probs))
    found[kept] = probs[kept]
    return found
