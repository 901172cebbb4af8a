"""Table: columns and rows in; a sorted table out that can be copied and saved in a file.

A cell's value is plain (copy and files see it). What is drawn beside or instead of its text is a
tuple: ("mark", family), ("group", number), ("bar", share, colour token),
("dot", position, family) or ("spark", values, family).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QSignalBlocker,
    QSortFilterProxyModel,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QWidget

from lmstudio.formats.table_file import save_table
from lmstudio.gui import rows_export, theme
from lmstudio.gui.cells import DRAW, TONE, CellDelegate, Index
from lmstudio.gui.rows_view import PLAIN, RowsView
from lmstudio.jobs import Job

Value = str | float | int | None


@dataclass(frozen=True)
class Column:
    """The facts of a column: all its cells are shown alike."""

    key: str
    title: str
    right: bool = False  # numbers stand at the right, and so does the header
    show: Callable[[Any], str] = str  # a value as text; None is shown as ""
    width: int = 0  # at scale 1; 0 shares the room that is left
    note: str = ""  # tool tip of the header


@dataclass(frozen=True)
class Cell:
    """One value and how it looks."""

    value: Value = None
    text: str | None = None  # instead of what the column makes of the value
    draw: tuple[Any, ...] = ()
    tone: str = ""  # a colour token
    tip: str = ""


@dataclass(frozen=True)
class Row:
    """`key` is the same thing's in every refresh: selection follows it."""

    key: int | str
    cells: dict[str, Cell] = field(default_factory=dict)
    bold: bool = False


class RowModel(QAbstractTableModel):
    """Rows as a Qt model."""

    def __init__(self, columns: Sequence[Column], parent: QWidget) -> None:
        super().__init__(parent)
        self.columns = list(columns)
        self.rows: list[Row] = []

    def set_rows(self, rows: list[Row]) -> bool:
        """Take new rows; True if the same things are there in the same order."""
        same = [row.key for row in rows] == [row.key for row in self.rows]
        if same:
            self.rows = rows
            if rows:
                last = self.index(len(rows) - 1, len(self.columns) - 1)
                self.dataChanged.emit(self.index(0, 0), last)
        else:
            self.beginResetModel()
            self.rows = rows
            self.endResetModel()
        return same

    def retitle(self, key: str, title: str) -> None:
        """Call a column something else."""
        number = [column.key for column in self.columns].index(key)
        self.columns[number] = replace(self.columns[number], title=title)
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, number, number)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        column, row = self.columns[index.column()], self.rows[index.row()]
        cell = row.cells.get(column.key, Cell())
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return text_of(column, cell)
            case Qt.ItemDataRole.ToolTipRole:
                return cell.tip or None
            case Qt.ItemDataRole.TextAlignmentRole:
                return _aligned(column)
            case Qt.ItemDataRole.FontRole:
                return theme.font(13, bold=row.bold)
        return {PLAIN: cell.value, DRAW: cell.draw, TONE: cell.tone}.get(role)

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        column = self.columns[section]
        facts = {
            Qt.ItemDataRole.DisplayRole: column.title,
            Qt.ItemDataRole.TextAlignmentRole: _aligned(column),
            Qt.ItemDataRole.ToolTipRole: column.note or None,
            Qt.ItemDataRole.FontRole: theme.font(12),
        }
        return facts.get(Qt.ItemDataRole(role)) if role < PLAIN else None


class _Sorter(QSortFilterProxyModel):
    """Sorts by value; cells without one come last, whichever way the rest is sorted."""

    def lessThan(self, left: Index, right: Index) -> bool:  # noqa: N802
        one, two = left.data(PLAIN), right.data(PLAIN)
        if one is None or two is None:
            ascending = self.sortOrder() == Qt.SortOrder.AscendingOrder
            return (two is None and one is not None) if ascending else one is None
        if isinstance(one, str) or isinstance(two, str):
            return str(one) < str(two)
        return bool(one < two)


class Table(RowsView):
    """Rows that are selected, sorted, opened, copied and saved."""

    chosen = Signal(list)  # keys, when the user selects others
    opened = Signal(object)  # a key: Enter or a double click

    def __init__(
        self, columns: Sequence[Column], name: str, parent: QWidget | None = None, *,
        many: bool = False, row_height: int = 28,
    ) -> None:  # fmt: skip
        """`name` is for screen readers; `many` rows may be selected at once."""
        super().__init__(name, parent)
        self._rows = RowModel(columns, self)
        self._sorter = _Sorter(self)
        self._sorter.setSourceModel(self._rows)
        self.setModel(self._sorter)
        self.setItemDelegate(CellDelegate(self))
        self._set_behaviour(many, theme.px(row_height))
        self._set_widths()
        self.watch_header()
        self.horizontalHeader().sortIndicatorChanged.connect(self.arranged)
        self.export_wanted.connect(self._export)
        self.selectionModel().selectionChanged.connect(self._selection_changed)
        self.doubleClicked.connect(self._open)

    def set_rows(self, rows: list[Row]) -> None:
        """Show `rows`; selection and sorting stay."""
        keys = self.selected()
        with QSignalBlocker(self):
            if not self._rows.set_rows(rows):
                self.select(keys)

    def retitle(self, key: str, title: str) -> None:
        """Call a column something else."""
        self._rows.retitle(key, title)

    def rows(self) -> list[Row]:
        """The rows in the order on screen."""
        order = (self._sorter.index(n, 0) for n in range(self._sorter.rowCount()))
        return [self._rows.rows[self._sorter.mapToSource(index).row()] for index in order]

    def selected(self) -> list[int | str]:
        """The keys of the selected rows, from the top."""
        chosen = sorted(index.row() for index in self.selectionModel().selectedRows())
        shown = self.rows() if chosen else []
        return [shown[number].key for number in chosen]

    def select(self, keys: Iterable[int | str]) -> None:
        """Select rows by key; emits nothing."""
        wanted, selection = set(keys), QItemSelection()
        for number, row in enumerate(self.rows()):
            if row.key in wanted:
                index = self._sorter.index(number, 0)
                selection.select(index, index)
        flags = QItemSelectionModel.SelectionFlag
        with QSignalBlocker(self):
            self.selectionModel().select(selection, flags.ClearAndSelect | flags.Rows)

    def show_row(self, key: int | str) -> None:
        """Scroll until the row of a key can be seen."""
        for number, row in enumerate(self.rows()):
            if row.key == key:
                self.scrollTo(self._sorter.index(number, 0))

    def sort_by(self, key: str, *, descending: bool = False) -> None:
        """Sort by a column."""
        order = Qt.SortOrder.DescendingOrder if descending else Qt.SortOrder.AscendingOrder
        keys = [column.key for column in self._rows.columns]
        self.sortByColumn(keys.index(key), order)

    def column_keys(self) -> list[str]:
        """As the columns call themselves."""
        return [column.key for column in self._rows.columns]

    def arrangement(self) -> dict[str, Any]:
        """With the column that it is sorted by, and which way."""
        number = self._sorter.sortColumn()
        key = self.column_keys()[number] if number >= 0 else ""
        falling = self._sorter.sortOrder() == Qt.SortOrder.DescendingOrder
        return {**super().arrangement(), "sort": [key, falling]}

    def arrange(self, facts: Mapping[str, Any]) -> None:
        """Sorted again, too."""
        super().arrange(facts)
        match facts.get("sort"):
            case [str(key), bool(falling)] if key in self.column_keys():
                self.sort_by(key, descending=falling)
            case ["", bool()]:
                self.sortByColumn(-1, Qt.SortOrder.AscendingOrder)

    @Slot()
    def _export(self) -> None:
        rows_export.ask(self, self.save)

    def save(self, path: Path) -> None:
        """The table as on screen in a file, see `formats.table_file`. AppError if it cannot be."""
        header = [column.title for column in self._rows.columns]
        save_table(path, header, [self._plain(row) for row in self.rows()], job=Job())

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            self._open(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def _plain(self, row: Row) -> list[str | float | int]:
        cells = (row.cells.get(column.key, Cell()) for column in self._rows.columns)
        return ["" if cell.value is None else cell.value for cell in cells]

    @Slot(QModelIndex)
    def _open(self, index: QModelIndex) -> None:
        if index.isValid():
            self.opened.emit(self._rows.rows[self._sorter.mapToSource(index).row()].key)

    @Slot()
    def _selection_changed(self) -> None:
        self.chosen.emit(self.selected())

    def _set_behaviour(self, many: bool, row_height: int) -> None:
        modes = QAbstractItemView.SelectionMode
        self.setSelectionMode(modes.ExtendedSelection if many else modes.SingleSelection)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setSortingEnabled(True)
        self.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.horizontalHeader().setSortIndicatorClearable(True)
        self.horizontalHeader().setHighlightSections(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(row_height)
        self.verticalHeader().setMinimumSectionSize(row_height)

    def _set_widths(self) -> None:
        header = self.horizontalHeader()
        for number, column in enumerate(self._rows.columns):
            if column.width:
                header.resizeSection(number, theme.px(column.width))
            else:
                header.setSectionResizeMode(number, QHeaderView.ResizeMode.Stretch)


def text_of(column: Column, cell: Cell) -> str:
    """What a cell reads as."""
    if cell.text is not None:
        return cell.text
    return "" if cell.value is None else column.show(cell.value)


def _aligned(column: Column) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column.right else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
