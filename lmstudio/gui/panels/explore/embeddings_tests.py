"""AnalogyPage, SetPage: three words, or a file of a test set, in; what runs make of them out."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QTimer, Slot
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from lmstudio.analysis.analogies import Analogy, SectionScore
from lmstudio.analysis.similarity import SimilarityScore
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.jobs import Asker
from lmstudio.gui.many_asking import ManyAsker
from lmstudio.gui.panels.explore import embeddings_rows
from lmstudio.gui.panels.progress_row import ProgressRow
from lmstudio.gui.state import AppState
from lmstudio.gui.tables import Table
from lmstudio.gui.widgets import ElidedLabel, button, label
from lmstudio.messages import tr
from lmstudio.operations import embeddings
from lmstudio.store.rows import RunRow

DEBOUNCE_MS = 300


class AnalogyPage(QWidget):
    """a is to b as c is to …, answered by the run that is mapped."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state, self._run, self._layer = state, 0, 0
        self.words = QLineEdit(self)
        self.words.setPlaceholderText(tr("a b c: what is to c as b is to a?"))
        self.words.setAccessibleName(tr("Three words"))
        self.table = Table(embeddings_rows.analogy_columns(), tr("Answers"), self, row_height=26)
        self.table.setSortingEnabled(False)
        self.found: Analogy | None = None
        self._said = ElidedLabel(size=12, tone="muted")
        self._asker = Asker(state, self)
        self._pause = QTimer(self, interval=DEBOUNCE_MS, singleShot=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(8))
        for widget in (self.words, self.table, self._said):
            column.addWidget(widget, 1 if widget is self.table else 0)
        self.words.textChanged.connect(self._typed)
        self.words.returnPressed.connect(self._ask_now)
        self._pause.timeout.connect(self.ask)
        self._asker.answered.connect(self._take)
        self._asker.failed.connect(self._fail)

    def ask_of(self, run: RunRow | None, layer: int) -> None:
        """Ask another run from now on."""
        self._run, self._layer = run.id if run else 0, layer
        self.ask()

    @Slot()
    def _typed(self) -> None:
        self._pause.start()

    @Slot()
    def _ask_now(self) -> None:
        """Enter: who has not typed three words is told so."""
        self._pause.stop()
        if len(self.words.text().split()) != 3:
            self._said.setText(tr("Type three words, with spaces between them."))
        self.ask()

    @Slot()
    def ask(self) -> None:
        """Ask, once there are three words."""
        words = self.words.text().split()
        if len(words) == 3 and self._run:
            self._asker.ask(embeddings.analogy, self._state.workspace, self._run, words,
                            self._layer)  # fmt: skip

    @Slot(object)
    def _take(self, found: Analogy) -> None:
        self.found = found
        self._said.setText("")
        self.table.set_rows(embeddings_rows.analogy_rows(found))

    @Slot(object)
    def _fail(self, error: AppError) -> None:
        self.table.set_rows([])
        self._said.setText(str(error))


class SetPage(QWidget):
    """A file of pairs with scores (wordsim-240) or of analogies (CA8), put to all runs asked."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._runs: list[RunRow] = []
        self._layers: dict[int, int] = {}
        self.file: Path | None = None
        self.found: dict[int, SimilarityScore | list[SectionScore]] = {}
        self.choose = button(tr("Choose a test set…"), parent=self)
        self.table = Table(embeddings_rows.set_columns(), tr("Test sets"), self, row_height=26)
        self.progress = ProgressRow(self)
        self._name = ElidedLabel(size=12, tone="muted")
        self._said = label(
            tr("Pairs of words with scores as in wordsim-240, or questions of four words as in "
               "CA8."), size=12, tone="muted", wrap=True,
        )  # fmt: skip
        self._asker = ManyAsker(state, self, "bulk")
        self._lay_out()
        self.choose.clicked.connect(self._choose_file)
        self.progress.cancelled.connect(self._cancel)
        self._asker.answered.connect(self._take)
        self._asker.failed.connect(self._fail)
        self._asker.finished.connect(self.progress.end)

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(theme.px(8))
        top.addWidget(self.choose)
        top.addWidget(self._name, 1)
        top.addWidget(self.progress)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(8))
        column.addLayout(top)
        column.addWidget(self.table, 1)
        column.addWidget(self._said)

    def ask_of(self, runs: Sequence[RunRow], layers: dict[int, int]) -> None:
        """Ask other runs from now on, each in its layer."""
        self._runs, self._layers = list(runs), layers
        if self.file is not None:
            self.score(self.file)

    @Slot()
    def _choose_file(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, tr("Choose a test set"), "", "*.txt *.tsv")
        if name:
            self.score(Path(name))

    def score(self, file: Path) -> None:
        """Put the test set in a file to all runs."""
        self.file, self.found = file, {}
        self._name.setText(file.name)
        self._said.setText("")
        self.table.set_rows([])
        self.progress.begin()
        ws = self._state.workspace
        self._asker.ask({
            run.id: (embeddings.score_set, ws, run.id, file, self._layers.get(run.id, 0))
            for run in self._runs
        })  # fmt: skip

    @Slot(int, object)
    def _take(self, run: int, found: SimilarityScore | list[SectionScore]) -> None:
        self.found[run] = found
        pairs = isinstance(found, SimilarityScore)
        for number, column in enumerate(embeddings_rows.set_columns()):
            of_pairs, of_both = column.key == "rho", column.key in ("run", "covered")
            self.table.setColumnHidden(number, not of_both and of_pairs != pairs)
        self.table.set_rows(embeddings_rows.set_rows(self._runs, self.found))

    @Slot(int, object)
    def _fail(self, run: int, error: AppError) -> None:
        name = next((one.name for one in self._runs if one.id == run), "")
        said = [self._said.text(), f"{name}: {error}"]  # those of other runs too
        self._said.setText("\n".join(filter(None, said)))

    @Slot()
    def _cancel(self) -> None:
        self._asker.cancel()
        self.progress.end()
