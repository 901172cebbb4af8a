"""WordCard: a word in; its nearest words by each run asked out; analogies and test sets too."""

from collections.abc import Sequence

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QLineEdit, QStackedWidget, QVBoxLayout, QWidget

from lmstudio import figures
from lmstudio.analysis.neighbours import Neighbours
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.many_asking import ManyAsker
from lmstudio.gui.panels.explore import embeddings_rows
from lmstudio.gui.panels.explore.embeddings_tests import AnalogyPage, SetPage
from lmstudio.gui.state import AppState
from lmstudio.gui.table_export import TableExport
from lmstudio.gui.tables import Table
from lmstudio.gui.widgets import Card, ElidedLabel, Segmented, tool
from lmstudio.gui.widgets.fading import fade
from lmstudio.messages import msg, tr
from lmstudio.operations import embeddings
from lmstudio.store.rows import RunRow

MOST = 20  # neighbours
PAGES = {"near": msg("Neighbours"), "analogy": msg("Analogy"), "tests": msg("Test sets")}


class WordCard(Card):
    """One question, asked of all runs; what one answers in full, several side by side."""

    chosen = Signal(str)  # another word is to be asked about
    answered = Signal(int)  # a run has answered
    took = Signal(int)  # milliseconds, when all have

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(tr("Neighbours"), parent=parent)
        self._state = state
        self._runs: list[RunRow] = []
        self._layers: dict[int, int] = {}
        self.word = ""
        self.found: dict[int, Neighbours] = {}
        self._problems: dict[int, str] = {}  # of the runs that could not answer
        self.field = QLineEdit(self)
        self.tabs = Segmented([(key, tr(title)) for key, title in PAGES.items()], tr("Question"))
        self.table = Table(embeddings_rows.neighbour_columns(), tr("Neighbours"), self,
                           row_height=30)  # fmt: skip
        self.analogy, self.tests = AnalogyPage(state, self), SetPage(state, self)
        self._said = ElidedLabel(size=12, tone="muted")
        self._asker = ManyAsker(state, self)
        self._lay_out()
        self._connect()
        self._show()

    def _lay_out(self) -> None:
        self.field.setPlaceholderText(tr("Type a word"))
        self.field.setAccessibleName(tr("Word"))
        self.table.setSortingEnabled(False)
        keep = tool("plus", tr("Keep as a finding"), parent=self)
        keep.clicked.connect(self.keep)
        self._csv = TableExport(self._state, self.table, tr("Save the table as CSV"), "neighbors",
                                self)  # fmt: skip
        for widget in (keep, self._csv.button()):
            self.row.add_tool(widget)
        near = QWidget(self)
        column = QVBoxLayout(near)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(8))
        for one in (self.field, self.table, self._said):
            column.addWidget(one, 1 if one is self.table else 0)
        self._pages = QStackedWidget(self)
        for page in (near, self.analogy, self.tests):
            self._pages.addWidget(page)
        self.body.addWidget(self.tabs)
        self.body.addWidget(self._pages, 1)

    def _connect(self) -> None:
        self.field.returnPressed.connect(self._typed)
        self.table.opened.connect(self._open)
        self.tabs.chosen.connect(self._show_page)
        self._asker.answered.connect(self._take)
        self._asker.failed.connect(self._fail)
        self._asker.finished.connect(self.took)

    # what is asked

    def ask_of(self, runs: Sequence[RunRow], layers: dict[int, int], mapped: RunRow | None) -> None:
        """Ask other runs from now on, each in its layer; analogies of the run that is mapped."""
        self._runs, self._layers = list(runs), layers
        self.analogy.ask_of(mapped, layers.get(mapped.id, 0) if mapped else 0)
        self.tests.ask_of(runs, layers)
        if self.word:
            self.ask(self.word)

    def ask(self, word: str) -> None:
        """Ask all runs for the neighbours of a word."""
        self.word = word
        self.field.setText(word)
        self.row.set_title(word)
        self._said.setText("")
        fade(self.table, bool(self.found))
        ws = self._state.workspace
        self.found, self._problems = {}, {}
        self._asker.ask({
            run.id: (embeddings.neighbors, ws, run.id, word, self._layers.get(run.id, 0), MOST)
            for run in self._runs
        })  # fmt: skip

    @Slot()
    def _typed(self) -> None:
        if word := self.field.text().strip():
            self.chosen.emit(word)

    @Slot(object)
    def _open(self, rank: int) -> None:
        row = next(row for row in self.table.rows() if row.key == rank)
        cell = row.cells.get("word")
        if cell is not None:
            self.chosen.emit(str(cell.value))

    # what comes of it

    @Slot(int, object)
    def _take(self, run: int, found: Neighbours) -> None:
        self.found[run] = found
        self._show()
        self.answered.emit(run)

    @Slot(int, object)
    def _fail(self, run: int, error: AppError) -> None:
        name = next((one.name for one in self._runs if one.id == run), "")
        self._problems[run] = f"{name}: {error}" if len(self._runs) > 1 else str(error)
        self._show()

    def _show(self) -> None:
        fade(self.table, False)
        shown = [run for run in self._runs if run.id in self.found][: embeddings_rows.MOST_RUNS]
        single = len(self._runs) < 2
        classes = any(one.same_class is not None
                      for found in self.found.values() for one in found.nearest)  # fmt: skip
        columns = [column.key for column in embeddings_rows.neighbour_columns()]
        for number, key in enumerate(columns):
            of_run = key.startswith("run")
            hidden = of_run == single or (key == "class" and not classes)
            hidden |= of_run and int(key[3:]) >= len(shown)
            self.table.setColumnHidden(number, hidden)
        for number, run in enumerate(shown):
            self.table.retitle(embeddings_rows.run_key(number), self._title(run))
        self.table.set_rows(embeddings_rows.neighbour_rows(shown, self.found))
        self._tell()

    def _title(self, run: RunRow) -> str:
        layer = self._layers.get(run.id, 0)
        return tr("{run}, layer {layer}", run=run.name, layer=layer) if layer else run.name

    def _tell(self) -> None:
        """How often the word stands in the text; what was compared; who could not answer."""
        first, problems = next(iter(self.found.values()), None), self._problems.values()
        if first is None:
            self.row.set_note("")
            self._said.setText(" · ".join(problems))
            return
        if first.count:
            self.row.set_note(tr("{count} times · number {rank} by frequency",
                                 count=figures.count(first.count),
                                 rank=figures.count(first.rank)))  # fmt: skip
        else:
            self.row.set_note(tr("The mean of {words}.", words=" ".join(first.parts)))
        said = tr("cos(a, b) = a·b / |a||b| with {count} words; one-hot: always 0",
                  count=figures.count(first.known))  # fmt: skip
        self._said.setText(" · ".join([*problems, said]))

    @Slot(str)
    def _show_page(self, key: str) -> None:
        self._pages.setCurrentIndex(list(PAGES).index(key))

    @Slot()
    def keep(self) -> None:
        """Keep the question with the answers of all runs."""
        if not self.found:
            return
        layer = max(self._layers.values(), default=0)
        names = {run.id: run.name for run in self._runs}
        self._state.save_finding(
            "neighbors", tr("Neighbours of {word}", word=self.word),
            {"text": self.word, "layer": layer, "most": MOST},
            {names[run]: found for run, found in self.found.items()},
        )  # fmt: skip
