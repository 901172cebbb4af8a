"""Embeddings: networks in; a map of words, the neighbours of one, a matrix of some, out."""

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from lmstudio.analysis.word_vectors import deepest
from lmstudio.gui import theme
from lmstudio.gui.panels.explore.asked_row import AskedRow
from lmstudio.gui.panels.explore.asking_panel import AskingPanel
from lmstudio.gui.panels.explore.embeddings_map import MapCard
from lmstudio.gui.panels.explore.embeddings_matrix import MatrixCard
from lmstudio.gui.panels.explore.embeddings_words import WordCard
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import EmptyState, button
from lmstudio.gui.widgets.splitter import splitter
from lmstudio.messages import tr
from lmstudio.operations.embeddings import TABLE
from lmstudio.store.rows import RunRow
from lmstudio.training.spec import RunSpec

NEIGHBOURS_SHOWN = 6  # of the first word, in the matrix


class EmbeddingsPanel(AskingPanel):
    """One word is chosen, wherever it was clicked or typed; all three cards follow."""

    takes_sentences = False

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.asked = AskedRow(state, TABLE, self)
        self.map = MapCard(state, self)
        self.words = WordCard(state, self)
        self.matrix = MatrixCard(state, self)
        self._train = button(tr("Train a model"), "primary")
        self._lay_out()
        self._connect()
        self.refresh()

    def _lay_out(self) -> None:
        side = splitter("side", Qt.Orientation.Vertical, self.words, self.matrix, sizes=(330, 300))
        both = splitter("both", Qt.Orientation.Horizontal, self.map, side, sizes=(850, 400))
        both.setStretchFactor(0, 1)
        work = QWidget(self)
        column = QVBoxLayout(work)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(12))
        column.addWidget(self.asked)
        column.addWidget(both, 1)
        empty = EmptyState(
            tr("No vectors to look at yet"),
            tr("Networks keep a vector for each word. An n-gram model knows a word by its number "
               "alone: any two are equally unlike."),
            [self._train], family="bert",
        )  # fmt: skip
        self._pages = self.either(work, empty)

    def _connect(self) -> None:
        self.asked.changed.connect(self.refresh)
        self.map.controls.changed.connect(self._ask_all)
        self.map.mapped.connect(self._begin)
        self.map.lassoed.connect(self.matrix.set_words)
        for card in (self.map, self.words, self.matrix):
            card.chosen.connect(self.choose)
        self.words.answered.connect(self._mark)
        self.words.took.connect(self.asked.set_time)
        self._train.clicked.connect(self._go_to_training)
        for signal in (self.state.selection_changed, self.state.runs_changed):
            signal.connect(self.refresh)

    # what is asked

    @Slot()
    def refresh(self) -> None:
        if not self.isVisible():
            return  # asked when it is shown
        known = self.asked.known()
        self._pages.setCurrentIndex(0 if known else 1)
        self.primary = None if known else self._train
        if known:
            self.map.offer(self.asked.runs())
            self._ask_all()

    @Slot()
    def _ask_all(self) -> None:
        """Ask the runs about the word chosen, each in the layer that is chosen for the map."""
        runs = self.asked.runs()
        layers, mapped = {run.id: self._layer(run) for run in runs}, self.map.run()
        self.words.ask_of(runs, layers, mapped)
        self.matrix.ask_of(runs, layers, mapped)

    def _layer(self, run: RunRow) -> int:
        """The layer of the map, or the last of a run that has fewer."""
        wanted = self.map.controls.options().layer
        return min(wanted, deepest(RunSpec.from_json(run.spec))) if run.spec else 0

    @Slot(str)
    def choose(self, word: str) -> None:
        """Ask about another word."""
        self.matrix.current = word
        self.map.choose(word)
        self.words.ask(word)

    @Slot()
    def _begin(self) -> None:
        """Where no word was chosen yet, begin with a frequent one of more than one letter."""
        found = self.map.found
        if self.words.word or found is None:
            return
        long = (word for word in found.words if len(word) > 1 and word.isalpha())
        self.choose(next(long, found.words[0]))

    @Slot(int)
    def _mark(self, run: int) -> None:
        """Lead lines to the nearest words of the run that is mapped."""
        mapped = self.map.run()
        if mapped is None or run != mapped.id:
            return
        near = [one.word for one in self.words.found[run].nearest if one.cosine is not None]
        self.map.choose(self.words.word, near)
        if not self.matrix.words():
            self.matrix.set_words([self.words.word, *near[:NEIGHBOURS_SHOWN]])

    # the rest of the window

    def search(self) -> None:
        """Ctrl+F: find a word on the map."""
        self.map.search()

    def export(self) -> None:
        """Ctrl+E: the map as a picture."""
        self.map.export_picture()
