"""TuningForm: a kind of task and the encoders there are in; what to fine-tune, and how, out."""

from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from lmstudio.errors import Fault
from lmstudio.gui import theme
from lmstudio.gui.captions import sentence_case
from lmstudio.gui.choices import fill
from lmstudio.gui.forms import Form
from lmstudio.gui.panels.tasks.kind_names import CHOICES
from lmstudio.gui.panels.train.log_box import LogBox
from lmstudio.gui.widgets import WholeBox, disable, enable, label, scrolled
from lmstudio.messages import tr
from lmstudio.store.rows import RunRow
from lmstudio.training.spec import TrainingConfig
from lmstudio.training.task_config import APPLIES, KINDS, TaskConfig
from lmstudio.training.tuning_presets import TUNING_PRESETS

_MOST_SEEDS = 20
_TRAINING = ("epochs", "learning_rate", "batch", "minutes", "patience", "optimizer", "precision",
             "seed")  # fmt: skip
_CAPTION, _CHOICE = 128, 168  # pixels


class TuningForm(QWidget):
    """A preset fills the fields; each can be changed after."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.encoder, self.preset, self.seeds = QComboBox(self), QComboBox(self), WholeBox(self)
        self.texts_first = QCheckBox(tr("Continue pre-training on this task's text first"), self)
        self._help = label(size=12, tone="muted", wrap=True)
        self._pages = QStackedWidget(self)
        self._forms = {kind: self._task_form(kind) for kind in KINDS}
        self.training: Form[TrainingConfig] = Form(
            TrainingConfig(), self, only=_TRAINING, widths=(_CAPTION, _CHOICE)
        )
        self._kind = "classify"
        self.log = LogBox(self)
        self.log.stand_in(self.training)
        self._lay_out()
        self.encoder.currentIndexChanged.connect(self.changed)
        self.preset.activated.connect(self.restore)
        self.seeds.valueChanged.connect(self.changed)
        self.training.changed.connect(self.changed)
        self.texts_first.toggled.connect(self.changed)
        self.changed.connect(self._offer_texts)
        self.restore()

    def _task_form(self, kind: str) -> Form[TaskConfig]:
        names = [name for name in TaskConfig.__dataclass_fields__
                 if name != "kind" and kind in APPLIES.get(name, KINDS)]  # fmt: skip
        made: Form[TaskConfig] = Form(
            TaskConfig(kind=kind), self, only=names, choice_names=CHOICES,
            widths=(_CAPTION, _CHOICE),
        )  # fmt: skip
        made.changed.connect(self.changed)
        self._pages.addWidget(made)
        return made

    def _lay_out(self) -> None:
        for name, preset in TUNING_PRESETS.items():
            self.preset.addItem(sentence_case(tr(preset.title)), name)
        self.seeds.setRange(1, _MOST_SEEDS)
        self.seeds.setValue(3)
        self.seeds.setFixedWidth(theme.px(96))
        self.seeds.setToolTip(
            tr("So many runs that differ in their random numbers only: how far a score jumps "
               "about is part of the result")
        )  # fmt: skip
        head = QGridLayout()
        head.setHorizontalSpacing(theme.px(12))
        head.setVerticalSpacing(theme.px(6))
        head.setColumnMinimumWidth(0, theme.px(_CAPTION))
        head.setColumnStretch(1, 1)
        rows = ((tr("Encoder"), self.encoder), (tr("Way"), self.preset), (tr("Seeds"), self.seeds))
        for row, (title, control) in enumerate(rows):
            caption = label(title, tone="muted")
            caption.setBuddy(control)
            caption.setFixedWidth(theme.px(_CAPTION))
            control.setAccessibleName(title)
            head.addWidget(caption, row + (row > 1), 0)
            side = Qt.AlignmentFlag.AlignLeft if control is self.seeds else Qt.AlignmentFlag(0)
            head.addWidget(control, row + (row > 1), 1, side)
        head.addWidget(self._help, 2, 1)
        self.texts_first.setToolTip(
            tr("Without labels, as the encoder was trained before, on a corpus of its own that is "
               "cut as the encoder's (Gururangan et al. 2020)")
        )  # fmt: skip
        for box in (self.encoder, self.preset):
            box.setMinimumContentsLength(12)
            box.setSizeAdjustPolicy(
                QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
            )
        settings = QWidget(self)
        inner = QVBoxLayout(settings)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(theme.px(8))
        for title, form in ((tr("Train"), self.training), (tr("Head and encoder"), self._pages)):
            inner.addWidget(label(title, bold=True))
            inner.addWidget(form)
        inner.addStretch()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(8))
        layout.addLayout(head)
        layout.addWidget(self.texts_first)
        layout.addWidget(scrolled(settings, self), 1)

    def show_kind(self, kind: str) -> None:
        """Show the settings that a kind of task has."""
        if kind != self._kind:
            self._kind = kind
            self.restore()

    def offer(self, runs: list[RunRow]) -> None:
        """The runs that can be fine-tuned, newest first."""
        fill(self.encoder, [(run.name, run.id) for run in runs])

    def choose_preset(self, name: str) -> None:
        """Fill the fields as a preset says."""
        self.preset.setCurrentIndex(self.preset.findData(name))
        self.restore()

    @Slot()
    def restore(self) -> None:
        """Go back to the preset that is chosen."""
        preset = TUNING_PRESETS[self.preset.currentData()]
        self._help.setText(tr(preset.help))
        form = self._forms[self._kind]
        form.set_value(TaskConfig(kind=self._kind, **preset.task_values(self._kind)))
        self._pages.setCurrentWidget(form)
        with QSignalBlocker(self):
            self.training.set_value(replace(TrainingConfig(), **preset.training_values()))
        self.changed.emit()

    def run_id(self) -> int | None:
        """The encoder that is chosen."""
        chosen = self.encoder.currentData()
        return None if chosen is None else int(chosen)

    def task_config(self) -> TaskConfig:
        """What is set of the head and its tuning."""
        return self._forms[self._kind].value()

    def training_config(self, device: str) -> TrainingConfig:
        """What is set of the training."""
        return replace(self.training.value(), device=device)

    def goes_on_first(self) -> bool:
        """The encoder is to go on with the texts of the task before it is tuned."""
        return self.texts_first.isChecked() and self.texts_first.isEnabled()

    @Slot()
    def _offer_texts(self) -> None:
        """What begins from scratch has nothing to go on with."""
        if self.task_config().start == "scratch":
            disable(self.texts_first, tr("It begins with new random weights."))
        else:
            enable(self.texts_first)

    def faults(self) -> list[Fault]:
        """What is wrong with the values in the controls."""
        return [*self._forms[self._kind].faults(), *self.training.faults()]
