"""The one delegate of all tables: text, and what a cell draws beside it or instead of it."""

from typing import Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPalette, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from lmstudio.gui import theme
from lmstudio.gui.widgets.group_marks import draw_group
from lmstudio.gui.widgets.marks import draw_mark
from lmstudio.gui.widgets.spark import draw_spark

Index = QModelIndex | QPersistentModelIndex
DRAW = int(Qt.ItemDataRole.UserRole) + 11
TONE = int(Qt.ItemDataRole.UserRole) + 12


class CellDelegate(QStyledItemDelegate):
    """Paints plain data prepared before: an exception in here would end the program."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:  # noqa: N802
        super().initStyleOption(option, index)
        option.state &= ~QStyle.StateFlag.State_HasFocus  # the row is marked, not the cell
        if tone := index.data(TONE):
            for role in (QPalette.ColorRole.Text, QPalette.ColorRole.HighlightedText):
                option.palette.setColor(role, theme.colour(tone))
        draw = index.data(DRAW)
        if draw and draw[0] == "mark":
            option.features |= QStyleOptionViewItem.ViewItemFeature.HasDecoration
            option.decorationSize = QSize(theme.px(12), theme.px(12))
            option.textElideMode = Qt.TextElideMode.ElideMiddle  # runs' names end in their seeds

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        draw = index.data(DRAW)
        if not draw:
            return
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        room = QRectF(option.rect).adjusted(theme.px(8), 0, -theme.px(8), 0)
        _PAINTERS[draw[0]](painter, room, selected, *draw[1:])
        painter.restore()


def _mark(painter: QPainter, room: QRectF, selected: bool, family: str) -> None:
    centre = QPointF(room.left() + theme.px(2), room.center().y())
    draw_mark(painter, centre, family, theme.px(10), _ink(family, selected))


def _group(painter: QPainter, room: QRectF, selected: bool, number: int) -> None:
    draw_group(painter, QPointF(room.left() + theme.px(4), room.center().y()), number, theme.px(10))


def _bar(painter: QPainter, room: QRectF, selected: bool, share: float, token: str) -> None:
    """A bar of 3 px clear of the number above it, on a track; the colour is a token or a family."""
    track = QRectF(room.left(), room.bottom() - theme.px(3), room.width(), theme.px(3))
    painter.fillRect(track, theme.colour("sunken"))
    track.setWidth(track.width() * min(max(share, 0.0), 1.0))
    painter.fillRect(track, _ink(token, selected) if token in theme.FAMILIES
                     else theme.colour(token))  # fmt: skip


def _dot(painter: QPainter, room: QRectF, selected: bool, position: float, family: str) -> None:
    """A marker on a line whose left tick is the best possible."""
    y = room.center().y()
    painter.setPen(QPen(theme.colour("line"), 1.5))
    painter.drawLine(QPointF(room.left(), y), QPointF(room.right(), y))
    painter.setPen(QPen(theme.colour("muted"), 1.5))
    tick = theme.px(6)
    painter.drawLine(QPointF(room.left(), y - tick), QPointF(room.left(), y + tick))
    x = room.left() + room.width() * min(max(position, 0.0), 1.0)
    draw_mark(painter, QPointF(x, y), family, theme.px(10), _ink(family, selected))


def _spark(
    painter: QPainter, room: QRectF, selected: bool, values: list[float], family: str
) -> None:
    """A curve without axes; `values` are finite."""
    draw_spark(painter, room, values, _ink(family, selected))


def _ink(family: str, selected: bool) -> QColor:
    if family not in theme.FAMILIES:
        return theme.colour("muted")
    return theme.family_colour(family, text=selected)


_PAINTERS: dict[str, Any] = {
    "mark": _mark, "group": _group, "bar": _bar, "dot": _dot, "spark": _spark
}  # fmt: skip
