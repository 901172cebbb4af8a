"""ZeroShotCard: a task of classes in; the prompt that it is put to language models by, out."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLineEdit, QWidget

from lmstudio.analysis.tasks.zero_shot import Prompt
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.captions import sentence_case
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Card, button, label, scrolled
from lmstudio.messages import tr
from lmstudio.operations import zero_shot
from lmstudio.store.rows import TaskRow


class ZeroShotCard(Card):
    """A template, and for each label the word that stands for it behind the prompt."""

    changed = Signal()
    asked = Signal()

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(tr("Without training: a prompt"), parent=parent)
        self._state = state
        self.template = QLineEdit(self)
        self.template.setAccessibleName(tr("Template of the prompt"))
        self.words: dict[str, QLineEdit] = {}
        self.calibrated = QCheckBox(sentence_case(tr("less the word's own log p")), self)
        self.calibrated.setToolTip(
            tr("Take from a word's score what it has after the prompt without the text (Zhao et "
               "al. 2021): no word is chosen for being frequent")
        )  # fmt: skip
        self.ask = button(tr("Ask the language models"), parent=self)
        self.fault = label(size=12, tone="muted", wrap=True)
        self._holder = QWidget(self)
        self._grid = QGridLayout(self._holder)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(theme.px(8))
        self._grid.setVerticalSpacing(theme.px(4))
        self._task = 0
        self._area = scrolled(self._holder)
        for widget in (self.fault, self.template, self._area, self.calibrated, self.ask):
            self.body.addWidget(widget, 1 if widget is self._area else 0)
        self.template.textEdited.connect(self.changed)
        self.calibrated.toggled.connect(self.changed)
        self.ask.clicked.connect(self.asked)

    def show_task(self, task: TaskRow | None) -> None:
        """Offer the prompt of a task; of the same task what is typed stays."""
        number = task.id if task else 0
        if number == self._task:
            return
        self._task = number
        for child in self._holder.findChildren(QWidget):
            self._grid.removeWidget(child)
            child.hide()
            child.deleteLater()
        self.words = {}
        usable = self._offer(number)
        for widget in (self.template, self._area, self.calibrated, self.ask):
            widget.setVisible(usable)

    def _offer(self, task: int) -> bool:
        """Fill the boxes; False where a task cannot be put by a prompt."""
        if not task:
            return False
        try:
            offered = zero_shot.default_prompt(self._state.workspace, task)
        except AppError as error:
            self.fault.setText(str(error))
            return False
        self.fault.setText(tr("The model goes on after the prompt: the label whose word is "
                              "likeliest is its answer."))  # fmt: skip
        self.template.setText(offered.template)
        for row, (name, word) in enumerate(offered.words.items()):
            field = QLineEdit(word, self._holder)
            field.setAccessibleName(tr("Word for {label}", label=name))
            field.textEdited.connect(self.changed)
            self.words[name] = field
            self._grid.addWidget(label(name, tone="muted"), row, 0)
            self._grid.addWidget(field, row, 1)
        self._grid.setRowStretch(len(self.words), 1)
        return True

    def prompt(self) -> Prompt:
        """What is typed."""
        return Prompt(self.template.text(), {name: field.text() for name, field in
                                             self.words.items()})  # fmt: skip

    def key(self) -> tuple[object, ...]:
        """The same for the same prompt."""
        given = self.prompt()
        return self._task, given.template, *given.words.values(), self.calibrated.isChecked()

    @Slot(str)
    def say(self, text: str) -> None:
        """Tell what was noticed."""
        self.fault.setText(text)
