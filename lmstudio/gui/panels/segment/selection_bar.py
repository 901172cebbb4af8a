"""SelectionBar: characters selected in the text in; the button that makes them a word out."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from lmstudio.gui import theme
from lmstudio.gui.widgets import ElidedLabel, button, disable, enable, tool
from lmstudio.messages import tr
from lmstudio.text.userdict import check_word


class SelectionBar(QFrame):
    """Hidden while nothing is selected."""

    wanted = Signal(str)  # the string is to become a word
    dismissed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "row")
        self.setProperty("chosen", True)
        self._word = ""
        self._said = ElidedLabel()
        self.add = button(tr("Add as word") + "  ↵", parent=self)
        self.add.clicked.connect(self.take)
        close = tool("close", tr("Select nothing"), parent=self)
        close.clicked.connect(self.dismissed)
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.px(12), theme.px(4), theme.px(4), theme.px(4))
        row.setSpacing(theme.px(8))
        row.addWidget(self._said, 1)
        row.addWidget(self.add)
        row.addWidget(close)
        self.hide()

    def offer(self, word: str, reason: str = "") -> None:
        """Offer to add what is selected; `reason` tells why that would change nothing."""
        self._word = word
        wrong = reason or (str(found) if word and (found := check_word(word)) else "")
        self._said.setText(tr("“{word}” is selected. {reason}", word=word, reason=wrong))
        if wrong:
            disable(self.add, wrong)
        else:
            enable(self.add)
        self.setVisible(bool(word))

    @Slot()
    def take(self) -> None:
        """Press the button, if it may be pressed."""
        if self._word and self.add.isEnabled():
            self.wanted.emit(self._word)
