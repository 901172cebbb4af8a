"""FlowLayout: widgets side by side, and in further rows where the width is used up."""

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


class FlowLayout(QLayout):
    """Items keep the size they hint at; hidden ones take no room."""

    def __init__(self, parent: QWidget | None = None, *, gap: int = 8) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(gap)

    def addItem(self, item: QLayoutItem) -> None:  # noqa: N802
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:  # noqa: N802
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:  # noqa: N802
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:  # noqa: N802
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:  # noqa: N802
        return True

    def heightForWidth(self, width: int) -> int:  # noqa: N802
        return self._arrange(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:  # noqa: N802
        super().setGeometry(rect)
        self._arrange(rect, move=True)

    def sizeHint(self) -> QSize:  # noqa: N802
        return self.minimumSize()

    def minimumSize(self) -> QSize:  # noqa: N802
        """As wide as the widest item: all others can stand below it."""
        size = QSize(0, 0)
        for item in self._items:
            if not item.isEmpty():
                size = size.expandedTo(item.minimumSize())
        return size

    def _arrange(self, rect: QRect, *, move: bool) -> int:
        """The height that is needed; with `move` everything is put in its place."""
        y = rect.y()
        for row in self._rows(rect.width()):
            x, height = rect.x(), max(item.sizeHint().height() for item in row)
            for item in row if move else []:
                size = item.sizeHint()
                place = QPoint(x, y + (height - size.height()) // 2)
                item.setGeometry(QRect(place, size))
                x += size.width() + self.spacing()
            y += height + self.spacing()
        return max(y - self.spacing() - rect.y(), 0)

    def _rows(self, width: int) -> list[list[QLayoutItem]]:
        """The items of each row."""
        rows: list[list[QLayoutItem]] = []
        used = 0
        for item in self._items:
            if item.isEmpty():
                continue
            needed = item.sizeHint().width()
            if not rows or used + self.spacing() + needed > width:
                rows.append([])
                used = -self.spacing()
            rows[-1].append(item)
            used += self.spacing() + needed
        return rows
