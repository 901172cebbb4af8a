"""SortedHeader: the titles of a table's columns in; the arrow of the sorted one beside its title.

A style sheet can only pin that arrow to a corner or to the middle of its section, far from the
title or on it.
"""

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QHeaderView, QWidget

from lmstudio.gui import theme
from lmstudio.gui.icons import icon

_PADDING, _SIZE, _GAP = 8, 10, 2  # of a section as in the style sheet; of the arrow; before it


class SortedHeader(QHeaderView):
    """The horizontal header of a table, as a table makes its own."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setSectionsClickable(True)

    def paintSection(  # noqa: N802
        self,
        painter: QPainter,
        rect: QRect,
        logicalIndex: int,  # noqa: N803
    ) -> None:
        painter.save()
        super().paintSection(painter, rect, logicalIndex)
        painter.restore()
        if self.isSortIndicatorShown() and logicalIndex == self.sortIndicatorSection():
            place = self.arrow(logicalIndex, rect)
            rising = self.sortIndicatorOrder() == Qt.SortOrder.AscendingOrder
            painter.fillRect(place, theme.colour("surface"))  # over a title that was cut
            icon("up" if rising else "down", "text").paint(painter, place)

    def arrow(self, section: int, rect: QRect) -> QRect:
        """Where the arrow of a section stands: before a title at the right, else behind it."""
        model, side = self.model(), Qt.Orientation.Horizontal
        title = str(model.headerData(section, side) or "")
        wide = QFontMetrics(theme.font(12)).horizontalAdvance(title)
        taken = theme.px(_PADDING) + wide + theme.px(_GAP)
        size = theme.px(_SIZE)
        aligned = model.headerData(section, side, Qt.ItemDataRole.TextAlignmentRole)
        if aligned & Qt.AlignmentFlag.AlignRight:
            left = max(rect.right() + 1 - taken - size, rect.left())
        else:
            left = min(rect.left() + taken, rect.right() + 1 - size)
        return QRect(left, rect.center().y() - size // 2 + 1, size, size)
