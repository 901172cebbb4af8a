"""One window for each user: a second start hands what it was asked for to the first, and ends.

They talk over a local socket (on Windows a named pipe) whose name holds where the program's data
are, so that users and homes never meet. Nobody waits longer than `PATIENCE_MS` for the other.
"""

import ctypes
import hashlib
import json
import logging
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QDeadlineTimer, QLockFile, QObject, Signal, Slot
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from lmstudio.store.settings import data_folder

_log = logging.getLogger(__name__)
PATIENCE_MS = 900
HEARD = b"heard\n"
LONGEST = 1_000_000  # bytes of a request; a longer one is not from a start of this program


@dataclass(frozen=True)
class Wish:
    """What a start of the program is asked for."""

    workspace: Path | None = None
    files: tuple[Path, ...] = ()
    sample: bool = False  # the sample corpus
    tour: bool = False  # the first of the tours
    token: str = ""  # with which the desktop lets a window come to the front

    def to_line(self) -> bytes:
        """One line of JSON; a name that is no valid UTF-8 comes through as it is."""
        facts = {
            "workspace": str(self.workspace) if self.workspace else "",
            "files": [str(file) for file in self.files],
            "sample": self.sample,
            "tour": self.tour,
            "token": self.token,
        }
        return json.dumps(facts).encode("ascii") + b"\n"

    @classmethod
    def from_line(cls, line: bytes) -> "Wish | None":
        """Back again; None for what is no wish."""
        try:
            facts = json.loads(line)
            folder, files = str(facts["workspace"]), [Path(str(name)) for name in facts["files"]]
            sample, tour, token = bool(facts["sample"]), bool(facts["tour"]), str(facts["token"])
        except (ValueError, TypeError, KeyError):
            return None
        return cls(Path(folder) if folder else None, tuple(files), sample, tour, token)


class FirstWindow(QObject):
    """The place of the first window, which one process holds at a time."""

    wished = Signal(object)  # a Wish, of a later start

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._connected)

    def take(self, wish: Wish) -> bool:
        """Be the first; False when there is one already, and it was told the wish."""
        name = address()
        lock = QLockFile(_lock_path())  # or two that start at once would both be the first
        locked = lock.tryLock(PATIENCE_MS // 2)
        try:
            if hand_over(name, wish):
                return False
            if not self._server.listen(name):
                QLocalServer.removeServer(name)  # what a killed process has left behind
                if not self._server.listen(name):
                    _log.warning(
                        "no later start will find this one: %s", self._server.errorString()
                    )
            return True
        finally:
            if locked:
                lock.unlock()

    def leave(self) -> None:
        """Let the next start be the first."""
        self._server.close()

    @Slot()
    def _connected(self) -> None:
        while socket := self._server.nextPendingConnection():
            socket.setParent(self)
            socket.readyRead.connect(self._read)
            socket.disconnected.connect(socket.deleteLater)
            if socket.bytesAvailable():
                self._answer(socket)

    @Slot()
    def _read(self) -> None:
        socket = self.sender()
        if isinstance(socket, QLocalSocket):
            self._answer(socket)

    def _answer(self, socket: QLocalSocket) -> None:
        if not socket.canReadLine():
            if socket.bytesAvailable() > LONGEST:
                socket.abort()
            return
        wish = Wish.from_line(bytes(socket.readLine().data()))
        if wish is None:
            socket.abort()
            return
        socket.write(HEARD)
        socket.flush()
        self.wished.emit(wish)


def hand_over(name: str, wish: Wish) -> bool:
    """Tell the first window, if there is one and it is this user's.

    One that is there and only slow counts as told: it will read the wish as soon as it can.
    """
    if not _is_ours(name):
        return False
    deadline, socket = QDeadlineTimer(PATIENCE_MS), QLocalSocket()
    socket.connectToServer(name)
    if not socket.waitForConnected(PATIENCE_MS):
        return False
    _let_others_come_to_the_front()
    socket.write(wish.to_line())
    while socket.state() == QLocalSocket.LocalSocketState.ConnectedState:
        if socket.canReadLine() or deadline.hasExpired():
            break
        socket.waitForReadyRead(max(int(deadline.remainingTime()), 1))
    told = socket.canReadLine() or socket.state() == QLocalSocket.LocalSocketState.ConnectedState
    socket.disconnectFromServer()
    return told


def address() -> str:
    """The name of the socket: a path of a few letters, for paths of sockets may not be long."""
    owner = "" if sys.platform == "win32" else str(os.getuid())
    home = os.fsencode(data_folder().absolute()) + owner.encode("ascii")
    name = f"lmstudio-workbench-{hashlib.sha256(home).hexdigest()[:16]}"
    return name if sys.platform == "win32" else str(_runtime_folder() / name)


def activation_token() -> str:
    """What the desktop gave this start so that its window may come to the front."""
    return os.environ.get("XDG_ACTIVATION_TOKEN") or os.environ.get("DESKTOP_STARTUP_ID") or ""


def _lock_path() -> str:
    return str(_runtime_folder() / f"{Path(address()).name}.lock")


def _runtime_folder() -> Path:
    """Where sockets of this session are; the temporary folder where the system names none."""
    named = Path(os.environ.get("XDG_RUNTIME_DIR") or "")
    return named if named.is_absolute() and named.is_dir() else Path(tempfile.gettempdir())


def _is_ours(name: str) -> bool:
    """No other user has put a socket of that name there; on Windows the pipe sees to it."""
    if sys.platform == "win32":
        return True
    try:
        return os.stat(name).st_uid == os.getuid()
    except OSError:
        return False


def _let_others_come_to_the_front() -> None:
    """Windows lets only the program that the user has just started give the foreground away."""
    if sys.platform == "win32":
        ctypes.windll.user32.AllowSetForegroundWindow(-1)
