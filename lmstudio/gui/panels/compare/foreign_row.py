"""ForeignRow: curves from files in; a chip for each, with what it is and a cross, out."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.panels.compare.measures import MEASURES
from lmstudio.gui.panels.compare.run_series import PARTS
from lmstudio.gui.widgets import label, tool
from lmstudio.gui.widgets.flow_layout import FlowLayout
from lmstudio.messages import tr
from lmstudio.operations.foreign_curves import ForeignCurve

_SHOWN = 24  # characters of a name


class ForeignRow(QWidget):
    """Hidden while there is no curve."""

    removed = Signal(int)  # its number

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._curves: list[ForeignCurve] = []
        self._chips: list[ForeignChip] = []
        self._flow = FlowLayout(self, gap=theme.px(8))
        self._flow.addWidget(label(tr("From files"), size=12, tone="muted"))
        self.hide()

    def show_curves(self, curves: list[ForeignCurve]) -> None:
        """Show these instead of what is shown."""
        if curves == self._curves:
            return
        self._curves = curves
        while self._chips:
            self._chips.pop().deleteLater()
        for curve in curves:
            chip = ForeignChip(curve, self)
            chip.removed.connect(self.removed)
            self._flow.addWidget(chip)
            self._chips.append(chip)
        self.setVisible(bool(curves))

    def chips(self) -> "list[ForeignChip]":
        """Those on screen."""
        return list(self._chips)


class ForeignChip(QFrame):
    """The name of a curve, and the cross that removes it."""

    removed = Signal(int)

    def __init__(self, curve: ForeignCurve, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._number = curve.number
        self.setProperty("kind", "chip")
        name = curve.name if len(curve.name) <= _SHOWN else f"{curve.name[: _SHOWN - 1]}…"
        self._text = label(f"┄ {name}", size=12)
        self.cross = tool("close", tr("Remove the curve {name}", name=curve.name), parent=self)
        self.cross.clicked.connect(self._remove)
        facts = (curve.name, tr(MEASURES[curve.measure].title), tr(PARTS[curve.part]),
                 tr("{count} points", count=figures.count(len(curve.values))),
                 curve.source)  # fmt: skip
        self.setToolTip(" · ".join(facts))
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.px(8), 0, 0, 0)
        row.setSpacing(theme.px(4))
        row.addWidget(self._text)
        row.addWidget(self.cross)

    def text(self) -> str:
        """What it says."""
        return self._text.text()

    @Slot()
    def _remove(self) -> None:
        self.removed.emit(self._number)
