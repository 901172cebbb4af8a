"""Concordance: a text, a pattern, words or tags in; every place where they stand, in context, out.

A first page is asked for and then the whole corpus, so that hits are seen while the search goes on.
"""

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from lmstudio.data.browse.concordance import Concordance
from lmstudio.data.browse.search import Query
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.jobs import Asker
from lmstudio.gui.panels.browse.concordance_question import (
    PAGE,
    WHOLE,
    Order,
    Question,
    hits,
    question,
)
from lmstudio.gui.panels.browse.hit_card import HitCard
from lmstudio.gui.panels.browse.hits_card import HitsCard
from lmstudio.gui.panels.browse.query_row import QueryRow
from lmstudio.gui.panels.panel import Panel
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import EmptyState, button
from lmstudio.gui.widgets.splitter import splitter
from lmstudio.messages import tr


class ConcordancePanel(Panel):
    """The query above, the hits in the middle, the one chosen in its line below."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.query = QueryRow(state, self)
        self.hits = HitsCard(state, self)
        self.hit = HitCard(state, self)
        self._lead = button(tr("Go to Corpora"), "primary")
        self._asked: Question | None = None
        self._corpus = 0  # that the hits shown are from
        self._order: Order = ("document", 1)  # in which the hits will come
        self._first, self._rest = Asker(state, self), Asker(state, self)
        self._lay_out()
        self._connect()
        self.refresh()

    def _lay_out(self) -> None:
        both = splitter("both", Qt.Orientation.Vertical, self.hits, self.hit, sizes=(400, 150))
        both.setStretchFactor(0, 1)
        work = QWidget(self)
        column = QVBoxLayout(work)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(12))
        column.addWidget(self.query)
        column.addWidget(both, 1)
        no_text = EmptyState(tr("No text to search in"), tr("Import a text first."), [self._lead])
        self._pages = self.either(work, no_text)

    def _connect(self) -> None:
        self.query.wanted.connect(self.search_now)
        self.query.part.activated.connect(self._search_again)
        self.hits.chosen.connect(self._choose)
        self.hits.opened.connect(self.hit.read)
        self.hits.progress.cancelled.connect(self.cancel)
        self._lead.clicked.connect(self._go_to_corpora)
        self._first.answered.connect(self._take_first)
        self._rest.answered.connect(self._take_all)
        for asker in (self._first, self._rest):
            asker.advanced.connect(self.hits.progress.advance)
            asker.failed.connect(self._fail)
        state = self.state
        for signal in (state.selection_changed, state.segmentations_changed, state.corpora_changed):
            signal.connect(self.refresh)
        state.workspace_changed.connect(self.forget)
        state.query_changed.connect(self._take_wanted)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self._take_wanted()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() == Qt.Key.Key_Escape and self.searching:
            self.cancel()
        else:
            super().keyPressEvent(event)

    # what is asked

    @property
    def searching(self) -> bool:
        """Hits are still to come."""
        return self._first.busy or self._rest.busy

    @property
    def busy(self) -> bool:
        """An answer of any kind is awaited."""
        return self.searching or self.hits.sorting or self.hit.busy

    @Slot()
    def search_now(self) -> None:
        """Search for what is typed."""
        query = self.query.query()
        try:
            query.check()
        except AppError as error:
            self.query.say(str(error))
            return
        self.query.field.remember()
        self._ask(query)

    @Slot()
    def _search_again(self) -> None:
        """Another part was chosen."""
        if self._asked is not None:
            self._ask(self._asked.query)

    def _ask(self, query: Query) -> None:
        self._asked = question(self.state, query, self.query.part_name())
        if self._asked is None:
            return
        self.query.say("")
        self._order = self.hits.order_wanted()
        for asker, view in ((self._first, PAGE), (self._rest, WHOLE)):
            asker.ask(hits, self.state.workspace, self._asked, view, self._order)
        self.hits.begin()

    @Slot()
    def _take_wanted(self) -> None:
        """Search for what another panel asked for."""
        query = self.state.query
        if query is not None and self.isVisible():
            self.state.query = None
            self.query.set_query(query)
            self.search_now()

    @Slot()
    def cancel(self) -> None:
        """Stop searching; what was found stays."""
        self._stop()
        self.hits.say_stopped()

    @Slot()
    def forget(self) -> None:
        """Show nothing any more."""
        self._stop()
        self._asked = None
        self.hits.show_found(None)

    def _stop(self) -> None:
        self._first.cancel()
        self._rest.cancel()
        self.hits.end()

    # what comes of it

    @property
    def found(self) -> Concordance | None:
        """The hits shown."""
        return self.hits.found

    @Slot(object)
    def _take_first(self, found: Concordance) -> None:
        if found.complete:
            self._take_all(found)
        else:
            self._show(found)

    @Slot(object)
    def _take_all(self, found: Concordance) -> None:
        self._stop()
        self._show(found)

    def _show(self, found: Concordance) -> None:
        assert self._asked is not None
        self._corpus = self._asked.corpus
        self.hits.show_found(found, self._order)

    @Slot(object)
    def _fail(self, error: AppError) -> None:
        self._stop()
        self.query.say(str(error))

    @Slot(int)
    def _choose(self, number: int) -> None:
        self.hit.show_hit(self._corpus, self.found, number)

    # the rest of the window

    @Slot()
    def refresh(self) -> None:
        """Follow what is selected: the same query is asked of another corpus."""
        there = self.state.corpus is not None
        self._pages.setCurrentIndex(0 if there else 1)
        self.primary = self.query.go if there else self._lead
        self.query.refresh()
        if self._asked is None or not self.isVisible():
            return
        query = self._asked.query
        if question(self.state, query, self._asked.part) == self._asked:
            return
        if there and self.query.kind.segment(query.kind).isEnabled():
            self._ask(query)
        else:
            self.forget()

    @Slot()
    def _go_to_corpora(self) -> None:
        self.state.panel_wanted.emit("corpora")

    def search(self) -> None:
        """Ctrl+F: the query."""
        self.query.field.setFocus()
        self.query.field.selectAll()

    def export(self) -> None:
        """Ctrl+E: the hits."""
        self.hits.export_csv.ask()
