"""TextsFirst: a fine-tuning that was ordered in; a pre-training on the task's texts, then it, out.

The texts are imported and cut in the background; what is queued then waits in the lane of training.
"""

from functools import partial

from PySide6.QtCore import QObject, Slot

from lmstudio.gui.panels.train import training_jobs
from lmstudio.gui.state import AppState
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.operations import task_pretraining
from lmstudio.operations.changes import Changes
from lmstudio.store.rows import TaskRow
from lmstudio.training.spec import TrainingConfig
from lmstudio.training.task_config import TaskConfig


class TextsFirst(QObject):
    """Belongs to the state: it ends what it began, whatever becomes of the window meanwhile."""

    def __init__(
        self, state: AppState, task: TaskRow, encoder: int, head: TaskConfig, how: TrainingConfig,
        seeds: int, *, log: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(state)
        self._state, self._task, self._log = state, task, log
        queue = partial(task_pretraining.queue_chain, seeds=seeds)
        job = Job(tr("Prepare the texts of {name}", name=task.name))
        state.jobs.finished.connect(self._ended)
        self._job = state.run("bulk", job, queue, state.workspace, task.id, encoder, head, how)

    @Slot(object)
    def _ended(self, job: Job) -> None:
        if job is not self._job:
            return
        self.deleteLater()
        if job.state != "done":  # why is told by the state
            return
        chain: task_pretraining.Chain = job.result
        for row in chain.runs:
            training_jobs.start(self._state, row, log=self._log)
        self._state.apply(Changes(corpora=True, segmentations=True, runs=True, notes=chain.notes))
        self._state.told.emit(tr("{count} runs for {name} are in the queue.",
                                 count=len(chain.runs), name=self._task.name))  # fmt: skip
