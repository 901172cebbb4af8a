"""ClassTable: a run of class-based n-grams in; its word classes as a table out."""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from lmstudio import figures
from lmstudio.analysis.class_words import WordClass
from lmstudio.errors import AppError
from lmstudio.gui.jobs import Asker
from lmstudio.gui.state import AppState
from lmstudio.gui.tables import Cell, Column, Row, Table
from lmstudio.messages import tr
from lmstudio.operations import word_classes
from lmstudio.store.rows import RunRow


class ClassTable(Table):
    """Read in the background, once for each run that is shown."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        columns = [
            Column("number", tr("No."), right=True, width=44),
            Column("share", tr("Share"), right=True, width=64, note=tr("Share of tokens"),
                   show=lambda share: figures.percent(share, 2)),
            Column("size", tr("Size"), right=True, width=52, show=figures.count,
                   note=tr("Different words")),
            Column("words", tr("Frequent words")),
        ]  # fmt: skip
        super().__init__(columns, tr("Word classes"), parent, row_height=24)
        self._state, self._shown = state, 0
        self._asker = Asker(state, self)
        self._asker.answered.connect(self._take)
        self._asker.failed.connect(self._fail)

    def show_run(self, row: RunRow | None) -> None:
        """Ask for the classes of a run that is done; None shows nothing."""
        asked = 0 if row is None else row.id
        if asked == self._shown:
            return
        self._asker.cancel()
        self._shown = asked
        self.set_rows([])
        if row is not None:
            self._asker.ask(word_classes.classes, self._state.workspace, row.id)

    @Slot(object)
    def _take(self, found: list[WordClass]) -> None:
        self.set_rows([_row(one) for one in found])

    @Slot(object)
    def _fail(self, error: AppError) -> None:
        self._shown = 0
        self._state.report(error)


def _row(one: WordClass) -> Row:
    words = " ".join(one.words)
    return Row(one.number, {"number": Cell(one.number), "share": Cell(one.share),
                            "size": Cell(one.size), "words": Cell(words, tip=words)})  # fmt: skip
