"""Corpora: the texts of the workspace; where files, however they came, are imported."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from lmstudio import figures
from lmstudio.data.given import GivenWords, has_given
from lmstudio.data.layout import NOT_HERE, CorpusText
from lmstudio.errors import AppError
from lmstudio.gui import drop, theme
from lmstudio.gui.dialogs.import_files import ImportDialog
from lmstudio.gui.dialogs.paste_text import PasteDialog
from lmstudio.gui.panels.corpora.corpus_actions import CorpusActions
from lmstudio.gui.panels.corpora.corpus_card import CorpusCard
from lmstudio.gui.panels.corpora.corpus_facts import CorpusFacts
from lmstudio.gui.panels.corpora.corpus_lists import CorpusLists
from lmstudio.gui.panels.corpora.import_result import ImportResult
from lmstudio.gui.panels.corpora.importing import Imports
from lmstudio.gui.panels.panel import Panel
from lmstudio.gui.panels.start.drop_area import DropArea
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Card, Strip, button
from lmstudio.gui.widgets.line_view import LineView, Word
from lmstudio.messages import listed, tr
from lmstudio.operations import corpora
from lmstudio.operations.changes import Changes
from lmstudio.store.rows import CorpusRow, DocumentRow


def given_words(folder: Path) -> Callable[[int], list[Word]] | None:
    """The words that the files of a corpus gave, by line; None if they gave none."""
    if not has_given(folder):
        return None
    given = GivenWords(folder)

    def words(line: int) -> list[Word]:
        spans, tags = given.of(line)
        return [(*span, given.tags[tag]) for span, tag in zip(spans, tags.tolist(), strict=True)]

    return words


class CorporaPanel(Panel):
    """The corpora, the documents of one, and the text of one document."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.imports = Imports(state, self)
        self.dialog: ImportDialog | PasteDialog | None = None
        self.result = ImportResult(self)
        self.card = CorpusCard(state, self)
        self.facts = CorpusFacts(self)
        self.actions_ = CorpusActions(state, self)
        self.lists = CorpusLists(state, self)
        self.documents = self.lists.documents
        self.text = LineView(tr("Text of the document"), self)
        self.trouble = Strip("bad", self)
        self.segment = button(tr("Segment") + "  Ctrl+↵", "primary", parent=self)
        self._shown: CorpusRow | None = None
        self._pages = QStackedWidget(self)
        self._lay_out()
        self._connect()
        self._refresh()

    def _lay_out(self) -> None:
        for widget in (self.actions_.report, self.actions_.again, self.actions_.edit,
                       self.actions_.tag, self.actions_.remove):  # fmt: skip
            self.facts.row.add_tool(widget)
        self.lists.add_tool("documents", self.actions_.save)
        self._reading = Card(tr("Text"), parent=self)
        self._reading.body.addWidget(self.trouble)
        self._reading.body.addWidget(self.text, 1)
        lower = QHBoxLayout()
        lower.setSpacing(theme.px(12))
        lower.addWidget(self.lists, 1)
        lower.addWidget(self._reading, 1)
        right = QVBoxLayout()
        right.setSpacing(theme.px(12))
        right.addWidget(self.result)
        right.addWidget(self.facts)
        right.addLayout(lower, 1)
        right.addLayout(self.action_row(self.segment))
        self.card.body.addStretch()
        self.card.body.setStretchFactor(self.card.list, 1)
        main = QWidget(self)
        row = QHBoxLayout(main)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(12))
        row.addWidget(self.card)
        row.addLayout(right, 1)
        self._empty = DropArea(self.state, self)
        self._pages.addWidget(main)
        self._pages.addWidget(self._empty)
        self.page().addWidget(self._pages)

    def _connect(self) -> None:
        self.imports.done.connect(self._imported)
        self.card.paste_wanted.connect(self.paste)
        self._empty.paste_wanted.connect(self.paste)
        self.lists.chosen.connect(self._show_document)
        self.segment.clicked.connect(self._go_to_segment)
        self.result.segment_wanted.connect(self._go_to_segment)
        self.actions_.again.clicked.connect(self.import_again)
        self.result.details_wanted.connect(self.actions_.show_report)
        for signal in (self.state.corpora_changed, self.state.selection_changed,
                       self.state.segmentations_changed, self.state.workspace_changed):  # fmt: skip
            signal.connect(self._refresh)
        self.actions_.offer(self.card.list, self.segment)
        paste = QAction(tr("Paste text…"), self)
        paste.setShortcut(QKeySequence(QKeySequence.StandardKey.Paste))
        paste.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        paste.triggered.connect(self.paste)
        self.addAction(paste)

    # what is shown

    @Slot()
    def _refresh(self) -> None:
        corpus = self.state.corpus
        self._pages.setCurrentIndex(1 if corpus is None else 0)
        self.primary = self._empty.choose if corpus is None else self.segment
        self.result.hide_for_other(corpus)
        if corpus is None:
            self._shown = None
            self.lists.show_corpus(None)
            self.text.clear()
            return
        self.facts.show_corpus(corpus)
        cuts = self.state.segmentations(corpus.id)
        self.note.setText(
            tr("Segmentations ({count}): {names}", count=len(cuts),
               names=listed(cut.name for cut in cuts))
            if cuts else tr("Not segmented yet: say next what a token is.")
        )  # fmt: skip
        if self._shown is None or corpus.id != self._shown.id:
            self._shown = corpus
            self.lists.show_corpus(corpus)
            self._show_document(self.documents.current())

    @Slot(object)
    def _show_document(self, document: DocumentRow | None) -> None:
        if document is None:
            self.text.clear()
            absent = self._shown is not None and "absent" in self._shown.facts
            self.trouble.say(tr(NOT_HERE) if absent else "")
            return
        self._reading.row.set_title(document.title or document.name)
        lines = tr("{count} lines", count=figures.count(document.lines))
        note = [document.name if document.title else "", document.label, lines]
        self._reading.row.set_note(" · ".join(filter(None, note)))
        try:
            folder = self.state.workspace.corpus_folder(document.corpus_id)
            text, given = CorpusText(folder), given_words(folder)
            self.text.set_lines(text.line, document.first_line, document.lines, words=given)
            self.trouble.say("")
        except AppError as error:  # files of the workspace are gone or damaged
            self.text.clear()
            self.trouble.say(str(error))

    # imports

    def open_files(self, paths: list[Path]) -> None:
        """Show what importing these files would find; while that is open, add them to it."""
        if not self.state.has_workspace or not paths:
            return
        if isinstance(self.dialog, ImportDialog) and self.dialog.takes_files:
            self.dialog.add(paths)
        elif self.dialog is None:
            self._open(ImportDialog(self.state, paths, self.window()))

    @Slot()
    def paste(self) -> None:
        """Import what is on the clipboard: files, or text after a look at it."""
        data = QGuiApplication.clipboard().mimeData()
        try:
            files = drop.paths(data) if data else []
        except AppError as error:
            self.state.report(error)
            return
        if files:
            self.open_files(files)
        elif self.dialog is None and self.state.has_workspace:
            self._open(PasteDialog(self.state, data.text() if data else "", self.window()))

    @Slot()
    def import_again(self) -> None:
        """Import the files of the corpus once more, with other settings."""
        corpus = self.state.corpus
        if corpus is None or self.dialog is not None:
            return
        ws = self.state.workspace
        folder = ws.corpus_folder(corpus.id) / "source"
        files = [folder / source.name for source in ws.sources(corpus.id)]
        options = corpora.options_of(ws, corpus.id)
        self._open(ImportDialog(self.state, files, self.window(), again=corpus, options=options))

    def _open(self, dialog: ImportDialog | PasteDialog) -> None:
        self.dialog = dialog
        dialog.ordered.connect(self.imports.start)
        dialog.finished.connect(self._dialog_closed)
        dialog.open()

    @Slot()
    def _dialog_closed(self) -> None:
        self.dialog = None

    @Slot(object)
    def _imported(self, changes: Changes) -> None:
        corpus = self.state.corpus
        if corpus is None or corpus.id != changes.new_id:
            return
        self.result.show_result(corpus, changes)
        if self.isVisible():
            self.segment.setFocus()  # Enter goes on

    @Slot()
    def _go_to_segment(self) -> None:
        self.state.panel_wanted.emit("segment")

    def search(self) -> None:
        """Ctrl+F: in the names of the documents."""
        self.lists.start_search()

    def export(self) -> None:
        """Ctrl+E: the table of documents."""
        self.actions_.export()
