"""Results: the fine-tuned runs of a task; their scores with the spread over seeds, and curves."""

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QComboBox, QStackedWidget, QWidget

from lmstudio import figures
from lmstudio.gui.captions import sentence_case
from lmstudio.gui.choices import fill
from lmstudio.gui.dialogs.export_plot import ExportDialog
from lmstudio.gui.panels.panel import Panel
from lmstudio.gui.panels.tasks import result_rows
from lmstudio.gui.panels.tasks.metric_names import is_score, metric_order, metric_title
from lmstudio.gui.panels.tasks.score_axes import SCORES
from lmstudio.gui.panels.tasks.task_layout import add_tool, narrow
from lmstudio.gui.plots import Axes, Plot
from lmstudio.gui.row_actions import RowAction
from lmstudio.gui.save_as import SaveAs
from lmstudio.gui.state import AppState
from lmstudio.gui.tables import Table
from lmstudio.gui.widgets import (
    Card,
    EmptyState,
    Segmented,
    button,
    disable,
    enable,
    label,
    scrolled,
)
from lmstudio.gui.widgets.interval_plot import IntervalPlot
from lmstudio.gui.widgets.splitter import splitter
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.operations import task_results
from lmstudio.operations.task_results import Scored, Setting
from lmstudio.store.rows import Part, TaskRow


class ResultsPanel(Panel):
    """A row for each setting, or for each run; what is chosen in it is asked in the next panels."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.task, self.measure, self.curve = QComboBox(self), QComboBox(self), QComboBox(self)
        self.part = Segmented([("valid", tr("Valid")), ("test", tr("Test"))], tr("Part"), self)
        self.rows = Segmented([("settings", tr("By setting")), ("runs", tr("Every run"))],
                              tr("Rows"), self)  # fmt: skip
        self.bars = IntervalPlot(tr("Scores of the runs"), self)
        self.plot = Plot(tr("Learning curves"), self)
        self.table = Table(result_rows.columns(), tr("Fine-tuned runs"), self)
        self.save = SaveAs(state, self)
        self.try_it = button(tr("Try it"), "primary", parent=self)
        self.mistakes = button(tr("See the mistakes"), parent=self)
        self._lead = button(tr("Choose a task"), "primary", parent=self)
        self._pages = QStackedWidget(self)
        self._settings: list[Setting] = []
        self._task: TaskRow | None = None
        self._lay_out()
        self._connect()
        self.refresh()

    def _lay_out(self) -> None:
        scores = self._scores_card()
        curves = self._curves_card()
        upper = splitter("upper", Qt.Orientation.Horizontal, scores, curves, sizes=(640, 600))
        below = Card(tr("Fine-tuned runs"), parent=self)
        below.row.add_tool(self.rows)
        add_tool(below, "table", tr("Save the scores as CSV"), self.save_table)
        below.body.addWidget(self.table, 1)
        both = splitter("both", Qt.Orientation.Vertical, upper, below, sizes=(310, 230))
        self._empty = EmptyState("", "", [self._lead], family="bert")
        for page in (both, self._empty):
            self._pages.addWidget(page)
        column = self.page()
        column.addWidget(self._pages, 1)
        column.addLayout(self.action_row(self.mistakes, self.try_it))

    def _scores_card(self) -> Card:
        self._scores = Card(tr("Scores of the runs"), parent=self)
        for name, box in ((tr("Task"), self.task), (tr("Measure"), self.measure)):
            narrow(box, name)
            self._scores.row.add_tool(box)
        self._scores.row.add_tool(self.part)
        add_tool(self._scores, "export", tr("Export the chart"), self.export)
        self._scores.body.addWidget(scrolled(self.bars), 1)
        self._said = label(size=12, tone="muted", wrap=True)
        self._scores.body.addWidget(self._said)
        return self._scores

    def _curves_card(self) -> Card:
        card = Card(tr("Learning curves"), tr("against steps"), parent=self)
        narrow(self.curve, tr("What is drawn"))
        card.row.add_tool(self.curve)
        add_tool(card, "export", tr("Export the chart"), self.export_curves)
        card.body.addWidget(self.plot, 1)
        return card

    def _connect(self) -> None:
        state = self.state
        self.task.activated.connect(self._choose_task)
        self.measure.activated.connect(self.refresh)
        self.curve.activated.connect(self._draw_curves)
        self.part.chosen.connect(self.refresh)
        self.rows.chosen.connect(self.refresh)
        self.table.chosen.connect(self._choose_row)
        self.bars.chosen.connect(self._choose_bar)
        self.bars.export_wanted.connect(self.export)
        self.plot.export_wanted.connect(self.export_curves)
        self.try_it.clicked.connect(self._open_box)
        self.mistakes.clicked.connect(self._open_mistakes)
        self._lead.clicked.connect(self._go_to_tasks)
        RowAction(self.table, self.try_it, "Return")
        RowAction(self.table, self.mistakes)
        for signal in (state.runs_changed, state.workspace_changed, state.tuned.changed):
            signal.connect(self.refresh)
        state.jobs.progressed.connect(self._advance)

    # what is shown

    @Slot()
    def refresh(self) -> None:
        """Draw everything from the workspace."""
        if not self.state.has_workspace:
            self._show_empty()
            return
        ws = self.state.workspace
        self._task = self.state.tuned.task(ws)
        self._settings = task_results.settings(ws, self._task.id) if self._task else []
        fill(self.task, [(task.name, task.id) for task in ws.tasks()])
        if self._task:
            self.task.setCurrentIndex(self.task.findData(self._task.id))
        self._pages.setCurrentIndex(0 if self._settings else 1)
        if not self._task or not self._settings:
            self._show_empty()
        elif self.isVisible():
            self._draw(self._task)

    def _show_empty(self) -> None:
        self._pages.setCurrentIndex(1)
        self._settings = []
        self.primary = self._lead
        for action in (self.try_it, self.mistakes):
            action.hide()
        if self._task is None:
            self._empty.set_text(
                tr("No task yet"),
                tr("A task is a set of labelled examples: sentences with classes, tagged words, "
                   "pairs, or questions about passages."),
            )  # fmt: skip
        else:
            self._empty.set_text(
                tr("Nothing is fine-tuned for {name} yet", name=self._task.name),
                tr("Choose an encoder and begin: the scores of every run will stand here, with "
                   "their spread over seeds."),
            )  # fmt: skip

    def _draw(self, task: TaskRow) -> None:
        offered = task_results.measures(task.kind, self._settings)
        fill(self.measure, [(sentence_case(tr(title)), name) for name, title in offered.items()])
        part, measure = self._part(), str(self.measure.currentData())
        self.bars.set_differences(
            [result_rows.bar(one, part, measure) for one in self._settings],
            figures.round_percent,
        )
        self._said.setText(result_rows.note(task, self._settings, part, measure))
        if self.rows.value() == "settings":
            rows = [result_rows.setting_row(one, measure) for one in self._settings]
        else:
            rows = [result_rows.run_row(one, measure) for one in self._runs()]
        self.table.set_rows(rows)
        self._mark_chosen()
        self._offer_metrics()
        self._draw_curves()

    def _part(self) -> Part:
        return "test" if self.part.value() == "test" else "valid"

    def _runs(self) -> list[Scored]:
        return [run for setting in self._settings for run in setting.runs]

    def _mark_chosen(self) -> None:
        run = self.state.tuned.run(self.state.workspace)
        number = -1
        if run is not None:
            mine = [any(one.run.id == run.id for one in s.runs) for s in self._settings]
            number = mine.index(True) if True in mine else -1
            first = self._settings[number].runs[0].run.id if number >= 0 else 0
            self.table.select([first if self.rows.value() == "settings" else run.id])
        self.bars.choose(number)
        self.primary = self.try_it
        for action in (self.try_it, self.mistakes):
            action.show()
            if number < 0:
                disable(action, tr("No run of this task has a model yet"))
            else:
                enable(action)

    def _offer_metrics(self) -> None:
        ws = self.state.workspace
        known = {name for one in self._runs() for name in ws.metric_names(one.run.id)}
        offered = [(title, name) for name in sorted(known, key=metric_order)
                   if (title := metric_title(name))]  # fmt: skip
        fill(self.curve, offered)

    @Slot()
    def _draw_curves(self) -> None:
        metric = self.curve.currentData()
        run = self.state.tuned.run(self.state.workspace)
        own = run.id if run else None
        chosen = next((one for one in self._settings
                       if any(scored.run.id == own for scored in one.runs)), None)  # fmt: skip
        drawn = list(chosen.runs) if chosen else []
        ids = tuple(scored.run.id for scored in drawn)
        others = [one for one in self._runs() if one.run.id not in ids]
        scores = metric is not None and is_score(metric)
        self.plot.set_axes(SCORES if scores else Axes(whole=True, decimals=3))
        self.plot.set_series(
            result_rows.curves(self.state.workspace, [*drawn, *others], str(metric), ids)
            if metric else []
        )  # fmt: skip

    @Slot(object, list)
    def _advance(self, job: Job, points: list[object]) -> None:
        """A run of this task came further."""
        mine = [one.run.id for one in self._runs()]
        if points and self.isVisible() and job.run_id in mine:
            self._offer_metrics()
            self._draw_curves()

    # what is chosen

    @Slot()
    def _choose_task(self) -> None:
        self.state.tuned.choose_task(int(self.task.currentData()))

    @Slot(list)
    def _choose_row(self, keys: list[int]) -> None:
        found = [one.run for one in self._runs() if keys and one.run.id == keys[0]]
        if found:
            self.state.tuned.choose_run(found[0])

    @Slot(int)
    def _choose_bar(self, number: int) -> None:
        self.state.tuned.choose_run(self._settings[number].runs[0].run)

    @Slot()
    def _open_box(self) -> None:
        self.state.panel_wanted.emit("try_it")

    @Slot()
    def _open_mistakes(self) -> None:
        self.state.panel_wanted.emit("task_errors")

    # the rest of the window

    @Slot()
    def export(self) -> None:
        """Save the bars as a picture."""
        caption = f"{self._task.name if self._task else ''} · {self.measure.currentText()}"
        ExportDialog(self.state, self.bars, caption, self.window()).open()

    @Slot()
    def export_curves(self) -> None:
        """Save the curves as a picture."""
        caption = f"{self._task.name if self._task else ''} · {self.curve.currentText()}"
        ExportDialog(self.state, self.plot, caption, self.window()).open()

    @Slot()
    def save_table(self) -> None:
        """Save the scores of all settings as CSV."""
        if self._task:
            measure = str(self.measure.currentData())
            self.save.ask(f"{self._task.name} {measure}", task_results.save_csv, self._settings,
                          measure)  # fmt: skip
