"""RunLogView: a run in; the dated lines that its training left, the newest in sight, out."""

from PySide6.QtWidgets import QPlainTextEdit, QWidget

from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.state import AppState
from lmstudio.messages import tr
from lmstudio.operations import runs
from lmstudio.store.rows import RunRow

MOST = 2000  # lines, the newest


class RunLogView(QPlainTextEdit):
    """Read anew each time it is shown."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self.setReadOnly(True)
        self.setFont(theme.font(12))
        self.setAccessibleName(tr("Log of the run"))
        self.setMaximumBlockCount(MOST)

    def show_run(self, row: RunRow | None) -> None:
        """Show the log of a run; None shows nothing."""
        text = "" if row is None else self._read(row)
        if text != self.toPlainText():
            self.setPlainText(text)
            self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())

    def _read(self, row: RunRow) -> str:
        try:
            lines = runs.log(self._state.workspace, row.id).splitlines()[-MOST:]
        except AppError:  # it was deleted
            return ""
        return "\n".join(lines) or tr("Nothing was logged of this run.")
