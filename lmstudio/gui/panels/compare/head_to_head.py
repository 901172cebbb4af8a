"""Head to head: runs on the same text; how far apart they are, where, and how surely."""

from functools import partial

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QComboBox, QStackedWidget, QWidget

from lmstudio.analysis.comparison import Comparison
from lmstudio.errors import AppError
from lmstudio.gui.captions import sentence_case
from lmstudio.gui.choices import fill
from lmstudio.gui.dragged import RUN, Dragged
from lmstudio.gui.jobs import Asker
from lmstudio.gui.panels.compare.breakdown_card import BreakdownCard
from lmstudio.gui.panels.compare.compared_runs import ComparedRuns
from lmstudio.gui.panels.compare.difference_card import DifferenceCard
from lmstudio.gui.panels.compare.sentences_card import SentencesCard
from lmstudio.gui.panels.panel import Panel
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import (
    Card,
    EmptyState,
    Segmented,
    button,
    disable,
    enable,
    label,
)
from lmstudio.gui.widgets.splitter import splitter
from lmstudio.messages import listed, msg, tr
from lmstudio.operations import comparison

PARTS = {"valid": msg("valid"), "test": msg("test")}
LONGEST = 0
"""Instead of a segmentation: the words are the longest tokens that the runs have."""


class HeadToHeadPanel(Panel):
    """The first comparison of a run scores the part, which may take a while; then it is kept."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.runs = ComparedRuns(state, self)
        self.part = Segmented([(v, tr(t)) for v, t in PARTS.items()], tr("Part"), self)
        self.words = QComboBox(self)
        self.differences = DifferenceCard(state, self)
        self.where = BreakdownCard(state, self)
        self.sentences = SentencesCard(state, self)
        self.keep = button(tr("Keep as a finding"), "primary", parent=self)
        self._train = button(tr("Train a model"), "primary")
        self._asker = Asker(state, self, "bulk")
        self._pages = QStackedWidget(self)
        self.found: Comparison | None = None
        self._other = 1
        self._lay_out()
        self._connect()
        self.refresh()

    def _lay_out(self) -> None:
        self.words.setAccessibleName(tr("Words"))
        self.words.setToolTip(tr("The segmentation over whose words is added up"))
        self.words.setMinimumContentsLength(12)
        self.words.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        above = splitter("above", Qt.Orientation.Horizontal, self.differences, self.where,
                         sizes=(600, 640))  # fmt: skip
        both = splitter("both", Qt.Orientation.Vertical, above, self.sentences, sizes=(290, 250))
        empty = Card(parent=self)
        empty.body.addWidget(
            EmptyState(
                tr("Nothing to compare yet"),
                tr("Train two models on this corpus: then it can be seen where one is better."),
                [self._train], family="gpt",
            ), 1,
        )  # fmt: skip
        for page in (both, empty):
            self._pages.addWidget(page)
        column = self.page()
        column.addWidget(self.runs)
        column.addWidget(self._pages, 1)
        words = label(tr("Words of"), tone="muted")
        column.addLayout(self.action_row(words, self.words, self.part, self.keep))
        self._controls = (words, self.words, self.part, self.keep, self.runs)

    def _connect(self) -> None:
        self.runs.changed.connect(self._ask)
        self.part.chosen.connect(self._ask)
        self.words.activated.connect(self._ask)
        self.differences.changed.connect(self._ask)
        self.differences.other_chosen.connect(self._choose_other)
        self.differences.progress.cancelled.connect(self.cancel)
        self.keep.clicked.connect(self._keep)
        self._train.clicked.connect(self._go_to_training)
        self._asker.answered.connect(self._take)
        self._asker.failed.connect(self._fail)
        self._asker.advanced.connect(self.differences.progress.advance)
        for signal in (self.state.selection_changed, self.state.runs_changed,
                       self.state.run_selection_changed):  # fmt: skip
            signal.connect(self.refresh)

    def why_not_drop(self, carried: Dragged) -> str:
        """Runs with a model are compared here."""
        if carried.kind != RUN:
            return super().why_not_drop(carried)
        known = [run.id for run in self.runs.known()]
        return "" if carried.number in known else tr("It has no model on the corpus chosen above.")

    def take_dropped(self, carried: Dragged) -> None:
        """Compare the run, too."""
        ids = self.runs.ids()
        self.runs.set_ids([*ids, *([carried.number] if carried.number not in ids else [])])

    @property
    def busy(self) -> bool:
        """An answer is awaited."""
        return self._asker.busy

    @Slot()
    def refresh(self) -> None:
        if not self.isVisible():
            return  # asked when it is shown
        has_runs = len(self.runs.known()) > 1
        self._pages.setCurrentIndex(0 if has_runs else 1)
        for widget in self._controls:
            widget.setVisible(has_runs)
        self.primary = self.keep if has_runs else self._train
        corpus = self.state.corpus
        cuts = self.state.segmentations(corpus.id) if corpus else []
        fill(
            self.words,
            [(sentence_case(tr("longest tokens")), LONGEST), *((cut.name, cut.id) for cut in cuts)],
        )
        before = self.runs.ids()
        self.runs.refresh()
        if has_runs and self.found is None and self.runs.ids() == before and not self.busy:
            self._ask()

    # what is asked

    @Slot()
    def _ask(self) -> None:
        if not self.isVisible():
            return
        chosen = self.runs.chosen().runs
        self.differences.offer([(run.name, run.id) for run in chosen])
        if len(chosen) < 2:
            self.cancel()
            self._forget(tr("Choose at least two runs that can be set against each other."))
            return
        base = self.differences.base.currentData()
        self.differences.progress.begin()
        compare = partial(comparison.compare, words=self.words.currentData() or "",
                          by=self.differences.by.value(), base=base)  # fmt: skip
        ids = [run.id for run in chosen]
        self._asker.ask(compare, self.state.workspace, ids, self.part.value())

    @Slot()
    def cancel(self) -> None:
        """Stop; what was scored to its end is kept."""
        self._asker.cancel()
        self.differences.progress.end()

    @Slot(object)
    def _take(self, found: Comparison) -> None:
        self.differences.progress.end()
        same = self.found is not None and self.found.runs == found.runs
        self.found = found
        if not same or self._other >= len(found.runs) or self._other == found.base:
            self._other = next(n for n in range(len(found.runs)) if n != found.base)
        self._draw()

    @Slot(object)
    def _fail(self, error: AppError) -> None:
        self.differences.progress.end()
        self._forget(str(error))

    def _forget(self, why: str) -> None:
        """Show nothing but the reason."""
        self.found = None
        self.differences.clear()
        self.where.show_comparison(None, [])
        self.sentences.show_comparison(None)
        self.differences.say(why)
        disable(self.keep, why)

    # what is shown

    def _draw(self) -> None:
        if self.found is None:
            return
        rows = {row.name: row for row in self.runs.known() if row.name in self.found.runs}
        if len(rows) < len(self.found.runs):
            self._forget(tr("One of the runs was deleted."))
            return
        families = [rows[name].model for name in self.found.runs]
        self.differences.show_comparison(self.found, families, self._other)
        self.where.show_comparison(self.found, families)
        self.sentences.show_comparison(self.found, self._other, families)
        enable(self.keep)

    @Slot(int)
    def _choose_other(self, number: int) -> None:
        self._other = number
        self._draw()

    @Slot()
    def _keep(self) -> None:
        """Keep each run's distance from the base among the findings."""
        if self.found is None:
            return
        base = self.found.runs[self.found.base]
        title = tr("{runs} on {part}", runs=listed(self.found.runs), part=tr(self.found.part))
        question = {"base": base, "part": self.found.part, "by": self.found.by}
        self.state.save_finding("compare", title, question, comparison.answers(self.found))

    def search(self) -> None:
        """Ctrl+F: filter the sentences."""
        self.sentences.filter.setFocus()

    def export(self) -> None:
        """Ctrl+E: save the differences as a picture."""
        self.differences.export()
