"""GuessBars: tokens and their p in; a row with a bar for each out, on a scale columns share."""

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.messages import listed

ROW = 24  # height at scale 1
_RANK, _TOKEN, _NUMBER, _BAR = 20, 0.36, 54, 8  # widths; the token's is a share of the row
_ELIDE = Qt.TextElideMode.ElideRight


@dataclass(frozen=True)
class Guess:
    """A row."""

    text: str
    p: float
    quiet: bool = False  # no word of the text: its end, an unknown word


class GuessBars(QWidget):
    """Arrows move through the rows, Enter or a click takes one."""

    taken = Signal(int)  # the row

    def __init__(self, name: str, family: str, rows: int, parent: QWidget | None = None) -> None:
        """`rows` there is room for; further ones are left out."""
        super().__init__(parent)
        self._name, self._family, self._room = name, family, rows
        self._guesses: list[Guess] = []
        self._scale, self._chosen, self._lit = 1.0, -1, -1
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.signals.changed.connect(self.update)

    def set_guesses(self, guesses: list[Guess]) -> None:
        """Show other rows, the likeliest first."""
        self._guesses = guesses[: self._room]
        self._chosen = self._lit = -1
        self._speak()
        self.update()

    def guesses(self) -> list[Guess]:
        """What is shown."""
        return self._guesses

    def set_scale(self, largest: float) -> None:
        """The p of a bar of full length."""
        self._scale = largest or 1.0
        self.update()

    @property
    def scale(self) -> float:
        """The p of a bar of full length."""
        return self._scale

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(180), theme.px(ROW) * self._room)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(130), theme.px(ROW) * self._room)

    # painting

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for number in range(len(self._guesses)):
            marked = number == self._chosen and self.hasFocus()
            if marked or number == self._lit:
                self._paint_ground(painter, number, framed=marked)
            self._paint_row(painter, number, QRectF(self.rect()), "")
        painter.end()

    def draw(self, painter: QPainter, target: QRectF, mode: str) -> None:
        """Paint all rows into `target` on paper, in the colours of a theme."""
        for number in range(len(self._guesses)):
            self._paint_row(painter, number, target, mode)

    def _row(self, number: int, target: QRectF) -> QRectF:
        height = theme.px(ROW)
        return QRectF(target.left(), target.top() + number * height, target.width(), height)

    def _paint_ground(self, painter: QPainter, number: int, *, framed: bool) -> None:
        box = self._row(number, QRectF(self.rect())).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(QPen(theme.colour("accent"), 1) if framed else Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("tint"))
        painter.drawRoundedRect(box, 4, 4)

    def _paint_row(self, painter: QPainter, number: int, target: QRectF, mode: str) -> None:
        guess, row = self._guesses[number], self._row(number, target)
        middle, right = int(Qt.AlignmentFlag.AlignVCenter), int(Qt.AlignmentFlag.AlignRight)
        painter.setFont(theme.font(12))
        painter.setPen(theme.colour("muted", mode))
        rank = QRectF(row.left(), row.top(), theme.px(_RANK - 6), row.height())
        painter.drawText(rank, middle | right, str(number + 1))
        number_box = row.adjusted(0, 0, -theme.px(4), 0)
        painter.setPen(theme.colour("text", mode))
        painter.drawText(number_box, middle | right, figures.decimal(guess.p, 3))
        width = max(row.width() * _TOKEN, theme.px(40))
        word = QRectF(row.left() + theme.px(_RANK), row.top(), width, row.height())
        font = theme.font(13 if guess.quiet else 15)
        painter.setFont(font)
        painter.setPen(theme.colour("muted" if guess.quiet else "text", mode))
        shown = QFontMetricsF(font).elidedText(guess.text, _ELIDE, word.width() - theme.px(4))
        painter.drawText(word, middle, shown)
        self._paint_bar(painter, guess.p, word.right(), row, mode)

    def _paint_bar(
        self, painter: QPainter, p: float, left: float, row: QRectF, mode: str
    ) -> None:  # fmt: skip
        room = row.right() - theme.px(_NUMBER) - left
        if room < theme.px(12):
            return
        y = row.center().y()
        painter.setPen(QPen(theme.colour("grid", mode), 1))
        painter.drawLine(QPointF(left, y), QPointF(left + room, y))
        length = max(room * min(p / self._scale, 1.0), 1.0)
        bar = QRectF(left, y - theme.px(_BAR) / 2, length, theme.px(_BAR))
        painter.fillRect(bar, theme.family_colour(self._family, theme=mode))

    # pointer and keys

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        self._light(self._at(event.position()))

    def leaveEvent(self, event: object) -> None:  # noqa: N802
        self._light(-1)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mousePressEvent(event)
        if event.button() == Qt.MouseButton.LeftButton:
            self._take(self._at(event.position()))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        last = len(self._guesses) - 1
        places = {
            Qt.Key.Key_Down: min(self._chosen + 1, last), Qt.Key.Key_Up: max(self._chosen - 1, 0),
            Qt.Key.Key_Home: 0, Qt.Key.Key_End: last,
        }  # fmt: skip
        key = Qt.Key(event.key())
        plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if key in places and self._guesses and plain:
            self._chosen = places[key]
            self._speak()
            self.update()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and plain and self._chosen >= 0:
            self._take(self._chosen)
        else:
            super().keyPressEvent(event)

    def _at(self, place: QPointF) -> int:
        number = int(place.y() // theme.px(ROW))
        return number if 0 <= number < len(self._guesses) else -1

    def _light(self, number: int) -> None:
        if number != self._lit:
            self._lit = number
            told = self._guesses[number] if number >= 0 else None
            self.setToolTip(f"{told.text}  p = {told.p:.6g}" if told else "")
            self.update()

    def _take(self, number: int) -> None:
        if number >= 0:
            self.taken.emit(number)

    def _speak(self) -> None:
        shown = self._guesses if self._chosen < 0 else [self._guesses[self._chosen]]
        told = listed(f"{guess.text} {figures.decimal(guess.p, 3)}" for guess in shown)
        self.setAccessibleName(f"{self._name}: {told}" if told else self._name)
