"""SharedOptions: what both sides of the comparison have in common; it folds away.

Sentence rule, which types the vocabulary keeps, and the cleaning that pieces of words ask for. Only
what makes a difference to one of the sides is shown.
"""

from collections.abc import Iterable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLineEdit, QSpinBox, QWidget

from lmstudio import options
from lmstudio.gui import theme
from lmstudio.gui.captions import sentence_case
from lmstudio.gui.widgets import WholeBox, label
from lmstudio.gui.widgets.file_field import FileField
from lmstudio.gui.widgets.flow_layout import FlowLayout
from lmstudio.messages import msg, tr
from lmstudio.text.segment_options import SegmentOptions, applies

CHOICE_NAMES = {
    "auto": msg("as the corpus says"),
    "line": msg("at the end of a line"),
    "punctuation": msg("at 。！？ too"),
    "unk": msg("one unknown token each"),
    "characters": msg("cut into characters"),
}
SHARED = (
    "sentences", "min_count", "max_size", "unknown", "special", "lower", "strip_accents",
    "han_apart", "clean",
)  # fmt: skip
"""Fields of SegmentOptions, in the order on screen."""


def heeded(chosen: SegmentOptions, tokenizer: str = "") -> SegmentOptions:
    """With the default of every option that makes no difference; `tokenizer`: see `applies`."""
    names = ("by", *applies(chosen.by, tokenizer))
    default = SegmentOptions()
    ignored = {f.name: getattr(default, f.name) for f in fields(chosen) if f.name not in names}
    return replace(chosen, **ignored)


class SharedOptions(QWidget):
    """Emits `changed` when the user changes one."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._known = options.options_of(SegmentOptions)
        self._layout = FlowLayout(self, gap=theme.px(8))
        self._controls: dict[str, QWidget] = {}
        self._fields: dict[str, QWidget] = {}
        default = SegmentOptions()
        for name in SHARED:
            self._add(name, getattr(default, name))
        self.stop_words = FileField(tr("Stop words…"), parent=self)
        self.stop_words.ask_button.setToolTip(
            tr("A file of words, one a line: they become unknown, as rare words do")
        )
        self.stop_words.changed.connect(self.changed)
        self._layout.addWidget(self.stop_words)

    def _add(self, name: str, value: Any) -> None:
        entry = self._known[name][1]
        control: QWidget
        if isinstance(value, bool):
            control = self._check_box(value, tr(entry.label))
        elif entry.choices:
            control = self._combo_box(entry.choices)
        elif isinstance(value, int):
            control = self._number(value, entry)
        else:
            control = self._line(value)
        control.setAccessibleName(tr(entry.label))
        control.setToolTip(tr(entry.help))
        control.setObjectName(name)
        field = QWidget(self)
        row = QHBoxLayout(field)
        row.setContentsMargins(0, 0, theme.px(8), 0)
        row.setSpacing(theme.px(6))
        if not isinstance(value, bool):
            caption = label(tr(entry.label), tone="muted")
            caption.setBuddy(control)
            row.addWidget(caption)
        row.addWidget(control)
        self._layout.addWidget(field)
        self._controls[name], self._fields[name] = control, field

    def _check_box(self, value: bool, text: str) -> QCheckBox:
        box = QCheckBox(text, self)
        box.setChecked(value)
        box.setMinimumHeight(theme.px(32))
        box.toggled.connect(self.changed)
        return box

    def _combo_box(self, choices: tuple[str, ...]) -> QComboBox:
        box = QComboBox(self)
        for choice in choices:
            box.addItem(sentence_case(tr(CHOICE_NAMES[choice])), choice)
        box.currentIndexChanged.connect(self.changed)
        return box

    def _number(self, value: int, entry: options.Option) -> WholeBox:
        box = WholeBox(self)
        box.setRange(int(entry.low or 0), int(entry.high or 2**31 - 1))
        box.setValue(value)
        box.setFixedWidth(theme.px(76))
        box.setKeyboardTracking(False)
        box.valueChanged.connect(self.changed)
        return box

    def _line(self, value: str) -> QLineEdit:
        box = QLineEdit(value, self)
        box.setFixedWidth(theme.px(130))
        box.setPlaceholderText(tr("such as [MASK]"))
        box.editingFinished.connect(self.changed)
        return box

    def control(self, name: str) -> Any:
        """The control of an option: a box to check, to choose from, to count or to type in."""
        return self._controls[name]

    def show_only(self, names: Iterable[str]) -> None:
        """Show what makes a difference."""
        wanted = set(names)
        for name, field in self._fields.items():
            field.setVisible(name in wanted)
        self.updateGeometry()

    def value(self) -> SegmentOptions:
        """The options with what is set here; the segmenter itself is each side's own."""
        return SegmentOptions(**{name: _read(box) for name, box in self._controls.items()})

    def value_for(self, by: str) -> SegmentOptions:
        """The same for a segmenter, without what makes no difference to it."""
        return heeded(replace(self.value(), by=by))

    def stop_file(self) -> Path | None:
        """The words that the vocabulary leaves out."""
        return self.stop_words.path

    def changed_count(self) -> int:
        """How many of those shown differ from the default."""
        value, default = self.value(), SegmentOptions()
        shown = [name for name, field in self._fields.items() if not field.isHidden()]
        changed = sum(getattr(value, name) != getattr(default, name) for name in shown)
        return changed + (self.stop_words.path is not None)


def _read(control: QWidget) -> Any:
    if isinstance(control, QCheckBox):
        return control.isChecked()
    if isinstance(control, QComboBox):
        return control.currentData()
    if isinstance(control, QSpinBox):
        return control.value()
    assert isinstance(control, QLineEdit)
    return control.text().strip()
