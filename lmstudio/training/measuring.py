"""Some steps of a training that is thrown away -> how fast it is here, and what memory it takes."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from lmstudio.jobs import Job
from lmstudio.training.feeds import TrainingData, tokens_of, tokens_per_step
from lmstudio.training.loop import Training
from lmstudio.training.plan import Speed

SECONDS = 1.0  # of steps to time, after one to warm up
VALID_SECONDS = 0.5  # of validation
MOST_STEPS = 1000
COPIES = 2  # of each weight: itself and its gradient
PASSING = 1.2  # times what is kept for the gradients, for what is made and dropped meanwhile


def measure(training: Training, data: TrainingData, *, job: Job) -> Speed:
    """Time steps and a look at the valid part; about two seconds. Changes the weights."""
    with kept_bytes() as kept:
        training.step(job)
    weights = sum(parameter.nbytes for parameter in training.module.parameters())
    averages = sum(_bytes(value) for value in training.optimizer.state_dict().values())
    step = _seconds_per_token(training, job) * tokens_per_step(data.train)
    valid_token = _seconds_per_valid_token(training, data, job) if data.valid else 0.0
    return Speed(step, valid_token, COPIES * weights + averages + int(PASSING * kept[0]))


@contextmanager
def kept_bytes() -> Iterator[list[int]]:
    """A list of one number: the bytes that are kept in the block to go backward with.

    Tensors that share their memory, and are kept several times, are counted once.
    """
    kept, seen = [0], set()

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in seen:
            seen.add(storage.data_ptr())
            kept[0] += storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        yield kept


def _seconds_per_token(training: Training, job: Job) -> float:
    """Timed over steps of all lengths; at least two of them."""
    tokens, began = 0, time.monotonic()
    for count in range(1, MOST_STEPS):
        tokens += tokens_of(training.train.at(training.progress.step))
        training.step(job)
        job.check()
        if count >= 2 and time.monotonic() - began > SECONDS:
            break
    training.recent.check()  # waits for the device
    return (time.monotonic() - began) / max(tokens, 1)


def _seconds_per_valid_token(training: Training, data: TrainingData, job: Job) -> float:
    """Over the first batches of the valid part, of which there are some short and some long."""
    assert data.valid is not None
    seconds, tokens = 0.0, 0
    for batch in data.valid():
        began = time.monotonic()
        training.valid = lambda batch=batch: [batch]
        training.look(job)
        seconds += time.monotonic() - began
        tokens += tokens_of(batch)
        if seconds > VALID_SECONDS:
            break
    return seconds / max(tokens, 1)


def _bytes(state: object) -> int:
    """Of all tensors in what an optimiser keeps."""
    if isinstance(state, torch.Tensor):
        return state.nbytes
    if isinstance(state, dict):
        return sum(map(_bytes, state.values()))
    return sum(map(_bytes, state)) if isinstance(state, list) else 0
