"""PseudoOnly: runs none of which may share the axes in; why, and what can be drawn of them, out."""

from collections.abc import Iterable

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from lmstudio.gui.panels.compare.measure_choice import MeasureChoice
from lmstudio.gui.panels.compare.measures import MEASURES
from lmstudio.gui.panels.compare.run_board import RunEntry
from lmstudio.gui.widgets import EmptyState, button
from lmstudio.messages import tr
from lmstudio.operations import evaluation

OWN = ("masked_loss", "both_loss")
"""What models that see both sides of a token learn to lower."""


class PseudoOnly(EmptyState):
    """Stands in place of the plot where all runs see both sides of a token."""

    def __init__(self, measure: MeasureChoice, parent: QWidget) -> None:
        self.shown = button("", parent=parent)
        super().__init__(
            tr("All figures here are pseudo figures"),
            tr("The models see both sides of the token that they guess, so their figures share no "
               "axis with perplexity. What they were trained on can be drawn."),
            [self.shown], family="bert", parent=parent,
        )  # fmt: skip
        self._measure = measure
        self._own = ""
        self.shown.clicked.connect(self._show)

    def suits(self, entries: Iterable[RunEntry], measures: list[str], measure: str) -> bool:
        """Whether it is to be shown for `measure` where nothing of `entries` could be drawn."""
        entries = list(entries)
        self._own = next((name for name in OWN if name in measures), "")
        if self._own:
            self.shown.setText(tr("Draw “{measure}”", measure=tr(MEASURES[self._own].title)))
        pseudo = bool(entries) and all(entry.pseudo for entry in entries)
        return pseudo and bool(self._own) and measure in evaluation.MEASURES

    @Slot()
    def _show(self) -> None:
        self._measure.set_value(self._own)
