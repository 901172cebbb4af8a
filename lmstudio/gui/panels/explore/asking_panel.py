"""AskingPanel: a panel that asks runs; those dragged onto it are asked too, and sentences."""

from PySide6.QtCore import QTimer, Slot
from PySide6.QtWidgets import QWidget

from lmstudio.gui.dragged import RUN, SENTENCE, Dragged
from lmstudio.gui.jobs import Asker
from lmstudio.gui.panels.explore.asked_row import AskedRow
from lmstudio.gui.panels.panel import Panel
from lmstudio.gui.state import AppState
from lmstudio.messages import tr


class AskingPanel(Panel):
    """Has an AskedRow. What the panels of Explore ask about follows the state."""

    takes_sentences = True  # it asks about the sentence of the state

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self._look = QTimer(self, interval=0, singleShot=True)  # once who asks knows that it does
        self._look.timeout.connect(self._tell_asking)
        for signal in (state.jobs.added, state.jobs.finished):
            signal.connect(self._job_changed)

    @Slot()
    def _job_changed(self) -> None:
        self._look.start()

    @Slot()
    def _tell_asking(self) -> None:
        self._row().show_asking(any(asker.busy for asker in self.findChildren(Asker)))

    def why_not_drop(self, carried: Dragged) -> str:
        """A run has to be able to answer the question of the panel."""
        if carried.kind == SENTENCE:
            return "" if self.takes_sentences else super().why_not_drop(carried)
        run = self.state.run_row(carried.number)
        if run is None:
            return tr("This run is not here any more.")
        why = self._row().reason(run)
        return tr("{name}: {reason}", name=run.name, reason=why) if why else ""

    def take_dropped(self, carried: Dragged) -> None:
        """Ask the run, in its corpus; or ask about the sentence."""
        if carried.kind == RUN:
            self.state.select_segmentation(self.state.workspace.run(carried.number).segmentation_id)
            self._row().take(carried.number)
        else:
            self.state.set_sentence(carried.text)

    def _row(self) -> AskedRow:
        row = self.findChild(AskedRow)
        assert row is not None
        return row
