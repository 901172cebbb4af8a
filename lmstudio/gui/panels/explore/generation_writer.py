"""Writer: runs and a prompt in; their texts as they grow, and when they have ended, out."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QObject, Signal, Slot

from lmstudio.analysis.generation.options import GenerationOptions
from lmstudio.gui.state import AppState
from lmstudio.jobs import Job
from lmstudio.operations import generation


class Writer(QObject):
    """One request at a time: a new one drops the last. A stopped one keeps what it has written."""

    grown = Signal(list, list)  # ids of runs, what each has written until now
    ended = Signal(list, list)  # the same, with the alternatives to each token
    failed = Signal(object)  # the AppError
    changed = Signal()  # it is busy now, or no longer

    def __init__(self, state: AppState, parent: QObject) -> None:
        super().__init__(parent)
        self._state = state
        self._job: Job | None = None
        self._runs: list[int] = []
        state.jobs.progressed.connect(self._progressed)
        state.jobs.finished.connect(self._finished)

    @property
    def busy(self) -> bool:
        """Something is being written."""
        return self._job is not None

    @property
    def runs(self) -> list[int]:
        """Whose texts were wanted last."""
        return self._runs

    def write(
        self, runs: Sequence[int], text: str, options: GenerationOptions,
        kept: Mapping[int, Sequence[int]] | None = None,
    ) -> None:  # fmt: skip
        """Let runs go on with a text; `kept`: see `operations.generation.generate`."""
        self.drop()
        self._runs, self._job = list(runs), Job()
        self._state.run("ask", self._job, generation.generate, self._state.workspace, self._runs,
                        text, options, kept or {}, quiet=True)  # fmt: skip
        self.changed.emit()

    @Slot(result=bool)
    def stop(self) -> bool:
        """End the texts where they are; False if none is being written."""
        if self._job is not None:
            self._job.cancel()
        return self._job is not None

    def drop(self) -> None:
        """Stop, and tell nothing more of it."""
        if self.stop():
            self._job = None
            self.changed.emit()

    @Slot(object, list)
    def _progressed(self, job: Job, points: list[object]) -> None:
        if job is self._job and job.partial is not None:
            self.grown.emit(self._runs, job.partial)

    @Slot(object)
    def _finished(self, job: Job) -> None:
        if job is not self._job:
            return
        self._job = None
        if job.state == "done":
            self.ended.emit(self._runs, job.result)
        elif job.state == "failed":
            self.failed.emit(job.error)
        self.changed.emit()
