"""New run: a model, its settings and a name in; a run in the queue out."""

from typing import cast

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from lmstudio import figures, options
from lmstudio.errors import AppError, Fault
from lmstudio.gui import theme
from lmstudio.gui.dialogs.sweep import SweepDialog
from lmstudio.gui.jobs import Asker
from lmstudio.gui.panels.panel import Panel
from lmstudio.gui.panels.train import training_jobs
from lmstudio.gui.panels.train.cost import CostCard
from lmstudio.gui.panels.train.costs import cost_of
from lmstudio.gui.panels.train.guard_notes import GuardNotes
from lmstudio.gui.panels.train.job_list import JobList
from lmstudio.gui.panels.train.run_form import RunForm
from lmstudio.gui.panels.train.start_row import StartRow
from lmstudio.gui.panels.train.timeline import Timeline
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Card, EmptyState, button, disable, enable, scrolled
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.models.config import NgramConfig
from lmstudio.models.registry import MODELS
from lmstudio.operations import run_names, runs, sweeps, training
from lmstudio.store.rows import RunRow, SegmentationRow
from lmstudio.training.estimate import Estimate
from lmstudio.training.machine import memory
from lmstudio.training.spec import RunSpec

DEBOUNCE_MS = 300


class NewRunPanel(Panel):
    """Several runs can be queued one after the other without leaving it."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.timeline = Timeline(self)
        self.form = RunForm(state.settings.device, self)
        self.cost = CostCard(memory(), self)
        self.row = StartRow(self)
        self.guard = GuardNotes(state, self)
        self._asker = Asker(state, self)
        self._pause = QTimer(self, interval=DEBOUNCE_MS, singleShot=True)
        self._pages = QStackedWidget(self)
        self._noted = ""  # the model that the guard's notes are about
        self._sweep = ""  # the one queued last
        self._lay_out()
        self._connect()
        self._take_draft()
        self._refresh()

    # layout

    def _lay_out(self) -> None:
        self.settings = Card(tr("Settings"), parent=self)
        self.several = button(tr("Several values of a setting…"), "link", parent=self)
        self.settings.row.add_tool(self.several)
        self.settings.body.addWidget(self.form, 1)
        self.settings.body.addWidget(self.guard)
        self.jobs = Card(tr("Queue"), parent=self)
        self.queue = JobList(self.state, self, ended=False)
        self.jobs.body.addWidget(scrolled(self.queue, self), 1)
        middle = QHBoxLayout()
        middle.setSpacing(theme.px(12))
        middle.addWidget(self.settings, 10)
        middle.addWidget(self.cost, 7)
        middle.addWidget(self.jobs, 4)
        main = QWidget(self)
        layout = QVBoxLayout(main)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(12))
        layout.addWidget(self.timeline)
        layout.addLayout(middle, 1)
        layout.addWidget(self.row)
        self._pages.addWidget(main)
        self._pages.addWidget(self._empty_page())
        self.page().addWidget(self._pages)

    def _empty_page(self) -> QWidget:
        self._lead = button("", "primary")
        self._lead.clicked.connect(self._go_to_corpora)
        self._empty = EmptyState(" ", " ", [self._lead], family="lstm")
        card = Card(parent=self)
        card.body.addWidget(self._empty, 1)
        return card

    def _connect(self) -> None:
        self.timeline.chosen.connect(self._model_chosen)
        self.form.changed.connect(self._edited)
        self.row.renamed.connect(self._check)
        self.row.started.connect(self._start)
        self.row.sweep_wanted.connect(self._show_sweep)
        self.several.clicked.connect(self._ask_for_values)
        self.row.mend_wanted.connect(self._go_to_fault)
        self._pause.timeout.connect(self._ask)
        self._asker.answered.connect(self._take_estimate)
        self._asker.failed.connect(self._no_estimate)
        state = self.state
        for signal in (state.selection_changed, state.segmentations_changed, state.runs_changed):
            signal.connect(self._refresh)
        state.draft_changed.connect(self._take_draft)
        state.jobs.started.connect(self._job_changed)
        state.jobs.finished.connect(self._job_changed)

    # what is shown

    def spec(self) -> RunSpec:
        """What is set; it may have faults."""
        return self.form.spec()

    def faults(self) -> list[Fault]:
        """What keeps the run from being started."""
        found = self.form.faults()
        if not self.row.typed():
            return found
        try:
            self.state.workspace.check_name("run", self.row.typed())
        except AppError as error:
            found.append(Fault("name", error.message))
        return found

    def _cut(self) -> SegmentationRow | None:
        """What a run can be trained on: the chosen segmentation, if it is of a text."""
        corpus = self.state.corpus
        return self.state.segmentation if corpus and corpus.holds_text else None

    @Slot()
    def _refresh(self) -> None:
        cut = self._cut()
        self._pages.setCurrentIndex(1 if cut is None else 0)
        self.primary = self._lead if cut is None else self.row.start
        if cut is None:
            self._say_what_is_missing()
        else:
            self.form.offer(self._with_weights())
            self._edited()

    def _with_weights(self) -> list[RunRow]:
        """The runs that others may begin with, newest first."""
        ws = self.state.workspace
        neural = [run for run in self.state.runs() if MODELS[run.model].kind != "count"]
        ended = [run for run in neural if run.state not in ("queued", "running")]
        return [run for run in reversed(ended) if runs.has_model(ws, run)]

    def _say_what_is_missing(self) -> None:
        corpus = self.state.corpus
        if corpus is None or not corpus.holds_text:
            self._lead.setText(tr("Go to Corpora"))
            self._empty.set_text(
                tr("No text to train on"),
                tr("{name} is the list of the words of a model that was imported, no text to "
                   "train on. Choose a segmentation of a text.", name=corpus.name) if corpus
                else tr("Import a text first; a run needs a segmentation."),
            )  # fmt: skip
        else:
            self._lead.setText(tr("Segment it"))
            self._empty.set_text(
                tr("{name} is not segmented yet", name=corpus.name),
                tr("Models count and predict tokens: say first what a token is."),
            )

    @Slot(str)
    def _model_chosen(self, model: str) -> None:
        self.form.show_model(model)
        self._edited()

    @Slot()
    def _edited(self) -> None:
        """Everything that follows from the form."""
        cut = self._cut()
        if cut is None:
            return
        model = MODELS[self.timeline.value()]
        self.settings.row.set_title(tr("{model} settings", model=tr(model.title)))
        vocabulary = figures.count(cut.vocabulary)
        self.settings.row.set_note(f"{cut.name} · {tr('vocabulary {count}', count=vocabulary)}")
        faults = self.form.faults()
        self.cost.show_cost(None if faults else cost_of(self.spec(), cut))
        self._propose_name(faults)
        self._expect(bool(faults), cut)
        self._guard(bool(faults), cut)
        self._check()

    def _propose_name(self, faults: list[Fault]) -> None:
        """A name follows the settings until the user types another."""
        if not faults and not self.row.is_own():
            name = run_names.describe(self.spec())
            self.row.propose(self.state.workspace.free_name("run", name))

    @Slot()
    def _check(self) -> None:
        """The button and what stands beside it."""
        said = [f"{self._label(fault.field)}: {fault.message}" for fault in self.faults()]
        self.row.show_faults(said, waiting=len(training_jobs.jobs(self.state)))
        self._allow_several()

    def _allow_several(self) -> None:
        if self.form.faults():
            disable(self.several, tr("Mend the settings first."))
        elif self.form.begins_with() is not None:
            disable(self.several, tr("Runs of a sweep all begin with random weights"))
        else:
            enable(self.several)

    @Slot()
    def _go_to_fault(self) -> None:
        """Put the cursor where the first fault is."""
        for fault in self.faults()[:1]:
            field = self.form.page().control(fault.field) or self.row.name
            field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _label(self, field: str) -> str:
        """A field as the form calls it."""
        for config in (self.spec().config, self.spec().training):
            known = options.options_of(config)
            if field in known:
                return tr(known[field][1].label)
        return tr("Name")

    @Slot(object)
    def _job_changed(self, job: Job) -> None:
        if self._cut() is not None:
            self._check()

    def _guard(self, faulty: bool, cut: SegmentationRow) -> None:
        """What is not defined on so little text is said before a run is started."""
        config = self.spec().config
        counts = isinstance(config, NgramConfig) and not faulty and self.isVisible()
        self.guard.show_for(cut.id, cast(NgramConfig, config) if counts else None)

    # the estimate

    def _expect(self, faulty: bool, cut: SegmentationRow) -> None:
        neural = MODELS[self.spec().model].kind == "neural"
        if self.spec().model != self._noted:
            self.guard.tell(())
        self.cost.hide_estimate(not neural)
        self._asker.cancel()
        self._pause.stop()
        if not neural:
            return
        if faulty:
            self.cost.expect_estimate(tr("Mend the settings first."))
            return
        self.cost.expect_estimate()
        if self.isVisible():
            self._pause.start()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self.form.set_device(self.state.settings.device)  # it may have been changed meanwhile
        self._refresh()

    @Slot()
    def _ask(self) -> None:
        cut = self._cut()
        if cut is not None:
            self._asker.ask(training.estimate, self.state.workspace, cut.id, self.spec())

    @Slot(object)
    def _take_estimate(self, found: Estimate) -> None:
        """What it takes, and what the run would say for itself."""
        self._noted = self.spec().model
        self.cost.show_estimate(found)
        self.guard.tell(found.notes)

    @Slot(object)
    def _no_estimate(self, error: AppError) -> None:
        self.cost.expect_estimate(str(error))

    # actions

    @Slot()
    def _start(self) -> None:
        cut = self._cut()
        if cut is None or self.faults():
            return
        try:
            row = training_jobs.add(
                self.state, cut.id, self.spec(), self.row.typed(), self.form.begins_with(),
                log=self.form.logs(),
            )  # fmt: skip
        except AppError as error:
            self.state.report(error)
            return
        self.row.propose("")  # the next one is named anew
        self._refresh()
        self.state.told.emit(tr("{name} is in the queue.", name=row.name))

    @Slot()
    def _ask_for_values(self) -> None:
        dialog = SweepDialog(self.state, self.spec(), self.window())
        dialog.chosen.connect(self.add_sweep)
        dialog.open()

    @Slot(str, list)
    def add_sweep(self, field: str, values: list[sweeps.Value]) -> None:
        """Queue a run for each value of a setting."""
        cut = self._cut()
        if cut is None:
            return
        try:
            self._sweep = training_jobs.add_sweep(
                self.state, cut.id, self.spec(), field, values, log=self.form.logs()
            )
        except AppError as error:
            self.state.report(error)
            return
        self.row.sweep.show()
        told = tr("{count} runs of the sweep {name} are in the queue.",
                  count=len(values), name=self._sweep)  # fmt: skip
        self.state.told.emit(told)

    @Slot()
    def _show_sweep(self) -> None:
        self.state.show_sweep(self._sweep)

    @Slot()
    def _go_to_corpora(self) -> None:
        corpus = self.state.corpus
        self.state.panel_wanted.emit("segment" if corpus and corpus.holds_text else "corpora")

    @Slot()
    def _take_draft(self) -> None:
        """Start from the settings of another run, if that was asked for."""
        draft, self.state.draft = self.state.draft, None
        if draft is None:
            return
        spec = RunSpec.read(draft)[0].as_draft()
        parent, self.state.draft_parent = self.state.draft_parent, None
        self.form.offer(self._with_weights())
        self.form.load(spec, parent)
        self.timeline.choose(spec.model)
        self.row.propose("")
        self._refresh()
        self.setFocus(Qt.FocusReason.OtherFocusReason)
