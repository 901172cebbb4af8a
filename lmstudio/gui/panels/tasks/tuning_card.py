"""TuningCard: a task in; what to fine-tune for it, how long it takes, and the runs queued, out."""

from dataclasses import asdict

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QWidget

from lmstudio import figures
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.jobs import Asker
from lmstudio.gui.panels.tasks.texts_first import TextsFirst
from lmstudio.gui.panels.tasks.tuning_form import TuningForm
from lmstudio.gui.panels.train import training_jobs
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Card, button, disable, enable, label
from lmstudio.messages import tr
from lmstudio.models.registry import MODELS
from lmstudio.operations import finetuning, runs, task_pretraining
from lmstudio.operations.task_pretraining import ChainEstimate
from lmstudio.store.rows import RunRow, TaskRow
from lmstudio.training.estimate import Estimate
from lmstudio.training.spec import RunSpec

DEBOUNCE_MS = 400
_USUAL = ("small", "published")  # ways that an encoder decides


class TuningCard(Card):
    """Several can be queued one after the other."""

    queued = Signal(list)  # the new rows

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(tr("Fine-tune"), parent=parent)
        self._state = state
        self._task: TaskRow | None = None
        self.form = TuningForm(self)
        self.cost = label(size=12, tone="muted", wrap=True)
        self.fault = label(size=12, tone="bad", wrap=True)
        self.start = button(tr("Add to queue"), "primary", icon_name="play", parent=self)
        self.pretrain = button(tr("Train an encoder"), "link", parent=self)
        self.pretrain.setToolTip(
            tr("A network that has learned from text; its knowledge is what is fine-tuned")
        )
        self._asker = Asker(state, self)
        self._pause = QTimer(self, interval=DEBOUNCE_MS, singleShot=True)
        foot = QHBoxLayout()
        foot.setSpacing(theme.px(8))
        foot.addWidget(self.pretrain)
        foot.addStretch()
        foot.addWidget(self.start)
        self.body.addWidget(self.form, 1)
        self.body.addWidget(self.fault)
        self.body.addWidget(self.cost)
        self.body.addLayout(foot)
        self.form.changed.connect(self.check)
        self.form.encoder.currentIndexChanged.connect(self._suit)
        self.start.clicked.connect(self.add)
        self.pretrain.clicked.connect(self._go_to_training)
        self._pause.timeout.connect(self.ask)
        self._asker.answered.connect(self._take)
        self._asker.failed.connect(self._take_none)
        state.runs_changed.connect(self.refresh)

    def show_task(self, task: TaskRow) -> None:
        """What is fine-tuned from now on is for this task."""
        self._task = task
        self.form.show_kind(task.kind)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Offer the encoders that there are now."""
        if self._state.has_workspace:
            self.form.offer(encoders(self._state))
        self.check()

    @Slot()
    def _suit(self) -> None:
        """Offer what suits the encoder, where no way was chosen that is for a purpose."""
        run = self.form.run_id()
        if run is not None and self.form.preset.currentData() in _USUAL:
            way = finetuning.usual_way(self._state.workspace, run)
            if way != self.form.preset.currentData():
                self.form.choose_preset(way)

    def spec(self) -> RunSpec:
        """What is set. Raises AppError where it has faults, or there is no encoder."""
        task, run = self._task, self.form.run_id()
        if task is None or run is None:
            raise AppError("Train a network first; it is what is fine-tuned.")
        training = self.form.training_config(self._state.settings.device)
        head = asdict(self.form.task_config())
        return finetuning.spec_for(self._state.workspace, task, run, head, asdict(training))

    @Slot()
    def check(self) -> None:
        """The button, what is wrong, and a new estimate."""
        self._asker.cancel()
        self._pause.stop()
        if self._task is None:
            return
        wrong = ""
        try:
            self.spec()
        except AppError as error:
            wrong = str(error)
        self.fault.setText(wrong)
        self.fault.setVisible(bool(wrong))
        self.pretrain.setVisible(self.form.run_id() is None)
        if wrong:
            disable(self.start, wrong)
            self.cost.setText("")
        else:
            enable(self.start)
            self.cost.setText(tr("Estimating how long it takes…"))
            if self.isVisible():
                self._pause.start()

    @Slot()
    def ask(self) -> None:
        """Time some steps."""
        try:
            spec = self.spec()
        except AppError:
            return
        assert self._task is not None
        first = self.form.goes_on_first()
        estimate = task_pretraining.estimate_chain if first else finetuning.estimate
        ws, run = self._state.workspace, self.form.run_id()
        self._asker.ask(estimate, ws, self._task.id, run, spec)

    @Slot(object)
    def _take(self, found: Estimate | ChainEstimate) -> None:
        tuned = found.tuned if isinstance(found, ChainEstimate) else found
        seeds = self.form.seeds.value()
        said = [tr("about {time} a run", time=figures.duration(tuned.seconds)),
                tr("{time} for all seeds", time=figures.duration(tuned.seconds * seeds))
                if seeds > 1 else "",
                self._first(found.first) if isinstance(found, ChainEstimate) else ""]  # fmt: skip
        self.cost.setText(" · ".join(filter(None, said)))

    def _first(self, seconds: float | None) -> str:
        """What comes before the runs, as far as it is known how long it takes."""
        encoder = self.form.encoder.currentText()
        if seconds is None:
            return tr("before them {encoder} goes on with the texts", encoder=encoder)
        if not seconds:
            return tr("{encoder} went on with the texts before", encoder=encoder)
        return tr("before them {encoder} goes on with the texts, about {time}", encoder=encoder,
                  time=figures.duration(seconds))  # fmt: skip

    @Slot(object)
    def _take_none(self, error: AppError) -> None:
        self.cost.setText(str(error))

    @Slot()
    def add(self) -> None:
        """Queue the runs."""
        task, encoder = self._task, self.form.run_id()
        if task is None or encoder is None:
            return
        state, head = self._state, self.form.task_config()
        how, seeds = self.form.training_config(state.settings.device), self.form.seeds.value()
        if self.form.goes_on_first():
            TextsFirst(state, task, encoder, head, how, seeds, log=self.form.log.isChecked())
            return
        try:
            rows = finetuning.queue_tuning(
                state.workspace, task.id, encoder, head, how, seeds=seeds
            )
        except AppError as error:
            state.report(error)
            return
        training_jobs.start_all(state, rows, log=self.form.log.isChecked())
        state.told.emit(tr("{count} runs for {name} are in the queue.",
                           count=len(rows), name=task.name))  # fmt: skip
        self.queued.emit(rows)

    @Slot()
    def _go_to_training(self) -> None:
        self._state.panel_wanted.emit("new_run")


def encoders(state: AppState) -> list[RunRow]:
    """The networks that have learned from text: the one tuned last, then the newest first.

    One that went on with the texts of a task counts as new only: it was made for that task.
    """
    ws = state.workspace
    neural = [run for run in state.runs() if MODELS[run.model].kind == "neural"]
    ended = [run for run in neural if run.state not in ("queued", "running")]
    usable = [run for run in reversed(ended) if runs.has_model(ws, run)]
    made_for = {row.id for row in state.corpora() if "texts_of" in row.facts}
    cuts = {cut.id for cut in state.segmentations() if cut.corpus_id in made_for}
    tuned = [run.parent for run in ws.tuned_runs() if run.segmentation_id not in cuts]
    return sorted(usable, key=lambda run: run.id != (tuned[-1] if tuned else None))
