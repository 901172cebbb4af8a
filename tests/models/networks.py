"""Small batches and sentences for the tests of networks."""

import numpy as np
import torch

from lmstudio.data.batches import IGNORE
from lmstudio.data.layout import BOS, EOS

ROWS = 30
COUNTS = np.array([3, 0, 20, *range(27, 0, -1)])


def sentence(*words: int) -> np.ndarray:
    return np.array([BOS, *words, EOS], np.int32)


def batch_of(*sentences: np.ndarray, width: int = 0) -> dict[str, torch.Tensor]:
    """Sentences as rows, padded to `width` or the longest."""
    width = max(width, *(len(s) - 1 for s in sentences))
    ids = torch.full((len(sentences), width), 5)
    targets = torch.full((len(sentences), width), IGNORE)
    for row, s in enumerate(sentences):
        ids[row, : len(s) - 1] = torch.from_numpy(s[:-1]).long()
        targets[row, : len(s) - 1] = torch.from_numpy(s[1:]).long()
    return {"ids": ids, "targets": targets}


def mean_loss(module, batch) -> torch.Tensor:
    return module.losses(batch)["tokens"] / module.events(batch)["tokens"]


def learn(module, batch, *, steps: int = 150, rate: float = 0.03) -> float:
    """The mean loss after some steps on one batch."""
    optimizer = torch.optim.Adam(module.parameters(), lr=rate)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = mean_loss(module, batch)
        loss.backward()
        optimizer.step()
    return loss.item()
