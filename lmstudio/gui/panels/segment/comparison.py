"""Comparison: two ways to cut a corpus in; its sentences side by side out, a page at a time."""

from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QWidget

from lmstudio.gui import theme
from lmstudio.gui.jobs import Asker
from lmstudio.gui.panels.segment.segmenter_choice import Cut
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import hairline
from lmstudio.gui.widgets.token_flow import FlowSentence, TokenFlow
from lmstudio.messages import tr
from lmstudio.operations import segmentations
from lmstudio.operations.segmentations import TryOut

PAGE = 120  # sentences asked for at once
_MOST_PAGES = 50  # searched for a difference before giving up


class Comparison(QWidget):
    """Both sides show the same sentences; keys and wheel move both."""

    moved = Signal()  # other sentences are in sight
    failed = Signal(object)  # an AppError
    swap_wanted = Signal()
    selected = Signal(int, str)  # side, characters selected there; "" for none
    taken = Signal()  # Enter, on what is selected

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self.flows = (TokenFlow(tr("Side A"), self), TokenFlow(tr("Side B"), self))
        self.flows[0].pair_with(self.flows[1])
        self._askers = (Asker(state, self), Asker(state, self))
        self._corpus_id = 0
        self._cuts: list[Cut | None] = [None, None]
        self._pages: list[TryOut | None] = [None, None]
        self._first = 0  # line the page begins with
        self._top = 0  # sentence of the page
        self._before: int | None = None  # stand at the last sentence before this line
        self._searched = 0  # pages, while a difference is looked for; 0: none is
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(16))
        layout.addWidget(self.flows[0], 1)
        layout.addWidget(hairline(self, vertical=True))
        layout.addWidget(self.flows[1], 1)
        self._connect()

    def _connect(self) -> None:
        for flow in self.flows:
            flow.lit.connect(self._light)
            flow.stepped.connect(self.step)
            flow.paged.connect(self._page)
            flow.taken.connect(self.taken)
        self.flows[0].selected.connect(self._selected_a)
        self.flows[1].selected.connect(self._selected_b)
        self._askers[0].answered.connect(self._take_a)
        self._askers[1].answered.connect(self._take_b)
        for asker in self._askers:
            asker.failed.connect(self.failed)
        for key, slot in (("S", self.swap_wanted), ("N", self.next_difference)):
            action = QAction(self)
            action.setShortcut(QKeySequence(key))
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            action.triggered.connect(slot)
            self.addAction(action)

    # what is compared

    def show_cuts(self, corpus_id: int, cuts: tuple[Cut, Cut]) -> None:
        """Cut the sentences in sight in these ways; only what changed is asked."""
        if corpus_id != self._corpus_id:
            self._corpus_id, self._first, self._top = corpus_id, 0, 0
            self._cuts = [None, None]
        for side, cut in enumerate(cuts):
            if cut != self._cuts[side]:
                self._cuts[side] = cut
                self._ask(side)

    def show_line(self, line: int) -> None:
        """Go to a line of the corpus."""
        self._turn_to(line)

    def swap(self) -> None:
        """The sides have changed places."""
        self._cuts.reverse()
        self._pages.reverse()
        if self.busy:  # an answer on its way would come to the wrong side
            self._turn_to(self._first)
        else:
            self._draw()

    def clear(self) -> None:
        """Show nothing."""
        self._corpus_id, self._pages = 0, [None, None]
        self._cuts = [None, None]
        for asker in self._askers:
            asker.cancel()
        self._draw()

    @property
    def busy(self) -> bool:
        """Sentences are being cut."""
        return any(asker.busy for asker in self._askers)

    @property
    def seen(self) -> bool:
        """Both sides show their sentences."""
        return not self.busy and None not in self._pages

    def differs(self) -> bool:
        """A sentence in sight is cut in two ways."""
        flow = self.flows[0]
        return any(s.differing for s in flow.sentences()[self._top : self._top + flow.shown()])

    def place(self) -> tuple[int, int] | None:
        """The first and the last line in sight, from 1."""
        page = self._pages[0]
        if page is None or not page.sentences:
            return None
        last = min(self._top + self.flows[0].shown(), len(page.sentences)) - 1
        return page.sentences[self._top].line + 1, page.sentences[last].line + 1

    def _ask(self, side: int) -> None:
        cut = self._cuts[side]
        if cut is None:
            return
        self.flows[side].fade()
        question = partial(
            segmentations.try_out, first_line=self._first, lines=PAGE,
            dictionary=cut.dictionary, tokenizer=cut.tokenizer,
        )  # fmt: skip
        ws = self._state.workspace
        self._askers[side].ask(question, ws, self._corpus_id, cut.options)

    @Slot(object)
    def _take_a(self, page: TryOut) -> None:
        self._take(0, page)

    @Slot(object)
    def _take_b(self, page: TryOut) -> None:
        self._take(1, page)

    def _take(self, side: int, page: TryOut) -> None:
        self._pages[side] = _whole_lines(page)
        if self.busy:
            return
        if self._before is not None:
            self._top = self._last_before(self._before)
            self._before = None
        self._draw()
        if self._searched:
            self._look_for_difference()

    def _last_before(self, line: int) -> int:
        page = self._pages[0]
        found = [n for n, s in enumerate(page.sentences) if s.line < line] if page else []
        return found[-1] if found else 0

    def _draw(self) -> None:
        one, two = (page.sentences if page else [] for page in self._pages)
        self._top = min(self._top, max(len(one) - 1, 0))
        for flow, mine, theirs in zip(self.flows, (one, two), (two, one), strict=True):
            others = {(s.line, s.start): frozenset(s.spans) for s in theirs}
            shown = []
            for sentence in mine:
                other = others.get((sentence.line, sentence.start), frozenset(sentence.spans))
                differing = frozenset(sentence.spans) - other
                shown.append(FlowSentence(sentence.text, sentence.spans, differing))
            flow.set_sentences(shown, self._top)
        self.moved.emit()

    # selecting

    @Slot(str)
    def _selected_a(self, text: str) -> None:
        self._select(0, text)

    @Slot(str)
    def _selected_b(self, text: str) -> None:
        self._select(1, text)

    def _select(self, side: int, text: str) -> None:
        """Only one side has a selection."""
        if text:
            self.flows[1 - side].select(-1, 0, 0)
        self.selected.emit(side, text)

    @Slot()
    def select_nothing(self) -> None:
        """Take the selection away."""
        for flow in self.flows:
            flow.select(-1, 0, 0)

    # moving

    @Slot(int, int, int)
    def _light(self, sentence: int, start: int, end: int) -> None:
        for flow in self.flows:
            flow.light(sentence, start, end)

    @Slot(int)
    def step(self, count: int) -> None:
        """Move so many sentences on, or back."""
        page = self._pages[0]
        if page is None or self.busy:
            return
        wanted = self._top + count
        if wanted < 0 and self._first > 0:
            self._before = self._first
            self._turn_to(self._first - 1)
        elif wanted >= len(page.sentences) and page.next_line is not None:
            self._turn_to(page.next_line)
        else:
            self._stand_at(min(max(wanted, 0), max(len(page.sentences) - 1, 0)))

    @Slot(int)
    def _page(self, direction: int) -> None:
        self.step(direction * max(self.flows[0].shown() - 1, 1))

    def _stand_at(self, top: int) -> None:
        self._top = top
        for flow in self.flows:
            flow.set_top(top)
        self.moved.emit()

    def _turn_to(self, line: int) -> None:
        self._first, self._top = line, 0
        for side in (0, 1):
            self._ask(side)

    @Slot()
    def next_difference(self) -> None:
        """Go to the next sentence that is cut in two ways, and light up the first difference."""
        if not self.busy and self._pages[0] is not None:
            self._searched = 1
            self._look_for_difference(self._top + 1)

    def _look_for_difference(self, start: int = 0) -> None:
        page, sentences = self._pages[0], self.flows[0].sentences()
        for number in range(start, len(sentences)):
            if sentences[number].differing:
                self._searched = 0
                self._stand_at(number)
                self._light(number, *min(sentences[number].differing))
                return
        if page is not None and page.next_line is not None and self._searched < _MOST_PAGES:
            self._searched += 1
            self._turn_to(page.next_line)
        else:
            self._searched = 0
            self._state.told.emit(tr("No further difference was found."))


def _whole_lines(page: TryOut) -> TryOut:
    """Without the last line if the page ended inside it: the next page begins with that line."""
    sentences = page.sentences
    if len(sentences) < PAGE or sentences[0].line == sentences[-1].line:
        return page
    last = sentences[-1].line
    return replace(page, sentences=[s for s in sentences if s.line < last], next_line=last)
