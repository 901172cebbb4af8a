"""PromptDialog: a template and what belongs into its places in; the prompt for models out."""

from collections.abc import Callable

from PySide6.QtCore import QSignalBlocker, Signal, Slot
from PySide6.QtWidgets import QComboBox, QFormLayout, QLineEdit, QPlainTextEdit, QWidget

from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.dialogs.dialog import Dialog
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import disable, enable, label
from lmstudio.messages import msg, tr
from lmstudio.operations import prompts
from lmstudio.text.prompt_templates import PromptTemplate, filled, places

_PLACES = {"text": msg("Text"), "question": msg("Question")}


class PromptDialog(Dialog):
    """Choose a template, change it, keep it under a name, fill it and use it."""

    filled = Signal(str)  # the prompt

    def __init__(self, state: AppState, text: str = "", parent: QWidget | None = None) -> None:
        """`text` is what stands in the place of that name at first."""
        super().__init__(tr("Prompt from a template"), parent)
        self._state = state
        self._values = {"text": text}
        self.setMinimumWidth(theme.px(560))
        self.choice, self.template = QComboBox(self), QPlainTextEdit(self)
        self.fields: dict[str, QLineEdit] = {}
        self._form = QFormLayout()
        self._fault = label(size=12, tone="bad", wrap=True)
        self._fault.hide()
        self._lay_out()
        self.forget = self.add_button(tr("Delete"), left=True)
        self.keep = self.add_button(tr("Keep the template"))
        self.add_cancel()
        self.use = self.add_primary(tr("Use as prompt"))
        self._connect()
        self._offer()

    def _lay_out(self) -> None:
        self.choice.setEditable(True)
        self.choice.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.choice.setAccessibleName(tr("Template"))
        self.template.setAccessibleName(tr("Text of the template"))
        self.template.setMinimumHeight(theme.px(110))
        self.template.setTabChangesFocus(True)
        self.body.addWidget(self.choice)
        self.body.addWidget(self.template, 1)
        note = tr("Braces are places to fill: {text} and {question}, or any other word.",
                  text="{text}", question="{question}")  # fmt: skip
        self.body.addWidget(label(note, size=12, tone="muted", wrap=True))
        self.body.addLayout(self._form)
        self.body.addWidget(self._fault)

    def _connect(self) -> None:
        self.choice.currentIndexChanged.connect(self._choose)
        self.template.textChanged.connect(self._show_places)
        self.keep.clicked.connect(self._keep)
        self.forget.clicked.connect(self._forget)
        self.accepted.connect(self._use)

    def _offer(self, name: str = "") -> None:
        """All templates, the one of that name chosen."""
        with QSignalBlocker(self.choice):
            self.choice.clear()
            for one in prompts.templates(self._state.workspace):
                self.choice.addItem(prompts.title(one), one)
            names = [one.name for one in self._templates()]
            self.choice.setCurrentIndex(names.index(name) if name in names else 0)
        self._choose()

    def _templates(self) -> list[PromptTemplate]:
        return [self.choice.itemData(index) for index in range(self.choice.count())]

    @Slot()
    def _choose(self) -> None:
        one = self.choice.currentData()
        if one is None:
            return
        self.template.setPlainText(one.text)
        if one.own:
            enable(self.forget)
        else:
            disable(self.forget, tr("This template is built in and stays."))

    @Slot()
    def _show_places(self) -> None:
        """A field for each place; what stands in those that stay is kept."""
        wanted = places(self.template.toPlainText())
        if wanted != tuple(self.fields):
            self._values |= {name: field.text() for name, field in self.fields.items()}
            while self._form.rowCount():
                self._form.removeRow(0)
            self.fields = {name: self._field(name) for name in wanted}
        if wanted:
            enable(self.use)
        else:
            disable(self.use, tr("A prompt needs a place for a text, such as {place}.",
                                 place="{text}"))  # fmt: skip

    def _field(self, name: str) -> QLineEdit:
        title = tr(_PLACES[name]) if name in _PLACES else name
        field = QLineEdit(self._values.get(name, ""), self)
        field.setAccessibleName(title)
        self._form.addRow(title, field)
        return field

    def prompt(self) -> str:
        """The template with its places filled."""
        values = {name: field.text() for name, field in self.fields.items()}
        return filled(self.template.toPlainText(), values)

    @Slot()
    def _keep(self) -> None:
        """Under the name that is typed; a template that is built in is changed under its own."""
        chosen, typed = self.choice.currentData(), self.choice.currentText()
        same = chosen is not None and typed == prompts.title(chosen)
        self._change(prompts.save, chosen.name if same else typed, self.template.toPlainText())

    @Slot()
    def _forget(self) -> None:
        self._change(prompts.delete, self.choice.currentData().name)

    def _change(self, function: Callable[..., object], name: str, *text: str) -> None:
        try:
            function(self._state.workspace, name, *text)
        except AppError as error:
            self._fault.setText(str(error))
            self._fault.show()
        else:
            self._fault.hide()
            self._offer(" ".join(name.split()))

    @Slot()
    def _use(self) -> None:
        self.filled.emit(self.prompt())
