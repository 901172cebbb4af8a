"""Text that stands still: labels by size and tone, and one that gives way when room is short."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from lmstudio.gui import theme


def label(
    text: str = "", *, size: int = 13, tone: str = "", bold: bool = False, wrap: bool = False,
    parent: QWidget | None = None,
) -> QLabel:  # fmt: skip
    """A label; `tone` is "", "muted", "off", "accent", "ok", "warn" or "bad"."""
    made = QLabel(text, parent)
    _dress(made, size, tone, bold)
    made.setWordWrap(wrap)
    return made


def set_tone(widget: QWidget, tone: str) -> None:
    """Change the tone of a label."""
    if widget.property("tone") != tone:
        widget.setProperty("tone", tone)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


class WrappedLabel(QLabel):
    """As many lines as the text takes: a layout that asks too early cannot cut the last ones off.

    A wrapped QLabel tells its height by its width; where a layout has asked for that before the
    text came, it keeps one line until something else makes it ask again.
    """

    def __init__(self, *, size: int = 13, tone: str = "", bold: bool = False) -> None:
        super().__init__()
        _dress(self, size, tone, bold)
        self.setWordWrap(True)

    def setText(self, text: str) -> None:  # noqa: N802
        """Show `text`."""
        super().setText(text)
        self._keep_lines()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._keep_lines()

    def _keep_lines(self) -> None:
        self.setFixedHeight(max(self.heightForWidth(self.width()), 0))


class ElidedLabel(QLabel):
    """One line that ends in "…" where room is short; never sets the window's minimum width."""

    def __init__(
        self, text: str = "", *, size: int = 13, tone: str = "", bold: bool = False,
        keep: int = 0, parent: QWidget | None = None,
    ) -> None:  # fmt: skip
        """`keep`: so many pixels of the text stand firm, and it takes no more."""
        super().__init__(parent)
        self._full, self._keep = "", keep
        _dress(self, size, tone, bold)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setText(text)

    def setText(self, text: str) -> None:  # noqa: N802
        """Show `text`; the whole of it is the tool tip too."""
        if text != self._full:
            self._full = text
            self.setAccessibleName(text)
            self._elide()
            self.updateGeometry()

    def full_text(self) -> str:
        """The text without the "…"."""
        return self._full

    def sizeHint(self) -> QSize:  # noqa: N802
        width = self.fontMetrics().horizontalAdvance(self._full) + 2
        width = min(width, self._keep) if self._keep else width
        return QSize(width, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        hint = self.sizeHint()
        return hint if self._keep else QSize(0, hint.height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        mode = Qt.TextElideMode.ElideRight
        shown = self.fontMetrics().elidedText(self._full, mode, max(self.width(), 8))
        if shown != self.text():
            super().setText(shown)
        self.setToolTip(self._full if shown != self._full else "")


def _dress(widget: QLabel, size: int, tone: str, bold: bool) -> None:
    widget.setTextFormat(Qt.TextFormat.PlainText)
    widget.setFont(theme.font(size, bold=bold))
    if tone:
        widget.setProperty("tone", tone)
