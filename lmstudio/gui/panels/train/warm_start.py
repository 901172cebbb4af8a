"""Runs of a kind -> the one whose weights a new run begins with, if any."""

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QWidget

from lmstudio.gui import theme
from lmstudio.gui.captions import sentence_case
from lmstudio.gui.widgets import ElidedLabel, tool
from lmstudio.messages import tr
from lmstudio.store.rows import RunRow


class WarmStartChoice(QComboBox):
    """Random numbers first, then the runs that have weights."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Begins with"))
        self.setToolTip(tr("What the weights are before training: those of another run, or random"))
        self.setMinimumContentsLength(8)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.offer([])

    def offer(self, runs: list[RunRow]) -> None:
        """Let the user choose among `runs`; what was chosen stays if it is one of them."""
        chosen = self.currentData()
        with QSignalBlocker(self):
            self.clear()
            self.addItem(sentence_case(tr("random weights")), None)
            for run in runs:
                self.addItem(run.name, run.id)
            self.set_value(chosen)

    def value(self) -> int | None:
        """The id of the run; None: random."""
        chosen = self.currentData()
        return None if chosen is None else int(chosen)

    def set_value(self, run_id: int | None) -> None:
        """Choose a run; one that is not offered means random."""
        self.setCurrentIndex(0 if run_id is None else max(0, self.findData(run_id)))


class WarmStartChip(QFrame):
    """Says whose weights the run begins with; its cross means random ones instead."""

    dropped = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "chip")
        self._text = ElidedLabel(size=12, tone="accent")
        cross = tool("close", tr("Begin with random weights instead"), parent=self)
        cross.clicked.connect(self.dropped)
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.px(8), 0, 0, 0)
        row.setSpacing(theme.px(4))
        row.addWidget(self._text, 1)
        row.addWidget(cross)
        self.hide()

    def show_name(self, name: str) -> None:
        """The name of the run; "" hides the chip."""
        self._text.setText(tr("begins with the weights of {name}", name=name))
        self.setVisible(bool(name))

    def text(self) -> str:
        """What it says."""
        return self._text.full_text()
