"""KnobsCard: sliders for k and D in; their values, and what they come to, out."""

import math

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QSlider, QVBoxLayout, QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.widgets import Card, ElidedLabel, button, label
from lmstudio.messages import tr

_K_LOW, _K_DECADES, _K_STEPS = 1e-4, 5, 20  # from 0.0001 to 10, so many steps to a decade
_D_STEPS = 100


class Knob(QWidget):
    """A title, a value in bold, a slider, its ends, and a sentence below."""

    moved = Signal(int)

    def __init__(
        self, title: str, steps: int, ends: tuple[str, str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.value = label(bold=True, size=15)
        self.slider = QSlider(Qt.Orientation.Horizontal, self)
        self.slider.setRange(0, steps)
        self.slider.setPageStep(max(steps // 10, 1))
        self.slider.setAccessibleName(title)
        self.slider.valueChanged.connect(self.moved)
        self.said = ElidedLabel(size=12, tone="muted")
        top, low = QHBoxLayout(), QHBoxLayout()
        top.addWidget(label(title))
        top.addStretch()
        top.addWidget(self.value)
        for text, where in zip(ends, (0, 1), strict=True):
            if where:
                low.addStretch()
            low.addWidget(label(text, size=12, tone="muted"))
        self.foot = QHBoxLayout()
        self.foot.addWidget(self.said, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(1))
        layout.addLayout(top)
        layout.addWidget(self.slider)
        layout.addLayout(low)
        layout.addLayout(self.foot)

    def put(self, step: int) -> None:
        """Move the slider; emits nothing."""
        with QSignalBlocker(self.slider):
            self.slider.setValue(step)


class KnobsCard(Card):
    """D stands at the estimated value until it is moved, and can be put back there."""

    turned = Signal(str)  # "k" or "discount"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("k and D"), parent=parent)
        ends = ("0.0001", "10")
        self.k_knob = Knob(tr("k of add k"), _K_DECADES * _K_STEPS, ends, self)
        self.d_knob = Knob(tr("D of absolute discounting, KN"), _D_STEPS, ("0", "1"), self)
        self.estimate = button(tr("estimated"), "link", parent=self)
        self.estimate.setToolTip(tr("Estimate D for each order from the counts of counts"))
        self.d_knob.foot.addWidget(self.estimate)
        self._estimated = math.nan
        self._own = False  # D was moved by hand
        self.body.addWidget(self.k_knob)
        self.body.addWidget(self.d_knob)
        self.k_knob.put(round(math.log10(0.1 / _K_LOW) * _K_STEPS))
        self.k_knob.moved.connect(self._k_moved)
        self.d_knob.moved.connect(self._d_moved)
        self.estimate.clicked.connect(self.put_back)
        self._show_values()

    @property
    def k(self) -> float:
        """What add-k adds."""
        return float(f"{_K_LOW * 10 ** (self.k_knob.slider.value() / _K_STEPS):.3g}")

    @property
    def discount(self) -> float:
        """D, and 0 where it is estimated."""
        return self.d_knob.slider.value() / _D_STEPS if self._own else 0.0

    @property
    def shown_discount(self) -> float:
        """D, or its estimate for the highest order; NaN where there is none."""
        return self.discount if self._own else self._estimated

    def set_estimate(self, discount: float) -> None:
        """What the counts of counts of the highest order tell; NaN: nothing."""
        self._estimated = discount
        self._show_values()

    def say(self, knob: str, bits: float, best: tuple[float, float] | None) -> None:
        """Bits per character of the valid part now, and the best (value, bits) of its curve.

        An estimated D, one for each order, may do better than any single one does.
        """
        now = figures.decimal(bits, 3)
        if best is None:
            text = tr("valid {bits} bits", bits=now)
        elif bits <= best[1]:
            estimated = knob == "discount" and not self._own
            text = (tr("valid {bits} bits: no single D is better", bits=now) if estimated
                    else tr("valid {bits} bits, the best", bits=now))  # fmt: skip
        else:
            text = tr("valid {bits} bits, best {best} at {value}", bits=now,
                      best=figures.decimal(best[1], 3), value=f"{best[0]:.2g}")  # fmt: skip
        (self.k_knob if knob == "k" else self.d_knob).said.setText(text)

    @Slot()
    def _k_moved(self) -> None:
        self._show_values()
        self.turned.emit("k")

    @Slot()
    def _d_moved(self) -> None:
        if self.d_knob.slider.value() == 0:
            self.d_knob.put(1)  # with D = 0 nothing is left for the unseen
        self._own = True
        self._show_values()
        self.turned.emit("discount")

    @Slot()
    def put_back(self) -> None:
        """Let D be estimated."""
        if self._own:
            self._own = False
            self._show_values()
            self.turned.emit("discount")

    def _show_values(self) -> None:
        self.k_knob.value.setText(f"{self.k:.4g}")
        if not self._own and not math.isnan(self._estimated):
            self.d_knob.put(round(self._estimated * _D_STEPS))
        self.d_knob.value.setText(figures.decimal(self.shown_discount, 2))
        estimate = figures.decimal(self._estimated, 2)
        self.estimate.setText(tr("estimated {value}", value=estimate))
        self.estimate.setEnabled(self._own)
