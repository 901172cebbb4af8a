"""ContextChips: the tokens a model looks at in; chips with a blank after them out."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from lmstudio.gui import theme

_HEIGHT, _PADDING, _GAP, _BLANK = 26, 7, 4, 34


class ContextChips(QWidget):
    """The last ones are shown where room is short."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self._words: list[str] = []
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        theme.signals.changed.connect(self.update)
        self.set_words([])

    def set_words(self, words: list[str]) -> None:
        """Show other tokens."""
        self._words = words
        self.setAccessibleName(f"{self._name}: {' '.join(words)}")
        self.setToolTip(" ".join(words))
        self.updateGeometry()
        self.update()

    def words(self) -> list[str]:
        """What is shown."""
        return self._words

    def _widths(self) -> list[float]:
        metrics = QFontMetricsF(theme.font(15))
        return [metrics.horizontalAdvance(w) + 2 * theme.px(_PADDING) for w in self._words]

    def sizeHint(self) -> QSize:  # noqa: N802
        wide = sum(width + theme.px(_GAP) for width in self._widths()) + theme.px(_BLANK)
        return QSize(round(wide) + 2, theme.px(_HEIGHT) + 2)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(_BLANK + 20), theme.px(_HEIGHT) + 2)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.font(15))
        widths, gap, blank = self._widths(), theme.px(_GAP), theme.px(_BLANK)
        x = min(0.0, self.width() - blank - sum(width + gap for width in widths))
        top = (self.height() - theme.px(_HEIGHT)) / 2
        for word, width in zip(self._words, widths, strict=True):
            box = QRectF(x, top, width, theme.px(_HEIGHT))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("tint"))
            painter.drawRoundedRect(box, 4, 4)
            painter.setPen(theme.colour("text"))
            painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), word)
            x += width + gap
        painter.setPen(QPen(theme.colour("accent"), 2))
        base = round(top + theme.px(_HEIGHT)) - 2.0
        painter.drawLine(round(x) + 2, round(base), round(x) + blank - 4, round(base))
        painter.end()
