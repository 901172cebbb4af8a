"""Segment: a corpus in; two ways to cut it, seen and counted, out; the better one is kept."""

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from lmstudio import figures
from lmstudio.data.layout import CorpusText, has_text
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.panels.corpora.corpus_card import CorpusCard
from lmstudio.gui.panels.corpora.documents import DocumentTable
from lmstudio.gui.panels.corpora.split_bar import SplitBar
from lmstudio.gui.panels.panel import Panel
from lmstudio.gui.panels.segment.compared_card import ComparedCard
from lmstudio.gui.panels.segment.dictionary_card import DictionaryCard
from lmstudio.gui.panels.segment.segment_figures import FigureCards
from lmstudio.gui.panels.segment.segmenter_choice import Cut, proposed
from lmstudio.gui.panels.segment.side_saver import SideSaver
from lmstudio.gui.panels.segment.surveys import Surveys
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Card, EmptyState, button, disable, enable, hairline
from lmstudio.messages import tr
from lmstudio.store.rows import CorpusRow, DocumentRow

_SEEN_LINES, _SEEN_CHARACTERS = 20, 300  # of a corpus, to tell its script


class SegmentPanel(Panel):
    """Side A is what Ctrl+Enter keeps; the user dictionary opens where the corpora stand."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.card = CorpusCard(state, self)
        self.dictionary = DictionaryCard(state, self)
        self.split = SplitBar(self)
        self.documents = DocumentTable(state, self, narrow=True)
        self.compared = ComparedCard(state, self)
        self.choices, self.shared = self.compared.choices, self.compared.shared
        self.comparison = self.compared.comparison
        self.surveys = Surveys(state, self)
        self.figures = FigureCards(state, self.surveys, self)
        self.save_a = button(tr("Save A and train") + "  Ctrl+↵", "primary", parent=self)
        self.save_b = button(tr("Save B"), parent=self)
        self.saver = SideSaver(state, self)
        self._corpus: CorpusRow | None = None
        self._touched = False  # the user has chosen a segmenter
        self._word_side = 0  # where the last word was selected
        self._pages = QStackedWidget(self)
        self._lay_out()
        self._connect()
        self.refresh()

    # layout

    def _lay_out(self) -> None:
        right = QVBoxLayout()
        right.setSpacing(theme.px(12))
        right.addWidget(self.compared, 1)
        right.addWidget(self.figures)
        right.addLayout(self.action_row(self.save_b, self.save_a))
        for widget in (self.split, self.documents):
            self.card.body.addWidget(widget)
        self.card.body.insertWidget(2, hairline(self))
        self.card.list.setMaximumHeight(theme.px(212))
        self.card.body.setStretchFactor(self.documents, 1)
        self.dictionary.hide()
        main = QWidget(self)
        row = QHBoxLayout(main)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(12))
        row.addWidget(self.card)
        row.addWidget(self.dictionary)
        row.addLayout(right, 1)
        self._pages.addWidget(main)
        self._pages.addWidget(self._empty_page())
        self.page().addWidget(self._pages)

    def _empty_page(self) -> QWidget:
        self._lead = button(tr("Go to Corpora"), "primary")
        self._lead.clicked.connect(self._go_to_corpora)
        text = tr("Drop a text on the window; then it can be cut into characters or words here.")
        card = Card(parent=self)
        card.body.addWidget(EmptyState(tr("No text to segment"), text, [self._lead]), 1)
        return card

    def _connect(self) -> None:
        self.compared.changed.connect(self._chosen)
        self.compared.swap_wanted.connect(self.swap)
        self.compared.failed.connect(self._failed)
        self.compared.words_wanted.connect(self.show_dictionary)
        self.compared.word_selected.connect(self.dictionary.propose)
        self.compared.word_wanted.connect(self.add_word)
        self.dictionary.closed.connect(self.hide_dictionary)
        self.dictionary.editor.edited.connect(self._words_edited)
        self.dictionary.used.connect(self._words_edited)
        self.dictionary.undo.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self.addAction(self.dictionary.undo)
        self.surveys.changed.connect(self._say_state)
        self.comparison.moved.connect(self._say_seen)
        self.documents.chosen.connect(self._show_document)
        self.save_a.clicked.connect(self._save_a)
        self.save_b.clicked.connect(self._save_b)
        self.saver.ended.connect(self._saved)
        self.card.paste_wanted.connect(self._go_to_corpora)
        state = self.state
        state.selection_changed.connect(self.refresh)
        state.corpora_changed.connect(self.refresh)
        state.dictionaries_changed.connect(self._show)

    # what is shown

    @Slot()
    def refresh(self) -> None:
        corpus = self.state.corpus
        self._pages.setCurrentIndex(1 if corpus is None else 0)
        self.primary = self._lead if corpus is None else self.save_a
        if corpus is not None and not self.isVisible():
            return  # showing it refreshes it
        before, self._corpus = self._corpus, corpus
        if corpus is None:
            self.comparison.clear()
            self.surveys.stop()
            return
        self.split.show_corpus(corpus)
        if before is None or before.id != corpus.id:
            self.documents.show_corpus(corpus)
            self.compared.offer_given(bool(corpus.facts.get("given_words")))
            if not self._touched:
                for choice, key in zip(self.choices, self._proposed(corpus), strict=True):
                    choice.choose(key)
        self._show()

    def _proposed(self, corpus: CorpusRow) -> tuple[str, str]:
        folder = self.state.workspace.corpus_folder(corpus.id)
        if not has_text(folder):
            return proposed("")
        text = CorpusText(folder)
        seen = (text.line(n)[:_SEEN_CHARACTERS] for n in range(min(len(text), _SEEN_LINES)))
        return proposed("".join(seen))

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        if self.primary is not None and self.window().focusWidget() is None:
            self.primary.setFocus()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        super().hideEvent(event)
        self.surveys.stop()

    def cuts(self) -> tuple[Cut, Cut]:
        """What both sides are set to."""
        return self.compared.cuts()

    @Slot()
    def _show(self) -> None:
        """Cut and count, if anybody sees it."""
        corpus = self._corpus
        if corpus is None or not self.isVisible():
            return
        a, b = self.cuts()
        self.compared.show_cuts(corpus, (a, b))
        self.figures.set_titles(*(choice.title() for choice in self.choices))
        if not self.saver.sides():
            characters = Cut(self.shared.value_for("characters"), stop_words=a.stop_words)
            self.surveys.want(corpus.id, {"a": a, "b": b, "characters": characters})
        self._check()

    @Slot()
    def _chosen(self) -> None:
        self._touched = True
        self._show()

    @Slot()
    def swap(self) -> None:
        """Let the sides change places."""
        self.choices[0].swap(self.choices[1])
        self.surveys.swap()
        self.comparison.swap()
        self._touched = True
        self._show()

    @Slot(object)
    def _show_document(self, document: DocumentRow) -> None:
        self.comparison.show_line(document.first_line)

    @Slot()
    def _say_state(self) -> None:
        if self.saver.sides():
            self.note.setText(tr("The whole text is being cut; progress stands below."))
        elif self.surveys.waiting() and not self.comparison.seen:
            self.note.setText(tr("The sentences are being cut."))
        elif self.surveys.waiting():
            self.note.setText(tr("The sentences are cut; the whole text is being counted."))
        elif fault := self.surveys.fault():
            self.note.setText(fault)
        elif self.surveys.seconds is not None:
            time = figures.duration(self.surveys.seconds)
            self.note.setText(tr("Counting the whole text took {time}.", time=time))

    @Slot()
    def _say_seen(self) -> None:
        """The sentences have come, while the figures are still counted."""
        if self.surveys.waiting():
            self._say_state()

    @Slot(object)
    def _failed(self, error: AppError) -> None:
        self.note.setText(str(error))

    # the user dictionary

    @Slot()
    def show_dictionary(self) -> None:
        """Open the user dictionary beside the text."""
        try:
            self.dictionary.editor.show_dictionary(self._dictionary_used())
        except AppError as error:
            self._failed(error)
            return
        self.card.hide()
        self.dictionary.show()
        self._words_edited()
        self.dictionary.word.setFocus()

    @Slot()
    def hide_dictionary(self) -> None:
        """Close it again."""
        self.dictionary.hide()
        self.card.show()

    def _dictionary_used(self) -> str:
        """The name of the one that a side is cut with, "" if none is."""
        paths = [choice.dictionary.path for choice in self.choices if choice.by_jieba()]
        return next((path.stem for path in paths if path is not None), "")

    @Slot(int, str)
    def add_word(self, side: int, word: str) -> None:
        """Make a string that was selected on a side a word of the dictionary."""
        if self.dictionary.isHidden():
            self.show_dictionary()
        self._word_side = side
        self.dictionary.word.setText(word)
        self.dictionary.add_word()
        self.comparison.select_nothing()
        self.comparison.flows[side].setFocus()

    @Slot()
    def _words_edited(self) -> None:
        """What was edited is seen at once: a side of jieba is cut with it."""
        path = self.dictionary.editor.path()
        sides = [self.choices[self._word_side], self.choices[1 - self._word_side]]
        jieba = [choice for choice in sides if choice.by_jieba()]
        if not path.exists() or not jieba:
            return
        if all(choice.dictionary.path != path for choice in jieba):
            jieba[0].dictionary.use(path)

    # keeping a side

    def _check(self) -> None:
        for control, side in ((self.save_a, "A"), (self.save_b, "B")):
            if side in self.saver.sides():
                disable(control, tr("It is being cut."))
            else:
                enable(control)
        self._say_state()

    @Slot()
    def _save_a(self) -> None:
        self._save(0)

    @Slot()
    def _save_b(self) -> None:
        self._save(1)

    def _save(self, side: int) -> None:
        if self._corpus is not None:
            self.surveys.stop()  # they would be waited for
            title, cut = self.choices[side].title(), self.cuts()[side]
            self.saver.save(self._corpus, "AB"[side], title, cut)
            self._check()

    @Slot(str, bool)
    def _saved(self, side: str, kept: bool) -> None:
        self._check()
        if kept and side == "A" and self.isVisible():
            self.state.panel_wanted.emit("new_run")
        else:
            self._show()

    @Slot()
    def _go_to_corpora(self) -> None:
        self.state.panel_wanted.emit("corpora")

    def export(self) -> None:
        """Ctrl+E: the statistics."""
        self.figures.export.ask()
