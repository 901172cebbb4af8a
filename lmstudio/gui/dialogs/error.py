"""ErrorDialog: a sentence that the user can act on, and the details for a bug report."""

from PySide6.QtCore import Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from lmstudio.gui import theme
from lmstudio.gui.dialogs.dialog import Dialog
from lmstudio.gui.widgets import label
from lmstudio.messages import tr


class ErrorDialog(Dialog):
    """Shows what went wrong; with `details` they can be read and copied."""

    def __init__(self, sentence: str, details: str = "", parent: QWidget | None = None) -> None:
        super().__init__(tr("That did not work"), parent)
        self._copied = f"{sentence}\n\n{details}"
        self.setMinimumWidth(theme.px(460))
        self.body.addWidget(label(sentence, wrap=True))
        if details:
            shown = QPlainTextEdit(details, self)
            shown.setReadOnly(True)
            shown.setAccessibleName(tr("Details"))
            shown.setMinimumHeight(theme.px(180))
            self.body.addWidget(shown, 1)
            copy = self.add_button(tr("Copy details"), left=True)
            copy.clicked.connect(self.copy)
        self.add_primary(tr("Close"))

    @Slot()
    def copy(self) -> None:
        """Put sentence and details on the clipboard."""
        QGuiApplication.clipboard().setText(self._copied)
