"""A box of a token and what is special about it -> its picture."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from lmstudio.gui import theme
from lmstudio.gui.widgets.token_layout import Span

TINTS = (0.10, 0.22)  # of the accent in the surface
SELECTED = 0.5  # the same, under characters that are selected
_ROUND = 4


@dataclass(frozen=True)
class Look:
    """How a box is drawn; spans count from the box's first character, an empty one is none."""

    shade: int  # 0 and 1 take turns; -1: no tint
    lit: Span = (0, 0)  # pointed at
    selected: Span = (0, 0)
    differs: bool = False  # underlined


def paint_token(
    painter: QPainter, box: QRectF, text: str, look: Look, advance: Callable[[str], float]
) -> None:
    """Paint one box; `advance` says how wide a text is."""
    surface, accent = theme.colour("surface"), theme.colour("accent")
    ink = theme.colour("text")
    if look.shade >= 0:
        _fill(painter, box, theme.mix(surface, accent, TINTS[look.shade]))
    _write(painter, box, text, ink)
    ways = ((look.lit, accent, theme.colour("on_accent")),
            (look.selected, theme.mix(surface, accent, SELECTED), ink))  # fmt: skip
    for (start, end), ground, colour in ways:
        if start < end:
            painter.save()
            painter.setClipRect(_characters(box, text, start, end, advance))
            _fill(painter, box, ground)
            _write(painter, box, text, colour)
            painter.restore()
    if look.differs:
        line = QRectF(box.left(), box.bottom() - 1, box.width(), theme.px(3))
        painter.fillRect(line, theme.colour("warn"))


def _characters(
    box: QRectF, text: str, start: int, end: int, advance: Callable[[str], float]
) -> QRectF:
    """Where the characters start...end of a box stand; at its ends with the padding."""
    padding = theme.px(5)
    left = box.left() + (padding + advance(text[:start]) if start else 0)
    right = box.left() + padding + advance(text[:end]) if end < len(text) else box.right()
    return QRectF(left, box.top(), right - left, box.height())


def _fill(painter: QPainter, box: QRectF, colour: QColor) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawRoundedRect(box, _ROUND, _ROUND)


def _write(painter: QPainter, box: QRectF, text: str, colour: QColor) -> None:
    painter.setPen(colour)
    painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine), text)
