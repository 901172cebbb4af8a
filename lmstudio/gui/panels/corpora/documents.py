"""DocumentTable: the documents of a corpus, or those whose names were searched for."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QWidget

from lmstudio.gui import theme
from lmstudio.gui.cells import CellDelegate
from lmstudio.gui.panels.corpora.document_model import DocumentModel
from lmstudio.gui.rows_view import RowsView
from lmstudio.gui.save_as import SaveAs
from lmstudio.gui.state import AppState
from lmstudio.messages import tr
from lmstudio.operations import documents
from lmstudio.store.rows import CorpusRow, DocumentRow

_WIDTHS = {"label": 84, "characters": 66, "part": 62}  # the others share what is left


class DocumentTable(RowsView):
    """Name, characters and part of every document; title and label where there are any."""

    chosen = Signal(object)  # a DocumentRow, or None where none is shown

    def __init__(
        self, state: AppState, parent: QWidget | None = None, *, narrow: bool = False
    ) -> None:
        """`narrow`: one column tells documents apart, their titles where they have some."""
        super().__init__(tr("All documents"), parent)
        self._state, self._narrow = state, narrow
        self._corpus: CorpusRow | None = None
        self._saver = SaveAs(state, self)
        self.documents = DocumentModel(state, self)
        self.setModel(self.documents)
        self.setItemDelegate(CellDelegate(self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(theme.px(30))
        self.horizontalHeader().setHighlightSections(False)
        self.setMinimumHeight(theme.px(90))
        self.selectionModel().currentRowChanged.connect(self._current_changed)
        self.watch_header()
        self.export_wanted.connect(self._export)

    def column_keys(self) -> list[str]:
        """Of those that are filled."""
        return self.documents.columns

    def show_corpus(self, corpus: CorpusRow | None) -> None:
        """Show the documents of a corpus, the first one selected; `chosen` is not emitted."""
        self._corpus = corpus
        with QSignalBlocker(self):
            self.documents.set_corpus(corpus, self._columns(corpus))
            self._set_widths()
            self._select_first()

    def show_only(self, numbers: Sequence[int] | None) -> None:
        """Show the documents of these numbers, None for all; the first one is chosen."""
        with QSignalBlocker(self):
            self.documents.set_only(numbers)
            self._select_first()
        self.chosen.emit(self.current())

    def _columns(self, corpus: CorpusRow | None) -> list[str]:
        """Without columns that would be empty."""
        filled = self._state.workspace.document_columns(corpus.id) if corpus else set()
        if self._narrow:
            return ["title" if "title" in filled else "name", "characters", "part"]
        return ["name", *(one for one in ("title", "label") if one in filled), "characters", "part"]

    def _set_widths(self) -> None:
        header = self.horizontalHeader()
        for number, column in enumerate(self.documents.columns):
            if width := _WIDTHS.get(column):
                header.setSectionResizeMode(number, QHeaderView.ResizeMode.Interactive)
                header.resizeSection(number, self.width_of(column, width))
            else:
                header.setSectionResizeMode(number, QHeaderView.ResizeMode.Stretch)
        self.hide_columns(self._hidden)  # which are others by number now

    def _select_first(self) -> None:
        if self.documents.rowCount():
            self.selectRow(0)

    def current(self) -> DocumentRow | None:
        """The document selected."""
        index = self.currentIndex()
        return self.documents.document(index.row()) if index.isValid() else None

    @Slot()
    def _export(self) -> None:
        if self._corpus is not None:
            ws = self._state.workspace
            self._saver.ask(self._corpus.name, documents.save_csv, ws, self._corpus.id)

    @Slot(QModelIndex)
    def _current_changed(self, index: QModelIndex) -> None:
        if index.isValid():
            self.chosen.emit(self.documents.document(index.row()))
