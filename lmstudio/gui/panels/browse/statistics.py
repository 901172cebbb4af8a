"""Statistics: a segmentation in; its words, sequences, collocations and key words out, in tables.

Both laws of word counts are drawn beside the word list.
"""

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from lmstudio.data.browse.keyness import Keyness
from lmstudio.data.browse.listing import Listing
from lmstudio.data.browse.search import Query
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.jobs import Asker
from lmstudio.gui.panels.browse.answer_card import AnswerCard
from lmstudio.gui.panels.browse.laws_column import LawsColumn
from lmstudio.gui.panels.browse.statistics_controls import StatisticsControls
from lmstudio.gui.panels.browse.statistics_question import StatisticsQuestion, answer
from lmstudio.gui.panels.panel import Panel
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import EmptyState, Strip, button, disable, enable
from lmstudio.messages import tr


class StatisticsPanel(Panel):
    """One view at a time. Answers are counted in the background; old ones stay until then."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.controls = StatisticsControls(state, self)
        self.view = self.controls.view
        self.strip = Strip("warn", self)
        self.answer = AnswerCard(state, self)
        self.laws = LawsColumn(state, self)
        self.near = button(tr("Words near it"), parent=self)
        self.to_text = button(tr("Find in the text") + "  Ctrl+↵", "primary", parent=self)
        self._lead = button("", "primary")
        self._asker = Asker(state, self)
        self._asked: StatisticsQuestion | None = None
        self._lay_out()
        self._connect()
        self._choose()
        self.refresh()

    def _lay_out(self) -> None:
        middle = QHBoxLayout()
        middle.setSpacing(theme.px(12))
        middle.addWidget(self.answer, 7)
        middle.addWidget(self.laws, 5)
        work = QWidget(self)
        column = QVBoxLayout(work)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(12))
        column.addWidget(self.controls)
        column.addWidget(self.strip)
        column.addLayout(middle, 1)
        column.addLayout(self.action_row(self.near, self.to_text))
        self._empty = EmptyState(" ", " ", [self._lead])
        self._pages = self.either(work, self._empty)

    def _connect(self) -> None:
        self.view.chosen.connect(self._choose_view)
        self.controls.changed.connect(self._ask)
        self.answer.chosen.connect(self._choose)
        self.answer.opened.connect(self.find_word)
        self.answer.lead_wanted.connect(self._follow_lead)
        self.answer.progress.cancelled.connect(self.cancel)
        self.near.clicked.connect(self.show_neighbours)
        self.to_text.clicked.connect(self.find_word)
        self._lead.clicked.connect(self._go_on)
        self._asker.advanced.connect(self.answer.progress.advance)
        self._asker.answered.connect(self._take)
        self._asker.failed.connect(self._fail)
        state = self.state
        for signal in (state.selection_changed, state.segmentations_changed, state.corpora_changed):
            signal.connect(self.refresh)
        state.workspace_changed.connect(self._forget)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() == Qt.Key.Key_Escape and self._asker.busy:
            self.cancel()
        else:
            super().keyPressEvent(event)

    @property
    def busy(self) -> bool:
        """An answer is awaited."""
        waiting = self.controls.waiting or self._asker.busy
        return waiting or self.answer.sorting or self.laws.busy

    # what is asked

    @Slot()
    def refresh(self) -> None:
        """Follow what is selected."""
        corpus, cut = self.state.corpus, self.state.segmentation
        self._pages.setCurrentIndex(0 if cut is not None else 1)
        self.primary = self.to_text if cut is not None else self._lead
        if cut is None:
            self._lead.setText(tr("Go to Segment") if corpus else tr("Go to Corpora"))
            self._empty.set_text(
                tr("No words to count"),
                tr("Segment the corpus: words are counted as a segmentation cuts them.")
                if corpus else tr("Import a text first."),
            )  # fmt: skip
        self.controls.refresh()
        self._ask()

    @Slot(str)
    def _choose_view(self, view: str) -> None:
        self.controls.show_view(view)
        self.answer.show_view(view)
        self.laws.setVisible(view == "words")
        self._ask()

    @Slot()
    def _ask(self) -> None:
        """Have counted what the controls say, unless it is here or on its way."""
        cut, asked = self.state.segmentation, self.controls.question()
        if cut is None or not self.isVisible():
            return
        if self.view.value() == "words":
            self.laws.ask(cut.id, self.controls.part.currentData())
        if asked is not None and asked == self._asked:
            return
        self._asker.cancel()
        self._asked = None
        self.strip.say("")
        if asked is None:
            self._say_missing()
        elif (kept := self.answer.kept(asked)) is not None:
            self._show(asked, kept)
        else:
            self._asked = asked
            self._asker.ask(answer, self.state.workspace, asked)
            self.answer.begin()

    def _say_missing(self) -> None:
        if self.view.value() == "collocations":
            self.answer.say_missing(
                tr("Which word?"),
                tr(
                    "Type a word above and press Enter: this lists what stands "
                    "near it more often than by chance."
                ),
            )
        else:
            self.answer.say_missing(
                tr("Nothing to compare with"),
                tr("Segment another corpus in the same way; its words are the reference."),
                tr("Go to Segment"),
            )

    @Slot()
    def cancel(self) -> None:
        """Stop counting; the old answer stays."""
        self._asker.cancel()
        self.laws.cancel()
        self._asked = None
        self.answer.end()
        if self.answer.table.listing is None:
            self.answer.say_missing(
                tr("Stopped"), tr("Nothing has been counted yet."), tr("Count now")
            )

    @Slot()
    def _forget(self) -> None:
        self._asker.cancel()
        self._asked = None
        self.answer.forget()
        self.laws.forget()

    # what comes of it

    @Slot(object)
    def _take(self, listing: Listing) -> None:
        asked, self._asked = self._asked, None
        if asked is not None:
            self._show(asked, listing)

    @Slot(object)
    def _fail(self, error: AppError) -> None:
        self._asked = None
        self.answer.say_missing(tr("This cannot be counted"), str(error))

    def _show(self, asked: StatisticsQuestion, listing: Listing) -> None:
        self.answer.show_answer(asked, listing)
        note = listing.note if isinstance(listing, Keyness) else None
        self.strip.say(str(note) if note else "")

    # what is done with a word

    @Slot()
    def _choose(self) -> None:
        word = self.answer.word()
        for action in (self.near, self.to_text):
            if word:
                enable(action)
            else:
                disable(action, tr("Choose a row first."))
        self.near.setVisible(self.view.value() in ("words", "keyness"))
        self.note.setText(tr("Chosen: {word}", word=word) if word else "")

    @Slot()
    def find_word(self) -> None:
        """Show every place where the word, or the sequence, of the row chosen stands."""
        if word := self.answer.word():
            self.state.search_for(Query(word, "word"))

    @Slot()
    def show_neighbours(self) -> None:
        """Show what stands near the word of the row chosen."""
        if word := self.answer.word():
            self.view.set_value("collocations")
            self._choose_view("collocations")
            self.controls.set_node(word)

    # the rest of the window

    @Slot()
    def _follow_lead(self) -> None:
        if self.controls.question() is None:
            self.state.panel_wanted.emit("segment")
        else:
            self._ask()

    @Slot()
    def _go_on(self) -> None:
        self.state.panel_wanted.emit("segment" if self.state.corpus else "corpora")

    def search(self) -> None:
        """Ctrl+F: the node word."""
        if self.view.value() == "collocations":
            self.controls.node.setFocus()
            self.controls.node.selectAll()
        else:
            self.answer.table.setFocus()

    def export(self) -> None:
        """Ctrl+E: the table."""
        self.answer.export_csv.ask()
