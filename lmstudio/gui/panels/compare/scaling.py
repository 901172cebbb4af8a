"""Scaling: runs that differ in one thing; their bits per character drawn against it, and a table.

What they may differ in: parameters, data, time, or any setting of model and training.
"""

import math
from itertools import groupby

import numpy as np
from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QComboBox, QWidget

from lmstudio import figures
from lmstudio.errors import AppError
from lmstudio.gui.captions import inline
from lmstudio.gui.choices import fill
from lmstudio.gui.dialogs.export_plot import ExportDialog
from lmstudio.gui.drag_sources import drag_runs
from lmstudio.gui.jobs import Asker
from lmstudio.gui.panels.compare import run_series
from lmstudio.gui.panels.compare.corpus_runs import corpus_runs
from lmstudio.gui.panels.panel import Panel
from lmstudio.gui.plots import Axes, Plot, Series
from lmstudio.gui.save_as import SaveAs
from lmstudio.gui.state import AppState
from lmstudio.gui.tables import Cell, Column, Row, Table
from lmstudio.gui.widgets import Card, ElidedLabel, EmptyState, Segmented, button, label, tool
from lmstudio.gui.widgets.splitter import splitter
from lmstudio.messages import msg, tr
from lmstudio.operations import scaling
from lmstudio.operations.scaling import MEASURED, Scaling, ScalingRow
from lmstudio.options import options_of
from lmstudio.store.rows import RunRow
from lmstudio.training.spec import RunSpec

ALL = ""  # of the corpus, instead of a sweep
PARTS = {"valid": msg("valid"), "test": msg("test")}


class ScalingPanel(Panel):
    """The figure that tells what more data, size or time would buy."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.which, self.against = QComboBox(self), QComboBox(self)
        self.part = Segmented([(v, tr(t)) for v, t in PARTS.items()], tr("Part"), self)
        self.plot = Plot(tr("Bits per character of the runs"), self)
        self.table = Table(columns(), tr("Runs"), self)
        drag_runs(self.table, state)
        self.save = SaveAs(state, self)
        self._said = ElidedLabel(size=12, tone="muted")
        self._asker = Asker(state, self)
        self.found: Scaling | None = None
        self._lay_out()
        self._connect()
        self.refresh()

    def _lay_out(self) -> None:
        self._card = Card(tr("Bits per character"), parent=self)
        for name, box in ((tr("Runs"), self.which), (tr("Against"), self.against)):
            box.setAccessibleName(name)
            box.setMinimumContentsLength(16)
            box.setSizeAdjustPolicy(
                QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
            )
            self._card.row.add_tool(label(name, tone="muted"))
            self._card.row.add_tool(box)
        self._export = tool("export", tr("Export the chart"), parent=self)
        for widget in (self.part, self._export):
            self._card.row.add_tool(widget)
        self._card.body.addWidget(self.plot, 1)
        self._card.body.addWidget(self._said)
        below = Card(tr("Runs"), parent=self)
        self._csv = tool("table", tr("Save the figures as CSV"), parent=self)
        below.row.add_tool(self._csv)
        below.body.addWidget(self.table, 1)
        both = splitter("both", Qt.Orientation.Vertical, self._card, below, sizes=(400, 220))
        self._train = button(tr("Train a model"), "primary")
        empty = Card(parent=self)
        empty.body.addWidget(
            EmptyState(
                tr("Nothing to set against each other yet"),
                tr("Train several models, or one with several values of a setting (a sweep)."),
                [self._train], family="gpt",
            ), 1,
        )  # fmt: skip
        self._pages = self.either(both, empty)

    def _connect(self) -> None:
        self.which.activated.connect(self._which_chosen)
        self.against.activated.connect(self._ask)
        self.part.chosen.connect(self._ask)
        self._export.clicked.connect(self.export)
        self.plot.export_wanted.connect(self.export)
        self._csv.clicked.connect(self.save_table)
        self._train.clicked.connect(self._go_to_training)
        self._asker.answered.connect(self._take)
        self._asker.failed.connect(self._fail)
        for signal in (self.state.selection_changed, self.state.runs_changed):
            signal.connect(self.refresh)

    # what is asked

    @Slot()
    def refresh(self) -> None:
        if not self.isVisible():
            return  # drawn when it is shown
        runs = corpus_runs(self.state)
        self._pages.setCurrentIndex(0 if runs else 1)
        self.primary = None if runs else self._train
        if runs:
            sweeps = dict.fromkeys(run.sweep for run in runs if run.sweep)
            every = (tr("All runs of the corpus"), ALL)
            fill(self.which, [every, *((name, name) for name in sweeps)])
            self._take_sweep()
            self._which_chosen()

    def _take_sweep(self) -> None:
        """Choose the sweep that was asked for elsewhere, against what differs."""
        name, self.state.sweep = self.state.sweep, ""
        if name and self.which.findData(name) >= 0:
            self.which.setCurrentIndex(self.which.findData(name))
            self.against.setCurrentIndex(0)

    @Slot()
    def _which_chosen(self) -> None:
        sweep = self.which.currentData()
        fill(
            self.against,
            choices([run for run in corpus_runs(self.state) if sweep in (ALL, run.sweep)]),
        )
        self._ask()

    @Slot()
    def _ask(self) -> None:
        which = self.which.currentData() or [run.id for run in corpus_runs(self.state)]
        ws, against, part = self.state.workspace, self.against.currentData(), self.part.value()
        self._asker.ask(scaling.scaling, ws, which, against, part)

    # what is shown

    @Slot(object)
    def _take(self, found: Scaling) -> None:
        self.found = found
        self._card.row.set_note(tr("against {x} · lower is better", x=inline(tr(found.title))))
        self.plot.set_axes(axes(found))
        self.plot.set_series(series(found))
        said = "" if found.oracle is None else run_series.oracle_sentence(found.oracle)
        self.plot.set_oracle(found.oracle, said)
        self.table.retitle("x", tr(found.title))
        self.table.setColumnHidden(1, found.x in MEASURED)  # those have a column of their own
        self.table.set_rows([_table_row(row) for row in found.rows])
        self._said.setText(_left_out(found))

    @Slot(object)
    def _fail(self, error: AppError) -> None:
        self._said.setText(str(error))

    @Slot()
    def export(self) -> None:
        """Save the plot as a picture."""
        title = tr(self.found.title) if self.found else ""
        caption = tr("Bits per character by {x}", x=title)
        ExportDialog(self.state, self.plot, caption, self.window()).open()

    @Slot()
    def save_table(self) -> None:
        """Save the figures as CSV."""
        if self.found is not None:
            self.save.ask("scaling", scaling.save_csv, self.found)


def choices(runs: list[RunRow]) -> list[tuple[str, str]]:
    """(title, key): what differs first, what is measured, then settings that are numbers."""
    found = [(tr("What differs"), ""), *((tr(title), key) for key, title in MEASURED.items())]
    for run in runs:
        spec, _ = RunSpec.read(run.spec)
        configs = [spec.config, spec.training] if "training" in run.spec else [spec.config]
        for config in configs:
            for name, (_, entry) in options_of(config).items():
                if isinstance(getattr(config, name), int | float):
                    found.append((tr(entry.label), name))
    return list(dict.fromkeys(found))


def axes(found: Scaling) -> Axes:
    """Sizes and times grow by factors; settings as they do."""
    values = [row.x for row in found.rows if isinstance(row.x, float) and row.x > 0]
    wide = len(values) > 1 and max(values) / min(values) > 10
    grows = found.x in MEASURED or wide and len(values) == len(found.rows)
    return Axes(log_x=grows, time=found.x == "seconds", end_values=False, whole=True)


def series(found: Scaling) -> list[Series]:
    """A curve of each model and segmentation."""
    made = []
    for number, (name, group) in enumerate(groupby(found.rows, key=lambda row: row.series)):
        rows = [row for row in group if isinstance(row.x, float) and _drawn(row)]
        if rows:
            x = np.array([row.x for row in rows], float)
            y = np.array([row.bits_per_character for row in rows], float)
            if len(rows) == 1:  # a gap after it tells the plot that it is no level
                x, y = np.append(x, x), np.append(y, np.nan)
            made.append(Series(number, name.split(",")[0], x, y, rows[0].model, dots=True))
    return made


def columns() -> list[Column]:
    """Of the table; `x` is called by what the runs are set against."""
    return [
        Column("run", tr("Run")),
        Column("x", tr("What differs"), right=True, show=_number, width=130),
        Column("bits", tr("Bits per character"), right=True, width=130,
               show=lambda value: figures.decimal(value, 4)),
        Column("parameters", tr("Parameters"), right=True, show=figures.count, width=110),
        Column("seconds", tr("Time"), right=True, show=figures.duration, width=110),
        Column("tokens", tr("Tokens read"), right=True, show=figures.count, width=120),
    ]  # fmt: skip


def _table_row(row: ScalingRow) -> Row:
    tone = "" if row.comparable else "off"
    cells = {
        "run": Cell(row.run, draw=("mark", row.model)), "x": Cell(row.x),
        "bits": Cell(row.bits_per_character, tone=tone), "parameters": Cell(row.parameters),
        "seconds": Cell(row.seconds), "tokens": Cell(row.tokens),
    }  # fmt: skip
    return Row(row.run_id, cells)


def _drawn(row: ScalingRow) -> bool:
    bits = row.bits_per_character
    return row.comparable and bits is not None and math.isfinite(bits)


def _left_out(found: Scaling) -> str:
    """Why runs of the table are not in the plot."""
    off = sum(not row.comparable for row in found.rows)
    if off:
        return tr("{count} of the runs score something else and are not on this axis", count=off)
    waiting = sum(row.bits_per_character is None for row in found.rows)
    return tr("{count} of the runs are not measured yet", count=waiting) if waiting else ""


def _number(value: float | str) -> str:
    return f"{value:g}" if isinstance(value, float) and value < 1e3 else figures.short(float(value))
