"""ModelPage: presets and fields of a model in; a RunSpec and its faults out."""

from dataclasses import asdict, replace
from typing import Any

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from lmstudio import figures, options
from lmstudio.errors import Fault
from lmstudio.gui import theme
from lmstudio.gui.forms import Form
from lmstudio.gui.panels.settings.setting_names import CHOICES
from lmstudio.gui.panels.train.log_box import LogBox
from lmstudio.gui.panels.train.warm_start import WarmStartChip, WarmStartChoice
from lmstudio.gui.widgets import (
    ElidedLabel,
    Segmented,
    button,
    disable,
    enable,
    label,
    scrolled,
)
from lmstudio.messages import listed, msg, tr
from lmstudio.models.config import PRESETS, SETTINGS, UNUSED
from lmstudio.models.registry import MODELS
from lmstudio.training.spec import RunSpec, TrainingConfig

OWN = "own"
PRESET_NAMES = {"small": msg("small"), "base": msg("base"), "large": msg("large")}
ORDERS = ("1", "2", "3", "5")


class ModelPage(QWidget):
    """Preset first, then the model's fields and, for networks, those of the training."""

    changed = Signal()

    def __init__(self, model: str, device: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model, self._device = model, device
        self._neural = MODELS[model].kind == "neural"
        self._chosen = self._first()
        first = self._preset_spec(self._chosen)
        widths = (0, 114 if self._neural else 200)
        self.config: Form[Any] = Form(first.config, self, choice_names=CHOICES, widths=widths)
        used = options.options_of(first.training).keys() - set(UNUSED.get(model, ()))
        self.training: Form[TrainingConfig] = Form(first.training, self, only=used, widths=widths)
        self.preset = Segmented(self._preset_texts(), tr("Preset"), self)
        self.preset.chosen.connect(self._preset_chosen)
        self._time = ElidedLabel(size=12, tone="muted")
        self.begins, self.chip = WarmStartChoice(self), WarmStartChip(self)
        self.log = LogBox(self)
        self.begins.activated.connect(self._begin_chosen)
        self.chip.dropped.connect(self.begin_with)
        self._lay_out()
        for form in (self.config, self.training):
            form.changed.connect(self._edited)
        self.load(first)

    def preset_values(self) -> list[str]:
        """The presets; for n-grams the usual orders."""
        return list(PRESETS[self._model]) if self._neural else list(ORDERS)

    def _first(self) -> str:
        """The smallest preset; for n-grams the order of the config's default."""
        if self._neural:
            return self.preset_values()[0]
        return str(options.options_of(MODELS[self._model].config)["order"][0].default)

    def _preset_texts(self) -> list[tuple[str, str]]:
        texts = [(v, tr(PRESET_NAMES[v]) if self._neural else v) for v in self.preset_values()]
        return [*texts, (OWN, tr("own"))]

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(theme.px(12))
        top.addWidget(label(tr("Preset") if self._neural else tr("Order"), tone="muted"))
        top.addWidget(self.preset)
        top.addStretch()
        self.restored = button(tr("Back to the preset"), "link", parent=self)
        self.restored.clicked.connect(self.restore)
        top.addWidget(self.restored)
        columns = QHBoxLayout()
        columns.setSpacing(theme.px(12))
        columns.addLayout(_column(tr("Structure"), self.config), 1)
        if self._neural:
            columns.addLayout(_column(tr("Optimisation"), self.training), 1)
        else:
            self.training.hide()
        fields = QWidget(self)
        fields.setLayout(columns)
        columns.setContentsMargins(0, 0, theme.px(4), 0)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(12))
        layout.addLayout(top)
        layout.addLayout(self._second_row())
        layout.addWidget(scrolled(fields, self), 1)

    def _second_row(self) -> QHBoxLayout:
        """What a network's preset means in time, and whose weights it begins with."""
        row = QHBoxLayout()
        row.setSpacing(theme.px(12))
        row.addWidget(self._time, 1)
        row.addWidget(self.chip)
        for widget in (self._time, self.begins, self.log):
            widget.setVisible(self._neural)
        if self._neural:
            caption = label(tr("Begins with"), tone="muted")
            caption.setBuddy(self.begins)
            self.training.add_rare(caption, self.begins)
            self.log.stand_in(self.training)
        return row

    @Slot()
    def begin_with(self, run_id: int | None = None) -> None:
        """Begin with the weights of a run that is offered, or with random ones."""
        self.begins.set_value(run_id)
        known = self.begins.value() is not None
        self.chip.show_name(self.begins.currentText() if known else "")

    @Slot()
    def _begin_chosen(self) -> None:
        self.begin_with(self.begins.value())
        self.changed.emit()

    def spec(self) -> RunSpec:
        """What is set; it may have faults."""
        return RunSpec(self._model, self.config.value(), self.training.value())

    def set_device(self, device: str) -> None:
        """Take on another default; a device chosen for this run stays."""
        spec, before = self.spec(), self._device
        self._device = device
        if spec.training.device == before != device:
            self.load(self._with_device(spec))

    def faults(self) -> list[Fault]:
        """What is wrong with it."""
        return self.spec().check()

    def control(self, name: str) -> QWidget | None:
        """The control of a field; None if it has none here."""
        for form in (self.config, self.training):
            if name in form.names():
                return form.control(name)
        return None

    def load(self, spec: RunSpec) -> None:
        """Show a spec; settings count as changed against the preset it comes nearest to."""
        preset = self._matching(spec)
        for form, config in ((self.config, spec.config), (self.training, spec.training)):
            form.set_value(config)  # type: ignore[arg-type]
        self._show_preset(preset)

    @Slot()
    def restore(self) -> None:
        """Go back to the preset last chosen."""
        self._preset_chosen(self._chosen)

    @Slot(str)
    def _preset_chosen(self, name: str) -> None:
        if name != OWN:
            self._chosen = name
            self.load(self._preset_spec(name))
        self._show_preset(name)
        self.changed.emit()

    @Slot()
    def _edited(self) -> None:
        self._show_preset(self._matching(self.spec()))
        self.changed.emit()

    def _show_preset(self, name: str) -> None:
        self.preset.set_value(name)
        if name == OWN:
            enable(self.restored)
        else:
            disable(self.restored, tr("Everything is as in the preset"))
        if self._neural:
            self._time.setText(_time(self.training.value()))
        else:
            self._allow_settings()

    def _allow_settings(self) -> None:
        """Only those that mean something to the smoothing."""
        for name, smoothings in SETTINGS.items():
            if name not in self.config.names():
                continue
            control = self.config.control(name)
            if self.config.value().smoothing in smoothings:
                enable(control)
            else:
                disable(control, tr("For {smoothings} only", smoothings=listed(smoothings)))

    def _matching(self, spec: RunSpec) -> str:
        """The preset that gives `spec`, or OWN."""
        for name in self.preset_values():
            preset = self._preset_spec(name)
            if self._neural and asdict(spec) == asdict(preset):
                return name
            if not self._neural and spec.config == preset.config:
                return name
        return OWN

    def _preset_spec(self, name: str) -> RunSpec:
        if not self._neural:
            return RunSpec.from_json({"model": self._model, "config": {"order": int(name)}})
        return self._with_device(RunSpec.from_json({"model": self._model, "preset": name}))

    def _with_device(self, spec: RunSpec) -> RunSpec:
        return replace(spec, training=replace(spec.training, device=self._device))


def _time(config: TrainingConfig) -> str:
    """When the training is to end."""
    if not config.minutes:
        return tr("ends after {epochs} epochs", epochs=config.epochs)
    minutes = figures.whole_duration(config.minutes * 60)
    return tr("about {time} on this computer, {epochs} epochs at most", time=minutes,
              epochs=config.epochs)  # fmt: skip


def _column(title: str, form: QWidget) -> QVBoxLayout:
    made = QVBoxLayout()
    made.setSpacing(theme.px(8))
    made.addWidget(label(title, bold=True))
    made.addWidget(form)
    made.addStretch()
    return made
