"""NoteField: what the user thinks of a run, written where it is read."""

from PySide6.QtCore import QSignalBlocker, QTimer, Slot
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.state import AppState
from lmstudio.messages import tr
from lmstudio.operations import runs
from lmstudio.store.rows import RunRow

SAVE_MS = 1000  # after the last key


class NoteField(QPlainTextEdit):
    """Saved a moment after the last key, and when the field or the run is left."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._run = 0
        self._saved = ""
        self.setAccessibleName(tr("Note"))
        self.setPlaceholderText(tr("A note on this run…"))
        self.setTabChangesFocus(True)
        self.setFixedHeight(theme.px(52))
        self._pause = QTimer(self, interval=SAVE_MS, singleShot=True)
        self._pause.timeout.connect(self.save)
        self.textChanged.connect(self._pause.start)

    def show_run(self, row: RunRow | None) -> None:
        """Show the note of a run; what is being written of the same one stays."""
        run = 0 if row is None else row.id
        if run != self._run:
            self.save()
        elif self.hasFocus():
            return
        self._run, self._saved = run, "" if row is None else row.note
        self.setEnabled(row is not None)
        if self.toPlainText() != self._saved:
            with QSignalBlocker(self):
                self.setPlainText(self._saved)

    @Slot()
    def save(self) -> None:
        """Keep what is written, if it is new."""
        self._pause.stop()
        text = self.toPlainText().strip()
        if not self._run or text == self._saved:
            return
        try:
            changes = runs.note(self._state.workspace, self._run, text)
        except AppError as error:  # too long, or the run is gone
            self._state.report(error)
            return
        self._saved = text
        self._state.apply(changes)

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        super().focusOutEvent(event)
        self.save()
