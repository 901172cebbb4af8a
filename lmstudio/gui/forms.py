"""Form: a config dataclass made of `option` fields in, labelled controls and their faults out."""

import dataclasses
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from PySide6.QtCore import QPoint, QSignalBlocker, QTimer, Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QGridLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from lmstudio import options
from lmstudio.errors import Fault
from lmstudio.gui import theme
from lmstudio.gui.captions import sentence_case
from lmstudio.gui.icons import icon
from lmstudio.gui.widgets import DecimalBox, WholeBox, button, label
from lmstudio.messages import tr
from lmstudio.options import Option

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

C = TypeVar("C", bound="DataclassInstance")
Control = QCheckBox | QComboBox | QSpinBox | QDoubleSpinBox | QLineEdit


class _AnyWhole(WholeBox):
    """Takes wrong numbers, to say why."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setRange(-(2**31), 2**31 - 1)


class _AnyNumber(DecimalBox):
    """Shows as many decimals as there are: 0.003, not 0.003000; steps by the number's size."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setDecimals(8)
        self.setRange(-1e12, 1e12)
        self.setStepType(QDoubleSpinBox.StepType.AdaptiveDecimalStepType)

    def textFromValue(self, value: float) -> str:  # noqa: N802
        return f"{value:.8f}".rstrip("0").rstrip(".") or "0"


class Form(QWidget, Generic[C]):
    """Controls for the fields of a config; the rarer ones fold away."""

    changed = Signal()  # the user changed a value

    def __init__(
        self, config: C, parent: QWidget | None = None, *, only: Iterable[str] = (),
        choice_names: dict[str, str] | None = None, widths: tuple[int, int] = (0, 200),
        strict: bool = False,
    ) -> None:  # fmt: skip
        """Fields of `config` (all, or `only` these); `choice_names` are catalogue sentences.

        They are keyed by the choice, or by "field.choice" where two fields have the same one.
        `widths`: of the captions at least, and of the choices. `strict`: a number that was wiped
        out is NaN, and a fault, until another is there; else the last one counts.
        """
        super().__init__(parent)
        self._config, self._default = config, config
        self._names = choice_names or {}
        self._widths, self._strict = widths, strict
        self._wiped: set[str] = set()
        wanted = set(only)
        self._options = {
            name: entry for name, (_, entry) in options.options_of(config).items()
            if not entry.formless and (not wanted or name in wanted)
        }  # fmt: skip
        self._controls: dict[str, Control] = {}
        self._notes: dict[str, QLabel] = {}
        self._faults: dict[str, QLabel] = {}
        self._more = QWidget(self)
        self._fold: QPushButton = button("", "link", icon_name="right", parent=self)
        self._build()
        self.set_value(config)

    def _build(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(8))
        plain = [name for name, entry in self._options.items() if not entry.more]
        rare = [name for name, entry in self._options.items() if entry.more]
        main = QWidget(self)
        for holder, names in ((main, plain), (self._more, rare)):
            grid = QGridLayout(holder)
            grid.setContentsMargins(0, 0, 0, 0)
            grid.setHorizontalSpacing(theme.px(12))
            grid.setVerticalSpacing(theme.px(4))
            grid.setColumnStretch(2, 1)
            for row, name in enumerate(names):
                self._add_field(grid, row, name, self._options[name])
        self._align_captions()
        self._fold.setCheckable(True)
        self._fold.toggled.connect(self._unfold)
        self._fold.setVisible(bool(rare))
        self._more.hide()
        for widget in (main, self._fold, self._more):
            layout.addWidget(widget)
        layout.addStretch()

    def _align_captions(self) -> None:
        """What folds away stands in the columns of what does not."""
        captions = [one for one in self.findChildren(QLabel) if one.buddy() is not None]
        wide = max((one.sizeHint().width() for one in captions), default=0)
        for grid in self.findChildren(QGridLayout):
            grid.setColumnMinimumWidth(0, max(wide, theme.px(self._widths[0])))

    def _add_field(self, grid: QGridLayout, row: int, name: str, entry: Option) -> None:
        control = self._control(name, entry)
        control.setToolTip(tr(entry.help))
        control.setAccessibleName(tr(entry.label))
        control.setAccessibleDescription(tr(entry.help))
        control.setObjectName(name)
        caption = label(tr(entry.label), tone="muted")
        caption.setBuddy(control)
        caption.setToolTip(tr(entry.help))
        self._controls[name] = control
        self._notes[name] = label(size=12, tone="muted")
        self._faults[name] = label(size=12, tone="bad", wrap=True)
        self._faults[name].hide()
        grid.addWidget(caption, 2 * row, 0)
        grid.addWidget(control, 2 * row, 1)
        grid.addWidget(self._notes[name], 2 * row, 2)
        grid.addWidget(self._faults[name], 2 * row + 1, 1, 1, 2)

    def _control(self, name: str, entry: Option) -> Control:
        value: Any = getattr(self._config, name)
        made: Control
        if isinstance(value, bool):
            made = QCheckBox(self)
            made.toggled.connect(self._edited)
            return made
        if entry.choices:
            made = QComboBox(self)
            for choice in entry.choices:
                title = self._names.get(f"{name}.{choice}", self._names.get(choice, choice))
                made.addItem(sentence_case(tr(title)), choice)
            made.currentIndexChanged.connect(self._edited)
        elif isinstance(value, int):
            made = _AnyWhole(self)
            made.valueChanged.connect(self._edited)
        elif isinstance(value, float):
            made = _AnyNumber(self)
            made.valueChanged.connect(self._edited)
        else:
            made = QLineEdit(self)
            made.textChanged.connect(self._edited)
        if self._strict and isinstance(made, QSpinBox | QDoubleSpinBox):
            made.lineEdit().textEdited.connect(self._look_for_wiped)
            made.editingFinished.connect(self._look_for_wiped)
        made.setFixedWidth(theme.px(self._widths[1] if isinstance(made, QComboBox) else 96))
        return made

    def add_rare(self, caption: QLabel, control: QWidget) -> None:
        """A control for something beside the config, at the foot of what folds away."""
        grid = self._more.layout()
        assert isinstance(grid, QGridLayout)
        row = grid.rowCount()
        grid.addWidget(caption, row, 0)
        grid.addWidget(control, row, 1, 1, 2)
        self._align_captions()

    def control(self, name: str) -> Control:
        """The control of a field, to focus or disable it."""
        return self._controls[name]

    def names(self) -> list[str]:
        """The fields that have a control."""
        return list(self._controls)

    def value(self) -> C:
        """The config as it stands in the controls; fields without a control keep their value."""
        read = {name: _read(control) for name, control in self._controls.items()}
        read |= dict.fromkeys(self._wiped, math.nan)
        changed: C = dataclasses.replace(self._config, **read)
        return changed

    def set_value(self, config: C) -> None:
        """Show `config`; emits nothing. It is also what "changed" settings are counted against."""
        self._config = self._default = config
        self._wiped = set()
        for name, control in self._controls.items():
            with QSignalBlocker(control):
                _write(control, getattr(config, name))
        self._update()

    def set_note(self, name: str, text: str) -> None:
        """A muted note beside a field."""
        self._notes[name].setText(text)

    def faults(self) -> list[Fault]:
        """What is wrong with the values in the controls."""
        return options.faults(self.value())

    def show_faults(self, faults: list[Fault]) -> None:
        """Put each fault under its field; those of other fields are left to others."""
        wrong = {fault.field: str(fault.message) for fault in faults}
        for name, text in self._faults.items():
            _mark(self._controls[name], name in wrong)
            text.setText(wrong.get(name, ""))
            text.setVisible(name in wrong)
            if name in wrong and self._options[name].more:
                self._fold.setChecked(True)

    @Slot()
    def _edited(self) -> None:
        self._update()
        self.changed.emit()

    @Slot()
    def _look_for_wiped(self) -> None:
        """Neither wiping a number out nor writing the same one again changes its value."""
        wiped = {
            name for name, control in self._controls.items()
            if isinstance(control, QSpinBox | QDoubleSpinBox) and not control.cleanText()
        }  # fmt: skip
        if wiped != self._wiped:
            self._wiped = wiped
            self._edited()

    @Slot(bool)
    def _unfold(self, shown: bool) -> None:
        self._more.setVisible(shown)
        self._fold.setIcon(icon("down" if shown else "right", "accent"))
        self._update()
        if shown:
            QTimer.singleShot(0, self, self._show_more)  # once it is laid out

    @Slot()
    def _show_more(self) -> None:
        """Scroll as far as what was unfolded can be seen, from its first line."""
        area: QWidget | None = self
        while area is not None and not isinstance(area, QScrollArea):
            area = area.parentWidget()
        inside = area.widget() if isinstance(area, QScrollArea) else None
        if isinstance(area, QScrollArea) and inside is not None and self._more.isVisible():
            top = self._fold.mapTo(inside, QPoint()).y()
            end = self._more.mapTo(inside, QPoint(0, self._more.height())).y()
            bar = area.verticalScrollBar()
            bar.setValue(min(top, max(bar.value(), end - area.viewport().height())))

    def _update(self) -> None:
        self.show_faults(self.faults())
        rare = [name for name, entry in self._options.items() if entry.more]
        value = self.value()
        changed = sum(getattr(value, name) != getattr(self._default, name) for name in rare)
        if changed:
            text = tr(
                "More settings ({count}, {changed} changed)", count=len(rare), changed=changed
            )
        else:
            text = tr("More settings ({count})", count=len(rare))
        self._fold.setText(text)


def _read(control: Control) -> Any:
    if isinstance(control, QCheckBox):
        return control.isChecked()
    if isinstance(control, QComboBox):
        return control.currentData()
    if isinstance(control, QLineEdit):
        return control.text().strip()
    return control.value()


def _write(control: Control, value: Any) -> None:
    if isinstance(control, QCheckBox):
        control.setChecked(bool(value))
    elif isinstance(control, QComboBox):
        control.setCurrentIndex(control.findData(value))
    elif isinstance(control, QLineEdit):
        control.setText(str(value))
    else:
        control.setValue(value)


def _mark(control: QWidget, bad: bool) -> None:
    if bool(control.property("bad")) != bad:
        control.setProperty("bad", bad)
        control.style().unpolish(control)
        control.style().polish(control)
