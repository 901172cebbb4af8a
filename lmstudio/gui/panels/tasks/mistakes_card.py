"""MistakesCard: some examples of a scored part in; a list of them, and which is chosen, out."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QStackedWidget, QWidget

from lmstudio import figures
from lmstudio.analysis.tasks.errors import PartScores
from lmstudio.data.browse.listing import order_of
from lmstudio.gui.drag_sources import drag_sentences
from lmstudio.gui.listing_table import ListingTable
from lmstudio.gui.panels.tasks import example_listing
from lmstudio.gui.panels.tasks.class_names import class_name
from lmstudio.gui.panels.tasks.task_layout import add_tool
from lmstudio.gui.save_as import SaveAs
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Card, EmptyState, button
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.operations import task_scores

_RISING = ("number", "text", "other", "right", "said")  # at the first click on their headers


class MistakesCard(Card):
    """Sorted by a click on a header; as quick with ten thousand as with ten."""

    chosen = Signal(int)  # the number of an example of the part, -1 where the list is empty
    all_wanted = Signal()

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(tr("Mistakes"), parent=parent)
        self.found: PartScores | None = None
        self.caption = ""
        self.numbers: list[int] = []
        self.tables = {kind: ListingTable(example_listing.columns(kind), tr("Mistakes"), self)
                       for kind in ("classify", "tag", "pair", "qa")}  # fmt: skip
        self.table = self.tables["classify"]
        self.save = SaveAs(state, self)
        self._sorted = ("", False)
        self._pages = QStackedWidget(self)
        self._empty, self._waiting = EmptyState(" ", " ", [], parent=self), QWidget(self)
        self.every = button(tr("All mistakes"), "link", parent=self)
        self.row.add_tool(self.every)
        add_tool(self, "table", tr("Save the list as CSV"), self.save_csv)
        for page in (*self.tables.values(), self._empty, self._waiting):
            self._pages.addWidget(page)
        self.body.addWidget(self._pages, 1)
        self.every.clicked.connect(self.all_wanted)
        for table in self.tables.values():
            drag_sentences(table, "text")
            table.chosen.connect(self._choose)
            table.export_wanted.connect(self.save_csv)
            table.sort_wanted.connect(self.sort_by)

    def show_examples(
        self, found: PartScores | None, caption: str = "", gold: str = "", guess: str = ""
    ) -> None:
        """Those of a cell, row or column of the confusion; all mistakes where both are ""."""
        self.found, self.caption = found, caption
        self._sorted = "", False
        if found is None:
            self.numbers = []
            self.every.hide()
            self.row.set_note("")
            self._pages.setCurrentWidget(self._waiting)
            self.table.show_listing(None)
            return
        self.numbers = task_scores.chosen(found, gold, guess)
        self.every.setVisible(bool(gold or guess))
        self.row.set_title(_title(gold, guess))
        self.row.set_note(_note(found, gold, guess, len(self.numbers)))
        self.table = self.tables[found.task]
        if not self.numbers:
            cell = bool(gold or guess)
            self._show_none(tr("No mistake"), tr("There is none of these.") if cell
                            else tr("All examples of this part are right."))  # fmt: skip
            return
        self._pages.setCurrentWidget(self.table)
        self.table.mark_sorted("", falling=False)
        self.table.show_listing(example_listing.listing(found, self.numbers))
        self.table.choose_row(0)

    def _show_none(self, title: str, detail: str) -> None:
        self._empty.set_text(title, detail)
        self._pages.setCurrentWidget(self._empty)
        self.table.show_listing(None)

    def choose_next(self) -> None:
        """Choose the row below, after the last the first."""
        rows = self.table.rows.rowCount()
        if rows:
            self.table.choose_row((self.table.currentIndex().row() + 1) % rows)

    @Slot(str)
    def sort_by(self, key: str) -> None:
        """Sort by a column; the same again: the other way round."""
        shown = self.table.listing
        if shown is None:
            return
        before, fell = self._sorted
        falling = not fell if key == before else key not in _RISING
        self._sorted = key, falling
        order = order_of(getattr(shown, key), falling=falling, job=Job())
        self.table.mark_sorted(key, falling=falling)
        self.table.show_listing(shown, order)
        self.table.choose_row(0)

    @Slot(int)
    def _choose(self, place: int) -> None:
        shown = self.table.listing
        if isinstance(shown, example_listing.ExampleListing) and place >= 0:
            self.chosen.emit(int(shown.number[place]))
        elif shown is None:
            self.chosen.emit(-1)

    @Slot()
    def save_csv(self) -> None:
        """Save the list as CSV, in the order on screen."""
        shown = self.table.listing
        if self.found is not None and isinstance(shown, example_listing.ExampleListing):
            order = self.table.rows.order
            numbers = (shown.number if order is None else shown.number[order]).tolist()
            self.save.ask(self.caption, task_scores.save_errors, self.found, numbers)


def _title(gold: str, guess: str) -> str:
    return tr("Examples") if gold and guess else tr("Mistakes")


def _note(found: PartScores, gold: str, guess: str, count: int) -> str:
    """What the list is of, and how long."""
    shown, every = figures.count(count), figures.count(len(found.examples))
    told = tr("{count} of {all} examples", count=shown, all=every)
    right, said = (class_name(found.task, name) if name else "" for name in (gold, guess))
    if gold and guess:
        return f"{right} → {said} · {told}"
    if gold:
        return f"{tr('right')}: {right} · {told}"
    return f"{tr('guessed')}: {said} · {told}" if guess else told
