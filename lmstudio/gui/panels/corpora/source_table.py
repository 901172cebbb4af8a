"""SourceTable: the files a corpus was made of, as they are kept with it."""

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.file_kinds import format_name
from lmstudio.gui.state import AppState
from lmstudio.gui.tables import Cell, Column, Row, Table
from lmstudio.messages import tr
from lmstudio.store.rows import CorpusRow


class SourceTable(Table):
    """Name, format, encoding and size of each file."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        columns = (
            Column("name", tr("File")),
            Column("format", tr("Format"), width=84),
            Column("encoding", tr("Encoding"), width=84),
            Column("size", tr("Size"), right=True, show=figures.size, width=72),
        )
        super().__init__(columns, tr("Files of the corpus"), parent)
        self._state = state
        self._corpus: CorpusRow | None = None
        self.setMinimumHeight(theme.px(90))

    def show_corpus(self, corpus: CorpusRow | None) -> None:
        """Show the files of a corpus; they are read when the table comes into sight."""
        self._corpus = corpus
        self.set_rows([])
        if self.isVisible():
            self._fill()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self._fill()

    def _fill(self) -> None:
        found = self._state.workspace.sources(self._corpus.id) if self._corpus else []
        self.set_rows([
            Row(one.number, {
                "name": Cell(one.name, tip=one.name), "format": Cell(format_name(one.format)),
                "encoding": Cell(one.encoding.upper()), "size": Cell(one.bytes),
            })
            for one in found
        ])  # fmt: skip
