"""A network and the rows of a task -> the vectors of all its layers, computed once.

Of texts that have a class, the mean over a row, marks included, so that every layer can be asked
alike: what stands at a first mark means nothing in a look-up table. Of pairs the means u and v of
both texts, read together, as u, v, |u - v| and u v (Conneau et al. 2017). Of tags each token.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from lmstudio.analysis.asked import Asked
from lmstudio.analysis.tasks.probe_rows import sizes_of
from lmstudio.data.labelled.encoding import Row
from lmstudio.data.labelled.task_batches import in_order
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.training.feeds import train_counts

if TYPE_CHECKING:
    from torch import Tensor

    from lmstudio.models.tasks.encoder import TaskEncoder
    from lmstudio.models.trainable import Trainable

MOST = 2**28
"""Numbers that are kept of a part: 1 GB."""
MOST_ROWS = 64
WORK = 1e10
"""Weights times tokens that are read between two looks at the job: half a second at most."""


def room_for(module: "Trainable", kind: str) -> int:
    """How many vectors, in all layers, fit into MOST numbers."""
    from lmstudio.models.tasks.encoder import TaskEncoder

    view = TaskEncoder(module)
    return MOST // ((view.layers + 1) * _width(view, kind))


def _width(view: "TaskEncoder", kind: str) -> int:
    return view.width * (4 if kind == "pair" else 1)


def vectors(module: "Trainable", rows: Sequence[Row], kind: str, *, job: Job) -> np.ndarray:
    """(L + 1, N, D) float32 of the rows in their order; of tags token by token."""
    import torch

    from lmstudio.models.tasks.encoder import TaskEncoder

    view = TaskEncoder(module.eval())
    sizes = sizes_of(rows, kind)
    places = np.cumsum([0, *sizes])
    found = np.empty((view.layers + 1, places[-1], _width(view, kind)), np.float32)
    weights = sum(weight.numel() for weight in module.parameters())
    longest = max(len(row.ids) for row in rows)
    batch = max(1, min(MOST_ROWS, int(WORK / (weights * longest))))
    done = 0
    for numbers, arrays in in_order(rows, kind, batch):
        job.tick(done, len(rows), Message("Reading the examples"))
        tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
        with torch.no_grad():
            read = _read(view, tensors, kind)
        for place, number in enumerate(numbers):
            own = slice(places[number], places[number + 1])
            found[:, own] = read[:, place, : sizes[number]].numpy()
        done += len(numbers)
    return found


def _read(view: "TaskEncoder", batch: "dict[str, Tensor]", kind: str) -> "Tensor":
    """(L + 1, B, K, D): what is kept of each row, K of the longest."""
    import torch

    ids, sizes, types = batch["ids"], batch["sizes"], batch.get("types")
    layers = torch.stack(view(ids, sizes, types)).float()  # (L + 1, B, T, D)
    if kind == "tag":
        return layers[:, :, 1:-1]
    real = torch.arange(ids.shape[1]) < sizes.unsqueeze(1)  # (B, T)
    if types is None:
        return _mean(layers, real).unsqueeze(2)
    u, v = _mean(layers, real & (types == 0)), _mean(layers, real & (types == 1))
    return torch.cat([u, v, (u - v).abs(), u * v], -1).unsqueeze(2)


def _mean(layers: "Tensor", of: "Tensor") -> "Tensor":
    """(L + 1, B, T, D) and which tokens (B, T) -> (L + 1, B, D)."""
    import torch

    share = of.float() / of.sum(1, keepdim=True).clamp(min=1)
    return torch.einsum("lbtd,bt->lbd", layers.masked_fill(~of[..., None], 0), share)


def untrained(asked: Asked) -> "Trainable":
    """The network of a run as it was before it learned anything: with random weights."""
    import torch

    from lmstudio.training.assembly import build

    folder = asked.segmentation_folder
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(asked.spec.training.seed)
        return build(asked.spec, train_counts(folder), folder)
