"""A text through a transformer in; who looks at whom, in one head, several, or all layers, out.

A word looks with the mean of its tokens' looks, and is looked at with their sum, so that a row of
words still sums to 1. Rollout (Abnar & Zuidema 2020, "Quantifying attention flow in transformers")
multiplies the layers' mean looks, each mixed half and half with staying where one is.
"""

from dataclasses import dataclass, field

import numpy as np

from lmstudio.analysis.asked import Asked
from lmstudio.analysis.attending.text import Head, Question, ReadText, check_head, read_text
from lmstudio.errors import AppError
from lmstudio.jobs import Job

PICTURE = 48
"""Rows and columns of the small picture of a head, at most."""


@dataclass(frozen=True)
class View:
    """What is looked at: the mean of some heads, or the rollout of the first layers."""

    heads: tuple[Head, ...] = ((0, 0),)
    rollout: int = 0  # layers, from the first; 0 for none: then it is `heads`
    marks: bool = True  # <s> and </s> are shown
    renormalise: bool = False  # without them a row is scaled to sum to 1 again


@dataclass(frozen=True)
class Attention:
    """G tokens or words; of L layers of H heads."""

    names: list[str]  # (G,)
    spans: np.ndarray  # (G, 2) int64: the first token of each, and the one behind it
    weights: np.ndarray  # (G, G) float32: how much of its look each row gives to each column
    barred: np.ndarray  # (G, G) bool: what no token of the row can see
    pictures: np.ndarray  # (L, H, g, g) float32: each head, small, the brightest of a few cells
    to_marks: float  # how much of a row, on average, went to marks that are hidden
    read: int  # tokens of the text
    cut: int  # those that are not read: beyond the window
    unknown: int

    @property
    def layers(self) -> int:
        """L."""
        return int(self.pictures.shape[0])

    @property
    def heads(self) -> int:
        """H."""
        return int(self.pictures.shape[1])


def attention(asked: Asked, question: Question, view: View, *, job: Job) -> Attention:
    """What the heads of a run look at in a text. AppError where there is no such head."""
    read = read_text(asked, question, job=job)
    looks = looks_of(read, question, job=job)
    shown = shown_groups(read, view.marks)
    chosen = _viewed(looks.weights, view, read.switches(question.off))
    weights = grouped(chosen, read.starts)[shown, shown]
    to_marks = float(1 - weights.sum(1).mean())
    if view.renormalise:
        sums = weights.sum(1, keepdims=True)
        weights = np.divide(weights, sums, out=np.zeros_like(weights), where=sums > 0)
    spans = np.stack([read.starts, read.ends], 1)[shown]
    barred = (spans[None, :, 0] >= spans[:, None, 1]) & read.causal
    return Attention(
        read.names[shown], spans, weights.astype(np.float32), barred,
        looks.pictures(read.starts, shown), 0.0 if view.marks else to_marks,
        len(read.ids) - read.cut, read.cut, read.unknown,
    )  # fmt: skip


def all_heads(
    asked: Asked, question: Question, marks: bool = True, *, job: Job
) -> tuple[list[str], np.ndarray]:
    """The names (G,) and the weights (L, H, G, G) float32 of every head."""
    read = read_text(asked, question, job=job)
    shown = shown_groups(read, marks)
    looks = grouped(looks_of(read, question, job=job).weights, read.starts)
    return read.names[shown], looks[:, :, shown, shown]


def shown_groups(read: ReadText, marks: bool) -> slice:
    """Which of the groups are shown, with marks or without them."""
    return slice(None) if marks else slice(1, None if read.causal else -1)


@dataclass
class Looks:
    """Where every head looks in a text, with what was made of it."""

    read: ReadText
    off: tuple[Head, ...]
    weights: np.ndarray  # (L, H, T, T) float32
    _projections: dict[int, tuple[np.ndarray, ...]] = field(default_factory=dict)
    _pictures: tuple[np.ndarray, slice, np.ndarray] | None = None

    def projections(self, layer: int) -> tuple[np.ndarray, ...]:
        """Queries, keys and values (H, T, d) of a layer."""
        if layer not in self._projections:
            on = self.read.switches(self.off)
            self._projections[layer] = self.read.model.projections(self.read.read_ids, layer, on)
        return self._projections[layer]

    def pictures(self, starts: np.ndarray, shown: slice) -> np.ndarray:
        """(L, H, g, g) of every head, small; made once for the groups that begin at `starts`."""
        if (
            self._pictures is None or self._pictures[1] != shown
            or not np.array_equal(self._pictures[0], starts)
        ):  # fmt: skip
            weights = grouped(self.weights, starts)[:, :, shown, shown]
            self._pictures = starts, shown, small(weights)
        return self._pictures[2]


_kept: Looks | None = None


def looks_of(read: ReadText, question: Question, *, job: Job) -> Looks:
    """Where the heads look; that of the last question is kept, for the next is on it again."""
    global _kept
    if (
        _kept is None or _kept.read.answering is not read.answering or _kept.off != question.off
        or not np.array_equal(_kept.read.ids, read.ids)
    ):  # fmt: skip
        job.check()
        _kept = None  # the memory of two is never needed
        weights = read.model.attention(read.read_ids, read.switches(question.off))
        _kept = Looks(read, question.off, weights)
    return _kept


def _viewed(looks: np.ndarray, view: View, on: np.ndarray) -> np.ndarray:
    """(T, T) of what a view asks for."""
    layers, heads = looks.shape[:2]
    if view.rollout:
        check_head(view.rollout - 1, 0, layers, heads)
        return rollout(looks[: view.rollout], on[: view.rollout])
    for layer, head in view.heads:
        check_head(layer, head, layers, heads)
    if not view.heads:
        raise AppError("Choose at least one head.")
    total = np.zeros(looks.shape[2:], np.float64)
    for layer, head in view.heads:
        total += looks[layer, head]
    return total / len(view.heads)


def rollout(looks: np.ndarray, on: np.ndarray | None = None) -> np.ndarray:
    """(T, T) of looks (L, H, T, T): how much of each input has come into each token's output.

    Only heads that are `on` (L, H) bring anything in; a layer without any leaves all in its place.
    """
    size = looks.shape[2]
    flow = np.eye(size)
    for number, layer in enumerate(looks):
        heads = layer if on is None else layer[on[number]]
        if len(heads):
            flow = (heads.mean(0, dtype=np.float64) + np.eye(size)) / 2 @ flow
    return flow


def grouped(weights: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """(..., G, G) of (..., T, T): the sum over the columns of a group, the mean over its rows."""
    if len(starts) == weights.shape[-1]:
        return weights
    columns = np.add.reduceat(weights, starts, axis=-1)
    sizes = np.diff(starts, append=weights.shape[-1])
    return np.add.reduceat(columns, starts, axis=-2) / sizes[:, None]


def small(weights: np.ndarray) -> np.ndarray:
    """(..., g, g) of (..., G, G): of more than PICTURE rows the brightest of squares of cells."""
    size = weights.shape[-1]
    step = -(-size // PICTURE)
    if step == 1:
        return weights.astype(np.float32)
    starts = np.arange(0, size, step)
    rows = np.maximum.reduceat(weights, starts, axis=-2)
    return np.maximum.reduceat(rows, starts, axis=-1).astype(np.float32)
