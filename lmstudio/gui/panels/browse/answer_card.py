"""AnswerCard: the answers of the statistics in; a table for each view out, or what is missing."""

import numpy as np
from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QStackedWidget, QWidget

from lmstudio.data.browse.listing import Listing
from lmstudio.gui.jobs import Asker
from lmstudio.gui.listing_export import ListingExport
from lmstudio.gui.listing_table import ListingTable
from lmstudio.gui.panels.browse.statistics_question import VIEWS, StatisticsQuestion
from lmstudio.gui.panels.browse.statistics_tables import BARS, FIRST_SORTED, columns, said
from lmstudio.gui.panels.progress_row import ProgressRow
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Card, EmptyState, button
from lmstudio.gui.widgets.fading import fade
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.operations import browse


class AnswerCard(Card):
    """Each view keeps its last answer. Sorting is done in the background."""

    chosen = Signal()  # another row, or none
    opened = Signal()  # the row chosen
    lead_wanted = Signal()  # the button of what is missing was pressed

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(tr(VIEWS["words"]), parent=parent)
        self.view = "words"
        self.tables = {
            view: ListingTable(columns(view), tr(title), self, bar=BARS.get(view, ""))
            for view, title in VIEWS.items()
        }
        self.progress = ProgressRow(self)
        self.export_csv = ListingExport(state, self)
        self.lead = button("", "primary")
        self.empty = EmptyState(" ", " ", [self.lead], parent=self)
        self._answered: dict[str, StatisticsQuestion] = {}
        self._sorted: dict[str, tuple[str, bool]] = {}  # column, falling
        self._sorter = Asker(state, self)
        self._body = QStackedWidget(self)
        for table in self.tables.values():
            self._body.addWidget(table)
            table.chosen.connect(self.chosen)
            table.opened.connect(self.opened)
            table.export_wanted.connect(self.export_csv.ask)
            table.sort_wanted.connect(self._sort)
        self._body.addWidget(self.empty)
        for widget in (self.progress, self.export_csv.button):
            self.row.add_tool(widget)
        self.body.addWidget(self._body, 1)
        self.lead.clicked.connect(self.lead_wanted)
        self._sorter.answered.connect(self._take_order)
        self.show_view("words")

    @property
    def table(self) -> ListingTable:
        """The table of the view shown."""
        return self.tables[self.view]

    @property
    def sorting(self) -> bool:
        """Rows are being sorted."""
        return self._sorter.busy

    def word(self) -> str:
        """What the row chosen is about; "" where none is."""
        number, listing = self.table.current(), self.table.listing
        if number < 0 or listing is None or self._body.currentWidget() is not self.table:
            return ""
        words: list[str] = getattr(listing, "ngram" if self.view == "ngrams" else "word")
        return words[number]

    def kept(self, asked: StatisticsQuestion) -> Listing | None:
        """The answer to this question, if it is the last one of its view."""
        return self.tables[asked.view].listing if self._answered.get(asked.view) == asked else None

    def show_view(self, view: str) -> None:
        """Show the last answer of another view."""
        self._sorter.cancel()
        self.view = view
        self.row.set_title(tr(VIEWS[view]))
        self.setAccessibleName(tr(VIEWS[view]))
        self.export_csv.use(self.table, view)
        self._body.setCurrentWidget(self.table)
        listing, asked = self.table.listing, self._answered.get(view)
        self.row.set_note(said(listing, asked.node) if listing is not None and asked else "")
        self.chosen.emit()

    def begin(self) -> None:
        """Another answer is on its way; the old one stays, faded."""
        self._body.setCurrentWidget(self.table)
        fade(self.table, True)
        self.progress.begin()

    def end(self) -> None:
        """No answer is on its way any more."""
        self.progress.end()
        for table in self.tables.values():
            fade(table, False)

    def show_answer(self, asked: StatisticsQuestion, listing: Listing) -> None:
        """Show an answer; a new one as it is sorted by itself."""
        if self.kept(asked) is None:
            self._answered[asked.view] = asked
            self._sorted[asked.view] = (FIRST_SORTED[asked.view], True)
            self.tables[asked.view].mark_sorted(FIRST_SORTED[asked.view], falling=True)
            self.tables[asked.view].show_listing(listing)
        self.end()
        self.show_view(asked.view)
        if not len(listing):
            self.say_missing(tr("Nothing to list"), tr("No word is left after the filters."))

    def say_missing(self, title: str, detail: str, lead: str = "") -> None:
        """Show what is missing, and the button that leads to it."""
        self.end()
        self.empty.set_text(title, detail)
        self.lead.setText(lead)
        self.lead.setVisible(bool(lead))
        self._body.setCurrentWidget(self.empty)
        self.row.set_note("")
        self.export_csv.use(None)
        self.chosen.emit()

    def forget(self) -> None:
        """Hold no answer any more."""
        self.end()
        self._answered.clear()
        for table in self.tables.values():
            table.show_listing(None)
        self.show_view(self.view)

    @Slot(str)
    def _sort(self, key: str) -> None:
        """Numbers from the highest and words from the first; a second click turns it round."""
        listing = self.table.listing
        if listing is None:
            return
        before, fell = self._sorted[self.view]
        falling = not fell if key == before else key not in ("word", "ngram")
        self._sorted[self.view] = (key, falling)
        self.table.mark_sorted(key, falling=falling)
        self._sorter.ask(_order, listing, key, falling)

    @Slot(object)
    def _take_order(self, order: np.ndarray) -> None:
        self.table.show_listing(self.table.listing, order)


def _order(listing: Listing, key: str, falling: bool, *, job: Job) -> np.ndarray:
    return browse.order(listing, key, falling=falling, job=job)
