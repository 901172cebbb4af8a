"""Sentence: a text through an n-gram run in; surprisal word by word, and its sources, out."""

from PySide6.QtCore import QSignalBlocker, QTimer, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.dialogs.export_plot import ExportDialog
from lmstudio.gui.jobs import Asker
from lmstudio.gui.panels.explore import walk_texts
from lmstudio.gui.panels.explore.first_sentence import first_sentence
from lmstudio.gui.panels.explore.step_card import StepCard
from lmstudio.gui.panels.panel import Panel
from lmstudio.gui.save_as import SaveAs
from lmstudio.gui.state import AppState
from lmstudio.gui.tables import Column, Table
from lmstudio.gui.widgets import Card, EmptyState, button, label, scrolled, tool
from lmstudio.gui.widgets.fading import fade
from lmstudio.gui.widgets.surprisal_view import SurprisalView
from lmstudio.messages import tr
from lmstudio.operations import laboratory
from lmstudio.operations.laboratory import Walk
from lmstudio.store.rows import RunRow

DEBOUNCE_MS = 150
SHOWN = 300
"""Events that are drawn and listed: laying out thousands would stop the window."""


class SentencePanel(Panel):
    """Bars and table choose the same token; its card says how the probability came about."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.run, self.text = QComboBox(self), QLineEdit(self)
        self.view = SurprisalView(tr("Surprisal of each token"), self)
        self.step = StepCard(self)
        self.table = Table(_columns(), tr("Steps"), self)
        self.save = SaveAs(state, self)
        self.walk: Walk | None = None
        self._asker = Asker(state, self)
        self._pause = QTimer(self, interval=DEBOUNCE_MS, singleShot=True)
        self._typed, self._corpus_id = False, 0
        self._said = label(size=12, tone="muted", wrap=True)
        self._lead = button("", "primary")
        self._lay_out()
        self._connect()
        self.refresh()

    def _lay_out(self) -> None:
        self.text.setPlaceholderText(tr("Type a sentence"))
        self.text.setAccessibleName(tr("Sentence"))
        self.text.setFont(theme.font(15))
        self.run.setAccessibleName(tr("Run"))
        self.run.setMinimumWidth(theme.px(200))
        self.run.setMaximumWidth(theme.px(320))
        asked = QHBoxLayout()
        asked.setSpacing(theme.px(8))
        asked.addWidget(self.text, 1)
        asked.addWidget(label(tr("Model"), tone="muted"))
        asked.addWidget(self.run)
        upper = QHBoxLayout()
        upper.setSpacing(theme.px(12))
        upper.addWidget(self._bars_card(), 1)
        upper.addWidget(self.step)
        work = QWidget(self)
        column = QVBoxLayout(work)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(12))
        column.addLayout(asked)
        column.addLayout(upper, 3)
        column.addWidget(self._table_card(), 2)
        self._empty = EmptyState(" ", " ", [self._lead], family="ngram")
        self._pages = QStackedWidget(self)
        for page in (work, self._empty):
            self._pages.addWidget(page)
        self.page().addWidget(self._pages, 1)

    def _bars_card(self) -> Card:
        card = Card(tr("Surprisal, in bits"), tr("the longer the bar, the less expected"), self)
        picture = tool("export", tr("Export the chart"), parent=self)
        picture.clicked.connect(self.export_picture)
        card.row.add_tool(picture)
        card.body.addWidget(scrolled(self.view), 1)
        card.body.addWidget(self._said)
        return card

    def _table_card(self) -> Card:
        card = Card(tr("Steps"), parent=self)
        csv = tool("export", tr("Save the table as CSV  Ctrl+E"), parent=self)
        csv.clicked.connect(self.export)
        card.row.add_tool(csv)
        card.body.addWidget(self.table, 1)
        return card

    def _connect(self) -> None:
        self.text.textEdited.connect(self._type)
        self.text.textChanged.connect(self._changed)
        self.run.currentIndexChanged.connect(self.ask)
        self._pause.timeout.connect(self.ask)
        self.view.chosen.connect(self._choose)
        self.view.export_wanted.connect(self.export_picture)
        self.table.chosen.connect(self._choose_row)
        self._asker.answered.connect(self._take)
        self._asker.failed.connect(self._fail)
        self._lead.clicked.connect(self._go_on)
        state = self.state
        for signal in (state.selection_changed, state.segmentations_changed, state.runs_changed):
            signal.connect(self.refresh)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self.refresh()

    @property
    def busy(self) -> bool:
        """An answer is awaited."""
        return self._asker.busy or self._pause.isActive()

    # what is asked

    def _runs(self) -> list[RunRow]:
        cut = self.state.segmentation
        runs = self.state.runs(cut.id) if cut else []
        return [run for run in runs if run.model == "ngram" and run.state == "done"]

    @Slot()
    def refresh(self) -> None:
        """Offer the n-gram runs of the segmentation selected."""
        runs, before = self._runs(), self.run.currentData()
        with QSignalBlocker(self.run):
            self.run.clear()
            for run in runs:
                self.run.addItem(run.name, run.id)
            last = len(runs) - 1
            known = self.run.findData(before)
            self.run.setCurrentIndex(known if known >= 0 else last)
        self._pages.setCurrentIndex(0 if runs else 1)
        self.primary = None if runs else self._lead
        if not runs:
            self._say_what_is_missing()
        elif self.isVisible():
            self._propose()
            if self.run.currentData() != before or self.walk is None:
                self.ask()

    def _say_what_is_missing(self) -> None:
        state = self.state
        if state.segmentation is not None:
            self._lead.setText(tr("Train an n-gram model (seconds)"))
            self._empty.set_text(
                tr("No n-gram model here yet"),
                tr("A sentence is walked through a trained one: it shows which n-gram answered "
                   "for each word."),
            )  # fmt: skip
            return
        self._lead.setText(tr("Go to Segment") if state.corpus else tr("Go to Corpora"))
        self._empty.set_text(
            tr("No tokens to count"),
            tr("Segment the corpus: n-grams are counted as a segmentation cuts them.")
            if state.corpus else tr("Import a text first."),
        )  # fmt: skip

    def _propose(self) -> None:
        """Begin with the corpus's first sentence."""
        cut = self.state.segmentation
        if cut is not None and cut.corpus_id != self._corpus_id and not self._typed:
            self._corpus_id = cut.corpus_id
            with QSignalBlocker(self.text):
                self.text.setText(first_sentence(self.state, cut.corpus_id))

    @Slot()
    def _type(self) -> None:
        self._typed = True

    @Slot()
    def _changed(self) -> None:
        self._pause.start()

    @Slot()
    def ask(self) -> None:
        """Walk what is typed."""
        run = self.run.currentData()
        if run is not None and self.isVisible():
            self._pause.stop()
            fade(self.view, self.walk is not None)
            self._asker.ask(laboratory.walk, self.state.workspace, run, self.text.text())

    # what comes of it

    @Slot(object)
    def _take(self, walk: Walk) -> None:
        self.walk = walk
        fade(self.view, False)
        shown = walk.steps[:SHOWN]
        self.view.set_tokens(walk_texts.surprises(shown, walk.types, walk.texts))
        self.table.set_rows(walk_texts.rows(shown, walk.types))
        said = walk_texts.accounting(walk.steps)
        if len(shown) < len(walk.steps):
            said += " " + tr("Only the first {shown} of {all} events are shown; the CSV has them "
                             "all.", shown=len(shown), all=len(walk.steps))  # fmt: skip
        self._said.setText(said)
        self._said.setToolTip(walk_texts.exactly(walk.steps))
        self.table.select([self.view.chosen_number()])
        self._show_step()

    @Slot(object)
    def _fail(self, error: AppError) -> None:
        fade(self.view, False)
        self._said.setText(str(error))

    @Slot(int)
    def _choose(self, number: int) -> None:
        self.table.select([number])
        self._show_step()

    @Slot(list)
    def _choose_row(self, keys: list[int]) -> None:
        if keys:
            self.view.choose(keys[0])
            self._show_step()

    def _show_step(self) -> None:
        number = self.view.chosen_number()
        if self.walk is not None and 0 <= number < len(self.walk.steps):
            self.step.show_step(self.walk, number)

    # the rest of the window

    @Slot()
    def _go_on(self) -> None:
        state = self.state
        wanted = "segment" if state.corpus else "corpora"
        state.panel_wanted.emit("new_run" if state.segmentation is not None else wanted)

    def search(self) -> None:
        """Ctrl+F: the sentence."""
        self.text.setFocus()
        self.text.selectAll()

    def export(self) -> None:
        """Ctrl+E: the steps as CSV."""
        if self.walk is not None:
            self.save.ask("sentence", laboratory.save_walk, self.walk)

    @Slot()
    def export_picture(self) -> None:
        """The bars as PNG, SVG or PDF."""
        caption = f"{tr('Surprisal, in bits')} · {self.run.currentText()}"
        ExportDialog(self.state, self.view, caption, self.window()).open()


def _columns() -> list[Column]:
    return [
        Column("number", "#", right=True, width=44),
        Column("token", tr("Token"), width=110),
        Column("context", tr("Context"), width=170),
        Column("order", tr("Answered by"), right=True, width=92),
        Column("p", "p", right=True, width=104),
        Column("bits", tr("Bits"), right=True, width=80),
        Column("formula", tr("Formula")),
    ]
