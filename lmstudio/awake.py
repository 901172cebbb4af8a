"""Keeps the computer from falling asleep while something runs; the screen may go dark.

Whatever ends this process, also a kill, lets it sleep again: on Linux the helper waits for the end
of a pipe that the system closes, on macOS it waits for this process, and Windows forgets the wish.
"""

import os
import shutil
import subprocess
import sys
from types import TracebackType
from typing import Self

_CONTINUOUS, _SYSTEM = 0x80000000, 0x00000001


def command() -> list[str]:
    """The helper of this system, which ends when its standard input does; [] where it has none."""
    if sys.platform == "darwin" and shutil.which("caffeinate"):
        return ["caffeinate", "-i", "-w", str(os.getpid())]
    if sys.platform.startswith("linux") and (
        (inhibit := shutil.which("systemd-inhibit")) and (cat := shutil.which("cat"))
    ):
        return [inhibit, "--what=idle:sleep", "--mode=block", "--who=LM Workbench",
                "--why=A job is running", cat]  # fmt: skip
    return []


class Awake:
    """Holds the computer awake between `hold` and `release`, both of which may be repeated."""

    def __init__(self) -> None:
        self._helper: subprocess.Popen[bytes] | None = None
        self.held = False

    def hold(self) -> None:
        """No sleep from now on, where the system allows it; called in the main thread."""
        if self.held:
            return
        self.held = True
        if sys.platform == "win32":
            _tell_windows(_CONTINUOUS | _SYSTEM)
        elif words := command():
            try:
                self._helper = subprocess.Popen(
                    words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )  # fmt: skip
            except OSError:  # no sleep is a courtesy
                self._helper = None

    def release(self) -> None:
        """It may sleep again."""
        self.held = False
        if sys.platform == "win32":
            _tell_windows(_CONTINUOUS)
        helper, self._helper = self._helper, None
        if helper is not None:
            assert helper.stdin is not None
            helper.stdin.close()
            helper.terminate()
            helper.wait()

    def __enter__(self) -> Self:
        self.hold()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


def _tell_windows(wish: int) -> None:
    if sys.platform == "win32":
        import ctypes

        ctypes.windll.kernel32.SetThreadExecutionState(ctypes.c_uint(wish))
