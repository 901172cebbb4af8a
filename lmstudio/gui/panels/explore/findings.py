"""Findings: questions that were kept, with what each model answered; asked again of another one."""

from datetime import datetime

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QComboBox, QLineEdit, QStackedWidget, QWidget

from lmstudio.errors import AppError
from lmstudio.gui.choices import fill
from lmstudio.gui.drag_sources import drag_sentences
from lmstudio.gui.jobs import Asker
from lmstudio.gui.panels.explore.finding_card import FindingCard
from lmstudio.gui.panels.panel import Panel
from lmstudio.gui.panels.progress_row import ProgressRow
from lmstudio.gui.row_actions import RowAction, line
from lmstudio.gui.state import AppState
from lmstudio.gui.tables import Cell, Column, Row, Table
from lmstudio.gui.widgets import (
    Card,
    EmptyState,
    button,
    disable,
    enable,
    label,
)
from lmstudio.gui.widgets.splitter import splitter
from lmstudio.messages import tr
from lmstudio.operations import finding_runs, findings, tags
from lmstudio.store.rows import FindingRow

_TAGS = 2  # the column of the list, which is hidden where there are none


class FindingsPanel(Panel):
    """The list at the left, the one that is chosen at the right."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.filter = QLineEdit(self)
        self.table = Table(columns(), tr("Findings"), self)
        drag_sentences(self.table, "title")
        self.card = FindingCard(state, self)
        self.run = QComboBox(self)
        self.ask = button(tr("Ask this model"), "primary", parent=self)
        self.progress = ProgressRow(self)
        self.problem = label(tone="bad", wrap=True)
        self.problem.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._shown = 0  # the id of the finding that is shown
        self._explore = button(tr("Ask a question"), "primary")
        self._asker = Asker(state, self, "bulk")
        self._pages = QStackedWidget(self)
        self._lay_out()
        self._connect()
        self.refresh()

    def _lay_out(self) -> None:
        self.filter.setPlaceholderText(tr("Search  Ctrl+F"))
        self.filter.setAccessibleName(tr("Search titles, questions and tags"))
        self.filter.setClearButtonEnabled(True)
        left = Card(tr("Findings"), parent=self)
        left.body.addWidget(self.filter)
        left.body.addWidget(self.table, 1)
        both = splitter("both", Qt.Orientation.Horizontal, left, self.card, sizes=(420, 820))
        empty = Card(parent=self)
        empty.body.addWidget(
            EmptyState(
                tr("No findings yet"),
                tr("Each panel here can keep its question with the answers. They stay in the "
                   "workspace, and can be put to models that are trained later."),
                [self._explore], family="bert",
            ), 1,
        )  # fmt: skip
        for page in (both, empty):
            self._pages.addWidget(page)
        self.run.setAccessibleName(tr("Model to ask"))
        self.run.setMinimumContentsLength(18)
        self.run.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        column = self.page()
        column.addWidget(self._pages, 1)
        model = label(tr("Put the question to"), tone="muted")
        row = self.action_row(self.progress, model, self.run, self.ask)
        row.insertWidget(1, self.problem, 2)
        column.addLayout(row)
        self._controls = (model, self.run, self.ask, self.problem, self.note)

    def _connect(self) -> None:
        self.filter.textChanged.connect(self.refresh)
        self.table.chosen.connect(self._show)
        self.table.opened.connect(self.card.rename)
        self.ask.clicked.connect(self._ask_again)
        self.progress.cancelled.connect(self.cancel)
        self._explore.clicked.connect(self._go_to_sentence)
        self._asker.answered.connect(self._answered)
        self._asker.failed.connect(self._fail)
        self._asker.advanced.connect(self.progress.advance)
        RowAction(self.table, self.ask)
        line(self.table)
        for press, keys in ((self.card.csv, ""), (self.card.edit, "F2"), (self.card.remove, "Del")):
            RowAction(self.table, press, keys)
        for signal in (self.state.findings_changed, self.state.runs_changed,
                       self.state.workspace_changed):  # fmt: skip
            signal.connect(self.refresh)

    @property
    def busy(self) -> bool:
        """An answer is awaited."""
        return self._asker.busy

    # what is shown

    @Slot()
    def refresh(self) -> None:
        if not self.isVisible() or not self.state.has_workspace:
            return  # drawn when it is shown
        ws = self.state.workspace
        found, words = findings.search(ws, self.filter.text()), tags.tags(ws, "finding")
        has_some = bool(found or self.filter.text())
        self._pages.setCurrentIndex(0 if has_some else 1)
        for widget in self._controls:
            widget.setVisible(has_some)
        self.primary = self.ask if has_some else self._explore
        self.table.set_rows([_table_row(row, words.get(row.id, ())) for row in found])
        self.table.setColumnHidden(_TAGS, not any(words.get(row.id) for row in found))
        keys = [row.id for row in found]
        if self.state.finding_id in keys:
            self.table.select([self.state.finding_id])
        self.state.finding_id = 0
        if keys and not set(self.table.selected()) & set(keys):
            self.table.select(keys[:1])
        self._show()

    def finding(self) -> FindingRow | None:
        """The one that is chosen."""
        keys = self.table.selected()
        return findings.finding(self.state.workspace, int(keys[0])) if keys else None

    @Slot()
    def _show(self) -> None:
        row, ws = self.finding(), self.state.workspace
        runs = finding_runs.able(ws, row) if row is not None else []
        self.card.show_finding(row)
        if row is None or row.id != self._shown:
            self._say("")  # what it said was of another finding
        self._shown = row.id if row is not None else 0
        answered = row.answers if row else {}
        runs.sort(key=lambda run: (run.name in answered, -run.id))  # who has not answered first
        fill(self.run, [(run.name, run.id) for run in runs])
        if self.run.currentText() in answered:
            self.run.setCurrentIndex(0)
        why = self._why_not(row, bool(runs))
        if why:
            disable(self.ask, why)
        else:
            enable(self.ask)

    def _why_not(self, row: FindingRow | None, has_runs: bool) -> str:
        if row is None:
            return tr("Select a finding first")
        if not findings.can_ask_again(row):
            return tr("Questions of this kind cannot be asked again")
        return "" if has_runs else tr("No model here can answer this question")

    # what is done

    @Slot()
    def _ask_again(self) -> None:
        row = self.finding()
        if row is not None and self.run.currentData() is not None:
            self._say("")
            self.progress.begin()
            self._asker.ask(
                findings.ask_again, self.state.workspace, row.id, self.run.currentData()
            )

    @Slot()
    def cancel(self) -> None:
        """Ask no longer."""
        self._asker.cancel()
        self.progress.end()

    @Slot(object)
    def _answered(self) -> None:
        self.progress.end()
        self._say("")

    @Slot(object)
    def _fail(self, error: AppError) -> None:
        self.progress.end()
        self._say(str(error))

    def _say(self, problem: str) -> None:
        """Tell beside the button what went wrong; "" if nothing did."""
        self.problem.setText(problem)
        self.problem.setToolTip(problem)

    def search(self) -> None:
        """Ctrl+F: search the findings."""
        self.filter.setFocus()

    def export(self) -> None:
        """Ctrl+E: save all answers as CSV."""
        self.card.export()

    @Slot()
    def _go_to_sentence(self) -> None:
        self.state.panel_wanted.emit("sentence")


def columns() -> list[Column]:
    """Of the list."""
    return [
        Column("title", tr("Title")),
        Column("kind", tr("Kind"), width=112),
        Column("tags", tr("Tags"), width=64),
        Column("created", tr("Date"), width=84),
    ]


def _table_row(row: FindingRow, words: tuple[str, ...]) -> Row:
    told, kind = " ".join(words), findings.kind_name(row.kind)
    day = datetime.fromisoformat(row.created).astimezone()
    cells = {
        "title": Cell(row.title, tip=f"{row.title}\n{', '.join(row.answers)}"),
        "kind": Cell(kind, tone="muted", tip=kind),
        "tags": Cell(told, tip=told),
        "created": Cell(row.created, text=f"{day:%Y-%m-%d}", tone="muted", tip=f"{day:%c}"),
    }  # fmt: skip
    return Row(row.id, cells)
