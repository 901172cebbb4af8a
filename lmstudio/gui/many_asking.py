"""ManyAsker: the same question to many runs in; each answer as it comes, and the time, out."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from PySide6.QtCore import QElapsedTimer, QObject, Signal

from lmstudio.errors import AppError
from lmstudio.gui.jobs import Asker, Runner
from lmstudio.jobs import Lane

Question = tuple[Callable[..., Any], *tuple[Any, ...]]
"""An operation and its arguments, without the job."""


class ManyAsker(QObject):
    """Keys are ids of runs. New questions drop the answers to older ones."""

    answered = Signal(int, object)  # the run, what the function returned
    failed = Signal(int, object)  # the run, the AppError
    finished = Signal(int)  # milliseconds, when the last of them has answered or failed

    def __init__(self, state: Runner, parent: QObject, lane: Lane = "ask") -> None:
        super().__init__(parent)
        self._state, self._lane = state, lane
        self._askers: dict[int, Asker] = {}
        self._open: set[int] = set()
        self._clock = QElapsedTimer()

    def ask(self, questions: Mapping[int, Question]) -> None:
        """Ask each run its question, in this order."""
        self.cancel()
        self._clock.start()
        self._open = set(questions)
        for run, (function, *args) in questions.items():
            self._asker(run).ask(function, *args)

    def cancel(self) -> None:
        """Drop what is open."""
        for asker in self._askers.values():
            asker.cancel()
        self._open.clear()

    @property
    def busy(self) -> bool:
        """An answer is awaited."""
        return bool(self._open)

    def _asker(self, run: int) -> Asker:
        if run not in self._askers:
            asker = self._askers[run] = Asker(self._state, self, self._lane)
            asker.answered.connect(partial(self._take, run))
            asker.failed.connect(partial(self._fail, run))
        return self._askers[run]

    def _take(self, run: int, answer: object) -> None:
        self.answered.emit(run, answer)
        self._close(run)

    def _fail(self, run: int, error: AppError) -> None:
        self.failed.emit(run, error)
        self._close(run)

    def _close(self, run: int) -> None:
        """One question less; a slot of `answered` may have asked anew."""
        if run in self._open and not self._askers[run].busy:
            self._open.discard(run)
            if not self._open:
                self.finished.emit(int(self._clock.elapsed()))
