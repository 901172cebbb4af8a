"""AnswerBoard: a column for each run asked, all bars on one scale; ranks and pictures of them."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from lmstudio.analysis.fill.answer import Answer
from lmstudio.analysis.fill.question import Question
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.panels.explore.masks_column import AnswerColumn
from lmstudio.gui.panels.explore.masks_picture import MasksPicture, PictureColumn
from lmstudio.gui.widgets.rank_axis import Ranked
from lmstudio.messages import tr
from lmstudio.models.registry import MODELS
from lmstudio.operations import fill
from lmstudio.store.rows import RunRow


class AnswerBoard(QWidget):
    """Shows the answers to one blank of a question."""

    picked = Signal(str)  # a word to be put into the blank

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.columns: dict[int, AnswerColumn] = {}
        self._number = 0
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(theme.px(12))

    def fit(self, runs: Sequence[RunRow]) -> bool:
        """Have a column for each run, in this order; whether that is a change."""
        if [run.id for run in runs] == list(self.columns):
            return False
        before, wanted = self.columns, {run.id for run in runs}
        for run_id, gone in before.items():
            self._row.removeWidget(gone)
            if run_id not in wanted:
                gone.hide()
                gone.deleteLater()
        self.columns = {run.id: before.get(run.id) or self._column(run) for run in runs}
        for column in self.columns.values():
            self._row.addWidget(column, 1)
            column.show()
        return True

    def _column(self, run: RunRow) -> AnswerColumn:
        made = AnswerColumn(run, self)
        made.picked.connect(self.picked)
        return made

    # answers

    def wait(self) -> None:
        """Answers are on their way."""
        for column in self.columns.values():
            column.wait()

    def take(self, run_id: int, answer: Answer) -> None:
        """Keep the answer of a run."""
        if run_id in self.columns:
            self.columns[run_id].take(answer)

    def fail(self, run_id: int, error: AppError) -> None:
        """Show why a run has none."""
        if run_id in self.columns:
            self.columns[run_id].fail(error)

    def answers(self) -> dict[str, Answer]:
        """What is known, by the names of runs."""
        return {column.run.name: column.answer for column in self.columns.values()
                if column.answer is not None}  # fmt: skip

    # what is shown

    def show_blank(self, number: int, truth: str) -> None:
        """Draw the candidates of a blank."""
        self._number = number
        for column in self.columns.values():
            column.show_blank(number, truth)
        for column in self.columns.values():
            column.guesses.set_most(self.most())

    def most(self) -> float:
        """The probability of the longest bar."""
        return max((column.most(self._number) for column in self.columns.values()), default=0.0)

    def ranked(self) -> list[Ranked]:
        """At which rank each run has the true word."""
        found = []
        for column in self.columns.values():
            blank = column.blank(self._number)
            if blank is not None and blank.truth is not None:
                model = column.run.model
                found.append(Ranked(model, tr(MODELS[model].title), blank.rank, blank.least))
        return found

    def first(self, other_than: str = "") -> str:
        """The first candidate of the first column that has one; "" without any."""
        for column in self.columns.values():
            for row in column.guesses.rows()[:2]:
                if row.known and row.word != other_than:
                    return row.word
        return ""

    def picture(self, question: Question) -> MasksPicture:
        """What is shown, to be painted anywhere."""
        text, blanks = question.text, question.blanks
        start, end = len(text), len(text)
        if self._number < len(blanks):
            start, end = blanks[self._number].start, blanks[self._number].end
        shown = [self._picture_of(column) for column in self.columns.values()]
        columns = [column for column in shown if column is not None]
        return MasksPicture(text[:start], text[start:end], text[end:], self.ranked(), columns,
                            self.most())  # fmt: skip

    def _picture_of(self, column: AnswerColumn) -> PictureColumn | None:
        blank, answer = column.blank(self._number), column.answer
        if blank is None or answer is None:
            return None
        gap = blank.truth is not None and blank.rank > len(blank.guesses)
        return PictureColumn(column.run.model, column.run.name, fill.how(answer, blank),
                             column.guesses.rows(), gap, column.unscored.text())  # fmt: skip
