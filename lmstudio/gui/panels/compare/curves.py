"""Curves: every run of the corpus on one axis, with the run table below."""

from PySide6.QtCore import QElapsedTimer, Qt, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from lmstudio.gui.dialogs.export_plot import ExportDialog
from lmstudio.gui.dragged import RUN, Dragged
from lmstudio.gui.panels.compare import foreign_series, run_series
from lmstudio.gui.panels.compare.curve_import import CurveImport
from lmstudio.gui.panels.compare.foreign_row import ForeignRow
from lmstudio.gui.panels.compare.measure_choice import MeasureChoice
from lmstudio.gui.panels.compare.measures import MEASURES
from lmstudio.gui.panels.compare.pseudo_only import PseudoOnly
from lmstudio.gui.panels.compare.run_board import RunBoard
from lmstudio.gui.panels.compare.run_details import RunDetails
from lmstudio.gui.panels.compare.run_series import View
from lmstudio.gui.panels.compare.run_table import RunTable
from lmstudio.gui.panels.panel import Panel
from lmstudio.gui.panels.start.first_run import FirstRun
from lmstudio.gui.plots import Plot
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Card, Segmented, Strip, tool
from lmstudio.gui.widgets.splitter import splitter
from lmstudio.messages import tr

TABLE_MS = 500  # between two refreshes of the table while a run is trained


class CurvesPanel(Panel):
    """The plot, the table and, if asked for, the details of the selected run."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.board = RunBoard(state, self)
        self.plot = Plot(tr("Curves of the runs"), self)
        self.along = self._choice(run_series.XS, tr("Along"))
        self.measure = MeasureChoice(self)
        self.part = self._choice(run_series.PARTS, tr("Part"))
        self.pseudo = PseudoOnly(self.measure, self)
        self.strip = Strip("warn", self)
        self.foreign = ForeignRow(self)
        self.importing = CurveImport(state, self)
        self.table = RunTable(state, self.board, self)
        self.details = RunDetails(state, self.board, self)
        self.details.hide()
        self.empty = FirstRun(state, self)
        self._pages = QStackedWidget(self)
        self._table_drawn = QElapsedTimer()
        self._table_drawn.start()
        self._lay_out()
        self._connect()
        self.refresh()

    def _choice(self, choices: dict[str, str], name: str) -> Segmented:
        made = Segmented([(value, tr(text)) for value, text in choices.items()], name, self)
        made.chosen.connect(self.refresh)
        return made

    def _lay_out(self) -> None:
        self._card = Card(tr("Bits per character"), parent=self)
        export = tool("export", tr("Export the chart"), parent=self)
        export.clicked.connect(self.export)
        add = tool("plus", tr("Add a curve of another program from a file"), parent=self)
        add.clicked.connect(self.importing.ask)
        for widget in (self.along, self.measure, self.part, add, export):
            self._card.row.add_tool(widget)
        self._card.body.addWidget(self.strip)
        self._card.body.addWidget(self.plot, 1)
        self._card.body.addWidget(self.pseudo, 1)
        self._card.body.addWidget(self.foreign)
        both = splitter("both", Qt.Orientation.Vertical, self._card, self.table, sizes=(380, 270))
        whole = splitter("whole", Qt.Orientation.Horizontal, both, self.details)
        for parts in (both, whole):
            parts.setStretchFactor(0, 1)
        for page in (whole, self.empty):
            self._pages.addWidget(page)
        layout: QVBoxLayout = self.page()
        layout.addWidget(self._pages, 1)

    def _connect(self) -> None:
        self.board.changed.connect(self.refresh)
        self.board.advanced.connect(self._advance)
        self.state.run_selection_changed.connect(self.refresh)
        self.state.selection_changed.connect(self.refresh)
        self.table.hidden_changed.connect(self.refresh)
        self.table.details_wanted.connect(self._toggle_details)
        self.plot.export_wanted.connect(self.export)
        self.measure.activated.connect(self.refresh)
        self.foreign.removed.connect(self.importing.remove)
        self.importing.added.connect(self._show_added)
        key = QShortcut(QKeySequence("M"), self)
        key.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        key.activated.connect(self.measure.choose_next)

    def view(self) -> View:
        """What is chosen."""
        return View(self.measure.value(), self.part.value(), self.along.value())

    @Slot()
    def refresh(self) -> None:
        has_runs = bool(self.board.entries() or self.board.foreign())
        self._pages.setCurrentIndex(0 if has_runs else 1)
        self.primary = self.table.compare if has_runs else self.empty.primary
        self.measure.offer(self.board.measures())
        if not self.isVisible():
            return  # drawn when it is shown
        self._draw()
        if self.details.isVisibleTo(self):
            chosen = self.state.run_ids
            self.details.show_run(self.board.entry(chosen[0]) if len(chosen) == 1 else None)

    @Slot(bool)
    def _advance(self, has_points: bool) -> None:
        """The plot follows every point, the table twice a second."""
        if not self.isVisible():
            return
        if has_points:
            self.measure.offer(self.board.measures())
            self._draw()
        if self._table_drawn.hasExpired(TABLE_MS):
            self._table_drawn.restart()
            self.table.refresh()

    def _draw(self) -> None:
        view = self.view()
        cut = self.state.segmentation
        entries = run_series.drawable(
            self.board, view, self.table.hidden, cut.id if cut is not None else 0
        )
        selected = self.state.run_ids
        telling = run_series.most_telling(entries, selected)
        drawn = run_series.series(self.board, telling, view, selected)
        others = foreign_series.series(self.board.foreign(), view)
        self.foreign.show_curves(foreign_series.of_view(self.board.foreign(), view))
        self._card.row.set_title(tr(MEASURES[view.measure].title))
        self.part.setVisible(not MEASURES[view.measure].in_training)
        told = foreign_series.notes(self.board.foreign(), others, view)
        told.append(run_series.note(self.board, entries, drawn, view))
        nothing = not drawn and not others and not self.table.hidden
        pseudo = nothing and self.pseudo.suits(
            self.board.entries(), self.board.measures(), view.measure
        )
        self.pseudo.setVisible(pseudo)
        self.plot.setVisible(not pseudo)
        if nothing and not pseudo:
            told.insert(0, tr("no run here has such a curve"))
        self._card.row.set_note(" · ".join(told))
        self.plot.set_axes(view.axes())
        self.plot.set_series([*drawn, *others])
        self._draw_oracle(view)
        self.strip.say(self._warning(view))

    def _draw_oracle(self, view: View) -> None:
        value = None
        if view.measure == "bits_per_character" and self.board.entries():
            value = self.board.oracle("valid" if view.part == "valid" else "train")
        self.plot.set_oracle(value, "" if value is None else run_series.oracle_sentence(value))

    def _warning(self, view: View) -> str:
        """Case C-7: perplexities of different units never share an axis in silence."""
        cut = self.state.segmentation
        others = {entry.segmentation.id for entry in self.board.entries()}
        one = run_series.ONE_SEGMENTATION
        if view.measure not in one or cut is None or not others - {cut.id}:
            return ""
        return tr(
            "Perplexities and losses of different segmentations cannot be compared, so only the "
            "runs on {name} are drawn. Bits per character can.",
            name=cut.name,
        )

    @Slot()
    def _show_added(self) -> None:
        """Choose the measure, the part and the axis in which the newest curve can be seen."""
        newest = self.board.foreign()[-1]
        self.measure.offer(self.board.measures())
        if not newest.shows(self.measure.value()):
            self.measure.set_value(newest.measure)
        if not MEASURES[newest.measure].in_training:
            self.part.set_value(newest.part)
        known = {"seconds": newest.seconds, "step": newest.steps, "tokens": newest.tokens}
        if known[self.along.value()] is None:
            self.along.set_value(next(x for x, values in known.items() if values is not None))
        self.refresh()

    @Slot()
    def _toggle_details(self) -> None:
        self.details.setVisible(self.details.isHidden())
        self.table.set_narrow(self.details.isVisibleTo(self))
        self.refresh()

    def why_not_drop(self, carried: Dragged) -> str:
        """Runs are drawn here."""
        return "" if carried.kind == RUN else super().why_not_drop(carried)

    def take_dropped(self, carried: Dragged) -> None:
        """Draw the curve of the run, and select it with those that were."""
        self.state.select_segmentation(self.state.workspace.run(carried.number).segmentation_id)
        self.table.hidden.discard(carried.number)
        others = (number for number in self.state.run_ids if number != carried.number)
        self.state.select_runs((*others, carried.number))
        self.refresh()

    def search(self) -> None:
        """Ctrl+F: among the runs."""
        self.table.search.setFocus()

    @Slot()
    def export(self) -> None:
        """Save the plot as a picture."""
        corpus = self.state.corpus
        caption = f"{corpus.name if corpus else ''} · {self._card.row.title.full_text()}"
        ExportDialog(self.state, self.plot, caption, self.window()).open()
