"""SizeView: a task in; the scores of networks against their size, and of prompts, out."""

from dataclasses import replace
from functools import partial
from itertools import groupby

import numpy as np
from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QWidget

from lmstudio import figures
from lmstudio.analysis.tasks.zero_shot import ZeroShot
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.captions import sentence_case
from lmstudio.gui.choices import fill
from lmstudio.gui.dialogs.export_plot import ExportDialog
from lmstudio.gui.panels.progress_row import ProgressRow
from lmstudio.gui.panels.tasks.layer_views.one_by_one import OneByOne, Question
from lmstudio.gui.panels.tasks.layer_views.view import LayerView, network_row, path_last
from lmstudio.gui.panels.tasks.layer_views.zero_shot_card import ZeroShotCard
from lmstudio.gui.panels.tasks.score_axes import SCORES
from lmstudio.gui.panels.tasks.task_layout import add_tool, narrow
from lmstudio.gui.panels.train import training_jobs
from lmstudio.gui.plots import Plot, Series
from lmstudio.gui.save_as import SaveAs
from lmstudio.gui.state import AppState
from lmstudio.gui.tables import Cell, Column, Row, Table
from lmstudio.gui.widgets import Card, Segmented, button, disable, enable, label
from lmstudio.gui.widgets.splitter import splitter
from lmstudio.messages import tr
from lmstudio.models.capabilities import reason
from lmstudio.models.registry import MODELS
from lmstudio.operations import task_scaling, zero_shot
from lmstudio.operations.runs import has_model
from lmstudio.operations.task_results import MEASURES
from lmstudio.operations.task_scaling import Point
from lmstudio.store.rows import Part, RunRow
from lmstudio.training.task_config import TaskConfig
from lmstudio.training.tuning_presets import TUNING_PRESETS


class SizeView(LayerView):
    """Lines over parameters with the spread over seeds; those of prompts are dashed."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.measure, self.preset = QComboBox(self), QComboBox(self)
        self.part = Segmented([("valid", tr("Valid")), ("test", tr("Test"))], tr("Part"), self)
        self.part.set_value("test")
        self.plot = Plot(tr("Score against the size of the network"), self)
        self.points_table = Table(_columns(), tr("Score against the size of the network"), self)
        self.encoders = Table(_encoder_columns(), tr("Networks"), self, many=True)
        self.seeds = self.spin(tr("Seeds"), 3, 1, 20)
        self.prompt = ZeroShotCard(state, self)
        self.progress = ProgressRow(self)
        self.queue = button(tr("Fine-tune the selected"), "primary", icon_name="play", parent=self)
        self.primary = self.queue
        self.save = SaveAs(state, self)
        self.points: list[Point] = []
        self.asked: dict[object, ZeroShot] = {}
        self.asking = OneByOne(state, self.progress, self.note, self)
        self.preset.addItem(tr("As suits each network"), "")
        for name, preset in TUNING_PRESETS.items():
            self.preset.addItem(sentence_case(tr(preset.title)), name)
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        self._card = Card(tr("Score against the size of the network"), parent=self)
        narrow(self.measure, tr("Measure"))
        for widget in (self.measure, self.part):
            self._card.row.add_tool(widget)
        add_tool(self._card, "export", tr("Export the chart"), self.export)
        self._card.body.addWidget(self.plot, 1)
        below = Card(tr("Points of the plot"), parent=self)
        add_tool(below, "table", tr("Save as CSV"), self.save_csv)
        below.body.addWidget(self.points_table, 1)
        side = Card(tr("With training"), parent=self)
        row = QHBoxLayout()
        row.setSpacing(theme.px(8))
        narrow(self.preset, tr("Way"))
        row.addWidget(self.preset, 1)
        row.addWidget(label(tr("Seeds"), tone="muted"))
        row.addWidget(self.seeds)
        side.body.addWidget(self.encoders, 1)
        side.body.addLayout(row)
        left = splitter("size left", Qt.Orientation.Vertical, self._card, below)
        right = splitter("size right", Qt.Orientation.Vertical, side, self.prompt)
        both = splitter("size both", Qt.Orientation.Horizontal, left, right)
        left.setSizes([theme.px(330), theme.px(170)])
        right.setSizes([theme.px(240), theme.px(260)])
        both.setSizes([theme.px(860), theme.px(390)])
        self.column(both, foot=(self.progress, self.queue))

    def _connect(self) -> None:
        self.measure.activated.connect(self.draw)
        self.part.chosen.connect(self.draw)
        self.encoders.chosen.connect(self._offer)
        self.queue.clicked.connect(self.add)
        self.prompt.asked.connect(self.ask)
        self.prompt.changed.connect(self.draw)
        self.plot.export_wanted.connect(self.export)
        self.asking.answered.connect(self._take)

    @property
    def busy(self) -> bool:
        return self.asking.busy

    def stop(self) -> bool:
        busy = self.asking.busy
        self.asking.cancel()
        return busy

    # what is asked

    @Slot()
    def refresh(self) -> None:
        """Offer the networks and draw what is known."""
        if self.task is None:
            return
        fill(
            self.measure,
            [(sentence_case(tr(title)), name) for name, title in MEASURES[self.task.kind].items()],
        )
        self.encoders.set_rows([network_row(run) for run in self.networks()])
        self.prompt.show_task(self.task)
        self._offer()
        self.draw()

    @Slot()
    def _offer(self) -> None:
        if self.encoders.selected():
            enable(self.queue)
        else:
            disable(self.queue, tr("Select networks of several sizes first."))

    @Slot()
    def add(self) -> None:
        """Queue runs of the same head, trained as the way says, on every network selected."""
        if self.task is None:
            return
        way = self.preset.currentData()
        preset = TUNING_PRESETS[way or next(iter(TUNING_PRESETS))]
        head = TaskConfig(kind=self.task.kind, **preset.task_values(self.task.kind))
        training = preset.training_values() if way else {}
        training |= {"device": self.state.settings.device}
        chosen = [int(key) for key in self.encoders.selected()]
        try:
            rows = task_scaling.queue(self.state.workspace, self.task.id, chosen, head, training,
                                      seeds=self.seeds.value())  # fmt: skip
        except AppError as error:
            self.state.report(error)
            return
        training_jobs.start_all(self.state, rows)
        self.state.told.emit(tr("{count} runs are in the queue.", count=len(rows)))

    def causal(self) -> list[RunRow]:
        """The language models that a prompt can be put to: those that read from the left."""
        ws = self.state.workspace
        return [run for run in self.state.runs() if reason(run.model, "next") is None
                and run.state not in ("queued", "running") and has_model(ws, run)]  # fmt: skip

    def _key(self, run: int) -> object:
        return run, self.part.value(), self.prompt.key()

    @Slot()
    def ask(self) -> None:
        """Put the prompt to every language model that was not asked it yet."""
        if self.task is None:
            return
        function = partial(
            zero_shot.score, prompt=self.prompt.prompt(), part=self._part(),
            calibrated=self.prompt.calibrated.isChecked(),
        )  # fmt: skip
        self.asking.begin([
            Question(self._key(run.id), run.name, function, ([run.id], self.task.id))
            for run in self.causal() if self._key(run.id) not in self.asked
        ])  # fmt: skip

    @Slot(object, object)
    def _take(self, key: object, found: list[ZeroShot]) -> None:
        (self.asked[key],) = found
        if notes := found[0].notes:
            self.prompt.say(" ".join(map(str, notes)))
        self.draw()

    # what is shown

    def _part(self) -> Part:
        return "test" if self.part.value() == "test" else "valid"

    @Slot()
    def draw(self) -> None:
        """Draw what is known of the part by the measure."""
        if self.task is None or not self.state.has_workspace:
            return
        ws, measure = self.state.workspace, str(self.measure.currentData())
        self.points = task_scaling.points(ws, self.task.id, self._part(), measure)
        asked = [self.asked[key] for run in self.causal() if (key := self._key(run.id))
                 in self.asked]  # fmt: skip
        self.points += task_scaling.zero_shot_points(ws, asked, measure) if asked else []
        self._card.row.set_note(tr("{measure} against parameters",
                                   measure=self.measure.currentText()))  # fmt: skip
        self.plot.set_axes(replace(SCORES, log_x=True, end_values=False))
        self.plot.set_series(series(self.points))
        self.points_table.set_rows([_row(number, one) for number, one in enumerate(self.points)])

    @Slot()
    def export(self) -> None:
        """Save the plot as a picture."""
        caption = f"{self.task.name if self.task else ''} · {self.measure.currentText()}"
        ExportDialog(self.state, self.plot, caption, self.window()).open()

    @Slot()
    def save_csv(self) -> None:
        """Save the points as CSV."""
        if self.points and self.task is not None:
            self.save.ask(self.task.name, path_last(task_scaling.save_csv), self.points,
                          str(self.measure.currentData()))  # fmt: skip


def series(points: list[Point]) -> list[Series]:
    """A line for each way of tuning and family; without training it is dashed."""
    made: list[Series] = []
    ordered = sorted(points, key=lambda one: (one.series, one.model, one.parameters))
    for (way, model), group in groupby(ordered, key=lambda one: (one.series, one.model)):
        found = list(group)
        x = np.array([one.parameters for one in found], float)
        y = np.array([one.mean for one in found], float)
        spread = np.array([np.nan if one.spread is None else one.spread for one in found])
        if len(found) == 1:  # a gap after it tells the plot that it is no level
            x, y, spread = np.append(x, x), np.append(y, np.nan), np.append(spread, np.nan)
        name = f"{tr(MODELS[model].title)}, {way}"
        order = sum(one.family == model for one in made)
        made.append(Series(len(made), name, x, y, model, order % 3, dots=True, spread=spread))
    return made


def _columns() -> list[Column]:
    return [
        Column("name", tr("Network")),
        Column("series", tr("Series"), width=310),
        Column("parameters", tr("Parameters"), right=True, show=figures.short, width=100),
        Column("score", tr("Score in %"), right=True, width=110),
        Column("runs", tr("Runs"), right=True, show=figures.count, width=60),
    ]


def _row(number: int, one: Point) -> Row:
    mean = f"{one.mean * 100:.1f}"
    told = mean if one.spread is None else f"{mean} ± {one.spread * 100:.1f}"
    return Row(number, {
        "name": Cell(one.encoder, draw=("mark", one.model), tip="\n".join(one.runs)),
        "series": Cell(one.series, tip=one.series), "parameters": Cell(one.parameters),
        "score": Cell(one.mean, text=told), "runs": Cell(one.n),
    })  # fmt: skip


def _encoder_columns() -> list[Column]:
    return [
        Column("name", tr("Network")),
        Column("parameters", tr("Parameters"), right=True, show=figures.short, width=100),
    ]
