"""SideSaver: a side of the comparison in; the job that cuts the whole corpus so, and its end."""

from functools import partial

from PySide6.QtCore import QObject, Signal, Slot

from lmstudio.gui.panels.segment.segmenter_choice import Cut
from lmstudio.gui.state import AppState
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.operations import segmentations
from lmstudio.store.rows import CorpusRow


class SideSaver(QObject):
    """Each side is kept by one job at a time."""

    ended = Signal(str, bool)  # side, whether it was kept

    def __init__(self, state: AppState, parent: QObject) -> None:
        super().__init__(parent)
        self._state = state
        self._jobs: dict[Job, str] = {}
        state.jobs.finished.connect(self._job_ended)

    def save(self, corpus: CorpusRow, side: str, title: str, cut: Cut) -> None:
        """Cut the corpus as a side is cut, and keep it under a free name."""
        ws = self._state.workspace
        name = ws.free_name("segmentation", f"{corpus.name} · {title}")
        job = Job(tr("Segment {name}", name=corpus.name))
        self._jobs[job] = side
        question = partial(
            segmentations.create, name=name, dictionary=cut.dictionary, tokenizer=cut.tokenizer,
            stop_words=cut.stop_words,
        )  # fmt: skip
        self._state.run("bulk", job, question, ws, corpus.id, cut.options)

    def sides(self) -> list[str]:
        """The sides that are being kept."""
        return list(self._jobs.values())

    @Slot(object)
    def _job_ended(self, job: Job) -> None:
        if side := self._jobs.pop(job, ""):
            self.ended.emit(side, job.state == "done")
