"""ListingTable: an engine's answer of any length in; rows that are chosen, opened and copied out.

Sorting is not done here: a click on a header says what is wanted, and whoever owns the table has
it done in the background.
"""

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QModelIndex, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QWidget

from lmstudio.data.browse.listing import Listing
from lmstudio.gui import theme
from lmstudio.gui.cells import CellDelegate
from lmstudio.gui.listing_model import ListingModel
from lmstudio.gui.rows_view import RowsView
from lmstudio.gui.tables import Column


class ListingTable(RowsView):
    """One row is selected at a time, or several for the clipboard."""

    chosen = Signal(int)  # a number into the listing; -1 where nothing is
    opened = Signal(int)  # the same: Enter or a double click
    sort_wanted = Signal(str)  # the key of a column whose header was clicked

    def __init__(
        self, columns: Sequence[Column], name: str, parent: QWidget | None = None, *, bar: str = ""
    ) -> None:
        """`name` is for screen readers; `bar` as in ListingModel."""
        super().__init__(name, parent)
        self.rows = ListingModel(columns, self, bar=bar)
        self.setModel(self.rows)
        self.setItemDelegate(CellDelegate(self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setMinimumHeight(theme.px(96))
        self._set_headers()
        self.watch_header()
        self.selectionModel().currentRowChanged.connect(self._current_changed)
        self.doubleClicked.connect(self._open)

    def _set_headers(self) -> None:
        rows, header = self.verticalHeader(), self.horizontalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)  # or each row would be measured
        rows.setDefaultSectionSize(theme.px(28))
        header.setHighlightSections(False)
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.sectionClicked.connect(self._header_clicked)
        for number, column in enumerate(self.rows.columns):
            if column.width:
                header.resizeSection(number, theme.px(column.width))
            else:
                header.setSectionResizeMode(number, QHeaderView.ResizeMode.Stretch)

    @property
    def listing(self) -> Listing | None:
        """What is shown."""
        return self.rows.listing

    def show_listing(self, listing: Listing | None, order: np.ndarray | None = None) -> None:
        """Show an answer from its top; nothing is chosen."""
        with QSignalBlocker(self):
            self.rows.set_listing(listing, order)
            self.scrollToTop()
        self.chosen.emit(-1)

    def mark_sorted(self, key: str, *, falling: bool) -> None:
        """Show an arrow in the header of a column; "" shows none."""
        keys = [column.key for column in self.rows.columns]
        order = Qt.SortOrder.DescendingOrder if falling else Qt.SortOrder.AscendingOrder
        self.horizontalHeader().setSortIndicator(keys.index(key) if key in keys else -1, order)

    def current(self) -> int:
        """Number into the listing of the row chosen; -1 for none."""
        index = self.currentIndex()
        return self.rows.number(index.row()) if index.isValid() else -1

    def choose_row(self, row: int) -> None:
        """Choose a row of the table, as the arrow keys do."""
        self.selectRow(row)

    @Slot(QModelIndex)
    def _current_changed(self, index: QModelIndex) -> None:
        self.chosen.emit(self.rows.number(index.row()) if index.isValid() else -1)

    @Slot(QModelIndex)
    def _open(self, index: QModelIndex) -> None:
        if index.isValid():
            self.opened.emit(self.rows.number(index.row()))

    @Slot(int)
    def _header_clicked(self, section: int) -> None:
        self.sort_wanted.emit(self.rows.columns[section].key)

    def column_keys(self) -> list[str]:
        """As the columns call themselves."""
        return [column.key for column in self.rows.columns]

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            self._open(self.currentIndex())
        else:
            super().keyPressEvent(event)
