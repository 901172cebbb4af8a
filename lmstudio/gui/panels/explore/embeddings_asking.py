"""MapAsking: what a map of words asks, each question in the lane where it belongs; answers out."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from lmstudio.analysis.word_map import MapOptions, WordMap
from lmstudio.gui.jobs import Asker
from lmstudio.gui.state import AppState
from lmstudio.operations import embeddings


class MapAsking(QObject):
    """PCA is asked in the lane of questions, t-SNE and UMAP where work may be stopped."""

    mapped = Signal(object)  # WordMap
    filmed = Signal(object)  # Film
    grouped = Signal(object)  # Groups
    failed = Signal(object)  # AppError, of a map or a film
    ungrouped = Signal(object)  # AppError, of groups
    advanced = Signal(object)  # the Job of a map

    def __init__(self, state: AppState, parent: QObject) -> None:
        super().__init__(parent)
        self._state = state
        self._quick, self._slow = Asker(state, self), Asker(state, self, "bulk")
        self._filming, self._grouping = Asker(state, self), Asker(state, self)
        for asker in (self._quick, self._slow):
            asker.answered.connect(self.mapped)
            asker.failed.connect(self.failed)
            asker.advanced.connect(self.advanced)
        self._filming.answered.connect(self.filmed)
        self._filming.failed.connect(self.failed)
        self._grouping.answered.connect(self.grouped)
        self._grouping.failed.connect(self.ungrouped)

    def map(self, run: int, options: MapOptions, chosen: Sequence[str]) -> None:
        """Ask for the map of a run's frequent words, or of those chosen."""
        self.cancel()
        asker = self._quick if options.method == "pca" else self._slow
        asker.ask(embeddings.map_words, self._state.workspace, run, options, chosen)

    def film(self, run: int) -> None:
        """Ask for the film of a run's training."""
        self._filming.ask(embeddings.film, self._state.workspace, run)

    def group(self, run: int, found: WordMap, by: str) -> None:
        """Ask for the groups of the words on a map; of none for "" as `by`."""
        self._grouping.cancel()
        if by:
            ws, layer = self._state.workspace, found.options.layer
            self._grouping.ask(embeddings.groups, ws, run, found.words, by, layer)

    def cancel(self) -> None:
        """Drop the map that is being made."""
        self._quick.cancel()
        self._slow.cancel()
