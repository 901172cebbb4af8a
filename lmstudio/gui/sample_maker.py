"""SampleMaker: the wish for the sample corpus in; the corpus with a segmentation, shown, out."""

from PySide6.QtCore import QObject, Slot

from lmstudio.gui.state import AppState
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.operations import demo
from lmstudio.operations.changes import Changes


class SampleMaker(QObject):
    """What is there already is selected; only the rest is made."""

    def __init__(self, state: AppState, parent: QObject) -> None:
        super().__init__(parent)
        self._state = state
        self._job: Job | None = None
        state.sample_wanted.connect(self.prepare)
        state.jobs.finished.connect(self._prepared)

    @Slot()
    def prepare(self) -> None:
        """Make it, in the workspace that is open."""
        if self._job is None and self._state.has_workspace:
            job = Job(tr("Prepare the sample corpus"))
            self._job = self._state.run("bulk", job, demo.prepare, self._state.workspace)

    @Slot(object)
    def _prepared(self, job: Job) -> None:
        if job is not self._job:
            return
        self._job = None
        if job.state == "done":
            cut = self._state.segmentations(job.result)[0]
            self._state.apply(Changes(corpora=True, segmentations=True, new_id=cut.id))
            self._state.panel_wanted.emit("segment")
