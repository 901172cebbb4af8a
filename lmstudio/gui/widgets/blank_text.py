"""BlankText: a sentence in units, some of them blank, in; clicks and keys that hide others out."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
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

from lmstudio.gui import theme
from lmstudio.gui.widgets.token_layout import Laid, Measures, Piece, lay_out
from lmstudio.messages import listed

_SIZE, _ROW, _BOX, _PADDING, _GAP = 20, 46, 38, 6, 3


@dataclass(frozen=True)
class TextUnit:
    """A token, a word or a blank: where it stands in the sentence."""

    start: int
    end: int
    blank: int = -1  # the number of the blank that it is


class BlankText(QWidget):
    """Draws what it was given; whoever owns it changes that after the user's wish."""

    hidden = Signal(int, int, bool)  # start and end of a span to be blank; one more, not instead
    went = Signal(int)  # the answers of this blank are wanted
    dropped = Signal(int)  # this blank is to be shown again
    stepped = Signal(int)  # the blank is to move by a unit
    extended = Signal(int)  # it is to reach over one unit more, or less
    taken = Signal()  # the first candidate is to be put in
    edit_wanted = Signal()  # the sentence itself is to be changed

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name, self._text = name, ""
        self._units: list[TextUnit] = []
        self._current = 0
        self._laid = Laid([], 0)
        self._from = self._to = -1  # units that are being dragged over
        self._over = -1
        self._advance = lru_cache(2000)(QFontMetricsF(theme.font(_SIZE)).horizontalAdvance)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        theme.signals.changed.connect(self.update)
        self.show_text("", [], 0)

    def show_text(self, text: str, units: Sequence[TextUnit], current: int) -> None:
        """Show a sentence; `current` is the number of the blank whose answers are seen."""
        self._text, self._units, self._current = text, list(units), current
        self._from = self._to = self._over = -1
        self._lay_out()
        blanks = listed(text[u.start : u.end] for u in units if u.blank == current)
        self.setAccessibleName(f"{self._name}: {text}; {blanks}")
        self.update()

    def text(self) -> str:
        """The sentence."""
        return self._text

    def units(self) -> list[TextUnit]:
        """What is drawn."""
        return self._units

    # layout

    def _lay_out(self) -> None:
        self._laid = self._laid_in(self.width())
        self.updateGeometry()

    def _laid_in(self, width: int) -> Laid:
        measures = Measures(max(width - 2, 60), theme.px(_ROW), theme.px(_PADDING),
                            theme.px(_GAP), self._advance)  # fmt: skip
        return lay_out(self._text, [(unit.start, unit.end) for unit in self._units], measures)

    def heightForWidth(self, width: int) -> int:  # noqa: N802
        return max(self._laid_in(width).rows, 1) * theme.px(_ROW)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._laid = self._laid_in(self.width())
        self.setMinimumHeight(max(self._laid.rows, 1) * theme.px(_ROW))

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(400), max(self._laid.rows, 1) * theme.px(_ROW))

    def _box(self, piece: Piece) -> QRectF:
        top = piece.row * theme.px(_ROW) + theme.px(_ROW - _BOX) / 2
        return QRectF(piece.x + 1, top, piece.width, theme.px(_BOX))

    def unit_at(self, place: QPointF) -> int:
        """The number of the unit at a place, -1 where there is none."""
        found = [piece.token for piece in self._laid.pieces if self._box(piece).contains(place)]
        return found[0] if found else -1

    def place_of(self, unit: int) -> QPointF:
        """The middle of a unit."""
        return next(self._box(p).center() for p in self._laid.pieces if p.token == unit)

    # painting

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        first, last = sorted((self._from, self._to))
        for piece in self._laid.pieces:
            dragged = first >= 0 and first <= piece.token <= last
            self._paint_piece(painter, piece, dragged)
        painter.end()

    def _paint_piece(self, painter: QPainter, piece: Piece, dragged: bool) -> None:
        unit, box = self._units[piece.token], self._box(piece)
        blank = unit.blank >= 0
        current = blank and unit.blank == self._current
        painter.setPen(Qt.PenStyle.NoPen)
        if blank or dragged or piece.token == self._over:
            painter.setBrush(theme.colour("tint" if blank or dragged else "sunken"))
            painter.drawRoundedRect(box, 5, 5)
        if blank:
            pen = QPen(theme.colour("accent"), 2.5 if current else 1.2)
            if not current:
                pen.setStyle(Qt.PenStyle.DashLine)
            painter.setPen(pen)
            y = box.bottom() - 2
            painter.drawLine(QPointF(box.left() + 2, y), QPointF(box.right() - 2, y))
            if current and self.hasFocus():
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(theme.colour("accent"), 1.2))
                painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
        painter.setFont(theme.font(_SIZE))
        painter.setPen(theme.colour("accent" if blank and not current else "text"))
        text = self._text[piece.start : piece.end]
        painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), text)

    # pointer

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mousePressEvent(event)
        if event.button() == Qt.MouseButton.LeftButton:
            self._from = self._to = self.unit_at(event.position())
            self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        unit = self.unit_at(event.position())
        if event.buttons() & Qt.MouseButton.LeftButton and self._from >= 0:
            self._to = unit if unit >= 0 else self._to
        self._over = unit
        self.setCursor(Qt.CursorShape.PointingHandCursor if unit >= 0
                       else Qt.CursorShape.ArrowCursor)  # fmt: skip
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        first, last = sorted((self._from, self._to))
        self._from = self._to = -1
        self.update()
        if event.button() != Qt.MouseButton.LeftButton or first < 0:
            return
        keys = event.modifiers()
        more = bool(keys & Qt.KeyboardModifier.ControlModifier)
        if keys & Qt.KeyboardModifier.ShiftModifier:
            self._reach_to(first)
        elif first == last:
            self._click(self._units[first], more)
        else:
            self.hidden.emit(self._units[first].start, self._units[last].end, more)

    def _click(self, unit: TextUnit, more: bool) -> None:
        if unit.blank < 0:
            self.hidden.emit(unit.start, unit.end, more)
        elif more:
            self.dropped.emit(unit.blank)
        else:
            self.went.emit(unit.blank)

    def _reach_to(self, number: int) -> None:
        """Let the blank reach from where it is to a unit."""
        own = [unit for unit in self._units if unit.blank == self._current]
        unit = self._units[number]
        if own:
            start, end = min(own[0].start, unit.start), max(own[0].end, unit.end)
            self.hidden.emit(start, end, False)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        self.edit_wanted.emit()

    def leaveEvent(self, event: object) -> None:  # noqa: N802
        self._over = -1
        self.update()

    # keys

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        steps = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1}
        key = Qt.Key(event.key())
        if key in steps and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.extended.emit(steps[key])
        elif key in steps and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            self.stepped.emit(steps[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            self.taken.emit()
        elif key == Qt.Key.Key_Delete:
            self.dropped.emit(self._current)
        elif key == Qt.Key.Key_F2:
            self.edit_wanted.emit()
        else:
            super().keyPressEvent(event)
