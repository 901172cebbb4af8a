"""A network and ids in; the vectors that its first layer looks up for them, by numpy, out.

Some have a row of weights for each word, ELMo of characters makes one out of its spelling. Free of
torch at import.
"""

from typing import TYPE_CHECKING, Any, cast

import numpy as np

if TYPE_CHECKING:
    from torch import nn

AT_ONCE = 2048  # words that are spelled together


def word_table(module: "nn.Module", ids: np.ndarray) -> np.ndarray:
    """(N, D) float32: the static vectors of `ids` (N,), the same in every sentence."""
    import torch

    looked_up = cast(Any, getattr(module, "words", None) or module.embedding)
    device = next(module.parameters()).device
    found = [np.zeros((0, 0), np.float32)]
    with torch.no_grad():
        for start in range(0, len(ids), AT_ONCE):
            some = torch.from_numpy(ids[start : start + AT_ONCE].astype(np.int64)).to(device)
            found.append(looked_up(some).float().cpu().numpy())
    return np.concatenate(found[1:]) if len(ids) else found[0]
