"""Smoothing: a context in; what every smoothing gives to each next word, side by side, out.

Knobs, growth and the counts of counts stand beside it.
"""

from dataclasses import replace

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QWidget

from lmstudio import figures
from lmstudio.data.layout import BOS
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.dialogs.export_plot import ExportDialog
from lmstudio.gui.panels.explore import smoothing_rows
from lmstudio.gui.panels.explore.context_picker import ContextPicker
from lmstudio.gui.panels.explore.context_row import ContextRow
from lmstudio.gui.panels.explore.smoothing_asking import SmoothingAsking, SmoothingQuestion
from lmstudio.gui.panels.explore.smoothing_side import SmoothingSide
from lmstudio.gui.panels.panel import Panel
from lmstudio.gui.panels.progress_row import ProgressRow
from lmstudio.gui.save_as import SaveAs
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import (
    Card,
    EmptyState,
    Segmented,
    button,
    label,
    scrolled,
    tool,
)
from lmstudio.gui.widgets.smoothing_matrix import SmoothingMatrix
from lmstudio.messages import tr
from lmstudio.models.config import SMOOTHINGS
from lmstudio.operations import laboratory
from lmstudio.operations.laboratory import FrequentContext

_ORDERS = range(1, 8)
_OLD_AFTER_MS = 150  # an answer that is there sooner needs no sign that the old one is old
_SPACED = ("whitespace", "given")  # segmenters of texts whose words stand between spaces


class SmoothingPanel(Panel):
    """The context and the chosen column stay while knobs are turned."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.asking = SmoothingAsking(state, self)
        self.picker = ContextPicker(state, self)
        self.context = ContextRow(self)
        orders = [(str(order), str(order)) for order in _ORDERS]
        self.order = Segmented(orders, tr("Order"), self)
        self.order.set_value("3")
        self.matrix = SmoothingMatrix(tr("Next words by smoothing"), self)
        self.side = SmoothingSide(state, self.asking, self)
        self.progress = ProgressRow(self)
        self.save = SaveAs(state, self)
        self.help = button(tr("Maximum likelihood, derived"), "link", icon_name="help", parent=self)
        self._said = label(size=12, tone="muted", wrap=True)
        self._lead = button("", "primary")
        self._segmentation = 0
        self._old = QTimer(self, interval=_OLD_AFTER_MS, singleShot=True)
        self._lay_out()
        self._connect()
        self.refresh()

    def _lay_out(self) -> None:
        self._card = Card(tr("One context, every smoothing"), parent=self)
        csv = tool("export", tr("Save the table as CSV  Ctrl+E"), parent=self)
        csv.clicked.connect(self.export)
        for widget in (self.progress, label(tr("Order"), tone="muted"), self.order, csv):
            self._card.row.add_tool(widget)
        below = QHBoxLayout()
        below.addWidget(self._said, 1)
        below.addWidget(self.help, 0, Qt.AlignmentFlag.AlignTop)
        self._failure = EmptyState(" ", " ", [])
        self._body = QStackedWidget(self)
        self._body.addWidget(scrolled(self.matrix, self))
        self._body.addWidget(self._failure)
        self._card.body.addWidget(self.context)
        self._card.body.addWidget(self._body, 1)
        self._card.body.addLayout(below)
        work = QWidget(self)
        row = QHBoxLayout(work)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(12))
        row.addWidget(self._card, 1)
        row.addWidget(self.side)
        self._empty = EmptyState(" ", " ", [self._lead], family="ngram")
        self._pages = self.either(work, self._empty)

    def _connect(self) -> None:
        self.asking.changed.connect(self._draw)
        self.asking.failed.connect(self._fail)
        self.asking.advanced.connect(self.progress.advance)
        self.picker.picked.connect(self._take_context)
        self.picker.failed.connect(self._fail)
        self.picker.advanced.connect(self.progress.advance)
        self.progress.cancelled.connect(self.cancel)
        self._old.timeout.connect(self._draw)
        self.context.changed.connect(self._ask)
        self.context.other_wanted.connect(self.pick_another)
        self.order.chosen.connect(self._change_order)
        self.matrix.chosen.connect(self.choose)
        self.matrix.paged.connect(self.change_order)
        self.matrix.export_wanted.connect(self.export_picture)
        self.side.turned.connect(self._old.start)
        self.help.clicked.connect(self._explain)
        self._lead.clicked.connect(self._go_on)
        state = self.state
        for signal in (state.selection_changed, state.segmentations_changed, state.corpora_changed):
            signal.connect(self.refresh)
        state.workspace_changed.connect(self._forget)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        steps = {Qt.Key.Key_PageUp: 1, Qt.Key.Key_PageDown: -1}
        if event.key() in steps:
            self.change_order(steps[Qt.Key(event.key())])
        elif event.key() == Qt.Key.Key_Escape and self.busy:
            self.cancel()
        else:
            super().keyPressEvent(event)

    @property
    def busy(self) -> bool:
        """Something is awaited."""
        waiting = self.context.waiting or self.picker.busy or self.asking.busy
        return waiting or self.side.busy

    @Slot(int)
    def change_order(self, step: int) -> None:
        """Look at so many tokens more."""
        if self._order() + step in _ORDERS:
            self.order.segment(str(self._order() + step)).click()

    def _order(self) -> int:
        return int(self.order.value())

    # what is asked

    @Slot()
    def refresh(self) -> None:
        """Follow what is selected."""
        corpus, cut = self.state.corpus, self.state.segmentation
        self._pages.setCurrentIndex(0 if cut is not None else 1)
        self.primary = self.context.other if cut is not None else self._lead
        if cut is None:
            self._lead.setText(tr("Go to Segment") if corpus else tr("Go to Corpora"))
            self._empty.set_text(
                tr("No tokens to count"),
                tr("Segment the corpus: n-grams are counted as a segmentation cuts them.")
                if corpus else tr("Import a text first."),
            )  # fmt: skip
        elif self.isVisible() and cut.id != self._segmentation:
            self._segmentation = cut.id
            self.asking.forget()
            self.pick_another()

    @Slot()
    def pick_another(self) -> None:
        """Look at another frequent context of the text."""
        if self._segmentation:
            self.progress.begin()
            self.picker.pick(self._segmentation, self._order())

    @Slot(object)
    def _take_context(self, context: FrequentContext | None) -> None:
        cut = self.state.segmentation
        spaced = cut is not None and cut.segmenter in _SPACED
        self.context.set_picked(context, spaced=spaced)
        self._ask()

    @Slot()
    def _change_order(self) -> None:
        """A picked context grows with the order, but where its sentence begins; a typed one not."""
        context = self.context.context()
        short = len(context) < self._order() - 1 and context[:1] != (BOS,)
        if isinstance(context, tuple) and short:
            self.progress.begin()
            self.picker.pick(self._segmentation, self._order(), near=context)
        else:
            self._ask()

    @Slot()
    def _ask(self) -> None:
        if not self._segmentation:
            return
        question = SmoothingQuestion(
            self._segmentation, self._order(), self.context.context(), self.context.words()
        )
        self._body.setCurrentIndex(0)
        self.asking.ask(question)
        self.progress.begin()
        self._old.start()
        self._draw()

    @Slot(str)
    def choose(self, smoothing: str) -> None:
        """Put another column in the foreground; the plot is about it."""
        self.asking.chosen = smoothing
        self._draw()

    @Slot()
    def cancel(self) -> None:
        """Stop counting; what is there stays."""
        self.picker.cancel()
        self.asking.cancel()
        self.side.cancel()
        self.progress.end()
        if self.asking.table is None:
            self._say_failure(tr("Stopped"), tr("Nothing has been counted yet."))

    @Slot()
    def _forget(self) -> None:
        self._segmentation = 0
        self.asking.forget()

    # what comes of it

    @Slot()
    def _draw(self) -> None:
        """Everything that follows from the columns that are there."""
        table = self.asking.table
        if not (self.asking.counting or self.picker.busy):
            self.progress.end()
        old = not self._old.isActive()
        self.matrix.set_matrix(smoothing_rows.matrix(self.asking, fade=old))
        self.context.show_table(table)
        self._card.row.set_note(self._summary())
        chosen = self.asking.columns.get(self.asking.chosen)
        self._said.setText(" ".join(smoothing_rows.explained(chosen)) if chosen else "")
        self.side.follow(self._segmentation)

    def _summary(self) -> str:
        table = self.asking.table
        if table is None:
            return ""
        bars = table.bars
        said = tr("occurrences: {count} · different next words: {followers}",
                  count=figures.count(bars.occurrences),
                  followers=figures.count(bars.followers))  # fmt: skip
        missing = [word for word in self.context.words() if word not in table.words]
        if missing:
            said += " · " + tr("{word} is not in the vocabulary", word=missing[0])
        return said

    @Slot(object)
    def _fail(self, error: AppError) -> None:
        self.progress.end()
        self._say_failure(tr("This cannot be counted"), str(error))

    def _say_failure(self, title: str, detail: str) -> None:
        self._failure.set_text(title, detail)
        self._body.setCurrentIndex(1)

    # the rest of the window

    @Slot()
    def _explain(self) -> None:
        self.state.explain(self.asking.table)

    @Slot()
    def _go_on(self) -> None:
        self.state.panel_wanted.emit("segment" if self.state.corpus else "corpora")

    def search(self) -> None:
        """Ctrl+F: the context."""
        self.context.text.setFocus()
        self.context.text.selectAll()

    def export(self) -> None:
        """Ctrl+E: the matrix as CSV, with the columns that are there."""
        if (table := self.whole_table()) is not None:
            self.save.ask("smoothing", laboratory.save_bars, table)

    def whole_table(self) -> laboratory.Table | None:
        """The table with every column that is there."""
        table = self.asking.table
        if table is None:
            return None
        columns = [self.asking.columns[name] for name in SMOOTHINGS if name in self.asking.columns]
        return replace(table, bars=replace(table.bars, columns=columns))

    @Slot()
    def export_picture(self) -> None:
        """The matrix as PNG, SVG or PDF."""
        caption = f"{' '.join(self.context.chips.words())} ___ · {self._summary()}"
        ExportDialog(self.state, self.matrix, caption, self.window()).open()
