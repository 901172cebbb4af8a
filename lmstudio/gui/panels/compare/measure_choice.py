"""MeasureChoice: the measures that runs have in; the one to draw out."""

from PySide6.QtCore import QSignalBlocker, Slot
from PySide6.QtWidgets import QComboBox, QWidget

from lmstudio.gui.panels.compare.measures import ALWAYS, MEASURES
from lmstudio.messages import tr


class MeasureChoice(QComboBox):
    """Emits `activated` when the user chooses."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names: list[str] = []
        self.setAccessibleName(tr("Measure"))
        self.setToolTip(tr("What is drawn of the runs; M: the next"))
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.offer(list(ALWAYS))

    def value(self) -> str:
        """A key of MEASURES."""
        return str(self.currentData())

    def offer(self, names: list[str]) -> None:
        """Let the user choose among `names`; what was chosen stays if it is one of them."""
        if names == self._names:
            return
        chosen, self._names = self.currentData(), names
        with QSignalBlocker(self):
            self.clear()
            for name in names:
                self.addItem(tr(MEASURES[name].title), name)
            self.setCurrentIndex(max(0, self.findData(chosen)))

    def set_value(self, name: str) -> None:
        """Choose as the user does."""
        self.setCurrentIndex(self.findData(name))
        self.activated.emit(self.currentIndex())

    @Slot()
    def choose_next(self) -> None:
        """Go on to the next one, from the last to the first."""
        self.set_value(self._names[(self.currentIndex() + 1) % len(self._names)])
