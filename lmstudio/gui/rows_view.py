"""RowsView: any model of rows in; what all tables of the window can do, whatever is in them.

Rows are copied with tabs, columns are hidden by the menu of the header, and the menu of a row
offers what its panel can do with it (the actions of the widget) above copying and saving.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import QPoint, Qt, Signal, Slot
from PySide6.QtGui import (
    QAction,
    QContextMenuEvent,
    QDrag,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
)
from PySide6.QtWidgets import QHeaderView, QMenu, QTableView, QWidget

from lmstudio.gui import theme
from lmstudio.gui.dragged import Dragged
from lmstudio.gui.widgets.cut_edge import CutEdge
from lmstudio.gui.widgets.sorted_header import SortedHeader
from lmstudio.messages import tr

PLAIN = int(Qt.ItemDataRole.UserRole) + 10
"""Role of a cell's value as it is, a number in full precision; None where its text says it all."""

MOST_COPIED = 10_000  # rows
_WITH_HEADER = "Ctrl+Shift+C"
_WIDTHS = range(8, 2001)  # of columns, at scale 1


class RowsView(QTableView):
    """A table of rows. Whoever makes one names its columns and answers `export_wanted`."""

    export_wanted = Signal()  # all of it in a file
    arranged = Signal()  # the user has changed widths, sorting or what is hidden
    drag: "Callable[[RowsView, int], Dragged | None] | None" = None
    """What a row is for other panels; a table without it is not dragged from."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """`name` is for screen readers."""
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setHorizontalHeader(SortedHeader(self))
        CutEdge(self)
        self._left_out: set[str] = set()  # by whoever made the table
        self._hidden: set[str] = set()  # by the user
        self._widths: dict[str, int] = {}  # the user's, at scale 1

    def watch_header(self) -> None:
        """Call it once the model is there: the header has a menu, and its changes are told."""
        header = self.horizontalHeader()
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._show_columns_menu)
        header.sectionResized.connect(self._resized)
        self.setObjectName("table " + " ".join(self.column_keys()))

    def column_keys(self) -> list[str]:
        """What the columns are called in the program, from the left."""
        raise NotImplementedError

    # columns

    def setColumnHidden(self, column: int, hide: bool) -> None:  # noqa: FBT001, N802
        """Leave a column out, or show it unless the user has hidden it."""
        key = self.column_keys()[column]
        self._left_out = self._left_out | {key} if hide else self._left_out - {key}
        super().setColumnHidden(column, hide or key in self._hidden)

    def hide_columns(self, keys: set[str]) -> None:
        """Hide these by the user's wish, and show the others."""
        self._hidden = keys
        for number, key in enumerate(self.column_keys()):
            super().setColumnHidden(number, key in self._hidden | self._left_out)

    def width_of(self, key: str, usual: int) -> int:
        """Of a column in pixels: the user's, or the usual one (at scale 1)."""
        return theme.px(self._widths.get(key, usual))

    def arrangement(self) -> dict[str, Any]:
        """What the user has changed, as plain data."""
        return {"widths": dict(self._widths), "hidden": sorted(self._hidden)}

    def arrange(self, facts: Mapping[str, Any]) -> None:
        """Take back what `arrangement` gave; what makes no sense is left out."""
        keys, widths, hidden = self.column_keys(), facts.get("widths"), facts.get("hidden")
        for key, width in widths.items() if isinstance(widths, dict) else ():
            if key in keys and isinstance(width, int) and width in _WIDTHS:
                self._widths[key] = width
                self._set_width(keys.index(key), theme.px(width))
        found = {key for key in keys if key in hidden} if isinstance(hidden, list) else set()
        if len(found) < len(keys):
            self.hide_columns(found)

    def _set_width(self, section: int, width: int) -> None:
        header = self.horizontalHeader()
        if header.sectionResizeMode(section) == QHeaderView.ResizeMode.Interactive:
            header.resizeSection(section, width)

    @Slot(int, int, int)
    def _resized(self, section: int, before: int, width: int) -> None:
        keys = self.column_keys()
        mode = self.horizontalHeader().sectionResizeMode(section)
        if width and before and section < len(keys) and mode == QHeaderView.ResizeMode.Interactive:
            self._widths[keys[section]] = round(width / theme.scale())
            self.arranged.emit()

    def columns_menu(self) -> QMenu:
        """All columns with titles; those that are shown are checked."""
        made = QMenu(self)
        made.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for number, key in enumerate(self.column_keys()):
            told = self._title(number) or self._title(number, Qt.ItemDataRole.ToolTipRole)
            if key in self._left_out or not told:
                continue
            action = QAction(told, made)
            action.setCheckable(True)
            action.setChecked(key not in self._hidden)
            action.setData(key)
            made.addAction(action)
        shown = [action for action in made.actions() if action.isChecked()]
        if len(shown) == 1:
            shown[0].setEnabled(False)  # a table of no columns could not be brought back
        made.triggered.connect(self._toggle_column)
        return made

    @Slot(QPoint)
    def _show_columns_menu(self, place: QPoint) -> None:
        self.columns_menu().popup(self.horizontalHeader().mapToGlobal(place))

    @Slot(QAction)
    def _toggle_column(self, action: QAction) -> None:
        self.hide_columns(self._hidden ^ {str(action.data())})
        self.arranged.emit()

    # copies

    def copied(self, rows: Sequence[int], *, header: bool = False) -> str:
        """Rows with tabs between the cells, as the columns stand on screen."""
        order = self.horizontalHeader()
        numbers = [order.logicalIndex(place) for place in range(self.model().columnCount())]
        shown = [number for number in numbers if not self.isColumnHidden(number)]
        lines = ["\t".join(self._title(number) for number in shown)] if header else []
        for row in rows[:MOST_COPIED]:
            lines.append("\t".join(self._cell(row, number) for number in shown))
        return "\n".join(lines)

    @Slot()
    def copy(self) -> None:
        """The selected rows (all, if none is) on the clipboard."""
        _put(self.copied(self._selected()))

    @Slot()
    def copy_with_header(self) -> None:
        """The same under the titles of the columns."""
        _put(self.copied(self._selected(), header=True))

    @Slot()
    def copy_all(self) -> None:
        """All rows under the titles of the columns."""
        _put(self.copied(range(self.model().rowCount()), header=True))

    def _selected(self) -> Sequence[int]:
        chosen = sorted(index.row() for index in self.selectionModel().selectedRows())
        return chosen or range(self.model().rowCount())

    def _title(self, column: int, role: Qt.ItemDataRole = Qt.ItemDataRole.DisplayRole) -> str:
        return _one_line(self.model().headerData(column, Qt.Orientation.Horizontal, role))

    def _cell(self, row: int, column: int) -> str:
        index = self.model().index(row, column)
        value = index.data(PLAIN)
        return _one_line(index.data() if value is None else value)

    # the menu

    def menu(self) -> QMenu:
        """What can be done with the rows selected, then copies and a file."""
        made = QMenu(self)
        made.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        made.setToolTipsVisible(True)
        made.addActions(self.actions())
        if self.actions():
            made.addSeparator()
        ways = (
            (f"{tr('Copy')}\t{_native(QKeySequence.StandardKey.Copy)}", self.copy),
            (f"{tr('Copy with header')}\t{_native(_WITH_HEADER)}", self.copy_with_header),
            (tr("Copy all"), self.copy_all),
        )
        for title, way in ways:
            made.addAction(title).triggered.connect(way)
        made.addSeparator()
        made.addAction(tr("Export the table…")).triggered.connect(self.export_wanted)
        return made

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        place = event.globalPos()
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            place = self.viewport().mapToGlobal(self.visualRect(self.currentIndex()).bottomLeft())
        self.menu().popup(place)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif QKeySequence(event.keyCombination()) == QKeySequence(_WITH_HEADER):
            self.copy_with_header()
        else:
            super().keyPressEvent(event)

    # dragging

    def drag_rows(self, what: "Callable[[RowsView, int], Dragged | None]") -> None:
        """Let rows be dragged to other panels; `what` says what a row (on screen) is."""
        self.drag = what
        self.setDragEnabled(True)

    def dragged(self) -> Dragged | None:
        """What would be dragged: the current row."""
        index = self.currentIndex()
        return self.drag(self, index.row()) if self.drag and index.isValid() else None

    def startDrag(self, actions: Qt.DropAction) -> None:  # noqa: N802
        if (what := self.dragged()) is not None:
            drag = QDrag(self)
            drag.setMimeData(what.mime())
            drag.setPixmap(what.picture())
            drag.exec(Qt.DropAction.CopyAction)


def _put(text: str) -> None:
    QGuiApplication.clipboard().setText(text)


def _native(keys: QKeySequence.StandardKey | str) -> str:
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)


def _one_line(value: object) -> str:
    return "" if value is None else " ".join(str(value).splitlines()).replace("\t", " ")
