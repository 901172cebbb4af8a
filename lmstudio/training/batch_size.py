"""A model, its text and a device -> the biggest batch that fits into memory."""

from collections.abc import Callable

from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.training.device import free_memory
from lmstudio.training.feeds import Batches, tokens_of
from lmstudio.training.loop import Training
from lmstudio.training.measuring import kept_bytes

MOST_ROWS = {"cpu": 512}
MOST_TOKENS = {"cpu": 1 << 14}  # in a step: a processor is no faster with more
MOST = 1 << 16
LEAST_STEPS = 20  # of an epoch, or little is learned in it
TRIED = (2, 8)  # rows, from whose bytes those of others follow
MARGIN = 1.5  # times what is kept for the gradients, for all that is used in between
LOOKED_AT = 8  # batches, the largest of which is measured


def biggest(training: Callable[[int], Training], *, job: Job) -> tuple[int, Message]:
    """How many rows, and what is to be said of it.

    `training` makes one with so many rows, to be thrown away. Raises AppError where a single row
    is too much.
    """
    one = training(1)
    most, why = _most(one.train, one.device.type)
    del one
    rows = _that_fit(training, most, job)
    if rows < most:
        why = Message("The batch has {rows} rows: as many as fit into memory.", {"rows": rows})
    return rows, why


def _most(rows: Batches, kind: str) -> tuple[int, Message]:
    """The rows that make sense, whatever the memory; `rows` are batches of one."""
    sample = range(0, len(rows), max(1, len(rows) // LOOKED_AT))
    longest = max(tokens_of(rows.at(step)) for step in sample)
    few = max(1, len(rows) // LEAST_STEPS)
    most = min(MOST_ROWS.get(kind, MOST), max(1, MOST_TOKENS.get(kind, 1 << 30) // longest))
    if few <= most:
        return few, Message(
            "The batch has {rows} rows: an epoch has {steps} steps at least.",
            {"rows": few, "steps": min(LEAST_STEPS, len(rows))},
        )
    return most, Message(
        "The batch has {rows} rows: a larger one would be no faster here.", {"rows": most}
    )


def _that_fit(training: Callable[[int], Training], most: int, job: Job) -> int:
    """At most `most`. What fewer rows take tells what more would; on a GPU that is tried, too."""
    small, large = (min(rows, most) for rows in TRIED)
    first = _bytes(training(small), job)
    if small == large:
        return most
    tried = training(large)
    a_row = max(1.0, (_bytes(tried, job) - first) / (large - small))
    device = tried.device
    del tried
    rows = min(most, max(1, int((free_memory(device) - first) / a_row) + small))
    while device.type != "cpu" and rows > large and not _fits(training(rows), job):
        rows = max(large, rows * 3 // 4)
    return rows


def _bytes(training: Training, job: Job) -> float:
    """What a step on the largest of some batches takes."""
    train = training.train
    sample = range(0, len(train), max(1, len(train) // LOOKED_AT))
    training.progress.step = max(sample, key=lambda step: train.at(step)["targets"].size)
    with kept_bytes() as kept:
        training.step(job)
    return kept[0] * MARGIN


def _fits(training: Training, job: Job) -> bool:
    """Whether a step needs no more parts than were asked for."""
    _bytes(training, job)
    return training.progress.parts == training.config.accumulate
