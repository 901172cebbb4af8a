"""One bar of a lane, the name of a lane, a row of text: painted."""

import math
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.widgets.lane_layout import Bar, Cells, Lane, joined
from lmstudio.gui.widgets.marks import draw_mark

NUMBER = 15  # height of the number under a bar
FADED = 0.45
_WIDEST = 20  # of a bar
_CENTRE = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine)
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


@dataclass(frozen=True)
class Look:
    """How a bar is painted."""

    scale: float  # bits of a bar of full length
    chosen: bool
    focus: bool
    mode: str  # of the colours; "" as on screen


def paint_bar(painter: QPainter, bar: Bar, family: str, place: QRectF, look: Look) -> None:
    """A line as wide as the token, from which its bar hangs, and the number under that."""
    if look.chosen:
        line = QPen(theme.colour("accent", look.mode), 1) if look.focus else Qt.PenStyle.NoPen
        painter.setPen(line)
        painter.setBrush(theme.colour("tint", look.mode))
        painter.drawRoundedRect(place.adjusted(1, 0, -1, -2), 4, 4)
    ink = theme.family_colour(family, text=look.chosen, theme=look.mode)
    painter.setPen(QPen(ink, 1.5))
    painter.drawLine(QPointF(place.left() + 2, place.top() + 0.5),
                     QPointF(place.right() - 2, place.top() + 0.5))  # fmt: skip
    finite = math.isfinite(bar.bits)
    share = bar.bits / look.scale if finite else 0.0 if math.isnan(bar.bits) else 1.0
    width = max(min(theme.px(_WIDEST), place.width() - theme.px(6)), 2.0)
    longest = place.height() - theme.px(NUMBER) - 4
    body = QRectF(place.center().x() - width / 2, place.top(), width, max(longest * share, 1.0))
    if finite:
        painter.fillRect(body, theme.colour("accent", look.mode) if look.chosen else ink)
    elif math.isinf(bar.bits):
        painter.fillRect(body, theme.colour("bad_bg", look.mode))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.colour("bad", look.mode), 1.5, Qt.PenStyle.DashLine))
        painter.drawRect(body)
    _paint_number(painter, bar, place, body.bottom(), look)


def _paint_number(
    painter: QPainter, bar: Bar, place: QRectF, top: float, look: Look
) -> None:  # fmt: skip
    """Where it fits: the narrow tokens of an alphabet have their numbers in the table only."""
    odd = not math.isfinite(bar.bits)
    font, said = theme.font(12, bold=odd), figures.decimal(bar.bits, 1)
    if QFontMetricsF(font).horizontalAdvance(said) > place.width() + 2:
        return
    tone = "bad" if math.isinf(bar.bits) else "off" if odd else "warn" if bar.unknown else "text"
    painter.setFont(font)
    painter.setPen(theme.colour(tone, look.mode))
    box = QRectF(place.left() - 4, top + 1, place.width() + 8, theme.px(NUMBER))
    painter.drawText(box, _CENTRE, said)


def paint_name(painter: QPainter, lane: Lane, place: QRectF, mode: str) -> None:
    """Marker and name, and the note under them."""
    draw_mark(painter, QPointF(place.left() + theme.px(6), place.top() + theme.px(9)), lane.family,
              theme.px(10), theme.family_colour(lane.family, theme=mode))  # fmt: skip
    lines = [(lane.name, "text"), (lane.note, "muted")]
    for number, (said, tone) in enumerate(lines):
        font = theme.font(12)
        painter.setFont(font)
        painter.setPen(theme.colour(tone, mode))
        box = QRectF(place.left() + theme.px(16), place.top() + number * theme.px(16),
                     place.width() - theme.px(20), theme.px(18))  # fmt: skip
        shown = QFontMetricsF(font).elidedText(said, Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, _LEFT, shown)


def paint_problem(painter: QPainter, lane: Lane, place: QRectF, mode: str) -> None:
    """Why a lane has no bars, where they would be."""
    painter.setFont(theme.font(12))
    painter.setPen(theme.colour("bad", mode))
    wrapped = int(_LEFT | Qt.TextFlag.TextWordWrap)
    painter.drawText(place.adjusted(0, theme.px(2), 0, 0), wrapped, lane.problem)


def paint_text(
    painter: QPainter, text: str, cells: Cells, row: int, place: QRectF, end: str,
    marked: tuple[int, int], mode: str,
) -> None:  # fmt: skip
    """The characters of a row, those from marked[0] to marked[1] as the chosen ones."""
    last = cells.firsts[row + 1] if row + 1 < cells.rows else len(text) + 1
    for start in range(cells.firsts[row], last):
        if start < len(text) and joined(text, start):
            continue
        chosen = marked[0] <= start < marked[1]
        painter.setFont(theme.font(15 if start < len(text) else 12, bold=chosen))
        tone = "accent" if chosen else "text" if start < len(text) else "muted"
        painter.setPen(theme.colour(tone, mode))
        box = QRectF(place.left() + cells.x[start] - 4, place.top(), cells.width[start] + 8,
                     place.height())  # fmt: skip
        painter.drawText(box, _CENTRE, cluster(text, start) if start < len(text) else end)


def cluster(text: str, start: int) -> str:
    """A character with all that is joined to it."""
    end = start + 1
    while end < len(text) and joined(text, end):
        end += 1
    return text[start:end]
