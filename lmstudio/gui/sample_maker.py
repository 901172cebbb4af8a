"""Tour: the whole way on the sample corpus, done by the same operations as by hand."""

from PySide6.QtCore import QObject, Slot

from lmstudio.gui.panels.train import training_jobs
from lmstudio.gui.state import AppState
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.operations import demo
from lmstudio.operations.changes import Changes


class Tour(QObject):
    """Makes the sample corpus and its segmentation, queues the models, shows the curves."""

    def __init__(self, state: AppState, parent: QObject) -> None:
        super().__init__(parent)
        self._state = state
        self._job: Job | None = None
        self._trains = False
        state.sample_wanted.connect(self.prepare)
        state.tour_wanted.connect(self.start)
        state.jobs.finished.connect(self._prepared)

    @Slot()
    def start(self) -> None:
        """The whole way, to curves."""
        self._begin(trains=True)

    @Slot()
    def prepare(self) -> None:
        """Only the corpus and its segmentation."""
        self._begin(trains=False)

    def _begin(self, trains: bool) -> None:
        if self._job is None and self._state.has_workspace:
            self._trains = trains
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
            if self._trains:
                self._train(cut.id)
            self._state.panel_wanted.emit("curves" if self._trains else "segment")

    def _train(self, segmentation_id: int) -> None:
        for spec in demo.specs():
            if demo.trained(self._state.workspace, segmentation_id, spec) is None:
                training_jobs.add(self._state, segmentation_id, spec)
