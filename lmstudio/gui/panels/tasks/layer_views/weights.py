"""WeightsView: a network in; what share each task takes of each of its layers out.

Where a task has no run that mixes the layers of the network, one can be queued.
"""

import statistics
from collections.abc import Sequence

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QWidget

from lmstudio import figures
from lmstudio.analysis.tasks.layer_names import layer_name
from lmstudio.analysis.tasks.layer_weights import LayerWeights
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.choices import fill
from lmstudio.gui.dialogs.export_plot import ExportDialog
from lmstudio.gui.jobs import Asker
from lmstudio.gui.panels.tasks.kind_names import kind_title
from lmstudio.gui.panels.tasks.layer_views.view import LayerView, path_last
from lmstudio.gui.panels.tasks.task_layout import add_tool, narrow
from lmstudio.gui.panels.train import training_jobs
from lmstudio.gui.save_as import SaveAs
from lmstudio.gui.state import AppState
from lmstudio.gui.tables import Cell, Column, Row, Table
from lmstudio.gui.widgets import Card, button, disable, enable, label, scrolled
from lmstudio.gui.widgets.share_grid import ShareGrid, ShareRow
from lmstudio.gui.widgets.splitter import splitter
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.operations import layer_weights
from lmstudio.operations.task_results import MEASURES
from lmstudio.store.rows import RunRow, TaskRow
from lmstudio.store.workspace import Workspace


class WeightsView(LayerView):
    """Tasks from the top, layers from the left; the mean of a task's runs."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.encoder = QComboBox(self)
        self.grid = ShareGrid(tr("What each task takes of each layer"), self)
        self.grid.set_shares([], ())
        self.table = Table(_columns(), tr("Tasks"), self, many=True)
        self.runs = Table(_run_columns(), tr("Runs"), self)
        self.epochs = self.spin(tr("Epochs"), int(layer_weights.RECIPE["epochs"]), 1, 1000)
        self.seeds = self.spin(tr("Seeds"), 1, 1, 20)
        self.queue = button(tr("Queue the missing runs"), "primary", icon_name="play", parent=self)
        self.primary = self.queue
        self.save = SaveAs(state, self)
        self.found: list[LayerWeights] = []
        self._asker = Asker(state, self)
        self._lay_out()
        self.encoder.activated.connect(self.refresh)
        self.table.chosen.connect(self._offer)
        self.queue.clicked.connect(self.add)
        self.grid.export_wanted.connect(self.export)
        self._asker.answered.connect(self._take)
        self._asker.failed.connect(self._fail)

    def _lay_out(self) -> None:
        self._card = Card(tr("What each task takes of each layer"), parent=self)
        narrow(self.encoder, tr("Network"))
        self._card.row.add_tool(self.encoder)
        add_tool(self._card, "export", tr("Export the chart"), self.export)
        self._said = label(size=12, tone="muted", wrap=True)
        self._card.body.addWidget(scrolled(self.grid), 1)
        self._card.body.addWidget(self._said)
        side = Card(tr("Tasks"), parent=self)
        side.body.addWidget(
            label(tr("The network is frozen; the head reads a learned mix of its layers, as ELMo "
                     "was used."), size=12, tone="muted", wrap=True)
        )  # fmt: skip
        side.body.addWidget(self.table, 1)
        row = QHBoxLayout()
        row.setSpacing(theme.px(8))
        for name, box in ((tr("Epochs"), self.epochs), (tr("Seeds"), self.seeds)):
            row.addWidget(label(name, tone="muted"))
            row.addWidget(box)
        row.addStretch()
        side.body.addLayout(row)
        below = Card(tr("Runs"), parent=self)
        add_tool(below, "table", tr("Save as CSV"), self.save_csv)
        below.body.addWidget(self.runs, 1)
        left = splitter("weights left", Qt.Orientation.Vertical, self._card, below)
        left.setSizes([theme.px(300), theme.px(220)])
        both = splitter("weights both", Qt.Orientation.Horizontal, left, side, sizes=(800, 450))
        self.column(both, foot=(self.queue,))

    @property
    def busy(self) -> bool:
        return self._asker.busy

    # what is asked

    def encoder_id(self) -> int | None:
        """The network whose layers are weighed."""
        chosen = self.encoder.currentData()
        return None if chosen is None else int(chosen)

    def _mixed(self) -> list[RunRow]:
        """The runs that mix the layers of the network."""
        own = self.encoder_id()
        return [run for run in layer_weights.mixed_runs(self.state.workspace) if run.parent == own]

    @Slot()
    def refresh(self) -> None:
        """Offer the networks, those that have runs first, and draw the one that is chosen."""
        if not self.state.has_workspace:
            return
        weighed = {run.parent for run in layer_weights.mixed_runs(self.state.workspace)}
        known = sorted(self.networks(), key=lambda run: run.id not in weighed)
        fill(self.encoder, [(run.name, run.id) for run in known])
        mixed = self._mixed()
        self.table.set_rows([_task_row(task, mixed) for task in self.state.tasks()])
        self._offer()
        self._asker.ask(_weights, self.state.workspace, [run.id for run in mixed])

    @Slot()
    def _offer(self) -> None:
        """Which runs would be queued."""
        count = len(self.wanted())
        self.queue.setText(tr("Queue {count} runs", count=count * self.seeds.value()) if count
                           else tr("Queue the missing runs"))  # fmt: skip
        if count:
            enable(self.queue)
        else:
            disable(self.queue, tr("Every task has such a run. Select tasks to train more."))

    def wanted(self) -> list[int]:
        """The tasks that are selected; else those without such a run."""
        if self.encoder_id() is None:
            return []
        chosen = [int(key) for key in self.table.selected()]
        done = {run.task for run in self._mixed()}
        return chosen or [task.id for task in self.state.tasks() if task.id not in done]

    @Slot()
    def add(self) -> None:
        """Queue them."""
        encoder = self.encoder_id()
        if encoder is None:
            return
        try:
            rows = layer_weights.queue(
                self.state.workspace, encoder, self.wanted(), epochs=self.epochs.value(),
                seeds=self.seeds.value(),
            )  # fmt: skip
        except AppError as error:
            self.state.report(error)
            return
        training_jobs.start_all(self.state, rows)
        self.state.told.emit(tr("{count} runs are in the queue.", count=len(rows)))

    # what is shown

    @Slot(object)
    def _take(self, found: list[LayerWeights]) -> None:
        self.found = found
        layers = max((len(one.shares) for one in found), default=0)
        self.grid.set_shares(rows_of(found), tuple(map(layer_name, range(layers))))
        self.runs.set_rows([self._run_row(one) for one in found])
        self.note.setText("")
        self._said.setText(_told(found))
        self.grid.update()

    def _run_row(self, one: LayerWeights) -> Row:
        measure = next(iter(MEASURES[one.kind]))
        score = (self.state.workspace.evaluation(one.run_id, "test") or {}).get(measure)
        cells = {"name": Cell(one.run, draw=("mark", one.model), tip=one.run),
                 "task": Cell(one.task), "gamma": Cell(one.gamma),
                 "score": Cell(score, tip=tr(MEASURES[one.kind][measure]))}  # fmt: skip
        return Row(one.run_id, cells)

    @Slot(object)
    def _fail(self, error: AppError) -> None:
        self._take([])
        self.note.setText(str(error))

    @Slot()
    def export(self) -> None:
        """Save the grid as a picture."""
        title = self._card.row.title.full_text()
        ExportDialog(self.state, self.grid, f"{self.encoder.currentText()} · {title}",
                     self.window()).open()  # fmt: skip

    @Slot()
    def save_csv(self) -> None:
        """Save the shares of every run as CSV."""
        if self.found:
            self.save.ask(self.encoder.currentText(), path_last(layer_weights.save_weights),
                          self.found)  # fmt: skip


def rows_of(found: Sequence[LayerWeights]) -> list[ShareRow]:
    """A row for each task: the mean of its runs."""
    tasks: dict[str, list[LayerWeights]] = {}
    for one in found:
        tasks.setdefault(one.task, []).append(one)
    made = []
    for task, runs in tasks.items():
        shares = tuple(statistics.fmean(parts)
                       for parts in zip(*(run.shares for run in runs), strict=True))  # fmt: skip
        gamma = statistics.fmean(run.gamma for run in runs)
        tip = "\n".join(run.run for run in runs)
        made.append(ShareRow(task, runs[0].model, shares, f"γ {gamma:.2f}", tip))
    return made


def _told(found: Sequence[LayerWeights]) -> str:
    if not found:
        return tr("No run mixes the layers of this network yet.")
    return tr("Shares s of γ Σ sⱼ xⱼ (Peters et al. 2018); they sum to 100 % in each row. Mean of "
              "the runs of a task.")  # fmt: skip


def _weights(ws: Workspace, runs: list[int], *, job: Job) -> list[LayerWeights]:
    job.check()
    return layer_weights.weights(ws, runs)


def _columns() -> list[Column]:
    return [
        Column("name", tr("Task")),
        Column("kind", tr("Kind"), width=110),
        Column("runs", tr("Runs"), right=True, width=60),
    ]


def _run_columns() -> list[Column]:
    return [
        Column("name", tr("Run")),
        Column("task", tr("Task"), width=130),
        Column("gamma", "γ", right=True, show=figures.decimal, width=70),
        Column("score", tr("Test"), right=True, width=90,
               show=lambda share: figures.percent(share, 1)),
    ]  # fmt: skip


def _task_row(task: TaskRow, mixed: list[RunRow]) -> Row:
    count = sum(run.task == task.id for run in mixed)
    return Row(task.id, {"name": Cell(task.name, tip=task.name),
                         "kind": Cell(kind_title(task.kind)), "runs": Cell(count)})  # fmt: skip
