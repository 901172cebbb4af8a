"""What the window shows and does: the workspace, what is selected in it, and the jobs.

Panels read rows from here when a signal says that they changed, and change things through here.
A signal is emitted on a real change only.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QApplication

from lmstudio import messages
from lmstudio.errors import AppError, WorkspaceError
from lmstudio.gui import theme
from lmstudio.gui.asked_runs import AskedRuns
from lmstudio.gui.deletions import Deletions
from lmstudio.gui.habits import Habits
from lmstudio.gui.jobs import Asker, JobWatcher
from lmstudio.gui.opening import opening
from lmstudio.gui.tuned_runs import TunedRuns
from lmstudio.jobs import Job, JobQueue, Lane
from lmstudio.messages import tr
from lmstudio.operations import findings, machine
from lmstudio.operations.changes import Changes
from lmstudio.store.rows import CorpusRow, Facts, RunRow, SegmentationRow, TaskRow
from lmstudio.store.settings import Settings
from lmstudio.store.workspace import Workspace
from lmstudio.training.machine import Machine

if TYPE_CHECKING:
    from lmstudio.data.browse.search import Query  # with numpy: a window needs it later
    from lmstudio.operations.laboratory import Table

WARM: dict[Lane, tuple[str, ...]] = {
    "train": ("lmstudio.training.loop",),
    "bulk": ("lmstudio.text.segment",),
    "ask": ("lmstudio.analysis.loading", "torch"),  # seconds that no question has to wait
}
"""What each worker imports before its first job."""

SCALE_STEP = 0.1


class AppState(QObject):
    """One for the program; windows come and go."""

    workspace_changed = Signal()
    corpora_changed = Signal()
    segmentations_changed = Signal()
    runs_changed = Signal()
    dictionaries_changed = Signal()  # a user dictionary holds other words
    findings_changed = Signal()
    tasks_changed = Signal()
    selection_changed = Signal()  # another corpus or segmentation is selected
    run_selection_changed = Signal()
    machine_changed = Signal()  # `machine` is known
    told = Signal(str)  # a sentence for the user that needs no answer
    problem = Signal(str, str)  # a sentence and the details of a bug, "" if it is none
    panel_wanted = Signal(str)  # the key of a panel to show
    files_given = Signal(list)  # paths to import
    sentence_changed = Signal()  # the sentence that the panels of Explore ask about is another
    query_changed = Signal()  # `query` is to be searched for
    worked_changed = Signal()  # the help is to work out `worked`
    draft_changed = Signal()  # a new run is to start from other settings
    sample_wanted = Signal()  # make the sample corpus
    tour_wanted = Signal(str)  # the key of a guided tour to begin, or to go on with
    tour_moved = Signal()  # a tour is at another step
    rebuild = Signal()  # language, scale or workspace changed: make a new window

    def __init__(
        self, settings: Settings, queue: JobQueue | None = None, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.settings = settings
        self.queue = queue or JobQueue(WARM)
        self.jobs = JobWatcher(self)
        self.jobs.finished.connect(self._job_ended)
        self.jobs.run_known.connect(self._run_known)
        self.machine: Machine | None = None  # known once a worker has looked
        self._survey = Asker(self, self)
        self._survey.answered.connect(self.know_machine)
        self._workspace: Workspace | None = None
        self._quiet: set[Job] = set()
        self._corpus_id: int | None = None
        self._segmentation_id: int | None = None
        self._run_ids: tuple[int, ...] = ()
        self.query: Query | None = None  # what the concordance is to search for
        self.worked: Table | None = None  # counts that the help works its derivation out on
        self.draft: Facts | None = None  # a RunSpec's JSON that the new-run form starts from
        self.draft_parent: int | None = None  # the run whose weights it is to begin with
        self.asked = AskedRuns(self)
        self.tuned = TunedRuns(self)
        self.deletions = Deletions(self)
        self.habits = Habits(self, self)
        self.sentence = ""  # what is asked about in Explore; "": nothing was typed yet
        self.finding_id = 0  # the finding that is to be shown
        self.sweep = ""  # the name of the sweep that is to be set against its setting

    # the workspace

    @property
    def workspace(self) -> Workspace:
        """The open workspace. Raises AppError when none is open."""
        if self._workspace is None:
            raise AppError("Open a workspace first.")
        return self._workspace

    @property
    def has_workspace(self) -> bool:
        """A workspace is open."""
        return self._workspace is not None

    def open_workspace(self, folder: Path) -> bool:
        """Open `folder` instead of what is open; False, and a problem, when it cannot be had."""
        if self.jobs.jobs():
            self.report(AppError("A job is running in this workspace. Stop it first."))
            return False
        if self._workspace and self._workspace.folder == folder.absolute():
            return True
        try:
            opened = Workspace(folder)
        except WorkspaceError as error:
            self.report(error)
            return False
        before, self._workspace = self._workspace, opened
        if before:
            before.close()
        self.settings.opened(opened.folder)
        self._select_newest()
        self.workspace_changed.emit()
        self.apply(Changes(corpora=True, segmentations=True, runs=True))
        self.selection_changed.emit()
        if before:
            self.rebuild.emit()  # what panels keep goes by ids, and those mean other rows now
        return True

    def _select_newest(self) -> None:
        seen = self.settings.seen.get(str(self.workspace.folder), 0)
        self._corpus_id, self._segmentation_id = opening(self.corpora(), self.segmentations(), seen)
        self._run_ids = ()

    def corpora(self) -> list[CorpusRow]:
        """All corpora; none without a workspace."""
        return self._workspace.corpora() if self._workspace else []

    def segmentations(self, corpus_id: int | None = None) -> list[SegmentationRow]:
        """All segmentations or those of a corpus; none without a workspace."""
        return self._workspace.segmentations(corpus_id) if self._workspace else []

    def runs(self, segmentation_id: int | None = None) -> list[RunRow]:
        """All runs or those on a segmentation; none without a workspace."""
        return self._workspace.runs(segmentation_id) if self._workspace else []

    def tasks(self) -> list[TaskRow]:
        """All tasks, oldest first; none without a workspace."""
        return self._workspace.tasks() if self._workspace else []

    def run_row(self, run_id: int | None) -> RunRow | None:
        """A run, fine-tuned or not, while it exists."""
        if self._workspace is None or run_id is None:
            return None
        try:
            return self._workspace.run(run_id)
        except AppError:
            return None

    # this computer

    def look_at_machine(self) -> None:
        """Ask a worker, once, what models can be trained on here."""
        if self.machine is None and not self._survey.busy:
            self._survey.ask(machine.survey)

    @Slot(object)
    def know_machine(self, found: Machine) -> None:
        """Take in what a worker has found."""
        self.machine = found
        self.machine_changed.emit()

    # what is selected

    @property
    def corpus(self) -> CorpusRow | None:
        """The corpus selected."""
        return next((row for row in self.corpora() if row.id == self._corpus_id), None)

    @property
    def segmentation(self) -> SegmentationRow | None:
        """The segmentation selected; it belongs to `corpus`."""
        return next((r for r in self.segmentations() if r.id == self._segmentation_id), None)

    @property
    def run_ids(self) -> tuple[int, ...]:
        """The runs selected in the run table."""
        return self._run_ids

    @Slot(int)
    def select_corpus(self, corpus_id: int) -> None:
        """Select a corpus and its newest segmentation."""
        segmentations = self.segmentations(corpus_id)
        self._select(corpus_id, segmentations[-1].id if segmentations else None)

    @Slot(int)
    def select_segmentation(self, segmentation_id: int) -> None:
        """Select a segmentation and its corpus."""
        row = self.workspace.segmentation(segmentation_id)
        self._select(row.corpus_id, row.id)

    def _select(self, corpus_id: int | None, segmentation_id: int | None) -> None:
        if (corpus_id, segmentation_id) != (self._corpus_id, self._segmentation_id):
            self._corpus_id, self._segmentation_id = corpus_id, segmentation_id
            self.settings.looked_at(self.workspace.folder, segmentation_id or 0)
            self.selection_changed.emit()

    def select_runs(self, run_ids: tuple[int, ...]) -> None:
        """Select runs."""
        if run_ids != self._run_ids:
            self._run_ids = run_ids
            self.run_selection_changed.emit()

    def draft_from(self, run: RunRow, *, weights: bool = False) -> None:
        """Start a new run from the settings of `run`, or its `weights` too, on its segmentation."""
        self.select_segmentation(run.segmentation_id)
        self.draft, self.draft_parent = run.spec, run.id if weights else None
        self.draft_changed.emit()
        self.panel_wanted.emit("new_run")

    @Slot(str)
    def set_sentence(self, text: str) -> None:
        """Ask about another sentence, in every panel."""
        if text != self.sentence:
            self.sentence = text
            self.sentence_changed.emit()

    def search_for(self, query: "Query") -> None:
        """Show the concordance of `query` in the corpus selected."""
        self.query = query
        self.panel_wanted.emit("concordance")
        self.query_changed.emit()

    def save_finding(
        self, kind: str, title: str, question: Mapping[str, Any], answers: Mapping[str, Any]
    ) -> None:
        """Keep a question with the answers of runs, by their names; see `operations.findings`."""
        try:
            self.apply(findings.save(self.workspace, kind, title, question, answers))
            self.told.emit(tr("Kept among the findings: {title}", title=title))
        except AppError as error:
            self.report(error)

    def show_finding(self, number: int) -> None:
        """Show a question that was kept, with its answers."""
        self.finding_id = number
        self.panel_wanted.emit("findings")
        self.findings_changed.emit()

    def show_sweep(self, name: str) -> None:
        """Show the runs of a sweep against the setting that they differ in."""
        self.sweep = name
        self.panel_wanted.emit("scaling")

    def explain(self, table: "Table | None") -> None:
        """Show the help that derives maximum likelihood on the counts of a context."""
        self.worked = table
        self.panel_wanted.emit("help")
        self.worked_changed.emit()

    # jobs and what they change

    def run(
        self, lane: Lane, job: Job, function: Callable[..., Any], *args: Any, quiet: bool = False
    ) -> Job:
        """Queue `function(*args, job=job)`, where `function` is an operation.

        When it ends, the Changes it returned are applied; a failure is reported, unless `quiet`.
        Follow it by `state.jobs.progressed` and `state.jobs.finished`, comparing the job.
        """
        if quiet:
            self._quiet.add(job)
        self.queue.submit(lane, job, function, *args)
        self.jobs.watch(job)
        return job

    def apply(self, changes: Changes) -> None:
        """Tell the views what changed, and select what is new."""
        self.deletions.take(changes)
        if changes.corpora:
            self.corpora_changed.emit()
        if changes.segmentations:
            self.segmentations_changed.emit()
        if changes.runs:
            self.runs_changed.emit()
        if changes.dictionaries:
            self.dictionaries_changed.emit()
        if changes.findings:
            self.findings_changed.emit()
        if changes.tasks:
            if changes.new_id is not None:
                self.tuned.choose_task(changes.new_id)
            self.tasks_changed.emit()
        if changes.corpora or changes.segmentations:
            self._select_after(changes)
        for note in changes.notes:
            self.told.emit(str(note))

    def _select_after(self, changes: Changes) -> None:
        if changes.new_id is not None:
            select = self.select_segmentation if changes.segmentations else self.select_corpus
            run = self.workspace.run(changes.new_id) if changes.runs else None  # an imported one
            select(run.segmentation_id if run else changes.new_id)
        elif self.corpus is None:  # it was deleted
            self._select_newest()
            self.selection_changed.emit()
        elif self.segmentation is None:
            self.select_corpus(self.corpus.id)

    def report(self, error: AppError, details: str = "") -> None:
        """Show a problem to the user; `details` are for a bug report."""
        self.problem.emit(str(error), details)

    @Slot(object)
    def _run_known(self, job: Job) -> None:
        self.apply(Changes(runs=True))

    @Slot(object)
    def _job_ended(self, job: Job) -> None:
        if isinstance(job.result, Changes):
            self.apply(job.result)
        elif job.run_id is not None:  # stopped or failed: its row says so
            self.apply(Changes(runs=True))
        quiet = job in self._quiet
        self._quiet.discard(job)
        tells = job.details or not quiet and job.run_id is None
        if job.state == "failed" and job.error and tells:
            self.report(job.error, job.details)  # what else befalls a run stands in the job bar

    # settings

    @Slot(str)
    def set_language(self, language: str) -> None:
        """Show everything in `language`."""
        if language != messages.language():
            self.settings.language = language
            self.settings.save()
            messages.use(language)
            self.rebuild.emit()

    @Slot(str)
    def set_theme(self, mode: str) -> None:
        """Show everything in `mode` ("system", "light", "dark")."""
        if mode != self.settings.theme:
            self.settings.theme = mode
            self.settings.save()
            self.apply_theme()

    def set_scale(self, scale: float) -> None:
        """Make everything larger or smaller; 1.0 is as designed."""
        scale = round(min(max(scale, 0.8), 2.0), 1)
        if scale != self.settings.scale:
            self.settings.scale = scale
            self.settings.save()
            self.rebuild.emit()

    @Slot()
    def larger(self) -> None:
        """Make everything larger."""
        self.set_scale(self.settings.scale + SCALE_STEP)

    @Slot()
    def smaller(self) -> None:
        """Make everything smaller."""
        self.set_scale(self.settings.scale - SCALE_STEP)

    @Slot()
    def normal_size(self) -> None:
        """Make everything as large as it was designed."""
        self.set_scale(1.0)

    def set_device(self, device: str) -> None:
        """Train on `device` from the next run on; "auto" chooses."""
        if device != self.settings.device:
            self.settings.device = device
            self.settings.save()

    @Slot()
    def apply_theme(self) -> None:
        """Paint the application as the settings say."""
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        theme.apply(app, self.settings.theme, self.settings.scale)

    def close(self, seconds: float = 4.0) -> None:
        """Stop all jobs, keeping checkpoints, and close the workspace."""
        self.queue.close(seconds)
        if self._workspace:
            self._workspace.close()
            self._workspace = None
