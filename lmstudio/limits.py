"""How many threads and how much memory work may take, in this process and those that it starts.

LMSTUDIO_THREADS and LMSTUDIO_MEMORY (GB) say it, and count before the settings; what the settings
say is put there for worker processes, which inherit it. OMP_NUM_THREADS of the user's counts too.
"""

import os
import sys
from contextlib import suppress

from lmstudio.errors import AppError

THREADS, MEMORY = "LMSTUDIO_THREADS", "LMSTUDIO_MEMORY"
GB = 1_000_000_000
LEAST = 1.0
"""GB that the libraries alone may come to; with less, some of them end the process by a signal."""

_MOST_THREADS = 4096
_LIBRARIES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS",
              "VECLIB_MAXIMUM_THREADS")  # fmt: skip
"""Where torch and numpy look as they are imported."""
_GIVEN = {name for name in (THREADS, MEMORY, *_LIBRARIES) if name in os.environ}
"""What the user's environment says is not changed."""


def choose(threads: int, gigabytes: float) -> None:
    """Let processes that start from now on keep to this; 0 is no limit."""
    _say(MEMORY, f"{gigabytes:g}" if gigabytes else "")
    if not _GIVEN & {"OMP_NUM_THREADS"}:
        _say(THREADS, str(threads or ""))
    wanted = _threads_wanted()
    for name in _LIBRARIES:
        _say(name, str(wanted or ""))


def _say(name: str, value: str) -> None:
    if name in _GIVEN:
        return
    if value:
        os.environ[name] = value
    else:
        os.environ.pop(name, None)


def threads() -> int:
    """How many things may be done at once: as was chosen, or as there are cores."""
    cores = os.cpu_count() or 1
    return min(_threads_wanted() or cores, cores)


def _threads_wanted() -> int:
    """0 where the variable is not there, or makes no sense."""
    chosen = os.environ.get(THREADS, "")
    with suppress(ValueError):  # thousands of digits too
        return min(int(chosen), _MOST_THREADS) if chosen.isdecimal() else 0
    return 0


def memory() -> int:
    """Bytes that a process may take; 0 where there is no limit."""
    with suppress(ValueError, OverflowError):
        return max(0, int(float(os.environ.get(MEMORY, "") or 0) * GB))
    return 0


def check() -> None:
    """AppError where the program itself does not fit into the memory."""
    if 0 < memory() < LEAST * GB:
        raise AppError(
            "{name} is {given} GB, but the program itself needs {least} GB. Set it higher, or to 0 "
            "for no limit.",
            name=MEMORY, given=os.environ[MEMORY], least=f"{LEAST:g}",
        )  # fmt: skip


def keep() -> None:
    """Hold this process to the memory: what asks for more is refused, and its job ends.

    It is never held to less than the program needs itself. Where the system knows no such limit
    (Windows; macOS does not heed it) nothing happens.
    """
    if sys.platform == "win32":
        return
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    if wanted := memory():
        with suppress(ValueError, OSError):  # more than is allowed anyway
            resource.setrlimit(resource.RLIMIT_DATA, (max(wanted, int(LEAST * GB)), most))
