"""LawCard: what was counted and the law fitted to it in; both on logarithmic axes out."""

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from lmstudio import figures
from lmstudio.gui.dialogs.export_plot import ExportDialog
from lmstudio.gui.plot_curves import Series
from lmstudio.gui.plots import Axes, Plot
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Card, tool
from lmstudio.messages import tr

_AXES = Axes(log_x=True, log_y=True, end_values=False, whole=True, decimals=0, show_y=figures.short)


@dataclass(frozen=True)
class Fit:
    """A law: x and y as counted (P,), and what the law gives for the same x."""

    x: np.ndarray
    y: np.ndarray
    fitted: np.ndarray
    sentence: str  # with the exponent


class LawCard(Card):
    """The exponent stands in the title row; the fitted line is dashed."""

    def __init__(self, state: AppState, title: str, parent: QWidget | None = None) -> None:
        super().__init__(title, parent=parent)
        self._state, self._title = state, title
        self.plot = Plot(title, self)
        export = tool("export", tr("Export the chart"), parent=self)
        self.row.add_tool(export)
        self.body.addWidget(self.plot, 1)
        export.clicked.connect(self.export)
        self.plot.export_wanted.connect(self.export)
        self.plot.set_axes(_AXES)

    def show_fit(self, fit: Fit | None) -> None:
        """Draw a law; None draws nothing."""
        self.row.set_note(fit.sentence if fit else "")
        self.plot.set_series(_series(fit) if fit else [])

    @Slot()
    def export(self) -> None:
        """Ask how large and where to, and draw the plot there."""
        cut, law = self._state.segmentation, self.row.note.full_text()
        caption = " · ".join(filter(None, (cut.name if cut else "", self._title, law)))
        ExportDialog(self._state, self.plot, caption, self.window()).open()


def _series(fit: Fit) -> list[Series]:
    counted = Series("counted", tr("Counted"), fit.x, fit.y)
    if not np.isfinite(fit.fitted).all():
        return [counted]  # too little to fit anything to
    return [counted, Series("fitted", tr("Fitted"), fit.x, fit.fitted, dash=1)]
