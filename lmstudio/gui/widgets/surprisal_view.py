"""SurprisalView: tokens and their bits in; the text with a bar below each token out, one chosen.

The scale is that of the finite ones; a token of probability 0 has a hatched bar of full length.
"""

import math
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.messages import tr

_TEXT, _NUMBER, _ROW_GAP = 28, 18, 14  # heights at scale 1
_BARS, _TALLEST = 84, 280  # the least length of the longest bar; the greatest height of a row
_LEAST, _PADDING = 44, 8  # width of a token, room beside its text
_CENTRE = Qt.AlignmentFlag.AlignCenter


@dataclass(frozen=True)
class Surprise:
    """A token and its surprisal; infinite for probability 0, NaN where none is defined."""

    text: str
    bits: float
    unknown: bool = False
    end: bool = False  # the end of the sentence


class SurprisalView(QWidget):
    """As high as its rows need; wants to stand in a scroll area."""

    chosen = Signal(int)
    export_wanted = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self._tokens: list[Surprise] = []
        self._places: list[QRectF] = []
        self._chosen = -1
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.MinimumExpanding)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._show_menu)
        theme.signals.changed.connect(self.update)

    def set_tokens(self, tokens: list[Surprise]) -> None:
        """Show others; the chosen number stays if there are as many."""
        self._tokens = tokens
        self._lay_out()
        self.choose(self._chosen if 0 <= self._chosen < len(tokens) else min(0, len(tokens) - 1))

    def tokens(self) -> list[Surprise]:
        """What is shown."""
        return self._tokens

    @property
    def scale(self) -> float:
        """Bits of a bar of full length."""
        finite = (token.bits for token in self._tokens if math.isfinite(token.bits))
        return max(finite, default=0.0) or 1.0

    def choose(self, number: int) -> None:
        """Mark a token, -1 for none; emits nothing."""
        self._chosen = number
        spoken = self._name
        if 0 <= number < len(self._tokens):
            token = self._tokens[number]
            spoken = f"{self._name}: {token.text} {figures.decimal(token.bits, 2)}"
        self.setAccessibleName(spoken)
        self.update()

    def chosen_number(self) -> int:
        """The token marked, -1 if none is."""
        return self._chosen

    # layout

    def _places_in(self, width: float, height: float = 0.0) -> list[QRectF]:
        """The rows share `height`, within limits."""
        least = theme.px(_TEXT + _BARS + _NUMBER + _ROW_GAP)
        places = self._rows_of(width, least)
        rows = round(places[-1].bottom() / least) if places else 1
        tall = min(height / rows, theme.px(_TALLEST))
        return self._rows_of(width, tall) if tall > least else places

    def _rows_of(self, width: float, height: float) -> list[QRectF]:
        metrics, places = QFontMetricsF(theme.font(15, bold=True)), []
        x = y = 0.0
        for token in self._tokens:
            wide = max(metrics.horizontalAdvance(token.text) + 2 * theme.px(_PADDING),
                       theme.px(_LEAST))  # fmt: skip
            wide = min(wide, max(width, theme.px(_LEAST)))
            if x and x + wide > width:
                x, y = 0.0, y + height
            places.append(QRectF(x, y, wide, height))
            x += wide
        return places

    def _lay_out(self) -> None:
        least = self._places_in(self.width())
        self._places = self._places_in(self.width(), self.height())
        needed = round(least[-1].bottom()) if least else 0
        if needed != self.minimumHeight():
            self.setMinimumHeight(needed)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._lay_out()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(480), self.minimumHeight())

    # painting

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for number, place in enumerate(self._places):
            if place.intersects(QRectF(event.rect())):
                self._paint_token(painter, number, place, "")
        painter.end()

    def draw(self, painter: QPainter, target: QRectF, mode: str) -> None:
        """Paint into `target` on paper, in the colours of a theme."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        natural = max(self.width(), theme.px(480))
        places = self._places_in(natural)
        height = places[-1].bottom() if places else 1.0
        scale = min(target.width() / (natural + 32), target.height() / (height + 16))
        painter.translate(target.topLeft() + QPointF(16, 8))
        painter.scale(scale, scale)
        for number, place in enumerate(places):
            self._paint_token(painter, number, place, mode)

    def _paint_token(self, painter: QPainter, number: int, place: QRectF, mode: str) -> None:
        token, chosen = self._tokens[number], number == self._chosen
        self._paint_ground(painter, place, chosen, mode)
        text = QRectF(place.left(), place.top(), place.width(), theme.px(_TEXT))
        tone = "warn" if token.unknown else "muted" if token.end else "text"
        font = theme.font(15, bold=chosen)
        painter.setFont(font)
        painter.setPen(theme.colour("accent" if chosen and not token.unknown else tone, mode))
        shown = QFontMetricsF(font).elidedText(token.text, Qt.TextElideMode.ElideRight,
                                               place.width() - 4)  # fmt: skip
        painter.drawText(text, int(_CENTRE), shown)
        bar = self._paint_bar(painter, token, place, chosen, mode)
        number_box = QRectF(place.left(), bar.bottom() + 1, place.width(), theme.px(_NUMBER))
        odd = not math.isfinite(token.bits)
        painter.setFont(theme.font(12, bold=odd))
        tone = "bad" if math.isinf(token.bits) else "off" if odd else "text"
        painter.setPen(theme.colour(tone, mode))
        painter.drawText(number_box, int(_CENTRE), figures.decimal(token.bits, 1))

    def _paint_ground(self, painter: QPainter, place: QRectF, chosen: bool, mode: str) -> None:
        if chosen:
            box = place.adjusted(1, 0, -1, -theme.px(_ROW_GAP - 4))
            painter.setPen(QPen(theme.colour("accent", mode), 1) if self.hasFocus() and not mode
                           else Qt.PenStyle.NoPen)  # fmt: skip
            painter.setBrush(theme.colour("tint", mode))
            painter.drawRoundedRect(box, 6, 6)
        base = place.top() + theme.px(_TEXT)
        painter.setPen(QPen(theme.colour("line", mode), 1))
        painter.drawLine(QPointF(place.left(), base), QPointF(place.right(), base))

    def _paint_bar(
        self, painter: QPainter, token: Surprise, place: QRectF, chosen: bool, mode: str
    ) -> QRectF:
        """The bar; its length is the surprisal."""
        finite = math.isfinite(token.bits)
        share = token.bits / self.scale if finite else 0.0 if math.isnan(token.bits) else 1.0
        width = min(theme.px(22), place.width() - theme.px(12))
        longest = place.height() - theme.px(_TEXT + _NUMBER + _ROW_GAP)
        bar = QRectF(place.center().x() - width / 2, place.top() + theme.px(_TEXT),
                     width, max(longest * share, 1.0))  # fmt: skip
        painter.setPen(Qt.PenStyle.NoPen)
        if finite:
            ink = theme.family_colour("ngram", theme=mode)
            painter.fillRect(bar, theme.colour("accent", mode) if chosen else ink)
        elif math.isinf(token.bits):
            painter.fillRect(bar, theme.colour("bad_bg", mode))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.colour("bad", mode), 1.5, Qt.PenStyle.DashLine))
            painter.drawRect(bar)
        return bar

    # pointer and keys

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mousePressEvent(event)
        found = [n for n, place in enumerate(self._places) if place.contains(event.position())]
        self._take(found[0] if found else -1)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        last, here = len(self._tokens) - 1, self._chosen
        places = {
            Qt.Key.Key_Right: min(here + 1, last), Qt.Key.Key_Left: max(here - 1, 0),
            Qt.Key.Key_Home: 0, Qt.Key.Key_End: last,
        }  # fmt: skip
        if event.key() in places:
            self._take(places[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)

    def _take(self, number: int) -> None:
        if 0 <= number < len(self._tokens) and number != self._chosen:
            self.choose(number)
            self.chosen.emit(number)

    @Slot(QPoint)
    def _show_menu(self, place: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(tr("Export as a picture…")).triggered.connect(self.export_wanted)
        menu.popup(self.mapToGlobal(place))
