"""PasteDialog: pasted or typed text, a name and a split in; the order to import them out."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPlainTextEdit, QWidget

from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.dialogs.dialog import Dialog
from lmstudio.gui.panels.corpora.importing import ImportOrder
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import disable, enable, label
from lmstudio.messages import tr

SHOWN = 20_000  # characters that are laid out; the rest of a long text is imported all the same


class PasteDialog(Dialog):
    """A long text is shown in part and cannot be changed here."""

    ordered = Signal(object)  # an ImportOrder

    def __init__(self, state: AppState, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(tr("Import pasted text"), parent)
        self._state = state
        self._long = text if len(text) > SHOWN else ""
        self.setMinimumWidth(theme.px(620))
        self.field = QPlainTextEdit(self)
        self.field.setAccessibleName(tr("Text"))
        self.field.setTabChangesFocus(True)
        self.field.setPlaceholderText(tr("Paste or type a text here."))
        self.field.setMinimumHeight(theme.px(220))
        self.field.setPlainText(_beginning(text) if self._long else text)
        self.field.setReadOnly(bool(self._long))
        self.name = QLineEdit(state.workspace.free_name("corpus", tr("Pasted text")), self)
        self.name.setAccessibleName(tr("Name of the corpus"))
        self._fault = label(size=12, tone="bad", wrap=True)
        self._fault.hide()
        self.body.addWidget(self.field, 1)
        fields = QHBoxLayout()
        fields.setSpacing(theme.px(12))
        fields.addWidget(label(tr("Name"), tone="muted"))
        fields.addWidget(self.name, 1)
        self.body.addLayout(fields)
        self.body.addWidget(self._fault)
        self.add_cancel()
        self.accept_button = self.add_primary(tr("Import"))
        self.field.textChanged.connect(self._check)
        self.name.textChanged.connect(self._check)
        self.accepted.connect(self._order)
        self._check()

    @Slot()
    def _check(self) -> None:
        wrong = ""
        try:
            self._state.workspace.check_name("corpus", self.name.text().strip())
        except AppError as error:
            wrong = str(error)
        self._fault.setText(wrong)
        self._fault.setVisible(bool(wrong))
        if self.field.document().characterCount() <= 1:  # an empty document holds a line end
            wrong = tr("There is no text yet.")
        if wrong:
            disable(self.accept_button, wrong)
        else:
            enable(self.accept_button)

    @Slot()
    def _order(self) -> None:
        text = self._long or self.field.toPlainText()
        self.ordered.emit(ImportOrder(name=self.name.text().strip(), text=text))


def _beginning(text: str) -> str:
    """The first lines of a long text, each short enough to be laid out."""
    lines = text[:SHOWN].split("\n")
    return "\n".join(line[:300] for line in lines[:300]) + "\n…"
