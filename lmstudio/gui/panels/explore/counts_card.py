"""CountsCard: an order of a segmentation in; how many n-grams occur how often, and r*, out."""

import math

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QWidget

from lmstudio import figures
from lmstudio.analysis.laboratory import CountsOfCounts
from lmstudio.gui.captions import sentence_case
from lmstudio.gui.jobs import Asker
from lmstudio.gui.state import AppState
from lmstudio.gui.table_export import TableExport
from lmstudio.gui.tables import Cell, Column, Row, Table
from lmstudio.gui.widgets import Card
from lmstudio.messages import tr
from lmstudio.models.ngram.smoothing.estimates import HALF
from lmstudio.operations import laboratory


class CountsCard(Card):
    """r* as Good and Turing have it, and smoothed by Gale and Sampson's line in the tool tip."""

    known = Signal(float)  # the discount that n1 and n2 tell, or one half

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(tr("Counts of counts"), parent=parent)
        self._state = state
        self.counts: CountsOfCounts | None = None
        self._asked = (0, 0)
        columns = [
            Column("r", "r", right=True, show=figures.count, width=40),
            Column("n", "nᵣ", right=True, show=figures.count,
                   note=tr("How many n-grams occur r times")),
            Column("turing", "r*", right=True, show=_two, width=62,
                   note=tr("Good and Turing's (r + 1) nᵣ₊₁ / nᵣ")),
            Column("smoothed", sentence_case(tr("smoothed")), right=True, show=_two, width=72,
                   note=tr("The same from a straight line through the logarithms")),
        ]  # fmt: skip
        self.table = Table(columns, tr("Counts of counts"), self, row_height=24)
        self.export_table = TableExport(
            state, self.table, tr("Save the counts as CSV"), "counts-of-counts", self
        )
        self.row.add_tool(self.export_table.button())
        self.body.addWidget(self.table, 1)
        self._asker = Asker(state, self)
        self._asker.answered.connect(self._take)
        self._asker.failed.connect(self._fail)

    @property
    def busy(self) -> bool:
        """An answer is awaited."""
        return self._asker.busy

    def ask(self, segmentation: int, order: int) -> None:
        """Count the n-grams of another order."""
        if (segmentation, order) != self._asked:
            self._asked = segmentation, order
            ws = self._state.workspace
            self._asker.ask(laboratory.counts_of_counts, ws, segmentation, order)

    def cancel(self) -> None:
        """Ask no more."""
        if self._asker.busy:
            self._asker.cancel()
            self._asked = (0, 0)

    @Slot(object)
    def _take(self, found: CountsOfCounts) -> None:
        self.counts = found
        self.row.set_note(tr("{order}-grams", order=self._asked[1]))
        self.table.set_rows([
            Row(r, {"r": Cell(r), "n": Cell(n), "turing": _cell(turing),
                    "smoothed": _cell(smoothed)})
            for r, n, turing, smoothed in zip(found.r, found.n, found.turing, found.smoothed,
                                              strict=True)
        ])  # fmt: skip
        once, twice = found.n[:2]
        self.known.emit(once / (once + 2 * twice) if once and twice else HALF)

    @Slot(object)
    def _fail(self) -> None:
        self._asked = (0, 0)
        self.table.set_rows([])


def _cell(value: float) -> Cell:
    return Cell(None if math.isnan(value) else value, text=_two(value))


def _two(value: float) -> str:
    return figures.decimal(value, 2)
