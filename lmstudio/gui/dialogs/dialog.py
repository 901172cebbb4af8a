"""Dialog: a sheet over the window with a title, a body and a row of buttons."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from lmstudio.gui import reading_order, theme
from lmstudio.gui.widgets import button, label
from lmstudio.messages import tr


class Dialog(QDialog):
    """Fill `body`, add buttons, call `open()`; Esc and Cancel reject, the primary accepts.

    It deletes itself when it closes, so keep nothing of it; react to `accepted`.
    """

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        layout = QVBoxLayout(self)
        margin = theme.px(20)
        layout.setContentsMargins(margin, margin, margin, margin)
        layout.setSpacing(theme.px(12))
        layout.addWidget(label(title, size=15, bold=True, wrap=True))
        self.body = QVBoxLayout()
        self.body.setSpacing(theme.px(8))
        layout.addLayout(self.body, 1)
        self._buttons = QHBoxLayout()
        self._buttons.setSpacing(theme.px(8))
        self._buttons.addStretch()
        layout.addLayout(self._buttons)

    def focusNextPrevChild(self, forward: bool) -> bool:  # noqa: FBT001, N802
        return reading_order.step(self, forward=forward)

    def add_button(self, text: str, kind: str = "", *, left: bool = False) -> QPushButton:
        """A button at the right end (or the left); connect its `clicked` yourself."""
        made = button(text, kind, parent=self)
        if left:
            self._buttons.insertWidget(0, made)
        else:
            self._buttons.addWidget(made)
        return made

    def add_cancel(self) -> QPushButton:
        """The button that closes without doing anything."""
        made = self.add_button(tr("Cancel"))
        made.clicked.connect(self.reject)
        return made

    def add_primary(self, text: str) -> QPushButton:
        """The button that Enter presses; it accepts."""
        made = self.add_button(text, "primary")
        made.setDefault(True)
        made.clicked.connect(self.accept)
        return made
