"""ColumnRoles: the first rows of a table in; which column is text, title, label and part out."""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from lmstudio.gui import theme
from lmstudio.gui.captions import sentence_case
from lmstudio.gui.widgets import ElidedLabel
from lmstudio.messages import msg, tr
from lmstudio.text.document import NO_COLUMN, ReadOptions
from lmstudio.text.preview import TablePreview

ROLES = {
    "text": msg("Text"), "title": msg("Title"), "label": msg("Label"), "part": msg("Part"),
}  # fmt: skip
"""What a column can be; each is one column at most, and there must be a text."""
_UNUSED = ""
COLUMNS = 50  # columns that are shown; a table with more has no room for them
ROWS = 6  # rows that are shown


class ColumnRoles(QWidget):
    """A table whose first row chooses; hidden unless the first file is a table."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: TablePreview | None = None
        self._columns: list[str] = []
        self._boxes: list[_RoleBox] = []
        self.note = ElidedLabel(tone="muted", size=12)
        self.header = QCheckBox(tr("The first row names the columns"), self)
        self.table = QTableWidget(self)
        self._dress()
        head = QHBoxLayout()
        head.setSpacing(theme.px(12))
        head.addWidget(self.note, 1)
        head.addWidget(self.header)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(4))
        layout.addLayout(head)
        layout.addWidget(self.table)
        self.header.clicked.connect(self._header_changed)
        self._new_names = False  # the header was switched: the columns have other names
        self.hide()

    def _dress(self) -> None:
        table = self.table
        table.setAccessibleName(tr("First rows of the table"))
        table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setTabKeyNavigation(False)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(theme.px(24))
        table.horizontalHeader().setHighlightSections(False)
        table.horizontalHeader().setDefaultAlignment(
            Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        )
        table.horizontalHeader().setMinimumSectionSize(theme.px(110))
        self.show_rows(ROWS)

    def show_rows(self, count: int) -> None:
        """Be as high as so many rows; the others can be scrolled to."""
        self.table.setFixedHeight(theme.px(32 + 36 + 24 * count))

    def show_table(self, found: TablePreview | None) -> None:
        """Show a table and what its columns were taken for; None hides it. Emits nothing."""
        self.setVisible(found is not None)
        if self._shows(found):
            return  # the boxes stay: one of them has the focus
        self._shown, self._new_names = found, False
        self._columns, self._boxes = [], []
        if found is None:
            return
        self._columns = found.columns[:COLUMNS]
        self.header.setChecked(found.header)
        self.note.setText(_note(found))
        table = self.table
        table.clear()
        table.setColumnCount(len(self._columns))
        table.setRowCount(1 + min(len(found.rows), ROWS))
        table.setHorizontalHeaderLabels(self._columns)
        table.setRowHeight(0, theme.px(36))
        self._fill(found.rows[:ROWS])
        self._add_boxes(found.guess)
        self._share_widths()
        self._colour()

    def _shows(self, found: TablePreview | None) -> bool:
        """The same table is shown, and its columns as they were chosen."""
        if found is None or self._shown is None:
            return found is self._shown
        same = replace(found, guess=self._shown.guess) == self._shown
        return same and found.guess == self.roles()

    def _fill(self, rows: Sequence[Sequence[str]]) -> None:
        for number, cells in enumerate(rows, 1):
            for column, cell in enumerate(cells[: len(self._columns)]):
                item = QTableWidgetItem(" ".join(cell.split()))
                item.setToolTip(cell)
                self.table.setItem(number, column, item)

    def _add_boxes(self, roles: dict[str, str]) -> None:
        self._boxes = []
        by_column = {column: role for role, column in roles.items()}
        for number, column in enumerate(self._columns):
            box = _RoleBox(column, by_column.get(column, _UNUSED), self.table)
            box.currentIndexChanged.connect(self._chosen)
            self.table.setCellWidget(0, number, box)
            self._boxes.append(box)

    def _share_widths(self) -> None:
        """A few columns fill the room, the text column most of it; many of them scroll."""
        header = self.table.horizontalHeader()
        few = len(self._columns) <= 5  # noqa: PLR2004
        text = self._number_of("text")
        for number in range(len(self._columns)):
            stretch = few and (number == text or text is None)
            mode = QHeaderView.ResizeMode.Stretch if stretch else QHeaderView.ResizeMode.Interactive
            header.setSectionResizeMode(number, mode)
            if not stretch:
                header.resizeSection(number, theme.px(260 if number == text else 124))

    def _number_of(self, role: str) -> int | None:
        numbers = [n for n, box in enumerate(self._boxes) if box.role() == role]
        return numbers[0] if numbers else None

    def _colour(self) -> None:
        """The text stands out; columns that are not used step back."""
        for number, box in enumerate(self._boxes):
            token = {"text": "text", _UNUSED: "off"}.get(box.role(), "muted")
            ink: QColor = theme.colour(token)
            for row in range(1, self.table.rowCount()):
                if item := self.table.item(row, number):
                    item.setForeground(ink)

    @Slot()
    def _chosen(self) -> None:
        """A role is one column's: take it from the other that had it."""
        box = self.sender()
        for other in self._boxes:
            if other is not box and isinstance(box, _RoleBox) and other.role() == box.role():
                with QSignalBlocker(other):
                    other.set_role(_UNUSED)
        self._share_widths()
        self._colour()
        self.changed.emit()

    @Slot()
    def _header_changed(self) -> None:
        self._new_names = True
        self.changed.emit()

    def box(self, column: str) -> QComboBox:
        """The choice above a column."""
        return self._boxes[self._columns.index(column)]

    def roles(self) -> dict[str, str]:
        """Role to column, of the roles that are given."""
        return {
            box.role(): column
            for box, column in zip(self._boxes, self._columns, strict=True)
            if box.role()
        }

    def written_in(self, reading: ReadOptions) -> ReadOptions:
        """`reading` with the columns as they were chosen; of unknown names none can be."""
        if self._new_names:
            header = "yes" if self.header.isChecked() else "no"
            return replace(with_roles(reading, None), header=header)
        return with_roles(reading, self.roles())


def with_roles(reading: ReadOptions, roles: dict[str, str] | None) -> ReadOptions:
    """`reading` with chosen columns: those not named are not used. None: they are guessed."""
    unnamed = "" if roles is None else NO_COLUMN
    columns = {f"{role}_column": (roles or {}).get(role, unnamed) for role in ROLES}
    return replace(reading, **columns)


class _RoleBox(QComboBox):
    def __init__(self, column: str, role: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("What column {name} is", name=column))
        self.addItem(sentence_case(tr("not used")), _UNUSED)
        for value, title in ROLES.items():
            self.addItem(sentence_case(tr(title)), value)
        self.set_role(role)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def role(self) -> str:
        return str(self.currentData())

    def set_role(self, role: str) -> None:
        self.setCurrentIndex(self.findData(role))


def _note(found: TablePreview) -> str:
    said = tr("Each row becomes a document. Choose what its columns are.")
    if len(found.columns) > COLUMNS:
        said += " " + tr("The first {shown} of {count} columns are shown.", shown=COLUMNS,
                         count=len(found.columns))  # fmt: skip
    return said
