"""Runs to table rows: what each cell says, and how it is drawn."""

import math
from dataclasses import dataclass

import numpy as np

from lmstudio import figures
from lmstudio.gui.panels.compare.run_board import RunBoard, RunEntry
from lmstudio.gui.panels.compare.run_series import CONTEXTS
from lmstudio.gui.tables import Cell, Column, Row
from lmstudio.messages import tr
from lmstudio.models.registry import NeuralConfig, table_rows
from lmstudio.operations import run_names, runs, tags
from lmstudio.training.spec import RunSpec

SPARK_POINTS = 40
FIGURES = ("valid", "test", "perplexity")
"""Columns of what is grey where a run is not on the axis of the others."""
_TONES = {"running": "accent", "failed": "bad", "interrupted": "warn", "stopped": "warn"}


def columns() -> list[Column]:
    """In the language in use."""
    return [
        Column("name", tr("Run"), width=190),
        Column("segmentation", tr("Segmentation"), width=110),
        Column("tags", tr("Tags"), width=96),
        Column("context", tr("Context"), width=84,
               note=tr("What may be seen before a token that is scored")),
        Column("parameters", tr("Params"), right=True, show=figures.short, width=80),
        Column("seconds", tr("Time"), right=True, show=figures.duration, width=96),
        Column("curve", tr("Curve"), width=110, note=tr("Bits per character of the valid part")),
        Column("place", "", note=tr("Where the run stands; the tick is the best possible")),
        Column("valid", tr("Valid bits/char"), right=True, show=figures.decimal, width=120),
        Column("test", tr("Test"), right=True, show=figures.decimal, width=112),
        Column("perplexity", tr("Valid perplexity"), right=True, show=_perplexity, width=110,
               note=tr("Of the valid part; compare it within one segmentation only")),
        Column("zero", tr("Zero events"), right=True, show=figures.count, width=86,
               note=tr("Events of the valid part that the model thinks impossible")),
        Column("state", tr("State"), width=118),
    ]  # fmt: skip


@dataclass(frozen=True)
class Scale:
    """Bits per character to a position between 0 and 1."""

    low: float
    high: float

    @classmethod
    def of(
        cls, entries: list[RunEntry], values: list[float | None], oracle: float | None
    ) -> "Scale":
        """From the oracle, or the best run, to the worst; runs off the axis do not count."""
        known = [
            value for entry, value in zip(entries, values, strict=True)
            if entry.comparable and value is not None and math.isfinite(value)
        ]  # fmt: skip
        low = min(known, default=0.0) if oracle is None else oracle
        return cls(low, max([*known, low + 0.1]))

    def position(self, value: float) -> float:
        """0 is the tick."""
        return (value - self.low) / (self.high - self.low)


def rows(
    board: RunBoard, hidden: set[int], selected: tuple[int, ...], searched: str = ""
) -> list[Row]:
    """A row for each run of the board in which all words that are searched for stand."""
    entries = board.entries()
    values = [valid_bits(board, entry) for entry in entries]
    scale = Scale.of(entries, values, board.oracle("valid"))
    return [
        Row(entry.row.id, _cells(board, entry, value, scale, hidden),
            bold=entry.state == "running" or entry.row.id in selected)
        for entry, value in zip(entries, values, strict=True) if _matches(entry, searched)
    ]  # fmt: skip


def _matches(entry: RunEntry, searched: str) -> bool:
    """In its name, family, segmentation, state, sweep, note or tags."""
    row = entry.row
    return tags.matches(searched, row.name, row.model, entry.segmentation.name, row.sweep, row.note,
                        run_names.state_name(entry.state), *entry.tags)  # fmt: skip


def valid_bits(board: RunBoard, entry: RunEntry) -> float | None:
    """Bits per character of the valid part: as evaluated, or the last point of the curve."""
    known = entry.figure("bits_per_character")
    if known is not None or entry.pseudo:  # the loss of blanks is no log-likelihood of the text
        return known
    _, bits = board.curve(entry, "valid", "bits_per_character", "step")
    last = float(bits[-1]) if len(bits) else math.nan
    return None if math.isnan(last) else last


def _cells(
    board: RunBoard, entry: RunEntry, value: float | None, scale: Scale, hidden: set[int]
) -> dict[str, Cell]:
    row, family = entry.row, entry.row.model
    away = row.id in hidden
    place = entry.comparable and value is not None and math.isfinite(value)
    return {
        "name": Cell(row.name, draw=("mark", family), tone="off" if away else "",
                     tip=tr("Not in the plot; Space shows it") if away else row.name),
        "segmentation": Cell(entry.segmentation.name, tone="muted", tip=entry.segmentation.name),
        "tags": Cell(" ".join(entry.tags), tone="muted", tip=" ".join(entry.tags)),
        "context": Cell(tr(CONTEXTS.get(entry.context, entry.context)), tone="muted"),
        "parameters": Cell(_parameters(entry)),
        "seconds": Cell(_seconds(board, entry)),
        "curve": Cell(draw=("spark", spark(board, entry), family)),
        "place": Cell(draw=("dot", scale.position(value or 0.0), family) if place else ()),
        "valid": _bits(entry, "valid", value),
        "test": _bits(entry, "test", entry.figure("bits_per_character", "test")),
        "perplexity": _perplexity_cell(entry),
        "zero": Cell(_zero(entry), tone="bad" if _zero(entry) else "muted"),
        "state": _state(entry),
    }  # fmt: skip


def _parameters(entry: RunEntry) -> int | None:
    """As trained; those of a network are known before."""
    if entry.row.parameters is not None:
        return entry.row.parameters
    config = RunSpec.read(entry.row.spec)[0].config
    if isinstance(config, NeuralConfig):
        rows = table_rows(config, entry.segmentation.vocabulary + 1)
        return sum(count for _, _, count in config.parameters(rows))
    return None


def _seconds(board: RunBoard, entry: RunEntry) -> float | None:
    """Of training so far; the row of a run in training lags behind its points."""
    running = entry.state == "running"
    live = board.points(entry.row.id, "loss").seconds[-1:] if running else []
    return max([entry.row.seconds, *live]) or None


def spark(board: RunBoard, entry: RunEntry) -> list[float]:
    """A few bits per character of its curve, the steep start left out."""
    _, bits = board.curve(entry, "valid", "bits_per_character", "step")
    finite = bits[np.isfinite(bits)]
    if len(finite) > 3:
        finite = finite[1:]
    step = max(1, len(finite) // SPARK_POINTS)
    shown: list[float] = finite[::-1][::step][::-1].tolist()
    return shown


def _bits(entry: RunEntry, part: str, value: float | None) -> Cell:
    if value is not None and math.isinf(value):
        zero = figures.count(_zero(entry))
        return Cell(value, tone="bad", tip=tr("{count} events have probability zero", count=zero))
    if value is not None and not entry.comparable:
        return _off_axis(entry, value, figures.decimal(value))
    tip = str(entry.leaks.get(part, ""))
    return Cell(value, figures.DASH if value is None else None, tip=tip)


def _off_axis(entry: RunEntry, value: float, text: str) -> Cell:
    """A figure in grey that must not be set beside the others, with the reason."""
    mark = tr("pseudo") if entry.pseudo else "*"
    return Cell(value, f"{text} {mark}", tone="off", tip=tr(entry.own_axis))


def _perplexity_cell(entry: RunEntry) -> Cell:
    value = entry.figure("perplexity")
    if value is not None and entry.pseudo:
        return _off_axis(entry, value, _perplexity(value))
    tone = "bad" if value is not None and math.isinf(value) else ""
    return Cell(value, figures.DASH if value is None else None, tone=tone)


def _zero(entry: RunEntry) -> int | None:
    known = entry.figure("zero_probability")
    return None if known is None else int(known)


def _perplexity(value: float) -> str:
    large = math.isfinite(value) and value >= 10_000
    return figures.short(value) if large else figures.decimal(value, 1)


def _state(entry: RunEntry) -> Cell:
    if entry.lacking and entry.valid is None and entry.test is None:
        return Cell(tr("not scored yet"), tone="warn",
                    tip=tr("It is trained. “Evaluate again” in its menu scores it."))  # fmt: skip
    text = run_names.state_name(entry.state)
    if entry.share is not None:
        text = f"{text} {figures.percent(entry.share)}"
    return Cell(text, tone=_TONES.get(entry.state, "muted"), tip=runs.message(entry.row))
