"""ListingModel: columns of an engine's answer in; the cells of a table out, made when seen.

Nothing is copied: a row on screen is a number into the columns, and sorting is another order of
these numbers. So a list of half a million words is shown as fast as one of ten.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt
from PySide6.QtWidgets import QWidget

from lmstudio.data.browse.listing import Listing
from lmstudio.gui import theme
from lmstudio.gui.cells import DRAW, Index
from lmstudio.gui.rows_view import PLAIN
from lmstudio.gui.tables import Column
from lmstudio.store.names import CONTROLS

_CENTRE = Qt.AlignmentFlag.AlignVCenter


class ListingModel(QAbstractTableModel):
    """Rows of a Listing in some order; `columns` name its fields."""

    def __init__(self, columns: Sequence[Column], parent: QWidget, *, bar: str = "") -> None:
        """`bar` is the column of counts that are drawn as lengths too."""
        super().__init__(parent)
        self.columns = list(columns)
        self._bar, self._most = bar, 1.0
        self.listing: Listing | None = None
        self.order: np.ndarray | None = None  # (N,) of the rows; None is as they come

    def set_listing(self, listing: Listing | None, order: np.ndarray | None = None) -> None:
        """Show another answer, or the same in another order."""
        self.beginResetModel()
        self.listing, self.order = listing, order
        if listing is not None and self._bar:
            self._most = float(getattr(listing, self._bar).max(initial=1))
        self.endResetModel()

    def number(self, row: int) -> int:
        """Where a row of the table stands in the listing."""
        return row if self.order is None else int(self.order[row])

    def value(self, row: int, key: str) -> Any:
        """A cell as a plain value."""
        value = getattr(self.listing, key)[self.number(row)]
        return value.item() if isinstance(value, np.generic) else value

    def text(self, row: int, column: Column) -> str:
        """A cell as it reads on one line."""
        return CONTROLS.sub(" ", column.show(self.value(row, column.key)))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        return 0 if parent.isValid() or self.listing is None else len(self.listing)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        column = self.columns[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self.text(index.row(), column)
        if role == PLAIN:
            value = self.value(index.row(), column.key)
            return value if isinstance(value, (int, float)) else None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _side(column) | _CENTRE
        if role == DRAW and column.key == self._bar:
            return "bar", self.value(index.row(), column.key) / self._most, "muted"
        return None

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        column = self.columns[section]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return column.title
            case Qt.ItemDataRole.TextAlignmentRole:
                return _side(column) | _CENTRE
            case Qt.ItemDataRole.ToolTipRole:
                return column.note or None
            case Qt.ItemDataRole.FontRole:
                return theme.font(12)
        return None


def _side(column: Column) -> Qt.AlignmentFlag:
    return Qt.AlignmentFlag.AlignRight if column.right else Qt.AlignmentFlag.AlignLeft
