"""The key of a tour in; a small picture of what one will see in it out."""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from lmstudio.gui import theme
from lmstudio.gui.tours.blanks import HIDDEN, SENTENCE
from lmstudio.gui.widgets import draw_mark, mark_path
from lmstudio.messages import msg, tr

HEIGHT = 112
_NAMES = {
    "counting": msg("A falling curve between two lines"),
    "blanks": msg("A sentence with a blank and three guesses"),
    "meanings": msg("Two groups of points"),
}
_GUESSES = ((HIDDEN, 0.9), ("松鼠", 0.22), ("兔子", 0.1))
_OXEN = ((0.08, 0.3), (0.14, 0.52), (0.19, 0.2), (0.22, 0.42), (0.27, 0.6), (0.3, 0.3),
         (0.35, 0.5), (0.12, 0.7), (0.25, 0.78))  # fmt: skip
_TOUTS = ((0.62, 0.34), (0.68, 0.62), (0.72, 0.22), (0.76, 0.46), (0.81, 0.66), (0.85, 0.3),
          (0.9, 0.52))  # fmt: skip
"""Shares of the width and height."""


class TourPicture(QWidget):
    """Drawn, not measured: what is true of it is told beside."""

    def __init__(self, key: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._key = key
        self.setFixedHeight(theme.px(HEIGHT))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr(_NAMES[key]))
        theme.signals.changed.connect(self.update)

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(240), theme.px(HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.font(12))
        draw = {"counting": _curves, "blanks": _guesses, "meanings": _groups}[self._key]
        draw(painter, self.rect().toRectF())
        painter.end()


def _curves(painter: QPainter, room: QRectF) -> None:
    """A counted model, a learning one, and the limit of the language."""
    right, height = room.width() - theme.px(66), room.height()
    ink, green = theme.family_colour("ngram"), theme.family_colour("lstm")
    y, left = height * 0.42, theme.px(8)
    painter.setPen(QPen(ink, 1))
    painter.drawLine(QPointF(left, y), QPointF(right, y))
    draw_mark(painter, QPointF(left, y), "ngram", theme.px(9))
    xs = [theme.px(26) + (right - theme.px(34)) * n / 40 for n in range(41)]
    ys = [height * (0.06 + 0.66 * (1 - 2.72 ** (-n / 11))) for n in range(41)]
    painter.setPen(QPen(green, 1.6))
    painter.drawPolyline(QPolygonF([QPointF(x, y) for x, y in zip(xs, ys, strict=True)]))
    draw_mark(painter, QPointF(xs[-1], ys[-1]), "lstm", theme.px(10))
    painter.setPen(QPen(theme.colour("text"), 1, Qt.PenStyle.DashLine))
    painter.drawLine(QPointF(0, height * 0.9), QPointF(right, height * 0.9))
    labels = ((0.42, tr("trigram"), ink), (0.7, "LSTM", green),
              (0.9, tr("limit"), theme.colour("muted")))  # fmt: skip
    for share, text, colour in labels:
        box = QRectF(right + theme.px(6), height * share - theme.px(10), theme.px(60), theme.px(20))
        _write(painter, box, text, colour)


def _guesses(painter: QPainter, room: QRectF) -> None:
    """The sentence of the tour with its blank, and bars for what could stand there."""
    row, gap, colour = theme.px(32), theme.px(4), theme.family_colour("bert")
    blank = QRectF(1, 1, theme.px(46), row - 2 * gap)
    painter.setPen(QPen(theme.colour("accent"), 1.5))
    painter.setBrush(theme.colour("tint"))
    painter.drawRoundedRect(blank, 4, 4)
    painter.setFont(theme.font(15))
    after = QRectF(blank.right() + gap, 0, room.width(), row - 2 * gap)
    _write(painter, after, SENTENCE[len(HIDDEN) :], theme.colour("text"))
    painter.setFont(theme.font(12))
    step, left = (room.height() - row) / len(_GUESSES), theme.px(48)
    most = room.width() - left - theme.px(16)
    for number, (word, share) in enumerate(_GUESSES):
        line = QRectF(0, row + number * step, left, step)
        _write(painter, line, word, theme.colour("text"))
        bar = QRectF(left, line.center().y() - gap / 2, most * share, gap + 1)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawRoundedRect(bar, 2, 2)


def _groups(painter: QPainter, room: QRectF) -> None:
    """Occurrences of one word that have parted."""
    foot, size = theme.px(22), theme.px(9)
    field = room.adjusted(0, 0, 0, -foot)
    groups = (("circle", _OXEN, "accent", tr("ox")), ("up", _TOUTS, "text", tr("tout")))
    for marker, points, token, name in groups:
        path, colour = mark_path(marker, size), theme.colour(token)
        xs = [field.width() * x for x, _ in points]
        for x, (_, y) in zip(xs, points, strict=True):
            painter.fillPath(path.translated(x, size + (field.height() - 2 * size) * y), colour)
        middle = (min(xs) + max(xs)) / 2
        box = QRectF(middle - theme.px(80), field.bottom(), theme.px(160), foot)
        _write(painter, box, name, colour, Qt.AlignmentFlag.AlignCenter)


def _write(
    painter: QPainter, box: QRectF, text: str, colour: QColor,
    where: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignVCenter,
) -> None:  # fmt: skip
    painter.setPen(colour)
    painter.drawText(box, int(where), text)
