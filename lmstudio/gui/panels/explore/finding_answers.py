"""FindingAnswers: a finding in; what each run answered, side by side, out."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from lmstudio.gui import theme
from lmstudio.gui.tables import Cell, Column, Row, Table
from lmstudio.gui.widgets import ElidedLabel, Mark, hairline, label, scrolled
from lmstudio.messages import tr
from lmstudio.operations.answer_tables import AnswerTable, shown
from lmstudio.operations.finding_tables import table_of
from lmstudio.store.rows import FindingRow

MOST_ROWS, MOST_FACTS = 200, 12  # that are shown; the CSV file has all
_WIDTH = 300  # of one answer, at least


class FindingAnswers(QWidget):
    """A column for each run, made anew for each finding."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._area: QScrollArea | None = None
        self.tables: dict[str, Table] = {}  # by run

    def show_finding(self, row: FindingRow | None, families: dict[str, str]) -> None:
        """Show its answers; `families` are those of the runs that still are there, by name."""
        if self._area is not None:
            self._layout.removeWidget(self._area)
            self._area.hide()
            self._area.deleteLater()
        self.tables = {}
        content = QWidget(self)
        columns = QHBoxLayout(content)
        columns.setContentsMargins(0, 0, 0, 0)
        columns.setSpacing(theme.px(16))
        kind, answers = (row.kind, row.answers) if row is not None else ("", {})
        for number, (run, answer) in enumerate(answers.items()):
            if number:
                columns.addWidget(hairline(content, vertical=True))
            table = table_of(kind, answer)
            columns.addWidget(self._column(run, families.get(run, ""), table), 1)
        self._area = scrolled(content, self)
        self._layout.addWidget(self._area)

    def _column(self, run: str, family: str, answer: AnswerTable) -> QWidget:
        made = QWidget(self)
        made.setMinimumWidth(theme.px(_WIDTH))
        column = QVBoxLayout(made)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(6))
        head = QHBoxLayout()
        if family:
            head.addWidget(Mark(family, made))
        head.addWidget(ElidedLabel(run if family else tr("{run} (deleted)", run=run), size=15,
                                   bold=True), 1)  # fmt: skip
        column.addLayout(head)
        for name, value in list(answer.facts.items())[:MOST_FACTS]:
            told = label(
                tr("{name}: {value}", name=name, value=shown(value)), tone="muted", wrap=True
            )
            told.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            column.addWidget(told)
        if answer.columns:
            self.tables[run] = _table(run, answer, made)
            column.addWidget(self.tables[run], 1)
        else:
            column.addStretch()
        return made


def _table(run: str, answer: AnswerTable, parent: QWidget) -> Table:
    numbers = {name for i, name in enumerate(answer.columns) if answer.holds_numbers(i)}
    columns = [Column(name, name, right=name in numbers, show=shown,
                      width=92 if name in numbers else 0) for name in answer.columns]  # fmt: skip
    made = Table(columns, tr("Answer of {run}", run=run), parent)
    made.setMinimumHeight(theme.px(120))
    made.set_rows([
        Row(number, {name: Cell(value, tip=shown(value))
                     for name, value in zip(answer.columns, row, strict=True)})
        for number, row in enumerate(answer.rows[:MOST_ROWS])
    ])  # fmt: skip
    return made
