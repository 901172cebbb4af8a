"""TokenView: sentences and their tokens in; tinted tokens out, one sentence under the other.

Two of them can be paired: then their sentences stand at the same height. Positions are code points
of Python strings; nothing here counts UTF-16 units.
"""

from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QRectF, QSize, Signal
from PySide6.QtGui import (
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from lmstudio.gui import theme
from lmstudio.gui.widgets.token_layout import AGAIN, Laid, Measures, Piece, Span, lay_out
from lmstudio.gui.widgets.token_paint import Look, paint_token

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


class TokenView(QWidget):
    """Shows the sentences from `top` on, as many as there is room for; only these are laid out."""

    selected = Signal(str)  # the characters selected now, "" for none

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self._other: TokenView | None = None
        self._sentences: list[FlowSentence] = []
        self._laid: dict[int, Laid] = {}
        self._top = 0
        self._light = (-1, 0, 0)
        self._selection = (-1, 0, 0)
        self._faded = False
        self._advance = lru_cache(_WIDTHS)(QFontMetricsF(theme.font(15)).horizontalAdvance)
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(theme.px(160), theme.px(72))
        theme.signals.changed.connect(self.update)

    def pair_with(self, other: "TokenView") -> None:
        """Let sentence n of both stand at one height."""
        self._other, other._other = other, self

    # what is shown

    def set_sentences(self, sentences: list[FlowSentence], top: int = 0) -> None:
        """Show other sentences, from number `top` on."""
        number = self._selection[0]
        before, after = self._sentences[number:][:1], sentences[number:][:1]
        if number >= 0 and [s.text for s in before] != [s.text for s in after]:
            self.select(-1, 0, 0)  # another cut of the same sentence keeps it
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

    def select(self, sentence: int, start: int, end: int) -> None:
        """Select characters of a sentence, across the tokens' borders; none: start is end."""
        wanted = (sentence, start, end) if start < end else (-1, 0, 0)
        if wanted != self._selection:
            self._selection = wanted
            self.selected.emit(self.selected_text())
            self.update()

    def selected_text(self) -> str:
        """The characters that are selected."""
        number, start, end = self._selection
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
        sentence = self._sentences[number]
        look = Look(
            piece.shade, _inside(self._light, number, piece),
            _inside(self._selection, number, piece),
            sentence.spans[piece.token] in sentence.differing,
        )  # fmt: skip
        text = AGAIN if piece.again else sentence.text[piece.start : piece.end]
        paint_token(painter, self._box(piece, y), text, look, self._advance)


def _inside(marked: tuple[int, int, int], number: int, piece: Piece) -> Span:
    """What is marked of a box, counted from the box's first character."""
    sentence, start, end = marked
    if sentence != number:
        return 0, 0
    return max(start, piece.start) - piece.start, min(end, piece.end) - piece.start
