"""Functions that tests send to worker processes; they must be importable there."""

import os
import signal
import time
import warnings

from lmstudio.errors import AppError, Fault, SpecError
from lmstudio.messages import Message, tr


def add(a, b, *, job):
    return a + b


def count(steps, pause, *, job):
    for step in range(1, steps + 1):
        time.sleep(pause)
        job.tick(step, steps, "counting", loss=1 / step)
    return steps


def show_parts(parts, pause, *, job):
    """The parts one after another."""
    for part in parts:
        job.show(part)
        time.sleep(pause)
        job.check()
    return parts


def count_until_paused(*, job):
    """How long the pause was."""
    step = 0
    while not job.paused_seconds:
        step += 1
        time.sleep(0.01)
        job.tick(step)
    return job.paused_seconds


def say_language(*, job):
    return tr("Cancel")


def refuse(*, job):
    raise AppError("The name {name} is taken. Choose another.", name="甲")


def refuse_twice(*, job):
    raise SpecError(
        [Fault("order", Message("must be a number")), Fault("k", Message("must be text"))]
    )


def break_down(*, job):
    warnings.warn("a mere warning", stacklevel=1)
    raise ValueError("a bug")


def die(*, job):
    os.kill(os.getpid(), signal.SIGKILL)


def sleep_deaf(seconds, *, job):
    """Never ticks, so it cannot be cancelled politely."""
    time.sleep(seconds)


def pid(*, job):
    return os.getpid()


def square_slowly(number, *, job):
    time.sleep(0.01 if number % 3 else 0.05)
    return number * number


def pour(seconds, run_id, *, job):
    """Fifty points a second, a warning with each, and a bug at the end."""
    for step in range(1, int(50 * seconds) + 1):
        time.sleep(0.02)
        warnings.warn(f"step {step}", stacklevel=1)
        job.tick(step, int(50 * seconds), loss=9 / step, valid_loss=10 / step)
    raise ValueError("a bug at the end")


def remark(text, *, job):
    """Say something between two ticks of one stage."""
    job.tick(1, 3, "counting")
    job.remark(text)
    job.tick(2, 3)


def take_memory(size, *, job):
    return job.call(_take_memory, size)


def _take_memory(size, *, job):
    return len(bytearray(size))
