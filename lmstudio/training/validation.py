"""A module and the batches of a valid part -> its figures."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import torch

from lmstudio.data.batches import Batch
from lmstudio.jobs import Job
from lmstudio.models.trainable import Sums, Trainable
from lmstudio.training.curve import figures
from lmstudio.training.device import tensors
from lmstudio.training.distributed import Alone
from lmstudio.training.gradients import with_carried
from lmstudio.training.precision import Precision


def validate(
    module: Trainable, batches: Iterable[Batch], precision: Precision, team: Alone, job: Job
) -> dict[str, float]:
    """Sums over all batches divided by events over all batches, never a mean of means."""
    module.eval()
    sums: dict[str, float] = {}
    events: dict[str, float] = {}
    with _own_rows(module), torch.no_grad(), precision.of_looks(exact=module.exact):
        for mine in map(team.part, batches):
            if mine is None:
                continue
            batch = with_carried(tensors(mine, precision.device), module.carried)
            _add(events, module.events(batch))
            for losses in module.evaluate(batch):
                _add(sums, losses)
                job.check()
    sums, events = _together(team.gather((sums, events)))
    return figures(sums, events, module.headline) | module.figures(sums, events)


@contextmanager
def _own_rows(module: Trainable) -> Iterator[None]:
    """The rows of training go on afterwards where they are now, also after a stop in the middle."""
    training, module.carried = module.carried, {}
    try:
        yield
    finally:
        module.carried = training


def _add(totals: dict[str, float], values: Sums) -> None:
    for name, value in values.items():
        totals[name] = totals.get(name, 0.0) + value.item()


Pair = tuple[dict[str, float], dict[str, float]]


def _together(pairs: list[Pair]) -> Pair:
    """Sums and events of the whole team."""
    sums: dict[str, float] = {}
    events: dict[str, float] = {}
    for pair in pairs:
        for totals, values in zip((sums, events), pair, strict=True):
            for name, value in values.items():
                totals[name] = totals.get(name, 0.0) + value
    return sums, events
