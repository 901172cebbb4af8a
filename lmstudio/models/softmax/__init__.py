"""The output layer of networks over a vocabulary: vectors -> losses and distributions.

`chunked` is the arithmetic of a plain softmax, which models that need no head use by itself.
"""

import numpy as np
from torch import nn

from lmstudio.models.config.terms import SAMPLED_FROM
from lmstudio.models.softmax.chunked import CELLS, cross_entropy, log_probs
from lmstudio.models.softmax.head import FullSoftmax, Head

__all__ = ["CELLS", "FullSoftmax", "Head", "cross_entropy", "head", "log_probs"]


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
    return FullSoftmax(width, rows, counts, shared)
