"""AskedRuns: which runs of the corpus selected the panels of Explore ask, one set for them all."""

from PySide6.QtCore import QObject, Signal

from lmstudio.models.registry import MODELS
from lmstudio.store.rows import RunRow
from lmstudio.store.workspace import Workspace

MOST = 5
"""Runs that are asked where nobody chose."""
FIRST = ("ngram", "lstm", "elmo", "gpt", "bert")
"""The families that they are of, as long as there are such."""


class AskedRuns(QObject):
    """Runs are known by id; those of other corpora are kept, and not offered."""

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._shown: list[int] = []  # in the row, in its order
        self._off: set[int] = set()  # of these, those that are not asked

    def known(self, ws: Workspace, corpus_id: int) -> list[RunRow]:
        """All runs of a corpus that have a model, by the years of their families.

        Those that are fine-tuned for a task stand at the end.
        """
        from lmstudio.operations import runs  # with numpy: a window is there before it is needed

        cuts = {cut.id for cut in ws.segmentations(corpus_id)}
        found = [run for run in ws.runs(tuned=True)
                 if run.segmentation_id in cuts and run.state != "running"
                 and runs.has_model(ws, run)]  # fmt: skip
        order = list(MODELS)
        return sorted(found, key=lambda run: (run.task is not None, order.index(run.model)))

    def shown(self, ws: Workspace, corpus_id: int) -> list[RunRow]:
        """Those in the row: the newest of some families where none was chosen."""
        known = self.known(ws, corpus_id)
        chosen = [run for run in known if run.id in self._shown]
        newest = {run.model: run for run in known if run.task is None}
        families = sorted(newest, key=lambda model: model not in FIRST)[:MOST]
        return chosen or [run for model, run in newest.items() if model in families]

    def is_on(self, run_id: int) -> bool:
        """It is asked where it stands in the row."""
        return run_id not in self._off

    def show(self, ids: list[int]) -> None:
        """Put these into the row; all that are new there are asked."""
        if ids != self._shown:
            self._off &= set(self._shown)
            self._shown = list(ids)
            self.changed.emit()

    def switch(self, run_id: int, *, on: bool) -> None:
        """Ask a run of the row, or don't."""
        if on != self.is_on(run_id):
            (self._off.discard if on else self._off.add)(run_id)
            self.changed.emit()
