"""SplitFields: the shares of the validation and test part and the seed, in one row."""

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from lmstudio import options
from lmstudio.data.split import SplitRule
from lmstudio.gui import theme
from lmstudio.gui.widgets import DecimalBox, WholeBox, disable, enable, label
from lmstudio.messages import tr

_WIDTH = 64


class SplitFields(QWidget):
    """A SplitRule as fields."""

    changed = Signal()

    def __init__(self, rule: SplitRule, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rule = rule
        self._options = options.options_of(SplitRule)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(8))
        self.valid = self._share(layout, "valid", rule.valid)
        self.test = self._share(layout, "test", rule.test)
        self.seed = WholeBox(self)
        self.seed.setRange(0, 2**31 - 1)
        self.seed.setValue(rule.seed)
        self._add(layout, "seed", self.seed)
        layout.addStretch()

    def _share(self, layout: QHBoxLayout, name: str, value: float) -> DecimalBox:
        box = DecimalBox(self)
        box.setDecimals(1)
        box.setRange(0, 45)
        box.setValue(value)
        box.setSuffix(" %")
        self._add(layout, name, box)
        return box

    def _add(self, layout: QHBoxLayout, name: str, box: WholeBox | DecimalBox) -> None:
        entry = self._options[name][1]
        box.setFixedWidth(theme.px(_WIDTH + 8))
        box.setAccessibleName(tr(entry.label))
        box.setToolTip(tr(entry.help))
        box.valueChanged.connect(self.changed)
        caption = label(tr(entry.label), tone="muted")
        caption.setBuddy(box)
        layout.addWidget(caption)
        layout.addWidget(box)
        layout.addSpacing(theme.px(8))

    def value(self) -> SplitRule:
        """What is set."""
        return replace(
            self._rule, valid=self.valid.value(), test=self.test.value(), seed=self.seed.value()
        )

    def switch_off(self, reason: str) -> None:
        """Nothing is split, for a reason; "" undoes it."""
        for box in (self.valid, self.test, self.seed):
            if reason:
                disable(box, reason)
            else:
                enable(box)
