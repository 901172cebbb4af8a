"""SmoothingSide: the columns of a table in; knobs, growth and counts of counts beside it out."""

import math

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from lmstudio.gui import theme
from lmstudio.gui.panels.explore.counts_card import CountsCard
from lmstudio.gui.panels.explore.growth_card import GrowthCard
from lmstudio.gui.panels.explore.knobs_card import KnobsCard
from lmstudio.gui.panels.explore.smoothing_asking import SmoothingAsking
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import scrolled

_WIDTH = 336


class SmoothingSide(QWidget):
    """What is turned here is asked for at once; the sentences below the knobs follow."""

    turned = Signal()

    def __init__(
        self, state: AppState, asking: SmoothingAsking, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._asking = asking
        self.knobs, self.growth = KnobsCard(self), GrowthCard(state, self)
        self.counts = CountsCard(state, self)
        column = QWidget(self)
        cards = QVBoxLayout(column)
        cards.setContentsMargins(0, 0, 0, 0)
        cards.setSpacing(theme.px(12))
        cards.addWidget(self.knobs)
        cards.addWidget(self.growth, 3)
        cards.addWidget(self.counts, 2)
        side = scrolled(column, self)
        side.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(side)
        self.setFixedWidth(theme.px(_WIDTH))
        self.knobs.turned.connect(self._turn)
        self.counts.known.connect(self.knobs.set_estimate)
        self.counts.known.connect(self.say)
        self.growth.curve_known.connect(self.say)

    @property
    def busy(self) -> bool:
        """Something is awaited."""
        return self.counts.busy or self.growth.busy

    def cancel(self) -> None:
        """Ask no more; what is there stays."""
        self.growth.cancel()
        self.counts.cancel()

    def follow(self, segmentation: int) -> None:
        """Show what belongs to the table that is there."""
        table = self._asking.table
        if table is not None and not self._asking.counting:
            self.counts.ask(segmentation, table.order)
            self.growth.show_for(segmentation, self._asking.config(self._asking.chosen))
        self.say()

    @Slot()
    def say(self) -> None:
        """The figures under the knobs, and the mark in the plot."""
        columns, chosen = self._asking.columns, self._asking.chosen
        discounted = chosen if chosen == "kneser-ney" else "absolute-discounting"
        bits = [columns[name].valid_bits if name in columns else math.nan
                for name in ("add-k", discounted)]  # fmt: skip
        self.knobs.say("k", bits[0], self.growth.best("k"))
        self.knobs.say("discount", bits[1], self.growth.best("discount"))
        self.growth.stand(self.knobs.k, self.knobs.shown_discount, *bits)

    @Slot()
    def _turn(self) -> None:
        self._asking.turn(k=self.knobs.k, discount=self.knobs.discount)
        self.turned.emit()
        self.say()
