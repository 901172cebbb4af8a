"""DocumentTable: the documents of a corpus, read page by page as they come into sight."""

from collections import OrderedDict
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal, Slot
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.cells import CellDelegate
from lmstudio.gui.panels.split_bar import PART_TITLES
from lmstudio.gui.state import AppState
from lmstudio.messages import msg, tr
from lmstudio.store.rows import CorpusRow, DocumentRow

Index = QModelIndex | QPersistentModelIndex
PAGE = 200  # documents read at once
_KEPT = 20  # pages
_COLUMNS = (msg("Document"), msg("Chars"), msg("Part"))
_NAME, _CHARACTERS, _PART = range(3)
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class DocumentModel(QAbstractTableModel):
    """A corpus of any number of documents; a few pages of them are in memory."""

    def __init__(self, state: AppState, parent: QWidget) -> None:
        super().__init__(parent)
        self._state = state
        self._corpus: CorpusRow | None = None
        self._pages: OrderedDict[int, list[DocumentRow]] = OrderedDict()

    def set_corpus(self, corpus: CorpusRow | None) -> None:
        """Show the documents of another corpus."""
        self.beginResetModel()
        self._corpus = corpus
        self._pages.clear()
        self.endResetModel()

    def document(self, number: int) -> DocumentRow:
        """One document."""
        page = number // PAGE
        if page not in self._pages:
            assert self._corpus is not None
            self._pages[page] = self._state.workspace.documents(self._corpus.id, page * PAGE, PAGE)
            while len(self._pages) > _KEPT:
                self._pages.popitem(last=False)
        self._pages.move_to_end(page)
        return self._pages[page][number % PAGE]

    def pages_read(self) -> int:
        """How many pages are in memory."""
        return len(self._pages)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        return 0 if parent.isValid() or self._corpus is None else self._corpus.documents

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        return 0 if parent.isValid() else len(_COLUMNS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if index.column() == _CHARACTERS else _LEFT
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == _NAME:
            return self.document(index.row()).name
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        document = self.document(index.row())
        if index.column() == _NAME:
            return document.name
        if index.column() == _CHARACTERS:
            return figures.count(document.characters)
        return tr(PART_TITLES[document.part])

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return tr(_COLUMNS[section])
            case Qt.ItemDataRole.TextAlignmentRole:
                return _RIGHT if section == _CHARACTERS else _LEFT
            case Qt.ItemDataRole.FontRole:
                return theme.font(12)
        return None


class DocumentTable(QTableView):
    """Name, characters and part of every document of the selected corpus."""

    chosen = Signal(object)  # a DocumentRow

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.documents = DocumentModel(state, self)
        self.setModel(self.documents)
        self.setItemDelegate(CellDelegate(self))
        self.setAccessibleName(tr("Documents"))
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
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(_NAME, QHeaderView.ResizeMode.Stretch)
        for column, width in ((_CHARACTERS, 66), (_PART, 62)):
            header.resizeSection(column, theme.px(width))
        self.setMinimumHeight(theme.px(90))
        self.selectionModel().currentRowChanged.connect(self._current_changed)

    def show_corpus(self, corpus: CorpusRow | None) -> None:
        """Show the documents of a corpus, the first one selected; `chosen` is not emitted."""
        self.documents.set_corpus(corpus)
        if corpus is not None and corpus.documents:
            blocked = self.blockSignals(True)
            self.selectRow(0)
            self.blockSignals(blocked)

    def current(self) -> DocumentRow | None:
        """The document selected."""
        index = self.currentIndex()
        return self.documents.document(index.row()) if index.isValid() else None

    @Slot(QModelIndex)
    def _current_changed(self, index: QModelIndex) -> None:
        if index.isValid():
            self.chosen.emit(self.documents.document(index.row()))
