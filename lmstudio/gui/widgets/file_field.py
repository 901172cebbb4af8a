"""FileField: a link that asks for a file; then the file's name, and a cross that forgets it."""

from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QWidget

from lmstudio.gui import theme
from lmstudio.gui.widgets.buttons import button, tool
from lmstudio.gui.widgets.labels import ElidedLabel
from lmstudio.messages import tr


class FileField(QWidget):
    """Emits `changed` when there is another file, or none."""

    changed = Signal()

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        """`title` is the link."""
        super().__init__(parent)
        self.path: Path | None = None
        self._title = title
        self.ask_button = button(title, "link", parent=self)
        self.ask_button.clicked.connect(self.ask)
        self._name = ElidedLabel()
        self._forget = tool("close", tr("Without this file"), parent=self)
        self._forget.clicked.connect(self.forget)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(6))
        row.addWidget(self.ask_button)
        row.addWidget(self._name, 1)
        row.addWidget(self._forget)
        self._refresh()

    @Slot()
    def ask(self) -> None:
        """Ask for a file."""
        kinds = tr("Text (*.txt *.utf8);;All files (*)")
        name, _ = QFileDialog.getOpenFileName(self, self._title, "", kinds)
        if name:
            self.use(Path(name))

    def use(self, path: Path | None) -> None:
        """Take a file, or none."""
        if path != self.path:
            self.path = path
            self._refresh()
            self.changed.emit()

    @Slot()
    def forget(self) -> None:
        """Take no file."""
        self.use(None)

    def _refresh(self) -> None:
        there = self.path is not None
        self.ask_button.setVisible(not there)
        self._name.setVisible(there)
        self._forget.setVisible(there)
        self._name.setText(self.path.name if self.path else "")
