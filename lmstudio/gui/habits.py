"""Habits: what the user chose of how the program treats the desktop and the computer."""

from typing import Protocol

from PySide6.QtCore import QObject, Signal, Slot

from lmstudio import limits
from lmstudio.jobs import JobQueue
from lmstudio.store.settings import Settings


class Owner(Protocol):
    """What is needed of the state."""

    settings: Settings
    queue: JobQueue


class Habits(QObject):
    """Each change is kept and takes effect at once."""

    changed = Signal()

    def __init__(self, state: Owner, parent: QObject) -> None:
        super().__init__(parent)
        self._state = state

    @Slot(bool)
    def set_notify(self, on: bool) -> None:
        """Let the desktop tell of jobs that end while the window is not in front."""
        self._state.settings.notify = on
        self._keep()

    @Slot(bool)
    def set_keep_awake(self, on: bool) -> None:
        """Keep the computer from sleeping while a job runs."""
        self._state.settings.keep_awake = on
        self._keep()

    def set_limits(self, threads: int, gigabytes: float) -> None:
        """Let jobs that begin from now on take so much; 0 is all there is."""
        settings = self._state.settings
        if (threads, gigabytes) != (settings.threads, settings.memory):
            settings.threads, settings.memory = threads, gigabytes
            limits.choose(threads, gigabytes)
            self._state.queue.renew_workers()
            self._keep()

    def _keep(self) -> None:
        self._state.settings.save()
        self.changed.emit()
