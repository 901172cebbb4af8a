"""GuessList: the candidates for a blank in; rows of rank, word, bar and figure out."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.messages import listed

ROW = 28
_RANK, _WORD, _FIGURE, _BAR = 30, 64, 60, 8  # least widths of columns, height of a bar
PLACES = 3


@dataclass(frozen=True)
class GuessRow:
    """A word for the blank."""

    rank: str
    word: str
    probability: float
    true: bool = False
    known: bool = True  # False: it stands for what the vocabulary lacks, and cannot be put in


def rank_width(rows: Sequence[GuessRow]) -> float:
    """Pixels of the column of ranks: as wide as its widest text, and the gap behind it."""
    metrics = QFontMetricsF(theme.font(12))
    texts = (metrics.horizontalAdvance(row.rank) for row in rows)
    return max(theme.px(_RANK), math.ceil(max(texts, default=0.0)) + theme.px(6))


def paint_row(
    painter: QPainter, box: QRectF, row: GuessRow, family: str, most: float, rank: float,
    mode: str = "",
) -> None:  # fmt: skip
    """One row; `most` is the probability whose bar is as long as there is room.

    `rank`: pixels of the column of ranks, see `rank_width`.
    """
    tint = row.true
    if tint:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("tint", mode))
        painter.drawRoundedRect(box.adjusted(0, 1, 0, -1), 4, 4)
    middle = int(Qt.AlignmentFlag.AlignVCenter)
    figure, word = theme.px(_FIGURE), _word_width(box.width() - rank)
    painter.setFont(theme.font(12))
    painter.setPen(theme.colour("muted", mode))
    painter.drawText(QRectF(box.left(), box.top(), rank - theme.px(4), box.height()),
                     middle | int(Qt.AlignmentFlag.AlignRight), row.rank)  # fmt: skip
    font = theme.font(15, bold=row.true)
    painter.setFont(font)
    tone = "accent" if row.true else "text" if row.known else "muted"
    painter.setPen(theme.colour(tone, mode))
    place = QRectF(box.left() + rank + theme.px(4), box.top(), word - theme.px(6), box.height())
    shown = QFontMetricsF(font).elidedText(row.word, Qt.TextElideMode.ElideRight, place.width())
    painter.drawText(place, middle, shown)
    _paint_bar(painter, _track(box, rank), row, family, most, mode)
    painter.setFont(theme.font(13, bold=row.true))
    painter.setPen(theme.colour("text", mode))
    painter.drawText(QRectF(box.right() - figure, box.top(), figure - theme.px(6), box.height()),
                     middle | int(Qt.AlignmentFlag.AlignRight),
                     figures.decimal(row.probability, PLACES))  # fmt: skip


def paint_gap(painter: QPainter, y: float, left: float, right: float, mode: str = "") -> None:
    """The dotted line before a row that is not the next in rank."""
    painter.setPen(QPen(theme.colour("edge", mode), 1, Qt.PenStyle.DotLine))
    painter.drawLine(QPointF(left, y), QPointF(right, y))


def _word_width(width: float) -> float:
    """Words get more of a wide column; `width` is what the rank leaves."""
    return max(theme.px(_WORD), (width - theme.px(_FIGURE)) * 0.4)


def _track(box: QRectF, rank: float) -> QRectF:
    """Where the bar of a row may lie."""
    left = box.left() + rank + _word_width(box.width() - rank)
    height = theme.px(_BAR)
    return QRectF(left, box.center().y() - height / 2,
                  max(box.right() - theme.px(_FIGURE) - left - theme.px(6), 0), height)  # fmt: skip


def _paint_bar(
    painter: QPainter, track: QRectF, row: GuessRow, family: str, most: float, mode: str
) -> None:
    if track.width() < 4:
        return
    painter.setPen(QPen(theme.colour("line", mode), 1))
    y = track.center().y()
    painter.drawLine(QPointF(track.left(), y), QPointF(track.right(), y))
    share = row.probability / most if most > 0 else 0.0
    length = max(track.width() * min(share, 1.0), 1.5)
    ink = theme.family_colour(family, text=row.true, theme=mode)
    painter.fillRect(QRectF(track.left(), track.top(), length, track.height()), ink)


class GuessList(QWidget):
    """Rows of candidates; a click or Enter picks one. The last may be far down in rank."""

    picked = Signal(str)  # a word to be put into the blank

    def __init__(self, family: str, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._family, self._name = family, name
        self._rows: list[GuessRow] = []
        self._gap = False  # a dotted line before the last row
        self._most = 1.0
        self._at = -1
        self._over = -1
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setMinimumWidth(theme.px(150))
        theme.signals.changed.connect(self.update)
        self.show_rows([])

    def show_rows(self, rows: Sequence[GuessRow], *, gap: bool = False) -> None:
        """Show other rows; `gap`: the last one does not follow the others."""
        self._rows, self._gap = list(rows), gap
        self._at = min(self._at, len(rows) - 1)
        self._speak()
        self.updateGeometry()
        self.update()

    def set_most(self, most: float) -> None:
        """The probability whose bar is as long as there is room, the same in all columns."""
        if most != self._most:
            self._most = most
            self.update()

    def rows(self) -> list[GuessRow]:
        """What is shown."""
        return self._rows

    def _speak(self) -> None:
        told = self._rows[self._at : self._at + 1] if self._at >= 0 else self._rows[:3]
        words = listed(f"{row.rank} {row.word} {figures.decimal(row.probability, PLACES)}"
                          for row in told)  # fmt: skip
        self.setAccessibleName(f"{self._name}: {words}")

    # layout

    def _box(self, number: int) -> QRectF:
        extra = theme.px(10) if self._gap and number == len(self._rows) - 1 else 0
        return QRectF(0, number * theme.px(ROW) + extra, self.width(), theme.px(ROW))

    def row_at(self, place: QPointF) -> int:
        """The number of the row at a place, -1 where there is none."""
        return next((n for n in range(len(self._rows)) if self._box(n).contains(place)), -1)

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(200), len(self._rows) * theme.px(ROW) + theme.px(12))

    # painting

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rank = rank_width(self._rows)
        for number, row in enumerate(self._rows):
            box = self._box(number)
            if number == self._over and row.known and not row.true:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme.colour("sunken"))
                painter.drawRoundedRect(box.adjusted(0, 1, 0, -1), 4, 4)
            paint_row(painter, box, row, self._family, self._most, rank)
            if number == self._at and self.hasFocus():
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(theme.colour("accent"), 1.2))
                painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), 4, 4)
        if self._gap and self._rows:
            paint_gap(painter, self._box(len(self._rows) - 1).top() - theme.px(5), 0, self.width())
        painter.end()

    # pointer and keys

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        self._over = self.row_at(event.position())
        usable = self._over >= 0 and self._rows[self._over].known
        self.setCursor(Qt.CursorShape.PointingHandCursor if usable else Qt.CursorShape.ArrowCursor)
        self.setToolTip(self._rows[self._over].word if self._over >= 0 else "")
        self.update()

    def leaveEvent(self, event: object) -> None:  # noqa: N802
        self._over = -1
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mouseReleaseEvent(event)
        if event.button() == Qt.MouseButton.LeftButton:
            self._pick(self.row_at(event.position()))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}
        key = Qt.Key(event.key())
        if key in steps:
            self._at = min(max(self._at + steps[key], 0), len(self._rows) - 1)
            self._speak()
            self.update()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            self._pick(max(self._at, 0))
        else:
            super().keyPressEvent(event)

    def _pick(self, number: int) -> None:
        if 0 <= number < len(self._rows) and self._rows[number].known:
            self.picked.emit(self._rows[number].word)
