"""A text through a transformer in; who looks at whom, in one head, several, or all layers, out.

A word looks with the mean of its tokens' looks, and is looked at with their sum, so that a row of
words still sums to 1. Rollout (Abnar & Zuidema 2020, "Quantifying attention flow in transformers")
multiplies the layers' mean looks, each mixed half and half with staying where one is.
"""

from dataclasses import dataclass

import numpy as np

from lmstudio.analysis.asked import Answering, Asked
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
    looks = looks_of(read, question, job=job)  # (L, H, T, T)
    shown = np.flatnonzero(~groups_hidden(read)) if not view.marks else np.arange(len(read.names))
    if not len(shown):
        raise AppError("There is no token in this text. Type some words.")
    chosen = _viewed(looks, view, read.switches(question.off))
    weights = grouped(chosen, read.starts)[np.ix_(shown, shown)]
    to_marks = float(1 - weights.sum(1).mean())
    if view.renormalise:
        sums = weights.sum(1, keepdims=True)
        weights = np.divide(weights, sums, out=np.zeros_like(weights), where=sums > 0)
    spans = np.stack([read.starts, read.ends], 1)[shown]
    barred = (spans[None, :, 0] >= spans[:, None, 1]) & read.causal
    pictures = grouped(looks, read.starts)[:, :, shown[:, None], shown]
    names = [read.names[number] for number in shown]
    return Attention(
        names, spans, weights.astype(np.float32), barred, small(pictures),
        0.0 if view.marks else to_marks, len(read.ids) - read.cut, read.cut, read.unknown,
    )  # fmt: skip


def all_heads(
    asked: Asked, question: Question, marks: bool = True, *, job: Job
) -> tuple[list[str], np.ndarray]:
    """The names (G,) and the weights (L, H, G, G) float32 of every head."""
    read = read_text(asked, question, job=job)
    looks = grouped(looks_of(read, question, job=job), read.starts)
    shown = np.arange(len(read.names)) if marks else np.flatnonzero(~groups_hidden(read))
    return [read.names[number] for number in shown], looks[:, :, shown[:, None], shown]


def groups_hidden(read: ReadText) -> np.ndarray:
    """(G,) bool: the groups that are marks."""
    return read.marks[read.starts]


_kept: tuple[Answering, np.ndarray, tuple[Head, ...], np.ndarray] | None = None


def looks_of(read: ReadText, question: Question, *, job: Job) -> np.ndarray:
    """(L, H, T, T) float32; those of the last question are kept, for the next is on them again."""
    global _kept
    if (
        _kept is None or _kept[0] is not read.answering or _kept[2] != question.off
        or not np.array_equal(_kept[1], read.ids)
    ):  # fmt: skip
        job.check()
        _kept = None  # the memory of two is never needed
        on = read.switches(question.off)
        looks = read.model.attention(read.ids[: len(read.ids) - read.cut], on)
        _kept = read.answering, read.ids, question.off, looks
    return _kept[3]


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
