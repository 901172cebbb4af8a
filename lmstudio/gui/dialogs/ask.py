"""Two short questions: a new name for something, and whether something may be deleted."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QLineEdit, QWidget

from lmstudio.gui import theme
from lmstudio.gui.dialogs.dialog import Dialog
from lmstudio.gui.widgets import label
from lmstudio.messages import tr


class NameDialog(Dialog):
    """Asks for a name; `named` carries it if it is another than before."""

    named = Signal(str)

    def __init__(self, title: str, name: str, parent: QWidget | None = None) -> None:
        super().__init__(title, parent)
        self._before = name
        self.field = QLineEdit(name, self)
        self.field.setAccessibleName(tr("Name"))
        self.field.setMinimumWidth(theme.px(320))
        self.field.selectAll()
        self.body.addWidget(self.field)
        self.add_cancel()
        self.add_primary(tr("Rename"))
        self.accepted.connect(self._tell)

    @Slot()
    def _tell(self) -> None:
        name = self.field.text().strip()
        if name != self._before:
            self.named.emit(name)


class DeleteDialog(Dialog):
    """Says what will be gone; accepted means yes."""

    def __init__(self, title: str, detail: str, parent: QWidget | None = None) -> None:
        super().__init__(title, parent)
        self.body.addWidget(label(detail, tone="muted", wrap=True))
        self.setMinimumWidth(theme.px(380))
        self.add_cancel()
        self.add_primary(tr("Delete"))
