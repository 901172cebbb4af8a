"""ReportCard: a task in; its labels as bars, its problems and its first examples out."""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QStackedWidget, QWidget

from lmstudio import figures
from lmstudio.data.labelled.checking import Report
from lmstudio.data.labelled.problems import Problem
from lmstudio.gui import theme
from lmstudio.gui.bar_plot import Bar, BarPlot
from lmstudio.gui.dialogs.export_plot import ExportDialog
from lmstudio.gui.jobs import Asker
from lmstudio.gui.panels.tasks import example_rows
from lmstudio.gui.panels.tasks.kind_names import label_title
from lmstudio.gui.state import AppState
from lmstudio.gui.table_export import TableExport
from lmstudio.gui.tables import Cell, Column, Row, Table
from lmstudio.gui.widgets import Card, Segmented, label, scrolled, tool
from lmstudio.jobs import Job
from lmstudio.messages import msg, phrases, tr
from lmstudio.operations import tasks
from lmstudio.store.rows import TaskRow
from lmstudio.store.workspace import Workspace

PARTS = (("train", msg("Train")), ("valid", msg("Valid")), ("test", msg("Test")))
LEVELS = {"dropped": msg("left out"), "repaired": msg("mended"), "noticed": msg("noticed")}
_TONES = {"dropped": "bad", "repaired": "warn", "noticed": ""}
_SHOWN = 200  # examples of a part
_BAR = 24  # pixels


class ReportCard(Card):
    """What is in a task, for the part that is chosen; the problems are those of all parts."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(tr("Report"), parent=parent)
        self._state, self._task = state, None
        self._report: Report | None = None
        self.part = Segmented([(key, tr(title)) for key, title in PARTS], tr("Part"), self)
        self.view = Segmented(
            [("labels", tr("Labels")), ("examples", tr("Examples"))], tr("What is shown"), self
        )
        self.bars = BarPlot(tr("Labels"), self)
        self.examples = Table(example_rows.columns(), tr("Examples"), self)
        self.problems = Table(_columns(), tr("Problems"), self)
        self._pages = QStackedWidget(self)
        self._asker = Asker(state, self)
        self._lay_out()
        self.part.chosen.connect(self._draw)
        self.view.chosen.connect(self._draw)
        self.bars.export_wanted.connect(self.export)
        self._asker.answered.connect(self._take_examples)
        self._asker.failed.connect(state.report)

    _task: TaskRow | None

    def _lay_out(self) -> None:
        export = tool("export", tr("Export the chart"), parent=self)
        export.clicked.connect(self.export)
        for widget in (self.view, self.part, export):
            self.row.add_tool(widget)
        for page in (scrolled(self.bars, self), self.examples):
            self._pages.addWidget(page)
        self.facts = label(size=12, tone="muted", wrap=True)
        self.body.addWidget(self.facts)
        self.body.addWidget(self._pages, 3)
        self._found = Card(tr("Problems"), parent=self)
        self._found.setProperty("kind", "")
        self._found.body.setContentsMargins(0, 0, 0, 0)
        self._save = TableExport(
            self._state, self.problems, tr("Save the problems as CSV"), tr("problems"), self
        )
        self._saves = self._save.button()
        self._found.row.add_tool(self._saves)
        self._found.body.addWidget(self.problems, 1)
        self.body.addWidget(self._found, 2)
        self.problems.setMinimumHeight(theme.px(90))

    def show_task(self, task: TaskRow) -> None:
        """Show another task."""
        self._task = task
        self._report = Report.from_json(task.facts["report"]) if "report" in task.facts else None
        self.row.set_title(task.name)
        counts = task.facts.get("counts", {})
        for key, _ in PARTS:
            self.part.segment(key).setEnabled(bool(counts.get(key)))
            none = "" if counts.get(key) else tr("This task has no such part.")
            self.part.segment(key).setToolTip(none)
        if not counts.get(self.part.value()):
            self.part.set_value("train")
        rows = [_problem(n, one) for n, one in enumerate(self._report.problems)] \
            if self._report else []  # fmt: skip
        self.problems.set_rows(rows)
        self._found.row.set_title(
            tr("Problems: {count}", count=len(rows)) if rows else tr("No problems were found")
        )
        self.problems.setVisible(bool(rows))
        self._saves.setVisible(bool(rows))
        self.body.setStretchFactor(self._found, 2 if rows else 0)
        self._draw()

    def shown_part(self) -> str:
        """The part whose labels are drawn."""
        return self.part.value()

    @Slot()
    def _draw(self) -> None:
        if self._task is None:
            return
        part = self.shown_part()
        self.facts.setText(_facts(self._report, part))
        if self.view.value() == "examples":
            self._pages.setCurrentIndex(1)
            self._asker.ask(first_examples, self._state.workspace, self._task.id, part)
            return
        self._pages.setCurrentIndex(0)
        counts = self._report.labels.get(part, {}) if self._report else {}
        kind = self._task.kind
        ordered = sorted(counts.items(), key=lambda entry: -entry[1])
        bars = [Bar(label_title(kind, name), count) for name, count in ordered]
        self.bars.setMinimumHeight(theme.px(_BAR * max(len(bars), 3) + 24))
        self.bars.set_bars(bars, 0, _round_end(max([*counts.values(), 1])), figures.count)

    @Slot(object)
    def _take_examples(self, found: object) -> None:
        assert isinstance(found, list)
        if self._task is not None:
            self.examples.set_rows(example_rows.rows(self._task.kind, found))

    @Slot()
    def export(self) -> None:
        """Save the bars as a picture."""
        caption = f"{self._task.name if self._task else ''} · {tr('Labels')}"
        ExportDialog(self._state, self.bars, caption, self.window()).open()


def first_examples(ws: Workspace, task_id: int, part: str, *, job: Job) -> list[object]:
    """The first examples of a part of a task."""
    job.check()
    return [*tasks.examples(ws, task_id, part)[:_SHOWN]]


def _facts(report: Report | None, part: str) -> str:
    if report is None:
        return ""
    left_out = report.read.get(part, 0) - report.used.get(part, 0)
    said = [
        tr("examples {count}", count=figures.count(report.used.get(part, 0))),
        tr("left out {count}", count=figures.count(left_out)) if left_out else "",
        tr("different labels {count}", count=figures.count(len(report.labels.get(part, {})))),
        tr("characters of a text {mean} in the mean, {most} at most",
           mean=figures.decimal(report.characters.get(part, 0), 0),
           most=figures.count(report.longest.get(part, 0))),
        str(report.split(part) or "").rstrip(".。"),
    ]  # fmt: skip
    return " · ".join(filter(None, said))


def _columns() -> list[Column]:
    return [
        Column("what", tr("Problem")),
        Column("count", tr("Number"), right=True, show=figures.count, width=64),
        Column("level", tr("Outcome"), width=76),
        Column("places", tr("First places"), width=104),
    ]


def _problem(number: int, problem: Problem) -> Row:
    message = str(problem.message)
    places = [" ".join(filter(None, place)) for place in problem.places]
    return Row(number, {
        "level": Cell(tr(LEVELS[problem.level]), tone=_TONES[problem.level]),
        "what": Cell(message, tip=message),
        "count": Cell(problem.count),
        "places": Cell(phrases(places), tip="\n".join(places[:20])),
    })  # fmt: skip


def _round_end(most: int) -> int:
    """The end of a scale: the least round number that is not below `most`, and its half is one."""
    power = 10 ** (len(str(most)) - 1)
    return next(step * power for step in (1, 2, 4, 6, 8, 10) if step * power >= max(most, 2))
