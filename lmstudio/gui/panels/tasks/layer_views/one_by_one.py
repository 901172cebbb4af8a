"""OneByOne: questions of some minutes each in; their answers, one after the other, out."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from lmstudio.errors import AppError
from lmstudio.gui.jobs import Asker
from lmstudio.gui.panels.progress_row import ProgressRow
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import ElidedLabel
from lmstudio.messages import tr


@dataclass(frozen=True)
class Question:
    """Asks `function(workspace, *args, job=...)`."""

    key: object
    name: str  # of the run that is asked
    function: Callable[..., Any]
    args: tuple[Any, ...]


class OneByOne(QObject):
    """In the lane of long work. What was answered stays when the rest is cancelled."""

    answered = Signal(object, object)  # key and answer
    ended = Signal()

    def __init__(
        self, state: AppState, progress: ProgressRow, said: ElidedLabel, parent: QObject
    ) -> None:
        """`progress` tells how far it is and can be cancelled; `said` what it is at, or a fault."""
        super().__init__(parent)
        self._state, self._progress, self._said = state, progress, said
        self._waiting: list[Question] = []  # the first is at it
        self._asker = Asker(state, self, "bulk")
        self._asker.answered.connect(self._take)
        self._asker.failed.connect(self._fail)
        self._asker.advanced.connect(progress.advance)
        progress.cancelled.connect(self.cancel)

    @property
    def busy(self) -> bool:
        """An answer is awaited."""
        return bool(self._waiting)

    def begin(self, questions: list[Question]) -> None:
        """Ask these instead of what is asked."""
        self._waiting = list(questions)
        self._said.setText("")
        self._go_on()

    @Slot()
    def cancel(self) -> None:
        """Ask no more."""
        if self.busy:
            self._asker.cancel()
            self._waiting = []
            self._progress.end()
            self._said.setText(tr("Stopped"))
            self.ended.emit()

    def _go_on(self) -> None:
        if not self._waiting:
            self._progress.end()
            self.ended.emit()
            return
        one = self._waiting[0]
        self._progress.begin()
        self._said.setText(tr("Measuring {name}", name=one.name))
        self._asker.ask(one.function, self._state.workspace, *one.args)

    @Slot(object)
    def _take(self, found: object) -> None:
        key = self._waiting.pop(0).key
        self._said.setText("")
        self.answered.emit(key, found)
        self._go_on()

    @Slot(object)
    def _fail(self, error: AppError) -> None:
        self._waiting.pop(0)
        self._go_on()
        self._said.setText(str(error))
