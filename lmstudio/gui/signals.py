"""What the system asks of the process (end, Ctrl+C, hang up) -> a signal of Qt in its event loop.

Python carries out handlers between two steps of Python code, of which there are none while Qt
waits. It also writes a byte into a socket at once, and that wakes Qt.
"""

import signal
import socket
from types import FrameType
from typing import Any

from PySide6.QtCore import QObject, QSocketNotifier, Signal, Slot

NAMES = ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK")
"""Those that ask for an end; no system has all of them."""


class EndAsked(QObject):
    """Installed in the main thread, for as long as the program runs."""

    asked = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._ours, self._theirs = socket.socketpair()
        for end in (self._ours, self._theirs):
            end.setblocking(False)
        self._notifier = QSocketNotifier(
            self._ours.fileno(), QSocketNotifier.Type.Read, parent=self
        )
        self._notifier.activated.connect(self._read)
        self._fd = signal.set_wakeup_fd(self._theirs.fileno(), warn_on_full_buffer=False)
        numbers = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]
        self._before: dict[int, Any] = {one: signal.signal(one, _wake) for one in numbers}

    @Slot()
    def _read(self) -> None:
        sent = self._ours.recv(4096)
        if set(sent) & set(self._before):
            self.asked.emit()

    def remove(self) -> None:
        """Put everything back as it was."""
        for number, before in self._before.items():
            signal.signal(number, before)
        signal.set_wakeup_fd(self._fd)
        self._notifier.setEnabled(False)
        for end in (self._ours, self._theirs):
            end.close()


def _wake(number: int, frame: FrameType | None) -> None:
    """The byte in the socket says it all."""
