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
_SHORT = 16  # characters of a text whose column need not grow
_LEAST, _ALL = 120, 780  # of a column of texts; of all answers on the smallest screen
_ROOM = 20  # of a cell, round its text


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
            room = max(_ALL // len(answers), _WIDTH)
            columns.addWidget(self._column(run, families.get(run, ""), table, room), 1)
        self._area = scrolled(content, self)
        self._layout.addWidget(self._area)

    def _column(self, run: str, family: str, answer: AnswerTable, room: int) -> QWidget:
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
            self.tables[run] = _table(run, answer, room, made)
            column.addWidget(self.tables[run], 1)
        else:
            column.addStretch()
        return made


def _table(run: str, answer: AnswerTable, room: int, parent: QWidget) -> Table:
    columns = [Column(name, name, right=answer.holds_numbers(i), show=shown, width=width)
               for i, (name, width) in enumerate(zip(answer.columns, _widths(answer, room, parent),
                                                     strict=True))]  # fmt: skip
    made = Table(columns, tr("Answer of {run}", run=run), parent)
    made.setMinimumHeight(theme.px(120))
    made.set_rows([
        Row(number, {name: Cell(value, tip=shown(value))
                     for name, value in zip(answer.columns, row, strict=True)})
        for number, row in enumerate(answer.rows[:MOST_ROWS])
    ])  # fmt: skip
    return made


def _widths(answer: AnswerTable, room: int, parent: QWidget) -> list[int]:
    """Of the columns: what a number or a short text needs, 0 for those that share the rest.

    Where the rest of `room` is too little to share, they are wide all the same, and it scrolls.
    """
    metrics, scale = parent.fontMetrics(), theme.px(100) / 100
    texts = [[shown(row[i]) for row in answer.rows] for i in range(len(answer.columns))]
    longest = [max(map(len, cells), default=0) for cells in texts]
    widest = max((size for i, size in enumerate(longest) if not answer.holds_numbers(i)), default=0)
    found = []
    for i, name in enumerate(answer.columns):
        if answer.holds_numbers(i) or longest[i] <= _SHORT < widest:
            told = (name, *texts[i][:MOST_ROWS])
            found.append(round(max(map(metrics.horizontalAdvance, told)) / scale) + _ROOM)
        else:
            found.append(0)
    too_narrow = sum(found) + found.count(0) * _LEAST > room
    return [width or _LEAST for width in found] if too_narrow else found
