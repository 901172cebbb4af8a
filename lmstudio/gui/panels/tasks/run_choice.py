"""RunChoice: the fine-tuned run that is asked, as a box of all there are; one for every panel."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QWidget

from lmstudio.gui import theme
from lmstudio.gui.choices import fill
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import label, mark_icon
from lmstudio.messages import tr
from lmstudio.store.rows import RunRow


class RunChoice(QWidget):
    """Follows what is chosen elsewhere in the room."""

    changed = Signal()  # another run is asked, or the first

    def __init__(self, state: AppState, parent: QWidget) -> None:
        super().__init__(parent)
        self._state = state
        self.box = QComboBox(self)
        self.box.setAccessibleName(tr("Fine-tuned run"))
        self.box.setMinimumContentsLength(32)  # a seed stands at the end
        self.box.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(8))
        row.addWidget(label(tr("Ask this model"), tone="muted"))
        row.addWidget(self.box)
        self._before = 0
        self.box.activated.connect(self._choose)
        for signal in (state.runs_changed, state.workspace_changed, state.tuned.changed):
            signal.connect(self.refresh)
        self.refresh()

    def run(self) -> RunRow | None:
        """The run that is asked; None where nothing is fine-tuned yet."""
        return self._state.tuned.run(self._state.workspace) if self._state.has_workspace else None

    @Slot()
    def refresh(self) -> None:
        """Offer what there is."""
        known = self._state.tuned.known(self._state.workspace) if self._state.has_workspace else []
        fill(self.box, [(run.name, run.id) for run in known])
        for number, run in enumerate(known):
            self.box.setItemIcon(number, mark_icon(run.model))
        chosen = self.run()
        number = chosen.id if chosen else 0
        if chosen is not None:
            self.box.setCurrentIndex(self.box.findData(number))
        if number != self._before:
            self._before = number
            self.changed.emit()

    @Slot()
    def _choose(self) -> None:
        self._state.tuned.choose_run(self._state.workspace.run(int(self.box.currentData())))
