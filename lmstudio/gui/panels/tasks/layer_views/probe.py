"""ProbeView: a task and networks in; what a linear probe reads off each of their layers out."""

import math
from functools import partial

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QWidget

from lmstudio import figures
from lmstudio.analysis.tasks.layer_names import layer_name
from lmstudio.analysis.tasks.probing import LIMIT, SEEDS, LayerScore, Probed
from lmstudio.gui import theme
from lmstudio.gui.captions import sentence_case
from lmstudio.gui.dialogs.export_plot import ExportDialog
from lmstudio.gui.panels.progress_row import ProgressRow
from lmstudio.gui.panels.tasks.layer_views.one_by_one import OneByOne, Question
from lmstudio.gui.panels.tasks.layer_views.view import LayerView, network_row, path_last
from lmstudio.gui.panels.tasks.task_layout import add_tool
from lmstudio.gui.save_as import SaveAs
from lmstudio.gui.state import AppState
from lmstudio.gui.tables import Cell, Column, Row, Table
from lmstudio.gui.widgets import Card, button, disable, enable, label
from lmstudio.gui.widgets.grouped_bars import GroupBar, GroupedBars, GroupSeries
from lmstudio.gui.widgets.splitter import splitter
from lmstudio.messages import tr
from lmstudio.models.capabilities import reason
from lmstudio.operations import task_probing
from lmstudio.operations.task_results import MEASURES
from lmstudio.store.rows import RunRow


class ProbeView(LayerView):
    """Bars by layer, a series for each network; a notch is the same network untrained."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.bars = GroupedBars(tr("What a linear probe reads off each layer"), self)
        self.table = Table(_columns(), tr("Networks"), self, many=True)
        self.seeds = self.spin(tr("Seeds"), SEEDS, 1, 20)
        self.limit = self.spin(tr("Examples"), LIMIT, 20, 100_000)
        self.control = QCheckBox(sentence_case(tr("random weights too")), self)
        self.progress = ProgressRow(self)
        self.some = button(tr("Probe the selected"), parent=self)
        self.all = button(tr("Probe all networks"), "primary", parent=self)
        self.primary = self.all
        self.save = SaveAs(state, self)
        self.found: dict[object, Probed] = {}
        self.asking = OneByOne(state, self.progress, self.note, self)
        self._lay_out()
        self.some.clicked.connect(self._probe_selected)
        self.all.clicked.connect(self._probe_all)
        for box in (self.seeds, self.limit):
            box.valueChanged.connect(self.refresh)
        self.control.toggled.connect(self.refresh)
        self.bars.export_wanted.connect(self.export)
        self.asking.answered.connect(self._take)

    def _lay_out(self) -> None:
        self._card = Card(tr("What a linear probe reads off each layer"), parent=self)
        add_tool(self._card, "export", tr("Export the chart"), self.export)
        add_tool(self._card, "table", tr("Save as CSV"), self.save_csv)
        self._said = label(size=12, tone="muted", wrap=True)
        self._card.body.addWidget(self.bars, 1)
        self._card.body.addWidget(self._said)
        side = Card(tr("Networks"), parent=self)
        row = QHBoxLayout()
        row.setSpacing(theme.px(8))
        for name, box in ((tr("Seeds"), self.seeds), (tr("Examples"), self.limit)):
            row.addWidget(label(name, tone="muted"))
            row.addWidget(box)
        row.addStretch()
        self.control.setToolTip(
            tr("What a probe finds in the same network untrained it owes to the words and itself")
        )
        side.body.addLayout(row)
        side.body.addWidget(self.control)
        side.body.addWidget(self.table, 1)
        both = splitter("probe both", Qt.Orientation.Horizontal, self._card, side, sizes=(660, 590))
        self.column(both, foot=(self.progress, self.some, self.all))

    @property
    def busy(self) -> bool:
        return self.asking.busy

    def stop(self) -> bool:
        busy = self.asking.busy
        self.asking.cancel()
        return busy

    # what is asked

    def runs(self) -> list[RunRow]:
        """Networks, fine-tuned ones too, that have vectors."""
        if not self.state.has_workspace:
            return []
        every = [*self.networks(), *reversed(self.state.tuned.known(self.state.workspace))]
        return [run for run in every if reason(run.model, "layers") is None]

    def _key(self, run: int) -> object:
        task = self.task.id if self.task else 0
        return run, task, self.seeds.value(), self.limit.value(), self.control.isChecked()

    @Slot()
    def _probe_selected(self) -> None:
        self._probe([int(key) for key in self.table.selected()])

    @Slot()
    def _probe_all(self) -> None:
        self._probe([run.id for run in self.networks()])

    def _probe(self, runs: list[int]) -> None:
        """Those that are not known yet."""
        if self.task is None:
            return
        ask = partial(task_probing.probe, seeds=self.seeds.value(), limit=self.limit.value(),
                      control=self.control.isChecked())  # fmt: skip
        names = {run.id: run.name for run in self.runs()}
        self.asking.begin([Question(self._key(run), names[run], ask, (run, self.task.id))
                           for run in runs if self._key(run) not in self.found])  # fmt: skip

    @Slot(object, object)
    def _take(self, key: object, found: Probed) -> None:
        self.found[key] = found
        self.refresh()

    # what is shown

    @Slot()
    def refresh(self) -> None:
        """Draw what is known of the task with these settings."""
        runs = self.runs()
        known = {run.id: self.found.get(self._key(run.id)) for run in runs}
        self.table.set_rows([_row(run, known[run.id]) for run in runs])
        asks = self.task is not None and self.task.kind == "qa"
        why = tr("Questions ask for stretches of passages: no linear probe finds those.")
        for action in (self.some, self.all):
            if asks:
                disable(action, why)
            else:
                enable(action)
        shown = [(run, found) for run in runs if (found := known[run.id]) is not None]
        groups = max((len(found.layers) for _, found in shown), default=0)
        names = tuple(map(layer_name, range(groups)))
        self.bars.set_bars(names, series(shown), figures.round_percent, _line(shown))
        self.bars.set_empty(why if asks else tr("Probe networks, and what each layer knows is "
                                                "drawn here."))  # fmt: skip
        self._said.setText(_told(shown))
        self._card.row.set_note(_figure(shown))

    @Slot()
    def export(self) -> None:
        """Save the bars as a picture."""
        caption = f"{self.task.name if self.task else ''} · {self._card.row.title.full_text()}"
        ExportDialog(self.state, self.bars, caption, self.window()).open()

    @Slot()
    def save_csv(self) -> None:
        """Save the score of every layer and seed as CSV, of the network selected or the first."""
        runs = [int(key) for key in self.table.selected()] or [run.id for run in self.runs()]
        found = [one for run in runs if (one := self.found.get(self._key(run))) is not None]
        if found:
            self.save.ask(f"{found[0].task} {found[0].run}", path_last(task_probing.save_probed),
                          found[0])  # fmt: skip


def series(shown: list[tuple[RunRow, Probed]]) -> list[GroupSeries]:
    """A series for each network, the second of a family paler."""
    made: list[GroupSeries] = []
    for run, found in shown:
        order = sum(one.family == run.model for one in made)
        control = {one.layer: one for one in found.control}
        bars = tuple(_bar(run.name, one, control.get(one.layer)) for one in found.layers)
        made.append(GroupSeries(run.name, run.model, bars, order))
    return made


def _bar(name: str, one: LayerScore, other: LayerScore | None) -> GroupBar:
    said = f"{name}, {one.name}: {told(one)}"
    if other is not None:
        said = f"{said}; {tr('random weights')} {told(other)}"
    spread = math.nan if one.spread is None else one.spread
    return GroupBar(one.mean, spread, math.nan if other is None else other.mean, said)


def told(one: LayerScore) -> str:
    """A mean in percent with its spread."""
    mean = f"{one.mean * 100:.1f}"
    return mean if one.spread is None else f"{mean} ± {one.spread * 100:.1f}"


def _line(shown: list[tuple[RunRow, Probed]]) -> tuple[float, str] | None:
    majority = max((found.majority for _, found in shown), default=0.0)
    if not majority:
        return None
    share = figures.percent(majority, 1)
    return majority, tr("always the most frequent class {share}", share=share)


def _told(shown: list[tuple[RunRow, Probed]]) -> str:
    """How the bars are to be read."""
    if not shown:
        return tr("The networks stand still; a classifier learns from the vectors of one layer at "
                  "a time.")  # fmt: skip
    first = shown[0][1]
    train, held_out = figures.count(first.train), figures.count(first.held_out)
    told = [tr("{train} examples to learn from, {held_out} held out.",
               train=train, held_out=held_out)]  # fmt: skip
    if len(first.layers[0].scores) > 1:
        told.append(tr("The line is one standard deviation over the seeds to both sides."))
    if any(found.control for _, found in shown):
        told.append(tr("The notch is the same network with random weights."))
    notes = dict.fromkeys(str(note) for _, found in shown for note in found.notes)
    return " ".join([*told, *notes])


def _figure(shown: list[tuple[RunRow, Probed]]) -> str:
    if not shown:
        return ""
    return tr(MEASURES[shown[0][1].kind][shown[0][1].figure])


def _columns() -> list[Column]:
    return [
        Column("name", tr("Network")),
        Column("best", tr("Best layer"), width=80),
        Column("score", tr("Score in %"), right=True, width=92),
        Column("table", tr("Layer 0"), right=True, width=64, note=tr("The look-up table alone")),
        Column("random", tr("Random"), right=True, width=68,
               note=tr("The best layer of the same network with random weights")),
    ]  # fmt: skip


def _row(run: RunRow, found: Probed | None) -> Row:
    if found is None:
        return network_row(run)
    best = found.best
    cells = {
        "best": Cell(best.name),
        "score": Cell(best.mean, text=told(best)),
        "table": Cell(found.layers[0].mean, text=f"{found.layers[0].mean * 100:.1f}"),
    }
    if found.control:
        most = max(one.mean for one in found.control)
        cells["random"] = Cell(most, text=f"{most * 100:.1f}")
    return network_row(run, cells)
