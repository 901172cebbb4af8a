"""Where a control and other things stand, in; where a card can lie without covering it, out."""

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QPoint, QRect, QSize


def place(
    size: QSize, room: QRect, control: QRect | None, gap: int, others: Sequence[QRect] = ()
) -> QPoint:
    """The upper left corner of a card of `size` in `room`, beside `control`.

    Where it can, it covers none of `others` either, least of them at the worst. A control that
    leaves no room beside it is covered as little as can be.
    """
    corners = [*_corners(size, room)]
    if control is None:
        return corners[0].topLeft()
    kept = control.adjusted(-gap, -gap, gap, gap)
    beside = [QRect(corner, size) for corner in _beside(size, control, gap)]
    found = [_moved_into(room, rect) for rect in beside] + corners
    return min(found, key=lambda rect: (_shared(rect, [kept]), _shared(rect, others))).topLeft()


def _beside(size: QSize, control: QRect, gap: int) -> Iterator[QPoint]:
    """Below, right, left and above, flush with an edge of the control."""
    width, height = size.width(), size.height()
    left, top = control.left(), control.top()
    right, bottom = control.right() + 1, control.bottom() + 1
    for x in (left, right - width):
        yield QPoint(x, bottom + gap)
    for y in (top, bottom - height):
        yield QPoint(right + gap, y)
    for y in (top, bottom - height):
        yield QPoint(left - gap - width, y)
    for x in (left, right - width):
        yield QPoint(x, top - gap - height)


def _corners(size: QSize, room: QRect) -> Iterator[QRect]:
    """Of the room, the lower right one first."""
    left, top = room.left(), room.top()
    right, bottom = room.right() + 1 - size.width(), room.bottom() + 1 - size.height()
    for x, y in ((right, bottom), (left, bottom), (right, top), (left, top)):
        yield QRect(QPoint(x, y), size)


def _moved_into(room: QRect, rect: QRect) -> QRect:
    x = max(min(rect.left(), room.right() + 1 - rect.width()), room.left())
    y = max(min(rect.top(), room.bottom() + 1 - rect.height()), room.top())
    return QRect(QPoint(x, y), rect.size())


def _shared(rect: QRect, others: Sequence[QRect]) -> int:
    """Pixels of `rect` that others cover, twice those that two cover."""
    met = [rect.intersected(other) for other in others]
    return sum(one.width() * one.height() for one in met if not one.isEmpty())
