"""TokenFlow: a view of tokens that the pointer and the keys move through and select from.

Characters are selected by dragging, by a double click on a token, or with Shift and the arrows
from the token on that is lit.
"""

from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from lmstudio.gui import theme
from lmstudio.gui.widgets.token_view import ROW, FlowSentence, TokenView

__all__ = ["FlowSentence", "TokenFlow"]


class TokenFlow(TokenView):
    """Emits what the user does; what is lit and which sentence is on top is set from outside."""

    lit = Signal(int, int, int)  # sentence, start, end of the token pointed at; -1: none
    stepped = Signal(int)  # so many sentences on (or back)
    paged = Signal(int)  # a page on (1) or back (-1)
    taken = Signal()  # Enter, on what is selected

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self._anchor = (-1, 0)  # where the button went down: sentence and border
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def token_at(self, place: QPointF) -> tuple[int, int, int]:
        """Sentence, start and end of the token at a place; (-1, 0, 0) where there is none."""
        y = 0.0
        for number in range(self._top, len(self._sentences)):
            if y > self.height():
                break
            for piece in self._lay(number).pieces:
                if self._box(piece, y).contains(place):
                    return (number, *self._sentences[number].spans[piece.token])
            y += self._height_of(number)
        return (-1, 0, 0)

    def _border_at(self, place: QPointF) -> tuple[int, int]:
        """Sentence, and the border between two of its characters nearest to a place.

        (-1, 0) where no sentence is; left or right of a row it is the row's end.
        """
        y = 0.0
        for number in range(self._top, len(self._sentences)):
            height = self._height_of(number)
            if y <= place.y() < y + height:
                row = min(int((place.y() - y) / theme.px(ROW)), self._rows_of(number) - 1)
                return number, self._border_in_row(number, row, place.x())
            y += height
        return -1, 0

    def _border_in_row(self, number: int, row: int, x: float) -> int:
        pieces = [piece for piece in self._lay(number).pieces if piece.row == row]
        piece = min(pieces, key=lambda one: max(one.x - x, x - one.x - one.width, 0))
        text = self._sentences[number].text[piece.start : piece.end]
        inside = x - piece.x - theme.px(5)
        borders = range(len(text) + 1)
        return piece.start + min(borders, key=lambda n: abs(self._advance(text[:n]) - inside))

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mousePressEvent(event)
        if event.button() == Qt.MouseButton.LeftButton:
            self._anchor = self._border_at(event.position())
            self.select(-1, 0, 0)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        self.select(*self.token_at(event.position()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        sentence, anchor = self._anchor
        if not event.buttons() & Qt.MouseButton.LeftButton or sentence < 0:
            self.lit.emit(*self.token_at(event.position()))
            return
        self.lit.emit(-1, 0, 0)
        number, border = self._border_at(event.position())
        if number != sentence:  # a word does not go on in another sentence
            above = -1 < number < sentence or event.position().y() < 0
            border = 0 if above else len(self._sentences[sentence].text)
        self.select(sentence, min(anchor, border), max(anchor, border))

    def leaveEvent(self, event: object) -> None:  # noqa: N802
        self.lit.emit(-1, 0, 0)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        if turned := event.angleDelta().y():
            self.stepped.emit(-1 if turned > 0 else 1)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}
        pages = {Qt.Key.Key_PageDown: 1, Qt.Key.Key_PageUp: -1}
        tokens = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1}
        key = Qt.Key(event.key())
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        chosen = bool(self.selected_text())
        if shift and key in tokens:
            self._extend(tokens[key])
        elif chosen and key == Qt.Key.Key_Escape:
            self.select(-1, 0, 0)
        elif chosen and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            self.taken.emit()
        elif key in steps:
            self.stepped.emit(steps[key])
        elif key in pages:
            self.paged.emit(pages[key])
        elif key in tokens:
            self._light_next(tokens[key])
        else:
            super().keyPressEvent(event)

    def _extend(self, step: int) -> None:
        """Select the token that is lit; then a character more, or less."""
        number, start, end = self._selection
        if number >= 0:
            length = len(self._sentences[number].text)
            self.select(number, start, min(max(end + step, start + 1), length))
        elif self._light[0] >= 0:
            self.select(*self._light)
        else:
            self._light_next(step)

    def _light_next(self, step: int) -> None:
        """Light up the next token of the sentence that is lit, or of the top one."""
        number, start, _ = self._light
        if number < 0:
            number, start = self._top, -1
        if number >= len(self._sentences):
            return
        spans = self._sentences[number].spans
        before = [n for n, span in enumerate(spans) if span[0] <= start]
        at = before[-1] if before and start >= 0 else -1
        chosen = min(max(at + step, 0), len(spans) - 1)
        self.lit.emit(number, *spans[chosen])
