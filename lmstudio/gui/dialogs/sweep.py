"""A spec, a setting and several values of it -> the runs of a sweep, seen before they are made."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QComboBox, QGridLayout, QLineEdit, QPlainTextEdit, QWidget

from lmstudio.errors import SpecError
from lmstudio.gui import theme
from lmstudio.gui.captions import sentence_case
from lmstudio.gui.dialogs.dialog import Dialog
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import disable, enable, label
from lmstudio.messages import phrases, tr
from lmstudio.models.registry import MODELS
from lmstudio.operations import sweeps
from lmstudio.options import options_of
from lmstudio.training.spec import RunSpec

FIRST = ("width", "order")
"""Settings that are proposed where a model has them."""


class SweepDialog(Dialog):
    """Emits `chosen`: the name of the setting and its values."""

    chosen = Signal(str, list)

    def __init__(self, state: AppState, spec: RunSpec, parent: QWidget | None = None) -> None:
        super().__init__(tr("Several values of a setting"), parent)
        self._state, self._spec = state, spec
        self._values: list[sweeps.Value] = []
        self.field, self.values = QComboBox(self), QLineEdit(self)
        self.runs = QPlainTextEdit(self)
        self.fault = label(size=12, tone="bad", wrap=True)
        self._count = label(size=12, tone="muted")
        self._lay_out()
        self.field.activated.connect(self._refresh)
        self.values.textChanged.connect(self._refresh)
        self.accepted.connect(self._tell)
        self._refresh()

    def _lay_out(self) -> None:
        for name, title in settings(self._spec):
            self.field.addItem(sentence_case(title), name)
        first = next((name for name in FIRST if self.field.findData(name) >= 0), None)
        self.field.setCurrentIndex(max(0, self.field.findData(first)))
        self.values.setPlaceholderText(tr("such as 1..5, or 0.1, 0.2"))
        self.runs.setReadOnly(True)
        self.runs.setFont(theme.font(12))
        self.runs.setFixedHeight(theme.px(120))
        grid = QGridLayout()
        grid.setHorizontalSpacing(theme.px(12))
        rows = ((tr("Setting"), self.field), (tr("Values"), self.values))
        for row, (name, control) in enumerate(rows):
            control.setAccessibleName(name)
            caption = label(name, tone="muted")
            caption.setBuddy(control)
            grid.addWidget(caption, row, 0)
            grid.addWidget(control, row, 1)
        self.body.addLayout(grid)
        self.runs.setAccessibleName(tr("Runs"))
        for widget in (self.fault, self._count, self.runs):
            self.body.addWidget(widget)
        self.setMinimumWidth(theme.px(440))
        self.add_cancel()
        self._add = self.add_primary(tr("Add to queue"))
        self.values.setFocus()

    @Slot()
    def _refresh(self) -> None:
        """The runs that would be made, or what is wrong."""
        field, text = str(self.field.currentData()), self.values.text().strip()
        names: list[str] = []
        wrong = ""
        try:
            self._values = sweeps.values_of(self._spec, field, text) if text else []
            if text:
                _, planned = sweeps.planned(self._state.workspace, self._spec, field, self._values)
                names = [name for name, _ in planned]
        except SpecError as error:
            wrong = phrases(dict.fromkeys(str(fault.message) for fault in error.faults))
        self.fault.setText(wrong)
        self.fault.setVisible(bool(wrong))
        self._count.setText(tr("{count} runs, one after the other", count=len(names)))
        self._count.setVisible(bool(names))
        self.runs.setPlainText("\n".join(names))
        if names:
            enable(self._add)
        else:
            disable(self._add, wrong or tr("Write values first"))

    @Slot()
    def _tell(self) -> None:
        self.chosen.emit(str(self.field.currentData()), self._values)


def settings(spec: RunSpec) -> list[tuple[str, str]]:
    """The settings of a spec that may have several values, and what they are called."""
    known = options_of(spec.config)
    if MODELS[spec.model].kind == "neural":
        known |= options_of(spec.training)
    return [(name, tr(entry.label)) for name, (_, entry) in known.items()]
