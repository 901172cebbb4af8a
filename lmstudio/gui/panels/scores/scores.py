"""Scores: segmentations beside a gold one; precision, recall, F and every difference out."""

from functools import partial
from typing import Any

from PySide6.QtCore import Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.bar_plot import Bar, BarPlot
from lmstudio.gui.dialogs.export_plot import ExportDialog
from lmstudio.gui.panels.panel import Panel
from lmstudio.gui.panels.scores.score_differences import ScoreDifferences
from lmstudio.gui.panels.scores.score_sources import ScoreSources
from lmstudio.gui.state import AppState
from lmstudio.gui.table_export import TableExport
from lmstudio.gui.tables import Cell, Column, Row, Table
from lmstudio.gui.widgets import Card, EmptyState, Segmented, button, disable, enable, tool
from lmstudio.jobs import Job
from lmstudio.messages import msg, tr
from lmstudio.operations import scoring
from lmstudio.operations.scoring import ScoreRow

MEASURES: dict[str, tuple[str, str]] = {
    "precision": (msg("P"), msg("Precision: share of the words found that are right")),
    "recall": (msg("R"), msg("Recall: share of the gold words that were found")),
    "f1": (msg("F"), msg("F: harmonic mean of precision and recall")),
    "oov_recall": (msg("OOV recall"), msg("Recall of gold words that are no training words")),
    "iv_recall": (msg("IV recall"), msg("Recall of gold words that are training words")),
}
"""Properties of a SegmentationScore: a short title and what it means."""


class ScoresPanel(Panel):
    """Choosing a row shows what that segmentation does otherwise."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.sources = ScoreSources(state, self)
        self.table = Table(_columns(), tr("Scores"), self, row_height=26)
        self.plot = BarPlot(tr("Scores"), self)
        self.measure = Segmented(
            [(key, tr(title)) for key, (title, _) in MEASURES.items()], tr("Measure"), self
        )  # fmt: skip
        self.measure.set_value("f1")
        self.differences = ScoreDifferences(self)
        self.primary = self._go = button(tr("Score") + "  Ctrl+↵", "primary", parent=self)
        self.export_table = TableExport(
            state, self.table, tr("Save the scores as CSV"), "scores", self
        )
        self.pages = QStackedWidget(self)
        self.rows: list[ScoreRow] = []
        self._job: Job | None = None
        self._lay_out()
        self._connect()
        self._check()

    def _lay_out(self) -> None:
        numbers = Card(tr("Scores"), tr("as the SIGHAN bakeoff counts them"), parent=self)
        numbers.row.add_tool(self.export_table.button())
        numbers.body.addWidget(self.table, 1)
        bars = Card(tr("Chart"), parent=self)
        bars.row.add_tool(self.measure)
        draw = tool("export", tr("Export the chart"), parent=self)
        draw.clicked.connect(self.export_plot)
        bars.row.add_tool(draw)
        bars.body.addWidget(self.plot, 1)
        upper = QHBoxLayout()
        upper.setSpacing(theme.px(12))
        upper.addWidget(numbers, 8)
        upper.addWidget(bars, 5)
        answer = QWidget(self)
        answers = QVBoxLayout(answer)
        answers.setContentsMargins(0, 0, 0, 0)
        answers.setSpacing(theme.px(12))
        answers.addLayout(upper, 5)
        answers.addWidget(self.differences, 6)
        nothing = Card(parent=self)
        nothing.body.addWidget(EmptyState(
            tr("No scores yet"),
            tr("Choose the gold text and what is scored beside it at the left, then score."), [],
        ), 1)  # fmt: skip
        for page in (nothing, answer):
            self.pages.addWidget(page)
        right = QVBoxLayout()
        right.setSpacing(theme.px(12))
        right.addWidget(self.pages, 1)
        right.addLayout(self.action_row(self._go))
        row = QHBoxLayout()
        row.setSpacing(theme.px(12))
        row.addWidget(self.sources)
        row.addLayout(right, 1)
        self.page().addLayout(row)

    def _connect(self) -> None:
        self._go.clicked.connect(self.score)
        self.sources.changed.connect(self._check)
        self.table.chosen.connect(self._choose)
        self.measure.chosen.connect(self._draw)
        self.plot.export_wanted.connect(self.export_plot)
        self.state.jobs.finished.connect(self._job_ended)
        self.state.workspace_changed.connect(self._forget)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self.sources.refresh()

    # scoring

    @Slot()
    def _check(self) -> None:
        missing = self.sources.missing()
        if self._job is not None:
            disable(self._go, tr("The scores are being counted."))
        elif missing:
            disable(self._go, missing)
        else:
            enable(self._go)
        if not self.rows:
            self.note.setText(missing or tr("Ready to score."))

    @Slot()
    def score(self) -> None:
        """Score what is checked."""
        sources, state = self.sources, self.state
        self._job = Job(tr("Score segmentations"))
        if sources.by_corpus() and state.corpus is not None:
            question = partial(
                scoring.score_corpus, part=sources.part_name(),
                segmentations=[row.id for row in sources.segmentations()],
                reference=sources.reference_id(),
            )  # fmt: skip
            args: tuple[Any, ...] = state.workspace, state.corpus.id, sources.candidates()
        else:
            question = partial(
                scoring.score_files, segmented=sources.files(), words=sources.training.path
            )
            args = sources.gold.path, sources.candidates()
        state.run("bulk", self._job, question, *args)
        self._check()

    @Slot(object)
    def _job_ended(self, job: Job) -> None:
        if job is not self._job:
            return
        self._job = None
        if job.state == "done":
            self.show_rows(job.result)
        elif job.error:
            self.note.setText(str(job.error))
        self._check()

    @Slot()
    def _forget(self) -> None:
        self.show_rows([])

    # what is shown

    def show_rows(self, rows: list[ScoreRow]) -> None:
        """Show these scores, the best one chosen."""
        self.rows = rows
        self.pages.setCurrentIndex(1 if rows else 0)
        self.table.set_rows([_row(number, row) for number, row in enumerate(rows)])
        if rows:
            best = max(range(len(rows)), key=lambda number: rows[number].score.f1)
            self.table.select([best])
            self.note.setText(_said(rows))
        self._choose()

    def chosen_row(self) -> ScoreRow | None:
        """The row selected in the table."""
        keys = self.table.selected()
        return self.rows[int(keys[0])] if keys else None

    @Slot()
    def _choose(self) -> None:
        self.differences.show_row(self.chosen_row())
        self._draw()

    @Slot()
    def _draw(self) -> None:
        name, chosen = self.measure.value(), self.chosen_row()
        values = [_value(row, name) for row in self.rows]
        bars = [Bar(row.name, value, row is chosen)
                for row, value in zip(self.rows, values, strict=True)]  # fmt: skip
        self.plot.set_bars(bars, _floor(values), 1.0, _three)

    @Slot()
    def export_plot(self) -> None:
        """Ask how large and where to, and draw the bars there."""
        caption = tr(MEASURES[self.measure.value()][1])
        ExportDialog(self.state, self.plot, caption, self.window()).open()

    def export(self) -> None:
        """Ctrl+E: the table."""
        self.export_table.ask()


def _columns() -> list[Column]:
    columns = [Column("name", tr("Segmentation"))]
    for key, (title, meaning) in MEASURES.items():
        width = 52 if len(tr(title)) < 3 else 78
        columns.append(Column(key, tr(title), right=True, show=_three, width=width,
                              note=tr(meaning)))  # fmt: skip
    return [*columns, Column("test", tr("Words found"), right=True, show=figures.count, width=96)]


def _row(number: int, row: ScoreRow) -> Row:
    values = {key: _value(row, key) for key in MEASURES}
    cells = {key: Cell(value, figures.DASH if value is None else None)
             for key, value in values.items()}  # fmt: skip
    name = Cell(row.name, tip=row.name)
    return Row(number, {"name": name, "test": Cell(row.score.test), **cells})


def _value(row: ScoreRow, measure: str) -> float | None:
    """A share; None if it would be one of nothing."""
    if measure == "oov_recall" and not row.score.oov:
        return None
    value: float | None = getattr(row.score, measure)
    return value


def _said(rows: list[ScoreRow]) -> str:
    score = rows[0].score
    gold = figures.count(score.gold)
    if score.oov_rate is None:
        return tr("{count} gold words; without training words no OOV recall.", count=gold)
    return tr("{count} gold words, {share} of them out of vocabulary.", count=gold,
              share=figures.percent(score.oov_rate, 1))  # fmt: skip


def _three(share: float) -> str:
    return f"{share:.3f}"


def _floor(values: list[float | None]) -> float:
    """Where the bars begin: at 0, or, where all are far from it, a step below the shortest."""
    least = min((value for value in values if value is not None), default=0.0)
    return max(int(least * 10 - 1), 0) / 10 if least > 0.3 else 0.0
