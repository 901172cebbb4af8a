"""GenerationColumns: the runs that are asked in; a column for each, side by side, out."""

from collections.abc import Sequence

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QWidget

from lmstudio.analysis.generation.generate import Generated
from lmstudio.analysis.generation.next_table import NextTable
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.panels.explore.generation_column import GenerationColumn
from lmstudio.gui.widgets.fading import fade
from lmstudio.store.rows import RunRow


class GenerationColumns(QWidget):
    """The bars of all columns have one scale. Wants to stand in a scroll area."""

    taken = Signal(str)  # a next token, as it would be written
    branched = Signal(int, list)  # a run, the ids that its text is to begin with

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.by_run: dict[int, GenerationColumn] = {}
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(theme.px(12))

    def set_runs(self, runs: Sequence[RunRow]) -> bool:
        """Show these; a column that stays keeps what is in it. False where they are the same."""
        if [run.id for run in runs] == list(self.by_run):
            return False
        kept = {run.id: self.by_run.pop(run.id, None) for run in runs}
        for column in self.by_run.values():
            self._row.removeWidget(column)
            column.hide()
            column.deleteLater()
        self.by_run = {run.id: kept[run.id] or self._column(run) for run in runs}
        for column in self.by_run.values():
            self._row.addWidget(column, 1)
        self._scale()
        return True

    def _column(self, run: RunRow) -> GenerationColumn:
        made = GenerationColumn(run, self)
        made.taken.connect(self.taken)
        made.branched.connect(self.branched)
        return made

    # next tokens

    def wait(self, *, other_prompt: bool) -> None:
        """Other tables are on their way; with another prompt the texts are out of date too."""
        for column in self.by_run.values():
            column.wait()
            fade(column.text, column.found is not None and other_prompt)

    @Slot(int, object)
    def show_table(self, run: int, table: NextTable) -> None:
        """Show the next tokens of a run."""
        if run in self.by_run:
            self.by_run[run].show_table(table)
            self._scale()

    @Slot(int, object)
    def show_fault(self, run: int, error: AppError) -> None:
        """Say why a run has none."""
        if run in self.by_run:
            self.by_run[run].show_fault(str(error))
            self._scale()

    def _scale(self) -> None:
        largest = max((column.largest() for column in self.by_run.values()), default=0.0)
        for column in self.by_run.values():
            column.bars.set_scale(largest)

    def tables(self) -> list[NextTable]:
        """The next tokens that are shown."""
        return [column.table for column in self.by_run.values() if column.table is not None]

    # texts

    def clear_texts(self) -> None:
        """Others will be written."""
        for column in self.by_run.values():
            column.show_texts(None)

    def show_texts(
        self, runs: Sequence[int], found: Sequence[Generated], *, growing: bool = False
    ) -> None:
        """Show what runs have written; there may be less than runs yet."""
        for run, one in zip(runs, found, strict=False):
            if run in self.by_run:
                self.by_run[run].show_texts(one, growing=growing)

    def let_branch(self, *, may: bool) -> None:
        """Whether a click on a token offers others."""
        for column in self.by_run.values():
            column.may_branch = may

    def texts(self) -> list[Generated]:
        """The texts that are shown."""
        found = (column.found for column in self.by_run.values())
        return [one for one in found if one is not None and one.texts]
