"""TokenFlow: sentences and their tokens in; tinted tokens out, one sentence under the other.

Two of them can be paired: then their sentences stand at the same height. Positions are code points
of Python strings; nothing here counts UTF-16 units.
"""

from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from lmstudio.gui import theme
from lmstudio.gui.widgets.token_layout import Laid, Measures, Piece, Span, lay_out

TINTS = (0.10, 0.22)  # of the accent in the surface
FADED = 0.5
ROW = 34  # from one row of tokens to the next
_WIDTHS = 5000  # tokens whose width is remembered
BETWEEN = 4  # more, from one sentence to the next


@dataclass(frozen=True)
class FlowSentence:
    """A sentence, its tokens, and which of them have other borders on the other side."""

    text: str
    spans: list[Span]
    differing: frozenset[Span] = frozenset()


class TokenFlow(QWidget):
    """Shows the sentences from `top` on, as many as there is room for; only these are laid out."""

    lit = Signal(int, int, int)  # sentence, start, end of the token pointed at; -1: none
    stepped = Signal(int)  # so many sentences on (or back)
    paged = Signal(int)  # a page on (1) or back (-1)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self._other: TokenFlow | None = None
        self._sentences: list[FlowSentence] = []
        self._laid: dict[int, Laid] = {}
        self._top = 0
        self._light = (-1, 0, 0)
        self._faded = False
        self._advance = lru_cache(_WIDTHS)(QFontMetricsF(theme.font(15)).horizontalAdvance)
        self.setAccessibleName(name)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(theme.px(160), theme.px(72))
        theme.signals.changed.connect(self.update)

    def pair_with(self, other: "TokenFlow") -> None:
        """Let sentence n of both stand at one height."""
        self._other, other._other = other, self

    # what is shown

    def set_sentences(self, sentences: list[FlowSentence], top: int = 0) -> None:
        """Show other sentences, from number `top` on."""
        self._sentences, self._laid = sentences, {}
        self._faded = False
        self.set_top(top)

    def sentences(self) -> list[FlowSentence]:
        """What is shown, also what is scrolled away."""
        return self._sentences

    def set_top(self, top: int) -> None:
        """Scroll to a sentence."""
        self._top = top
        spoken = ""
        if top < len(self._sentences):
            sentence = self._sentences[top]
            spoken = " | ".join(sentence.text[a:b] for a, b in sentence.spans)
        self.setAccessibleName(f"{self._name}: {spoken}")
        self.update()

    def fade(self) -> None:
        """What is shown is out of date; better is on its way."""
        self._faded = True
        self.update()

    def light(self, sentence: int, start: int, end: int) -> None:
        """Light up characters of a sentence, wherever the tokens' borders are; -1: none."""
        if (sentence, start, end) != self._light:
            self._light = (sentence, start, end)
            self.update()

    def lit_text(self) -> str:
        """The characters that are lit up."""
        number, start, end = self._light
        return self._sentences[number].text[start:end] if 0 <= number < len(self._sentences) else ""

    def shown(self) -> int:
        """How many sentences there is room for, from the top one on; one at least."""
        y, count = 0.0, 0
        while self._top + count < len(self._sentences):
            y += self._height_of(self._top + count)
            if y > self.height() and count:
                break
            count += 1
        return max(count, 1)

    # layout

    def _measures(self) -> Measures:
        return Measures(
            max(self.width() - theme.px(8), 40), theme.px(ROW), theme.px(5), theme.px(3),
            self._advance,
        )  # fmt: skip

    def _lay(self, number: int) -> Laid:
        if number not in self._laid:
            sentence = self._sentences[number]
            self._laid[number] = lay_out(sentence.text, sentence.spans, self._measures())
        return self._laid[number]

    def _rows_of(self, number: int) -> int:
        return self._lay(number).rows if number < len(self._sentences) else 0

    def _height_of(self, number: int) -> float:
        rows = self._rows_of(number)
        if self._other is not None:
            rows = max(rows, self._other._rows_of(number))
        return rows * theme.px(ROW) + theme.px(BETWEEN)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        self._laid = {}
        super().resizeEvent(event)

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(440), theme.px(144))

    # painting

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.font(15))
        if self._faded:
            painter.setOpacity(FADED)
        y = 0.0
        for number in range(self._top, len(self._sentences)):
            if y > self.height():
                break
            for piece in self._lay(number).pieces:
                if self._box(piece, y).bottom() <= self.height():  # no half rows
                    self._paint_piece(painter, number, piece, y)
            y += self._height_of(number)
        if self.hasFocus():
            painter.setOpacity(1)
            painter.setPen(QPen(theme.colour("accent"), 2))
            painter.drawLine(0, self.height() - 1, self.width(), self.height() - 1)
        painter.end()

    def _box(self, piece: Piece, y: float) -> QRectF:
        return QRectF(piece.x, y + piece.row * theme.px(ROW) + 2, piece.width, theme.px(26))

    def _paint_piece(self, painter: QPainter, number: int, piece: Piece, y: float) -> None:
        sentence, box = self._sentences[number], self._box(piece, y)
        text = sentence.text[piece.start : piece.end]
        if piece.shade >= 0:
            ground = theme.mix(theme.colour("surface"), theme.colour("accent"), TINTS[piece.shade])
            _fill(painter, box, ground)
        _write(painter, box, text, theme.colour("text"))
        lit, start, end = self._light
        start, end = max(start, piece.start), min(end, piece.end)
        if lit == number and start < end:
            self._paint_lit(painter, box, text, start - piece.start, end - piece.start)
        if sentence.spans[piece.token] in sentence.differing:
            line = QRectF(box.left(), box.bottom() - 1, box.width(), theme.px(3))
            painter.fillRect(line, theme.colour("warn"))

    def _paint_lit(self, painter: QPainter, box: QRectF, text: str, start: int, end: int) -> None:
        """Only the characters start...end of a box in the accent's colour."""
        advance = self._advance
        padding = theme.px(5)
        left = box.left() + (padding + advance(text[:start]) if start else 0)
        right = box.left() + padding + advance(text[:end]) if end < len(text) else box.right()
        painter.save()
        painter.setClipRect(QRectF(left, box.top(), right - left, box.height()))
        _fill(painter, box, theme.colour("accent"))
        _write(painter, box, text, theme.colour("on_accent"))
        painter.restore()

    # pointer and keys

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

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        self.lit.emit(*self.token_at(event.position()))

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
        if key in steps:
            self.stepped.emit(steps[key])
        elif key in pages:
            self.paged.emit(pages[key])
        elif key in tokens:
            self._light_next(tokens[key])
        else:
            super().keyPressEvent(event)

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


def _fill(painter: QPainter, box: QRectF, colour: QColor) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawRoundedRect(box, 4, 4)


def _write(painter: QPainter, box: QRectF, text: str, colour: QColor) -> None:
    painter.setPen(colour)
    painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine), text)
