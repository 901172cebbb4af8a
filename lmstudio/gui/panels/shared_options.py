"""SharedOptions: what both sides of the comparison have in common, in one row that folds away."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QSpinBox, QWidget

from lmstudio import options
from lmstudio.gui import theme
from lmstudio.gui.widgets import label
from lmstudio.messages import msg, tr
from lmstudio.text.segment import SegmentOptions

SENTENCES = {
    "auto": msg("as the corpus says"),
    "line": msg("at the end of a line"),
    "punctuation": msg("at 。！？ too"),
}


class SharedOptions(QWidget):
    """Sentence rule, minimum count and most types."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._known = options.options_of(SegmentOptions)
        self._layout = QHBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(theme.px(8))
        self.sentences = QComboBox(self)
        for rule, title in SENTENCES.items():
            self.sentences.addItem(tr(title), rule)
        self.sentences.currentIndexChanged.connect(self.changed)
        self._add("sentences", self.sentences)
        self.min_count = self._number("min_count")
        self.max_size = self._number("max_size")
        self._layout.addStretch()

    def _number(self, name: str) -> QSpinBox:
        entry = self._known[name][1]
        box = QSpinBox(self)
        box.setRange(int(entry.low or 0), int(entry.high or 2**31 - 1))
        box.setValue(getattr(SegmentOptions(), name))
        box.setFixedWidth(theme.px(88))
        box.setAlignment(Qt.AlignmentFlag.AlignRight)
        box.setKeyboardTracking(False)
        box.valueChanged.connect(self.changed)
        self._add(name, box)
        return box

    def _add(self, name: str, control: QWidget) -> None:
        entry = self._known[name][1]
        control.setAccessibleName(tr(entry.label))
        control.setToolTip(tr(entry.help))
        caption = label(tr(entry.label), tone="muted")
        caption.setBuddy(control)
        self._layout.addWidget(caption)
        self._layout.addWidget(control)
        self._layout.addSpacing(theme.px(8))

    def value(self) -> SegmentOptions:
        """The options with what is set here; the segmenter itself is each side's own."""
        return SegmentOptions(
            sentences=self.sentences.currentData(), min_count=self.min_count.value(),
            max_size=self.max_size.value(),
        )  # fmt: skip

    def changed_count(self) -> int:
        """How many differ from the default."""
        value, default = self.value(), SegmentOptions()
        names = ("sentences", "min_count", "max_size")
        return sum(getattr(value, name) != getattr(default, name) for name in names)
