"""PerplexityView: a task in; the scores of what was tuned against the figures of its networks out.

Groups hold only what can be compared: pseudo-perplexity never stands beside perplexity.
"""

import math
from dataclasses import replace
from functools import partial

import numpy as np
from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QWidget

from lmstudio import figures
from lmstudio.analysis.tasks.relations import Correlation
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.captions import inline, sentence_case
from lmstudio.gui.choices import fill
from lmstudio.gui.dialogs.export_plot import ExportDialog
from lmstudio.gui.jobs import Asker
from lmstudio.gui.panels.tasks.layer_views.view import LayerView, path_last
from lmstudio.gui.panels.tasks.score_axes import SCORES
from lmstudio.gui.panels.tasks.task_layout import add_tool, narrow
from lmstudio.gui.plots import Plot, Series
from lmstudio.gui.save_as import SaveAs
from lmstudio.gui.state import AppState
from lmstudio.gui.tables import Cell, Column, Row, Table
from lmstudio.gui.widgets import Card, Segmented, button, label
from lmstudio.gui.widgets.splitter import splitter
from lmstudio.messages import tr
from lmstudio.operations import task_relations
from lmstudio.operations.task_relations import BY, Related, Relation
from lmstudio.operations.task_results import MEASURES


class PerplexityView(LayerView):
    """A point for each network, with the spread of its scores over seeds."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.measure, self.by, self.group = QComboBox(self), QComboBox(self), QComboBox(self)
        self.part = Segmented([("valid", tr("Valid")), ("test", tr("Test"))], tr("Part"), self)
        self.part.set_value("test")
        self.plot = Plot(tr("Score against perplexity"), self)
        self.table = Table(_columns(), tr("Networks"), self)
        self.more = button(tr("Fine-tune more networks"), "primary", parent=self)
        self.primary = self.more
        self.save = SaveAs(state, self)
        self.found: list[Relation] = []
        self._asker = Asker(state, self)
        for name, title in BY.items():
            self.by.addItem(sentence_case(tr(title)), name)
        self._lay_out()
        for box in (self.measure, self.by):
            box.activated.connect(self.ask)
        self.part.chosen.connect(self.ask)
        self.group.activated.connect(self.draw)
        self.plot.export_wanted.connect(self.export)
        self.more.clicked.connect(self._go_to_tasks)
        self._asker.answered.connect(self._take)
        self._asker.failed.connect(self._fail)

    def _lay_out(self) -> None:
        self._card = Card(tr("Score against perplexity"), parent=self)
        for name, box in ((tr("Measure"), self.measure), (tr("Against"), self.by),
                          (tr("Group"), self.group)):  # fmt: skip
            narrow(box, name)
        for box in (self.measure, self.by):
            self._card.row.add_tool(box)
        self.group.setMinimumContentsLength(50)
        self._card.row.add_tool(self.part)
        add_tool(self._card, "export", tr("Export the chart"), self.export)
        self.said = label(size=13, wrap=True)
        row = QHBoxLayout()
        row.addWidget(self.said, 1)
        row.addWidget(self.group)
        self._card.body.addLayout(row)
        self._card.body.addWidget(self.plot, 1)
        below = Card(tr("Networks"), parent=self)
        add_tool(below, "table", tr("Save as CSV"), self.save_csv)
        below.body.addWidget(self.table, 1)
        both = splitter("perplexity both", Qt.Orientation.Vertical, self._card, below)
        both.setSizes([theme.px(340), theme.px(180)])
        self.column(both, foot=(self.more,))

    @property
    def busy(self) -> bool:
        return self._asker.busy

    @Slot()
    def refresh(self) -> None:
        """Ask for the task that is chosen."""
        if self.task is not None and self.state.has_workspace:
            offered = MEASURES[self.task.kind]
            fill(
                self.measure, [(sentence_case(tr(title)), name) for name, title in offered.items()]
            )
            self.ask()

    @Slot()
    def ask(self) -> None:
        """Ask how figures and scores go together."""
        if self.task is not None:
            question = partial(
                task_relations.relation, part="test" if self.part.value() == "test" else "valid",
                measure=str(self.measure.currentData()), by=str(self.by.currentData()),
            )  # fmt: skip
            self._asker.ask(question, self.state.workspace, self.task.id)

    @Slot(object)
    def _take(self, found: list[Relation]) -> None:
        self.found = found
        fill(self.group, [(one.title, one.title) for one in found])
        self.note.setText("")
        self.draw()

    @Slot(object)
    def _fail(self, error: AppError) -> None:
        self._take([])
        self.note.setText(str(error))

    # what is shown

    def relation(self) -> Relation | None:
        """The group that is shown."""
        chosen = self.group.currentData()
        return next((one for one in self.found if one.title == chosen), None)

    @Slot()
    def draw(self) -> None:
        """Draw the group that is chosen."""
        shown = self.relation()
        related = shown.points if shown else ()
        self.group.setVisible(bool(self.found))
        self.said.setText(_told(shown))
        told = tr("{measure} against {x}", measure=self.measure.currentText(),
                  x=inline(self.by.currentText()))  # fmt: skip
        self._card.row.set_note(told if shown else "")
        self.plot.set_axes(replace(SCORES, end_values=False, show_x=_plain))
        self.plot.set_series([_series(number, one) for number, one in enumerate(related)])
        self.table.retitle("x", self.by.currentText())
        self.table.set_rows([_row(number, one) for number, one in enumerate(related)])

    @Slot()
    def export(self) -> None:
        """Save the plot as a picture."""
        caption = f"{self.task.name if self.task else ''} · {self.group.currentText()}"
        ExportDialog(self.state, self.plot, caption, self.window()).open()

    @Slot()
    def save_csv(self) -> None:
        """Save all groups as CSV."""
        if self.found and self.task is not None:
            self.save.ask(self.task.name, path_last(task_relations.save_csv), self.found,
                          str(self.by.currentData()), str(self.measure.currentData()))  # fmt: skip

    @Slot()
    def _go_to_tasks(self) -> None:
        self.state.panel_wanted.emit("tasks")


def _told(shown: Relation | None) -> str:
    """The correlations with their intervals."""
    if shown is None:
        return tr("No network whose text was measured is fine-tuned for this task yet.")
    told = [f"{name} {_interval(one)}" for name, one in
            (("Pearson r", shown.pearson), ("Spearman ρ", shown.spearman))]  # fmt: skip
    told.append(tr("networks {count}", count=shown.n))
    return " · ".join(told)


def _interval(one: Correlation) -> str:
    if math.isnan(one.value):
        return figures.DASH
    if math.isnan(one.low):
        return f"{one.value:.2f}"
    return f"{one.value:.2f} [{one.low:.2f}, {one.high:.2f}]"


def _series(number: int, one: Related) -> Series:
    """A point alone: a gap after it tells the plot that it is no level."""
    spread = math.nan if one.point.spread is None else one.point.spread
    return Series(number, one.point.encoder, np.array([one.x, one.x]), np.array([one.y, np.nan]),
                  one.point.model, dots=True, spread=np.array([spread, np.nan]))  # fmt: skip


def _columns() -> list[Column]:
    return [
        Column("name", tr("Network")),
        Column("x", tr("Bits per character"), right=True, width=150,
               show=lambda value: figures.decimal(value, 3)),
        Column("score", tr("Score in %"), right=True, width=130),
        Column("runs", tr("Runs"), right=True, show=figures.count, width=70),
    ]  # fmt: skip


def _row(number: int, one: Related) -> Row:
    mean, spread = f"{one.y * 100:.1f}", one.point.spread
    told = mean if spread is None else f"{mean} ± {spread * 100:.1f}"
    return Row(number, {
        "name": Cell(one.point.encoder, draw=("mark", one.point.model)), "x": Cell(one.x),
        "score": Cell(one.y, text=told), "runs": Cell(one.point.n),
    })  # fmt: skip


def _plain(value: float) -> str:
    return f"{value:.3g}"
