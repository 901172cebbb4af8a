"""ConfusionMatrix: how often each class was taken for which in; what is chosen in it out.

Rows are what is right, columns what was guessed. What was right is drawn in the accent, mistakes in
amber; how strong says the share of the row. The name of a row or column stands for its mistakes.
"""

from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
)
from PySide6.QtWidgets import QToolTip, QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.widgets.drawing import Drawing
from lmstudio.gui.widgets.heat import heat_colour, ink_on
from lmstudio.messages import tr

_LEAST, _MOST_WIDE, _MOST_HIGH = 26, 84, 40  # of a cell
_HEAD, _NAME, _AXIS = 72, 110, 18  # most of the names above and at the left; of the axes' titles
_ELIDE = Qt.TextElideMode.ElideRight
_CENTRE = int(Qt.AlignmentFlag.AlignCenter)


@dataclass(frozen=True)
class Confusion:
    """C classes, which may be more than those of the task: "none", "no answer"."""

    counts: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), np.int64))  # (R, C)
    rows: tuple[str, ...] = ()  # what is right
    columns: tuple[str, ...] = ()  # what was guessed

    def __eq__(self, other: object) -> bool:
        return self is other

    def right(self, row: int, column: int) -> bool:
        """A cell is no mistake."""
        return self.rows[row] == self.columns[column]


class ConfusionMatrix(Drawing):
    """Arrows move the cell; the pointer tells what is under it. Wants to stand in a scroll area."""

    chosen = Signal(int, int)  # row and column; -1 for all of them, both: nothing is chosen

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self._shown = Confusion()
        self._cell = (-1, -1)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def show_counts(self, shown: Confusion) -> None:
        """Show another matrix; the cell stays if it is still there."""
        self._shown = shown
        if self._cell[0] >= len(shown.rows) or self._cell[1] >= len(shown.columns):
            self._cell = (-1, -1)
        head, names = self._margins()
        self.setMinimumSize(
            round(names + theme.px(_LEAST) * max(len(shown.columns), 1)) + 2,
            round(head + theme.px(_LEAST) * max(len(shown.rows), 1)) + 2,
        )
        self._speak()
        self.update()

    def confusion(self) -> Confusion:
        """What is shown."""
        return self._shown

    def cell(self) -> tuple[int, int]:
        """Row and column that are chosen; -1 for all of them, (-1, -1) if nothing is."""
        return self._cell

    def choose(self, row: int, column: int) -> None:
        """Mark a cell; emits nothing."""
        self._cell = (row, column)
        self._speak()
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        head, names = self._margins()
        return QSize(round(names + theme.px(_MOST_WIDE) * len(self._shown.columns)),
                     round(head + theme.px(_MOST_HIGH) * len(self._shown.rows)))  # fmt: skip

    def told(self, row: int, column: int) -> str:
        """A cell in words, or a whole row or column."""
        shown = self._shown
        if row < 0 or column < 0:
            return self._told_whole(row, column)
        count, all_of = int(shown.counts[row, column]), int(shown.counts[row].sum())
        return tr(
            "right: {gold}; guessed: {guess}: {count} of {all}", gold=shown.rows[row],
            guess=shown.columns[column], count=figures.count(count), all=figures.count(all_of),
        )  # fmt: skip

    def _told_whole(self, row: int, column: int) -> str:
        shown = self._shown
        if row < 0 and column < 0:
            return ""
        line = shown.counts[row] if column < 0 else shown.counts[:, column]
        names = shown.columns if column < 0 else shown.rows
        name = shown.rows[row] if column < 0 else shown.columns[column]
        wrong = sum(int(n) for n, other in zip(line, names, strict=True) if other != name)
        count, all_of = figures.count(wrong), figures.count(int(line.sum()))
        if column < 0:
            return tr("right: {gold}: {count} of {all} are mistakes",
                      gold=name, count=count, all=all_of)  # fmt: skip
        return tr("guessed: {guess}: {count} of {all} are mistakes",
                  guess=name, count=count, all=all_of)  # fmt: skip

    # where things stand

    def _margins(self) -> tuple[float, float]:
        """The heights and widths that the names take."""
        metrics = QFontMetricsF(theme.font(12))
        widest = max(map(metrics.horizontalAdvance, self._shown.rows), default=0.0)
        longest = max(map(metrics.horizontalAdvance, self._shown.columns), default=0.0)
        head = min(longest, theme.px(_HEAD)) if self._upright() else theme.px(20)
        return (theme.px(_AXIS) + head + theme.px(6),
                theme.px(_AXIS) + min(widest, theme.px(_NAME)) + theme.px(8))  # fmt: skip

    def _upright(self) -> bool:
        """Names of columns are wider than a cell of the least width that has many beside it."""
        metrics = QFontMetricsF(theme.font(12))
        longest = max(map(metrics.horizontalAdvance, self._shown.columns), default=0.0)
        return len(self._shown.columns) > 4 and longest > theme.px(_LEAST)

    def _body(self, room: QRectF) -> QRectF:
        head, names = self._margins()
        wide = min((room.width() - names) / max(len(self._shown.columns), 1), theme.px(_MOST_WIDE))
        high = min((room.height() - head) / max(len(self._shown.rows), 1), theme.px(_MOST_HIGH))
        return QRectF(room.left() + names, room.top() + head, wide * len(self._shown.columns),
                      high * len(self._shown.rows))  # fmt: skip

    def _box(self, body: QRectF, row: int, column: int) -> QRectF:
        wide = body.width() / len(self._shown.columns)
        high = body.height() / len(self._shown.rows)
        return QRectF(body.left() + column * wide, body.top() + row * high, wide, high)

    def cell_at(self, place: QPointF) -> tuple[int, int]:
        """Row and column at a place, (-1, -1) where there is none."""
        body = self._body(QRectF(self.rect()))
        if not body.contains(place) or not self._shown.counts.size:
            return -1, -1
        row = int((place.y() - body.top()) / body.height() * len(self._shown.rows))
        column = int((place.x() - body.left()) / body.width() * len(self._shown.columns))
        return min(row, len(self._shown.rows) - 1), min(column, len(self._shown.columns) - 1)

    def place_at(self, place: QPointF) -> tuple[int, int]:
        """The same, and (row, -1) or (-1, column) on their names."""
        body = self._body(QRectF(self.rect()))
        if place.x() < body.left():
            return self.cell_at(QPointF(body.left() + 1, place.y()))[0], -1
        if place.y() < body.top():
            return -1, self.cell_at(QPointF(place.x(), body.top() + 1))[1]
        return self.cell_at(place)

    # painting

    def draw(self, painter: QPainter, target: QRectF, mode: str) -> None:
        """Paint into `target` on paper, in the colours of a theme; everything grows with it."""
        natural = self.sizeHint()
        scale = min(target.width() / (natural.width() + 32),
                    target.height() / (natural.height() + 32))  # fmt: skip
        painter.translate(target.topLeft())
        painter.scale(scale, scale)
        self._paint(painter, QRectF(16, 16, natural.width(), natural.height()), mode)

    def _paint(self, painter: QPainter, room: QRectF, mode: str) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not self._shown.counts.size:
            return
        body = self._body(room)
        self._paint_axes(painter, body, room, mode)
        self._paint_names(painter, body, room, mode)
        sums = self._shown.counts.sum(1)
        for row in range(len(self._shown.rows)):
            for column in range(len(self._shown.columns)):
                count = int(self._shown.counts[row, column])
                share = count / int(sums[row]) if sums[row] else 0.0
                signed = share if self._shown.right(row, column) else -share
                self._paint_cell(painter, self._box(body, row, column), count, signed, mode)
        if self._cell != (-1, -1) and not mode:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            box = self._chosen_box(body).adjusted(1, 1, -1, -1)
            for token, width in (("surface", 3.5), ("text", 1.5)):  # seen on light and on dark
                painter.setPen(QPen(theme.colour(token), width))
                painter.drawRoundedRect(box, 3, 3)

    def _chosen_box(self, body: QRectF) -> QRectF:
        """A cell, or all of a row or column."""
        row, column = self._cell
        box = self._box(body, max(row, 0), max(column, 0))
        if row < 0:
            return QRectF(box.left(), body.top(), box.width(), body.height())
        return QRectF(body.left(), box.top(), body.width(), box.height()) if column < 0 else box

    def _paint_cell(
        self, painter: QPainter, box: QRectF, count: int, share: float, mode: str
    ) -> None:  # fmt: skip
        """`share` of its row, below 0 for a mistake."""
        ground = heat_colour(share, mode)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground if count else theme.colour("bg", mode))
        painter.drawRect(box.adjusted(1, 1, -1, -1))
        painter.setFont(theme.font(12, bold=share > 0))
        painter.setPen(ink_on(ground) if count else theme.colour("off", mode))
        painter.drawText(box, _CENTRE, figures.count(count) if count else "·")

    def _paint_axes(self, painter: QPainter, body: QRectF, room: QRectF, mode: str) -> None:
        """Which side is which."""
        painter.setFont(theme.font(12))
        painter.setPen(theme.colour("muted", mode))
        top = QRectF(body.left(), room.top(), room.right() - body.left(), theme.px(_AXIS))
        left = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        painter.drawText(top, left, tr("Guessed →"))
        painter.save()
        painter.translate(room.left(), body.bottom())
        painter.rotate(-90)
        side = QRectF(0, 0, body.height(), theme.px(_AXIS))
        painter.drawText(side, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter),
                         tr("← Right"))  # fmt: skip
        painter.restore()

    def _paint_names(self, painter: QPainter, body: QRectF, room: QRectF, mode: str) -> None:
        head, names = self._margins()
        metrics, axis = QFontMetricsF(theme.font(12)), theme.px(_AXIS)
        flags = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        for number, name in enumerate(self._shown.rows):
            painter.setPen(theme.colour("accent" if number == self._cell[0] else "text", mode))
            row = self._box(body, number, 0)
            box = QRectF(room.left() + axis, row.top(), names - axis - theme.px(6), row.height())
            painter.drawText(box, flags, metrics.elidedText(name, _ELIDE, box.width()))
        for number, name in enumerate(self._shown.columns):
            painter.setPen(theme.colour("accent" if number == self._cell[1] else "text", mode))
            column = self._box(body, 0, number)
            box = QRectF(column.left(), room.top() + axis, column.width(), head - axis)
            if self._upright():
                self._write_upright(painter, box, name)
            else:
                shown = metrics.elidedText(name, _ELIDE, box.width() - 4)
                painter.drawText(box, _CENTRE, shown)

    def _write_upright(self, painter: QPainter, box: QRectF, name: str) -> None:
        """From the foot of the box to its top."""
        painter.save()
        painter.translate(box.left(), box.bottom() - theme.px(4))
        painter.rotate(-90)
        room = QRectF(0, 0, box.height() - theme.px(4), box.width())
        shown = painter.fontMetrics().elidedText(name, _ELIDE, round(room.width()))
        left = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        painter.drawText(room, left, shown)
        painter.restore()

    # pointer and keys

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            told = self.told(*self.place_at(QPointF(event.pos())))
            QToolTip.showText(event.globalPos(), told, self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mousePressEvent(event)
        if event.button() == Qt.MouseButton.LeftButton:
            self._take(*self.place_at(event.position()))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        rows, columns = len(self._shown.rows) - 1, len(self._shown.columns) - 1
        row, column = self._cell if self._cell != (-1, -1) else (0, 0)
        places = {
            Qt.Key.Key_Right: (row, min(column + 1, columns)),
            Qt.Key.Key_Left: (row, max(column - 1, -1 if row >= 0 else 0)),
            Qt.Key.Key_Down: (min(row + 1, rows), column),
            Qt.Key.Key_Up: (max(row - 1, -1 if column >= 0 else 0), column),
        }  # fmt: skip
        if event.key() in places and rows >= 0:
            self._move(*places[Qt.Key(event.key())])
        elif event.key() == Qt.Key.Key_Escape and self._cell != (-1, -1):
            self.choose(-1, -1)
            self.chosen.emit(-1, -1)
        else:
            super().keyPressEvent(event)

    def _take(self, row: int, column: int) -> None:
        """A cell, or where it is clicked again or beside them none."""
        self._move(*((-1, -1) if (row, column) == self._cell else (row, column)))

    def _move(self, row: int, column: int) -> None:
        if (row, column) != self._cell:
            self.choose(row, column)
            self.chosen.emit(row, column)

    def _speak(self) -> None:
        self.setAccessibleDescription(self.told(*self._cell) if self._shown.counts.size else "")
