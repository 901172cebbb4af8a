"""A job on a terminal: a progress line on stderr, Ctrl+C as stop, tables and JSON on stdout."""

import json
import math
import shutil
import signal
import sys
import time
import unicodedata
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any, TypeVar

from lmstudio.figures import count, decimal, duration
from lmstudio.jobs import Job
from lmstudio.messages import Message, tr

T = TypeVar("T")
_PLACES = 3  # of a number that is not whole
QUIET_SECONDS = 30  # between two lines of a job whose output is a file or a pipe


class TerminalJob(Job):
    """A job that shows its ticks: on a terminal as a line that moves, else as a line a stage."""

    def __init__(self, title: str = "", remarks: set[str] | None = None) -> None:
        """`remarks`: those that were said before, of which it says none; its own are added."""
        super().__init__(title)
        self._shown = 0.0
        self._stages: set[str] = set()
        self._remarks = set() if remarks is None else remarks
        self._lively = sys.stderr is not None and sys.stderr.isatty()

    def tick(self, done: float, total: float = 0, note: Message | str = "", **point: float) -> None:
        """Show the progress, then do what every job does."""
        super().tick(done, total, note, **point)
        self.drain()
        waited = time.monotonic() - self._shown
        if self._lively and waited > 0.1:
            self._shown = time.monotonic()
            self._show()
        elif not self._lively and (self._kind() not in self._stages or waited > QUIET_SECONDS):
            self._shown = time.monotonic()
            self._stages.add(self._kind())
            if self._stage():
                say(self._line())

    def remark(self, note: Message | str) -> None:
        """A line of its own, said once; the progress line goes on below it."""
        super().remark(note)
        if str(note) not in self._remarks:
            self._remarks.add(str(note))
            self.clear()
            say(str(note))

    def has_said(self, note: Message | str) -> bool:
        """Whether a remark was said already."""
        return str(note) in self._remarks

    def clear(self) -> None:
        """Take the progress line off the screen."""
        if self._lively and self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def _show(self) -> None:
        share = self._share()
        bar = "█" * round(share * 20) + "░" * (20 - round(share * 20))
        columns = shutil.get_terminal_size().columns - 1
        sys.stderr.write(f"\r\x1b[K{_cut(f'{bar} {self._line()}', columns)}")
        sys.stderr.flush()

    def _line(self) -> str:
        left = self.seconds_left()
        ending = "" if left is None else f" · {tr('{time} left', time=duration(left))}"
        share = f"{self._share():4.0%} "
        if not self._lively and not round(self._share(), 2):
            share = ""  # in a log a step is told as it begins
        return f"{share}{self._stage()}{ending}"

    def _stage(self) -> str:
        return str(self.note) or self.title

    def _kind(self) -> str:
        """The stage without its values: a log need not tell each of a thousand files."""
        return self.note.sentence if isinstance(self.note, Message) else self._stage()

    def _share(self) -> float:
        return min(self.done / self.total, 1) if self.total else 0


def carry_out(job: TerminalJob, function: Callable[..., T], *args: Any, **kwargs: Any) -> T:
    """`function(*args, job=job)`; Ctrl+C or SIGTERM stops it politely, a second at once.

    Before its first tick nothing is done that could be kept, so the first stops it at once too.
    """

    def stop(number: int, frame: FrameType | None) -> None:
        if job.cancelling or not job.ticked:
            raise KeyboardInterrupt
        job.cancel()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        return function(*args, job=job, **kwargs)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        job.clear()


def say(text: str) -> None:
    """A sentence for the person at the terminal; never mixed into what machines read."""
    if sys.stderr is not None:
        print(text, file=sys.stderr)


def say_caption(text: str) -> None:
    """A sentence that belongs to the answer, on stdout: a file says what its tables are of."""
    print(text)


def say_json(value: Any) -> None:
    """One JSON value on stdout; null for a figure that is infinite or that there is not."""
    print(json.dumps(_strict(value), ensure_ascii=False, allow_nan=False))


def _strict(value: Any) -> Any:
    """The value without what JSON has no number for."""
    if isinstance(value, dict):
        return {name: _strict(held) for name, held in value.items()}
    if isinstance(value, (list, tuple)):
        return [_strict(held) for held in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def say_table(
    header: Sequence[str], rows: Sequence[Sequence[Any]], *, right: Sequence[int] = ()
) -> None:
    """A table on stdout; columns of numbers, where some may be "", and the columns `right` to the
    right; wide characters as two."""
    texts = [[_text(cell) for cell in row] for row in rows]
    widths = [max(map(_width, column)) for column in zip(header, *texts, strict=True)]
    flush = [i in right or all(row[i] == "" or isinstance(row[i], (int, float, type(None)))
                               for row in rows) for i in range(len(header))]  # fmt: skip
    for line in [list(header), *texts]:
        cells = [_pad(cell, width, r) for cell, width, r in zip(line, widths, flush, strict=True)]
        print("  ".join(cells).rstrip())


def _text(cell: Any) -> str:
    if cell is None or cell != cell:  # nan: there is no such figure
        return "–"
    if isinstance(cell, float):
        return decimal(cell, _PLACES)
    return count(cell) if isinstance(cell, int) else str(cell)


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _pad(text: str, width: int, right: bool) -> str:
    space = " " * (width - _width(text))
    return space + text if right else text + space


def clipped(text: str, columns: int) -> str:
    """The text, or as much of it as `columns` of a terminal hold, with an ellipsis."""
    return text if _width(text) <= columns else f"{_cut(text[:columns], columns - 1)}…"


def _cut(text: str, columns: int) -> str:
    while _width(text) > columns:
        text = text[:-1]
    return text
