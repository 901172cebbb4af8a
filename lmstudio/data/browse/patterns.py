"""What a user searches for into a checked regular expression that can be stopped while it matches.

A pattern such as `(a+)+$` may take for ever on one line, inside a single call of `re`. That call
looks for signals now and then, so a timer signal is where stop takes effect. Where there is no such
timer (Windows, or not in the main thread) the worker process is killed instead, see `worker`.
"""

import re
import signal
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import Message, msg

_EVERY = 0.2  # seconds between two looks at the job inside a match
_KNOWN_FAULTS = (
    msg("nothing to repeat"),
    msg("multiple repeat"),
    msg("missing ), unterminated subpattern"),
    msg("unbalanced parenthesis"),
    msg("unterminated character set"),
    msg("bad escape (end of pattern)"),
    msg("look-behind requires fixed-width pattern"),
    msg("min repeat greater than max repeat"),
    msg("global flags not at the start of the expression"),
)
"""What `re` says most often, so that the catalogue has it; other faults stay as `re` says them."""


def compiled(pattern: str, *, ignore_case: bool = False) -> re.Pattern[str]:
    """The regular expression. AppError that says where and what is wrong if it is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "possible nested set": what it means may change
            return re.compile(pattern, re.IGNORECASE if ignore_case else 0)
    except re.error as error:
        raise AppError(
            "The regular expression is wrong at character {position}: {fault}.",
            position=(error.pos or 0) + 1,
            fault=Message(error.msg),
        ) from error
    except (RecursionError, OverflowError, MemoryError) as error:
        raise AppError("The regular expression is too large. Make it shorter.") from error


def wildcards(pattern: str, *, ignore_case: bool = False) -> re.Pattern[str]:
    """A word in which `*` stands for any characters and `?` for one."""
    escaped = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
    return re.compile(escaped, re.DOTALL | (re.IGNORECASE if ignore_case else 0))


@contextmanager
def stoppable(job: Job) -> Iterator[None]:
    """Let stop take effect inside the block, even in the middle of a match.

    The block must not ask the job itself: its lock would be taken twice by one thread.
    """
    main = threading.current_thread() is threading.main_thread()
    if not main or not hasattr(signal, "setitimer"):
        yield
        return

    def look(number: int, frame: FrameType | None) -> None:
        if job.cancelling:
            signal.setitimer(signal.ITIMER_REAL, 0)  # raise once, even if it is on the way out
            job.check()

    before = signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, _EVERY, _EVERY)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
