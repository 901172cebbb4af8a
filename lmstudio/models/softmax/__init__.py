"""The output layer of networks over a vocabulary: vectors -> losses and distributions.

`chunked` is the arithmetic of a plain softmax, which models that need no head use by itself.
"""

import numpy as np
from torch import nn

from lmstudio.models.config.terms import SAMPLED_FROM
from lmstudio.models.softmax.adaptive import AdaptiveSoftmax
from lmstudio.models.softmax.chunked import (
    CELLS,
    cross_entropy,
    cross_entropy_and_right,
    log_probs,
)
from lmstudio.models.softmax.head import FullSoftmax, Head, log_shares
from lmstudio.models.softmax.sampled import SampledSoftmax

__all__ = [
    "CELLS", "AdaptiveSoftmax", "FullSoftmax", "Head", "SampledSoftmax", "cross_entropy",
    "cross_entropy_and_right", "head", "log_probs", "log_shares",
]  # fmt: skip


def head(
    kind: str,
    width: int,
    rows: int,
    counts: np.ndarray | None = None,
    shared: nn.Embedding | None = None,
) -> Head:
    """The head that a config's `softmax` names, for vectors of length `width`.

    `counts` (rows,) are those of the train part: what it starts as, and samples by; None for a
    head that is only asked, or whose weights will be loaded. `shared`: the embedding that serves
    as output matrix too.
    """
    if kind == "adaptive":
        assert shared is None  # its words have vectors of several lengths; configs say so
        return AdaptiveSoftmax(width, rows, counts)
    sampled = kind == "sampled" or (kind == "auto" and rows >= SAMPLED_FROM)
    return (SampledSoftmax if sampled else FullSoftmax)(width, rows, counts, shared)
