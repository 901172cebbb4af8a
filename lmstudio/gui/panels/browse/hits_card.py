"""HitsCard: a concordance in; its table, how many hits there are and their order out."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QComboBox, QStackedWidget, QWidget

from lmstudio import figures
from lmstudio.data.browse.concordance import Concordance
from lmstudio.gui.drag_sources import drag_sentences
from lmstudio.gui.jobs import Asker
from lmstudio.gui.listing_export import ListingExport
from lmstudio.gui.panels.browse.concordance_question import Order, sorted_hits
from lmstudio.gui.panels.browse.kwic_table import KwicTable
from lmstudio.gui.panels.progress_row import ProgressRow
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Card, EmptyState
from lmstudio.gui.widgets.fading import fade
from lmstudio.messages import msg, tr

ORDERS: dict[Order, str] = {
    ("document", 1): msg("By place"), ("hit", 1): msg("By hit"),
    ("left", 1): msg("By left 1"), ("left", 2): msg("By left 2"), ("left", 3): msg("By left 3"),
    ("right", 1): msg("By right 1"), ("right", 2): msg("By right 2"),
    ("right", 3): msg("By right 3"),
}  # fmt: skip
"""Left 2 is the second word before the hit; the second character where there are no words."""

_SIDES = {"left": "left", "right": "right", "hit": "hit", "name": "document", "part": "document"}
"""What a click on the header of a column sorts by; further clicks go on to the next word."""


class HitsCard(Card):
    """Old hits stay, faded, until new ones come. Sorting is done in the background."""

    chosen = Signal(int)  # a number into `found`, -1 for none
    opened = Signal()  # the hit chosen is to be read

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(tr("Hits"), parent=parent)
        self.table = KwicTable(self)
        drag_sentences(self.table, "left", "hit", "right")
        self.order = QComboBox(self)
        self.progress = ProgressRow(self)
        self.export_csv = ListingExport(state, self)
        self._sorter = Asker(state, self)
        self._shown_order: Order = ("document", 1)
        self._empty = EmptyState(" ", " ", [], parent=self)
        self._body = QStackedWidget(self)
        for order, title in ORDERS.items():
            self.order.addItem(tr(title), order)
        self.order.setAccessibleName(tr("Order of the hits"))
        for widget in (self.progress, self.order, self.export_csv.button):
            self.row.add_tool(widget)
        for page in (self.table, self._empty):
            self._body.addWidget(page)
        self.body.addWidget(self._body, 1)
        self.export_csv.use(self.table, "concordance")
        self.table.chosen.connect(self.chosen)
        self.table.opened.connect(self.opened)
        self.table.export_wanted.connect(self.export_csv.ask)
        self.table.sort_wanted.connect(self._sort_by_header)
        self.order.currentIndexChanged.connect(self._sort)
        self._sorter.answered.connect(self._take_sorted)
        self.show_found(None)

    @property
    def found(self) -> Concordance | None:
        """The hits shown."""
        return self.table.found

    @property
    def sorting(self) -> bool:
        """The hits are being sorted."""
        return self._sorter.busy

    def order_wanted(self) -> Order:
        """The order chosen."""
        side, nth = self.order.currentData()
        return side, nth

    def begin(self) -> None:
        """Hits of another query are on their way."""
        self._sorter.cancel()
        fade(self.table, True)
        self.progress.begin()

    def end(self) -> None:
        """No more of them will come."""
        self.progress.end()
        fade(self.table, False)

    def show_found(self, found: Concordance | None, order: Order = ("document", 1)) -> None:
        """Show hits that are in an `order`; None where nothing was searched for."""
        fade(self.table, False)
        self._shown_order = order
        self.table.show_hits(found)
        self.export_csv.refresh()
        self._body.setCurrentIndex(0 if found is not None and len(found) else 1)
        if found is None:
            self._empty.set_text(
                tr("Find every place of a word"),
                tr("Type what to search for above and press Enter."),
            )
        elif not len(found):
            self._empty.set_text(tr("Nothing found"), tr("No line of this text has it."))
        self.row.set_note(_said(found) if found is not None else "")
        self._sort()

    def say_stopped(self) -> None:
        """The search was given up after some hits."""
        if self.found is not None and not self.found.complete:
            kept = figures.count(len(self.found))
            self.row.set_note(tr("Stopped. These are the first {kept} hits.", kept=kept))

    @Slot()
    def _sort(self) -> None:
        order = self.order_wanted()
        column = "name" if order[0] == "document" else order[0]
        self.table.mark_sorted(column, falling=False)
        if self.found is not None and order != self._shown_order:
            self._sorter.ask(sorted_hits, self.found, order)
        else:
            self._sorter.cancel()

    @Slot(str)
    def _sort_by_header(self, key: str) -> None:
        orders = [order for order in ORDERS if order[0] == _SIDES[key]]
        now = self.order_wanted()
        place = orders.index(now) + 1 if now in orders else 0
        self.order.setCurrentIndex(list(ORDERS).index(orders[place % len(orders)]))

    @Slot(object)
    def _take_sorted(self, found: Concordance) -> None:
        self._shown_order = self.order_wanted()
        self.table.show_hits(found)


def _said(found: Concordance) -> str:
    total, kept = figures.count(found.total), figures.count(len(found))
    if not found.complete:
        return tr("The first {kept} hits; the search goes on", kept=kept)
    if len(found) < found.total:
        return tr("{total} hits, of which the first {kept} are listed", total=total, kept=kept)
    return tr("{total} hits.", total=total)
