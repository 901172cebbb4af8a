"""Runs to series of a plot: which are drawn, how, and what is said of those that are not."""

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np

from lmstudio import figures
from lmstudio.gui.panels.compare.measures import MEASURES
from lmstudio.gui.panels.compare.run_board import RunBoard, RunEntry
from lmstudio.gui.plots import Axes, Series
from lmstudio.look import FAMILIES
from lmstudio.messages import listed, msg, tr
from lmstudio.models.registry import MODELS
from lmstudio.operations import evaluation

CONTEXTS = {"sentence": msg("sentence"), "document": msg("document")}
PARTS = {"valid": msg("valid"), "train": msg("train")}
XS = {"seconds": msg("Time"), "step": msg("Step"), "tokens": msg("Tokens")}
BETTER = {"lower": msg("lower is better"), "higher": msg("higher is better")}
ONE_SEGMENTATION = ("perplexity", "loss")
"""An event of these is a token, whatever one is in a segmentation."""
ALONG = {"seconds": msg("against training time"), "step": msg("against steps"),
         "tokens": msg("against tokens read")}  # fmt: skip

MOST = 24  # curves in one plot: more have neither room for their names nor styles of their own


@dataclass(frozen=True)
class View:
    """What the plot shows of the runs; `measure` is a key of MEASURES."""

    measure: str = "bits_per_character"
    part: str = "valid"
    x: str = "seconds"

    def axes(self) -> Axes:
        """All x are logarithmic; perplexities too, which spread over orders of magnitude."""
        measure = MEASURES[self.measure]
        return Axes(
            log_x=True, log_y=self.measure == "perplexity", time=self.x == "seconds",
            whole=measure.better != "lower", show_y=measure.show, show_end=measure.show,
        )  # fmt: skip


def series(
    board: RunBoard, entries: list[RunEntry], view: View, selected: tuple[int, ...]
) -> list[Series]:
    """A curve for each of `entries` that has points."""
    made = []
    for entry in entries:
        x, y = _points(board, entry, view)
        if len(x):
            row = entry.row
            dash = FAMILIES[row.model].dash if _counted(entry) else entry.order % 3
            made.append(
                Series(row.id, row.name, x, y, row.model, dash,
                       bold=entry.state == "running" or row.id in selected,
                       end=_end(entry, view))
            )  # fmt: skip
    return made


def _points(board: RunBoard, entry: RunEntry, view: View) -> tuple[np.ndarray, np.ndarray]:
    x, y = board.curve(entry, view.part, view.measure, view.x)
    if not _counted(entry):
        if len(x) == 1:  # a gap after it tells the plot that it was not counted
            return np.append(x, x), np.append(y, np.nan)
        return x, y
    # counting is one step: a mark at the time it took, with its figure
    figure = entry.figure(view.measure, view.part)
    value = float(y[-1]) if len(y) else figure
    if value is None or view.part == "train":
        return np.empty(0), np.empty(0)
    at = {"seconds": max(entry.row.seconds, 0.01), "step": 1.0}.get(view.x)
    return np.array([x[-1] if at is None and len(x) else at or 1.0]), np.array([value])


def _end(entry: RunEntry, view: View) -> float | None:
    """The figure of the whole valid part, of a run that has ended and was evaluated then.

    The points are of a sample of that part, where it is long, and the last need not be the best.
    """
    if entry.state == "running" or view.part != "valid" or view.measure not in evaluation.MEASURES:
        return None
    return entry.figure(view.measure)


def _counted(entry: RunEntry) -> bool:
    return MODELS[entry.row.model].kind == "count"


def drawable(board: RunBoard, view: View, hidden: set[int], segmentation: int) -> list[RunEntry]:
    """The runs that may share the axes: bits per character of those of the common axis, perplexity
    and loss of those of one segmentation; whatever else was recorded, of all that have it.
    """
    return [
        entry for entry in board.entries()
        if entry.row.id not in hidden
        and (entry.comparable or view.measure not in evaluation.MEASURES)
        and (view.measure not in ONE_SEGMENTATION or entry.segmentation.id == segmentation)
    ]  # fmt: skip


def most_telling(entries: list[RunEntry], selected: tuple[int, ...]) -> list[RunEntry]:
    """At most MOST of `entries`: the selected, those in training, the best, the newest."""
    if len(entries) <= MOST:
        return entries

    def rank(entry: RunEntry) -> tuple[bool, bool, float, int]:
        bits = entry.figure("bits_per_character")
        figure = math.inf if bits is None else bits
        return (entry.row.id not in selected, entry.state != "running", figure, -entry.row.id)

    return sorted(sorted(entries, key=rank)[:MOST], key=lambda entry: entry.row.id)


def note(board: RunBoard, entries: list[RunEntry], drawn: list[Series], view: View) -> str:
    """What lies off the plot, then how the plot is to be read."""
    parts = []
    if len(entries) > MOST:
        parts.append(tr("the best {count} of {all}", count=MOST, all=len(entries)))
    infinite = [s.name for s in drawn if len(s.y) and math.isinf(s.y[-1])]
    if infinite:
        parts.append(tr("∞: {names}", names=listed(infinite)))
    broken = [s.name for s in drawn if np.isnan(s.y).any() and len(s.y) > 2]
    if broken:
        parts.append(tr("gaps (not a number): {names}", names=listed(broken)))
    measure = MEASURES[view.measure]
    if measure.better:
        parts.append(tr(BETTER[measure.better]))
    if measure.in_training:
        return " · ".join([*parts, tr(ALONG[view.x])])
    keys = {one.key for one in drawn}
    parts += _contexts([entry for entry in entries if entry.row.id in keys])
    if view.part == "valid":
        parts.append(tr("same held-out text"))
        sample = evaluation.sampled(board.looked_at(int(one.key)) for one in drawn)
        parts += [str(sample)] if sample else []
    else:
        parts.append(tr("the text trained on"))
    return " · ".join([*parts, tr(ALONG[view.x])])


def _contexts(entries: list[RunEntry]) -> list[str]:
    """What the runs see before a token: said once where it is the same, else how many see which."""
    counts = Counter(entry.context for entry in entries)
    named = [(tr(title), counts[key]) for key, title in CONTEXTS.items() if counts[key]]
    if len(named) < 2:
        return [tr("context: {context}", context=title) for title, _ in named]
    each = listed([f"{title} {count}" for title, count in named])
    return [tr("contexts differ: {contexts}", contexts=each)]


def oracle_sentence(value: float) -> str:
    """What the dashed line means."""
    bits = figures.decimal(value)
    return tr("The limit of the language itself, {bits}: no model can go below", bits=bits)
