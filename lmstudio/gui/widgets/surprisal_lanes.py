"""SurprisalLanes: a text and what models make of it in; bars under it, model by model, out.

Each model has a lane of its own tokens, and they stand under the same characters. Lanes of one
group have one scale, that of their finite bars; a bar of probability 0 is hatched and full.
"""

import math
from functools import lru_cache

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.widgets.drawing import Drawing
from lmstudio.gui.widgets.lane_layout import Bar, Cells, Lane, Widths, lay_out
from lmstudio.gui.widgets.lane_paint import (
    FADED,
    Look,
    paint_bar,
    paint_name,
    paint_problem,
    paint_text,
)

_NAMES, _TEXT, _GAP = 138, 28, 14  # width of the names, height of the text, between rows
_LEAST, _TALLEST = 50, 170  # height of a lane
_WIDTHS = 5000  # of characters that are remembered
_APART = 12  # more between lanes of two groups


class SurprisalLanes(Drawing):
    """As high as its rows need; wants to stand in a scroll area."""

    chosen = Signal(int, int)  # lane, bar

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self._name, self._text = name, ""
        self._lanes: list[Lane] = []
        self._scales: dict[str, float] = {}
        self._cells = Cells([0.0], [0.0], [0], [0])
        self._laid: tuple[str, float, Cells] = ("", 0.0, self._cells)
        metrics = QFontMetricsF(theme.font(15, bold=True))
        self._advance = lru_cache(_WIDTHS)(metrics.horizontalAdvance)
        self._tall = float(_LEAST)
        self._at = (0, 0)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.MinimumExpanding)

    def show_lanes(self, text: str, lanes: list[Lane]) -> None:
        """Show others; the chosen bar stays, or the one that begins nearest to where it did."""
        start, before = self._start(), text == self._text
        self._text, self._lanes = text, lanes
        self._scales = {lane.group: _scale(lanes, lane.group) for lane in lanes}
        problems = [f"{lane.name}: {lane.problem}" for lane in lanes if lane.problem]
        self.setAccessibleDescription("\n".join(problems))
        self._lay_out()
        lane = min(self._at[0], len(lanes) - 1)
        starts = lanes[lane].starts if lanes else []
        bar = max((n for n, first in enumerate(starts) if first <= start), default=0)
        self.choose(max(lane, 0), bar if before else min(self._at[1], max(len(starts) - 1, 0)))

    def lanes(self) -> list[Lane]:
        """What is shown."""
        return self._lanes

    def text(self) -> str:
        """Under which it is shown."""
        return self._text

    def scale(self, group: str) -> float:
        """Bits of a bar of full length in the lanes of a group."""
        return self._scales[group]

    def choose(self, lane: int, bar: int) -> None:
        """Mark a bar; emits nothing."""
        self._at = lane, bar
        spoken = self._name
        if one := self._bar():
            bits = figures.decimal(one.bits, 2)
            spoken = f"{self._name}: {self._lanes[lane].name}, {one.text} {bits}"
        self.setAccessibleName(spoken)
        self.update()

    def chosen_bar(self) -> tuple[int, int]:
        """The numbers of the lane and of the bar that are marked."""
        return self._at

    def marked_text(self) -> str:
        """The characters of the text that are marked."""
        bar = self._bar()
        return self._text[bar.start : bar.end] if bar else ""

    def _bar(self) -> Bar | None:
        lane, bar = self._at
        bars = self._lanes[lane].bars if 0 <= lane < len(self._lanes) else ()
        return bars[bar] if 0 <= bar < len(bars) else None

    def _start(self) -> int:
        bar = self._bar()
        return bar.start if bar else 0

    # layout

    def _cells_in(self, width: float) -> Cells:
        row = max(width - theme.px(_NAMES), theme.px(80))
        if self._laid[:2] != (self._text, row):
            widths = Widths(
                row, theme.px(30), theme.px(10), theme.px(8), theme.px(36), self._advance
            )
            self._laid = self._text, row, lay_out(self._text, widths)
        return self._laid[2]

    def _row_height(self, tall: float) -> float:
        return theme.px(_TEXT + _GAP) + self._tops(tall)[-1]

    def _tops(self, tall: float) -> list[float]:
        """Of each lane under the text, and the end of the last."""
        tops, y = [], 0.0
        for number, lane in enumerate(self._lanes):
            y += theme.px(_APART) if number and lane.group != self._lanes[number - 1].group else 0
            tops.append(y)
            y += tall
        return [*tops, y]

    def _lay_out(self) -> None:
        self._cells = self._cells_in(self.width())
        self._tall = self._lane_height()
        needed = round(self._row_height(self._tall) * self._cells.rows)
        if needed != self.minimumHeight():
            self.setMinimumHeight(needed)
        self.update()

    def _lane_height(self) -> float:
        """So that all lanes fill what can be seen, or else as many whole ones as it holds."""
        least, room = float(theme.px(_LEAST)), self._room()
        over = room - self._row_height(least) * self._cells.rows
        if over >= 0:
            lanes = max(len(self._lanes), 1) * self._cells.rows
            return min(least + over / lanes, theme.px(_TALLEST))
        for whole in range(len(self._lanes) - 1, 0, -1):
            tall = (room - theme.px(_TEXT) - self._tops(0.0)[whole - 1]) / whole
            if tall >= least:
                return min(tall, theme.px(_TALLEST))
        return least

    def _room(self) -> int:
        """How high it is seen: its place in a scroll area, or itself."""
        parent = self.parentWidget()
        return parent.height() if parent is not None else self.height()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._lay_out()

    def event(self, event: QEvent) -> bool:
        """Watch the scroll area that it comes to stand in."""
        if event.type() == QEvent.Type.ParentChange and (parent := self.parentWidget()):
            parent.installEventFilter(self)
        return super().event(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() == QEvent.Type.Resize:
            self._lay_out()
        return super().eventFilter(watched, event)

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(480), self.minimumHeight())

    # painting

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        height = self._row_height(self._tall)
        first = max(int(event.rect().top() / height), 0)
        last = min(int(event.rect().bottom() / height), self._cells.rows - 1)
        for row in range(first, last + 1):
            place = QRectF(0, row * height, self.width(), height)
            self._paint_row(painter, self._cells, row, place, self._tall, "")
        painter.end()

    def draw(self, painter: QPainter, target: QRectF, mode: str) -> None:
        """Paint all of it into `target` on paper, in the colours of a theme."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        natural, tall = max(self.width(), theme.px(480)), float(theme.px(_LEAST + 20))
        cells, height = self._cells_in(natural), self._row_height(tall)
        scale = min(target.width() / (natural + 32), target.height() / (height * cells.rows + 16))
        painter.translate(target.topLeft() + QPointF(16, 8))
        painter.scale(scale, scale)
        for row in range(cells.rows):
            place = QRectF(0, row * height, natural, height)
            self._paint_row(painter, cells, row, place, tall, mode)

    def _paint_row(
        self, painter: QPainter, cells: Cells, row: int, place: QRectF, tall: float, mode: str
    ) -> None:
        left, top = place.left() + theme.px(_NAMES), place.top() + theme.px(_TEXT)
        bar = self._bar()
        marked = (bar.start, max(bar.end, bar.start + 1)) if bar else (0, 0)
        text = QRectF(left, place.top(), place.width() - left, theme.px(_TEXT))
        has_end = any(lane.bars and lane.bars[-1].start >= len(self._text) for lane in self._lanes)
        paint_text(painter, self._text, cells, row, text, "</s>" if has_end else "", marked, mode)
        for number, (lane, y) in enumerate(zip(self._lanes, self._tops(tall), strict=False)):
            painter.setOpacity(FADED if lane.faded else 1.0)
            box = QRectF(place.left(), top + y, place.width(), tall)
            self._paint_lane(painter, cells, row, number, box, mode)
        painter.setOpacity(1.0)

    def _paint_lane(
        self, painter: QPainter, cells: Cells, row: int, number: int, box: QRectF, mode: str
    ) -> None:
        lane, left = self._lanes[number], box.left() + theme.px(_NAMES)
        painter.setPen(QPen(theme.colour("line", mode), 1))
        painter.drawLine(
            QPointF(box.left(), box.top() + 0.5), QPointF(box.right(), box.top() + 0.5)
        )
        paint_name(painter, lane, QRectF(box.left(), box.top(), left - box.left(), box.height()),
                   mode)  # fmt: skip
        if lane.problem:
            paint_problem(painter, lane, QRectF(QPointF(left, box.top()), box.bottomRight()), mode)
        scale = self.scale(lane.group)
        for which in cells.in_row(lane, row):
            start, end, _ = cells.span(lane.bars[which])
            look = Look(scale, (number, which) == self._at, self.hasFocus() and not mode, mode)
            place = QRectF(left + start, box.top(), max(end - start, 4.0), box.height())
            paint_bar(painter, lane.bars[which], lane.family, place, look)

    # pointer and keys

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mousePressEvent(event)
        height, where = self._row_height(self._tall), event.position()
        row = int(where.y() / height)
        inside = where.y() - row * height - theme.px(_TEXT)
        lanes = [n for n, top in enumerate(self._tops(self._tall)[:-1]) if top <= inside]
        if row >= self._cells.rows or not self._lanes:
            return
        lane = lanes[-1] if lanes else self._at[0]
        place = self._cells.place_at(row, where.x() - theme.px(_NAMES))
        self._take(lane, self._covering(lane, place))

    def _covering(self, lane: int, place: int) -> int:
        """The last bar of a lane that begins at a character or before it."""
        starts = self._lanes[lane].starts
        return max((n for n, start in enumerate(starts) if start <= place), default=0)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        lane, bar = self._at
        last = len(self._lanes[lane].bars) - 1 if lane < len(self._lanes) else -1
        steps = {
            Qt.Key.Key_Right: (lane, min(bar + 1, last)), Qt.Key.Key_Left: (lane, max(bar - 1, 0)),
            Qt.Key.Key_Home: (lane, 0), Qt.Key.Key_End: (lane, last),
        }  # fmt: skip
        key = Qt.Key(event.key())
        if key in steps:
            self._take(*steps[key])
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            lane = min(max(lane + (1 if key == Qt.Key.Key_Down else -1), 0), len(self._lanes) - 1)
            if self._lanes:
                self._take(lane, self._covering(lane, self._start()))
        else:
            super().keyPressEvent(event)

    def _take(self, lane: int, bar: int) -> None:
        if (lane, bar) != self._at and 0 <= bar < len(self._lanes[lane].bars):
            self.choose(lane, bar)
            self.chosen.emit(lane, bar)


def _scale(lanes: list[Lane], group: str) -> float:
    """The longest of the finite bars of a group."""
    bars = (bar.bits for lane in lanes if lane.group == group for bar in lane.bars)
    return max(filter(math.isfinite, bars), default=0.0) or 1.0
