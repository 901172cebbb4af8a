"""Reach: how far back each model sees; its loss with only the nearest tokens left, by distance."""

import math

import numpy as np
from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QStackedWidget, QWidget

from lmstudio import figures
from lmstudio.analysis.context_reach import ContextReach
from lmstudio.errors import AppError
from lmstudio.gui.captions import sentence_case
from lmstudio.gui.dialogs.export_plot import ExportDialog
from lmstudio.gui.drag_sources import drag_runs
from lmstudio.gui.jobs import Asker
from lmstudio.gui.panels.compare.corpus_runs import corpus_runs
from lmstudio.gui.panels.panel import Panel
from lmstudio.gui.panels.progress_row import ProgressRow
from lmstudio.gui.plots import Axes, Plot, Series
from lmstudio.gui.state import AppState
from lmstudio.gui.table_export import TableExport
from lmstudio.gui.tables import Cell, Column, Row, Table
from lmstudio.gui.widgets import Card, ElidedLabel, EmptyState, Segmented, button, tool
from lmstudio.gui.widgets.splitter import splitter
from lmstudio.messages import msg, tr
from lmstudio.operations import inside
from lmstudio.operations.run_names import own_axis
from lmstudio.store.rows import RunRow

VIEWS = {"cut": msg("cut off"), "shuffled": msg("shuffled")}
WHAT = {
    "cut": msg("what stands further away is cut off"),
    "shuffled": msg("what stands further away is put into a random order"),
}
SHOWN = (1, 2, 4, 8, 16, 32, 64, 128)  # distances with a column of their own


class ReachPanel(Panel):
    """The vanishing memory, measured: one run after the other, half a minute each at most."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.view = Segmented([(v, tr(t)) for v, t in VIEWS.items()], tr("Context"), self)
        self.plot = Plot(tr("Bits per character by distance"), self)
        self.plot.hint = tr("Measure runs, and their curves appear here.")
        self.progress = ProgressRow(self)
        self.table = Table(columns(), tr("Runs"), self, many=True)
        drag_runs(self.table, state)
        self.found: dict[int, ContextReach] = {}
        self._asked: list[int] = []  # runs still to be measured, the first is at it
        self._said = ElidedLabel(size=12, tone="muted")
        self._asker = Asker(state, self, "bulk")
        self._pages = QStackedWidget(self)
        self.measure = button(tr("Measure all runs"), "primary", parent=self)
        self.measure_chosen = button(tr("Measure the selected"), parent=self)
        self._train = button(tr("Train a model"), "primary")
        self._lay_out()
        self._connect()
        self.refresh()

    def _lay_out(self) -> None:
        self._card = Card(tr("How far back a model sees"), parent=self)
        export = tool("export", tr("Export the chart"), parent=self)
        export.clicked.connect(self.export)
        for widget in (self.view, export):
            self._card.row.add_tool(widget)
        self._card.body.addWidget(self.plot, 1)
        self._card.body.addWidget(self.progress)
        self._card.body.addWidget(self._said)
        below = Card(tr("Runs"), tr("bits per character with only so many tokens left"), self)
        self._csv = TableExport(self.state, self.table, tr("Save the table as CSV"), "reach", self)
        below.row.add_tool(self._csv.button())
        below.body.addWidget(self.table, 1)
        both = splitter("both", Qt.Orientation.Horizontal, self._card, below, sizes=(560, 700))
        empty = EmptyState(
            tr("No model to ask yet"),
            tr("Loss is measured with less and less of the context: it shows who needs what is far "
               "away."),
            [self._train], family="rnn",
        )  # fmt: skip
        for page in (both, empty):
            self._pages.addWidget(page)
        column = self.page()
        column.addWidget(self._pages, 1)
        column.addLayout(self.action_row(self.measure_chosen, self.measure))

    def _connect(self) -> None:
        self.view.chosen.connect(self._draw)
        self.measure.clicked.connect(self._measure_all)
        self.measure_chosen.clicked.connect(self._measure_chosen)
        self.progress.cancelled.connect(self.cancel)
        self.plot.export_wanted.connect(self.export)
        self._train.clicked.connect(self._go_to_training)
        self._asker.answered.connect(self._take)
        self._asker.failed.connect(self._fail)
        self._asker.advanced.connect(self.progress.advance)
        for signal in (self.state.selection_changed, self.state.runs_changed):
            signal.connect(self.refresh)

    @property
    def busy(self) -> bool:
        """A run is being measured."""
        return bool(self._asked)

    def runs(self) -> list[RunRow]:
        """The trained runs of the corpus."""
        return [run for run in corpus_runs(self.state) if run.state == "done"]

    @Slot()
    def refresh(self) -> None:
        if not self.isVisible():
            return  # drawn when it is shown
        runs = self.runs()
        self._pages.setCurrentIndex(0 if runs else 1)
        for action in (self.measure_chosen, self.measure):
            action.setVisible(bool(runs))
        self.primary = self.measure if runs else self._train
        self._draw()

    # measuring

    @Slot()
    def _measure_all(self) -> None:
        self._begin([run.id for run in self.runs()])

    @Slot()
    def _measure_chosen(self) -> None:
        self._begin([int(key) for key in self.table.selected()])

    def _begin(self, runs: list[int]) -> None:
        """Those that are not measured yet; the cheap ones first."""
        quick = {run.id: run.model.endswith("ngram") for run in self.runs()}
        self._asked = sorted((r for r in runs if r not in self.found), key=lambda r: not quick[r])
        self._go_on()

    def _go_on(self) -> None:
        if not self._asked:
            self.progress.end()
            return
        self.progress.begin()
        name = self.state.workspace.run(self._asked[0]).name
        self._said.setText(tr("Measuring {name}", name=name))
        self._asker.ask(inside.reach, self.state.workspace, self._asked[0], "valid")

    @Slot()
    def cancel(self) -> None:
        """Stop; what was measured stays."""
        self._asker.cancel()
        self._asked = []
        self.progress.end()
        self._said.setText(tr("Stopped"))

    @Slot(object)
    def _take(self, found: ContextReach) -> None:
        self.found[self._asked.pop(0)] = found
        self._said.setText("")
        self._go_on()
        self._draw()

    @Slot(object)
    def _fail(self, error: AppError) -> None:
        if self._asked:
            self._asked.pop(0)
        self._go_on()
        self._said.setText(str(error))

    # what is shown

    @Slot()
    def _draw(self) -> None:
        view, runs = self.view.value(), self.runs()
        self._card.row.set_note(f"{tr(WHAT[view])} · {tr('lower is better')}")
        self.plot.set_axes(Axes(log_x=True, end_values=False, whole=True, show_x=figures.short))
        shown = [run for run in runs if run.id in self.found and not self._off(run)]
        self.plot.set_series([series(run, self.found[run.id], view) for run in shown])
        self.table.set_rows([row(run, self.found.get(run.id), view) for run in runs])

    def _off(self, run: RunRow) -> bool:
        """It scores something else; its figures are in the table only."""
        return bool(own_axis(run, self.state.workspace.segmentation(run.segmentation_id)))

    @Slot()
    def export(self) -> None:
        """Save the plot as a picture."""
        caption = f"{tr('Bits per character by distance')} · {tr(WHAT[self.view.value()])}"
        ExportDialog(self.state, self.plot, caption, self.window()).open()


def series(run: RunRow, found: ContextReach, view: str) -> Series:
    """Bits per character against the tokens that are left."""
    bits = found.bits_per_character(found.cut if view == "cut" else found.shuffled)
    return Series(run.id, run.name, found.distances.astype(float), bits, run.model, dots=True)


def columns() -> list[Column]:
    """A run and its figures at SHOWN distances."""

    def bits(value: float) -> str:
        return "∞" if math.isinf(value) else figures.decimal(value, 3)

    return [
        Column("run", tr("Run")),
        *(Column(f"{d}", f"{d}", right=True, show=bits, width=58) for d in SHOWN),
        Column("full", sentence_case(tr("all")), right=True, show=bits, width=62),
    ]


def row(run: RunRow, found: ContextReach | None, view: str) -> Row:
    """Distances that no context of the text has stay empty."""
    cells = {"run": Cell(run.name, draw=("mark", run.model))}
    if found is not None:
        bits = found.bits_per_character(found.cut if view == "cut" else found.shuffled)
        for distance, value in zip(found.distances.tolist(), bits.tolist(), strict=True):
            cells[f"{distance}"] = Cell(value)
        cells["full"] = Cell(float(found.bits_per_character(np.array([found.full]))[0]))
    return Row(run.id, cells)
