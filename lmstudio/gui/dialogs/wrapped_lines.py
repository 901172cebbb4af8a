"""WrappedLines: the share of lines that end inside a sentence in; join or keep out."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.widgets import Segmented, label
from lmstudio.messages import tr


class WrappedLines(QFrame):
    """A strip that is hidden unless the lines were broken at the width of a page."""

    chosen = Signal(str)  # a lines rule

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "warn")
        self._text = label(tone="warn", wrap=True)
        choices = [("wrapped", tr("Join")), ("paragraph", tr("Keep"))]
        self.choice = Segmented(choices, tr("Lines that were wrapped"), self)
        self.choice.chosen.connect(self.chosen)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(theme.px(12), theme.px(6), theme.px(8), theme.px(6))
        layout.addWidget(self._text, 1)
        layout.addWidget(self.choice)
        self.hide()

    def show_share(self, unended: float | None) -> None:
        """Say how many lines end inside a sentence; None hides the strip."""
        self.setVisible(unended is not None)
        if unended is not None:
            share = figures.percent(unended)
            self._text.setText(
                tr("{share} of the lines end inside a sentence: they were wrapped.", share=share)
            )

    def text(self) -> str:
        """What it says."""
        return self._text.text()

    def set_rule(self, rule: str) -> None:
        """Follow the lines rule chosen elsewhere."""
        self.choice.set_value("wrapped" if rule in ("auto", "wrapped") else "paragraph")
