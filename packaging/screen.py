"""A display of its own in, windows found, keys typed and pictures taken on it out. Linux only."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from say import Failed, pick

TOOLS = {"Xvfb": "xvfb", "xdotool": "xdotool", "dbus-run-session": "dbus-daemon",
         "gio": "libglib2.0-bin", "desktop-file-validate": "desktop-file-utils"}  # fmt: skip
"""By command, its Debian package."""

T = TypeVar("T")


class Screen:
    """What the checks do on a display."""

    def __init__(self, display: str) -> None:
        self.environment = {"DISPLAY": display, "QT_QPA_PLATFORM": "xcb"}

    def windows(self, title: str) -> list[str]:
        """The ids of the visible windows whose title holds `title`."""
        return self._tool("search", "--onlyvisible", "--name", title).split()

    def wait_for(self, title: str, seconds: float) -> str:
        """The id of such a window, once there is one."""
        return until(lambda: self.windows(title), seconds, title)[0]

    def type(self, window: str, keys: str) -> None:
        """Press keys, such as "ctrl+q", in a window."""
        self._tool("windowfocus", "--sync", window)
        self._tool("key", "--clearmodifiers", keys)

    def of_class(self, name: str) -> list[str]:
        """The ids of visible windows by what a desktop goes by, to know whose they are."""
        return self._tool("search", "--onlyvisible", "--class", f"^{name}$").split()

    def picture(self, file: Path) -> None:
        """What is on the display, where ImageMagick is to be had."""
        if shutil.which("import"):
            subprocess.call(["import", "-window", "root", str(file)],
                            env=os.environ | self.environment)  # fmt: skip

    def _tool(self, *words: str) -> str:
        done = subprocess.run(["xdotool", *words], env=os.environ | self.environment, text=True,
                              capture_output=True, check=False, timeout=60)  # fmt: skip
        return done.stdout


@contextmanager
def opened(size: str = "1366x768x24") -> Iterator[Screen]:
    """A display of this size, for as long as the block runs."""
    if missing := [package for tool, package in TOOLS.items() if not shutil.which(tool)]:
        names = " ".join(missing)
        raise Failed(pick(f"Install these first: {names}", f"请先安装：{names}"))
    reads, writes = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(writes), "-screen", "0", size],
                              pass_fds=(writes,), stderr=subprocess.DEVNULL)  # fmt: skip
    os.close(writes)
    try:
        with os.fdopen(reads) as answer:
            yield Screen(f":{answer.readline().strip()}")
    finally:
        server.terminate()
        server.wait()


def until(ask: Callable[[], T], seconds: float, what: str) -> T:
    """What `ask` gives once that is something. Raises Failed when it takes too long."""
    end = time.monotonic() + seconds
    while not (found := ask()):
        if time.monotonic() > end:
            late = f"{seconds:.0f}"
            raise Failed(pick(f"{what}: not within {late} s", f"{what}：{late} 秒内未出现"))
        time.sleep(0.2)
    return found


def is_here() -> bool:
    """Such a display can be had on this system."""
    return sys.platform.startswith("linux")
