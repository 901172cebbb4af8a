"""DocumentModel: the documents of a corpus, read page by page as they come into sight."""

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt
from PySide6.QtWidgets import QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.cells import Index
from lmstudio.gui.panels.corpora.split_bar import PART_TITLES
from lmstudio.gui.rows_view import PLAIN
from lmstudio.gui.state import AppState
from lmstudio.messages import msg, tr
from lmstudio.store.rows import CorpusRow, DocumentRow

PAGE = 200  # documents read at once
_KEPT = 20  # pages
COLUMNS = {
    "name": msg("Document"), "title": msg("Title"), "label": msg("Label"),
    "characters": msg("Chars"), "part": msg("Part"),
}  # fmt: skip
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class DocumentModel(QAbstractTableModel):
    """A corpus of any number of documents, or some of them; a few pages are in memory."""

    def __init__(self, state: AppState, parent: QWidget) -> None:
        super().__init__(parent)
        self._state = state
        self._corpus: CorpusRow | None = None
        self._only: Sequence[int] | None = None  # numbers of the documents found; None is all
        self._pages: OrderedDict[int, list[DocumentRow]] = OrderedDict()
        self.columns: list[str] = list(COLUMNS)

    def set_corpus(self, corpus: CorpusRow | None, columns: Sequence[str]) -> None:
        """Show all documents of another corpus, in these of the COLUMNS."""
        self.beginResetModel()
        self._corpus, self._only = corpus, None
        self.columns = list(columns)
        self._pages.clear()
        self.endResetModel()

    def set_only(self, numbers: Sequence[int] | None) -> None:
        """Show some of the documents; None shows all again."""
        self.beginResetModel()
        self._only = numbers
        self.endResetModel()

    def document(self, row: int) -> DocumentRow:
        """The document in a row."""
        number = row if self._only is None else self._only[row]
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
        if parent.isValid() or self._corpus is None:
            return 0
        return self._corpus.documents if self._only is None else len(self._only)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        column = self.columns[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column == "characters" else _LEFT
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole, PLAIN):
            return None
        document = self.document(index.row())
        value = getattr(document, column)
        if role == PLAIN:
            return value if column == "characters" else None
        if role == Qt.ItemDataRole.ToolTipRole:
            return value if column in ("name", "title", "label") else None
        if column == "characters":
            return figures.count(value)
        return tr(PART_TITLES[value]) if column == "part" else value

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        column = self.columns[section]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return tr(COLUMNS[column])
            case Qt.ItemDataRole.TextAlignmentRole:
                return _RIGHT if column == "characters" else _LEFT
            case Qt.ItemDataRole.FontRole:
                return theme.font(12)
        return None
