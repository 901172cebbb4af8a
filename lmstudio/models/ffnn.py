"""The last n - 1 tokens -> a hidden layer -> the next token: the first neural language model.

Bengio, Ducharme, Vincent & Jauvin 2003, "A neural probabilistic language model". x are the
embeddings of the n - 1 tokens one after the other, those before the sentence being <s>; then

    y = b + W x + U tanh(d + H x)        p = softmax(y)

with W, the direct connection, optional. W and U stand side by side in one matrix over [tanh, x].
"""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from torch import Tensor, nn

from lmstudio.data.batches import IGNORE
from lmstudio.data.contexts import contexts
from lmstudio.data.layout import BOS
from lmstudio.models import softmax, weights
from lmstudio.models.config import FfnnConfig
from lmstudio.models.reading import WindowReading
from lmstudio.models.trainable import Sums, Tensors, Trainable

EXACT_ROWS = 4096  # events scored together


class Ffnn(Trainable):
    """B windows of n - 1 tokens, over a vocabulary of V."""

    def __init__(self, config: FfnnConfig, rows: int, counts: np.ndarray | None = None) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(rows, config.width)
        self.dropout = nn.Dropout(config.dropout)
        self.layer = nn.Linear(config.window, config.hidden)  # H, d
        self.head = softmax.head(config.softmax, config.features, rows, counts)  # U W, b
        bound = math.sqrt(3 / config.window)  # the sums of the hidden layer then vary by about 1
        nn.init.uniform_(self.layer.weight, -bound, bound)

    def hidden(self, ids: Tensor) -> Tensor:
        """What is predicted from, given ids (B, n - 1): (B, D)."""
        x = self.dropout(self.embedding(ids)).flatten(1)  # (B, (n - 1) width)
        h = self.dropout(torch.tanh(self.layer(x)))  # (B, hidden)
        return torch.cat([h, x], 1) if self.config.direct else h

    def forward(self, ids: Tensor, targets: Tensor | None = None) -> tuple[Tensor, Tensor | None]:
        """ln p of every id (B, V) and, with targets (B,), the mean loss; for looking."""
        logs = self.head.log_distribution(self.hidden(ids))
        if targets is None:
            return logs, None
        return logs, nn.functional.nll_loss(logs, targets, ignore_index=IGNORE)

    def events(self, batch: Tensors) -> Sums:
        """The number of targets."""
        return {"tokens": (batch["targets"] != IGNORE).sum()}

    def losses(self, batch: Tensors) -> Sums:
        """The sum of -ln p over the targets."""
        return {"tokens": self.head.losses(self.hidden(batch["ids"]), batch["targets"])}

    def evaluate(self, batch: Tensors) -> Iterator[Sums]:
        """The same, exact also where training samples."""
        found = self.head.log_probs(self.hidden(batch["ids"]), batch["targets"])
        yield {"tokens": -found.sum()}

    def model(self) -> "FfnnModel":
        """See Trainable."""
        return FfnnModel(self)


class FfnnModel:
    """A trained Ffnn as models.base.NeuralModel, on the module's device."""

    context: Literal["sentence", "document"] = "sentence"
    proper = True

    def __init__(self, module: Ffnn) -> None:
        self.module = module.eval()
        self._reach = module.config.order - 1

    @torch.no_grad()
    def logprobs(self, stream: np.ndarray) -> np.ndarray:
        """See models.base."""
        ids, targets = contexts(stream, self._reach), stream[stream != BOS].astype(np.int64)
        found = [np.empty(0)]
        for start in range(0, len(targets), EXACT_ROWS):
            here = slice(start, start + EXACT_ROWS)
            x = self.module.hidden(self._tensor(ids[here]))
            scored = self.module.head.log_probs(x, self._tensor(targets[here]))
            found.append(scored.double().cpu().numpy())
        return np.concatenate(found)

    @torch.no_grad()
    def next_probs(self, prefix: np.ndarray) -> np.ndarray:
        """See models.base."""
        window = np.concatenate([np.full(self._reach, BOS), prefix])[-self._reach :]
        logs = self.module.head.log_distribution(self.module.hidden(self._tensor(window)[None]))
        probs = logs[0].cpu().double().exp()  # (V,)
        return (probs / probs.sum()).numpy()

    @torch.no_grad()
    def continuations(self, prefix: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """See models.base.ReadingModel."""
        before = np.concatenate([np.full(self._reach, BOS), prefix])[-self._reach :]
        line = np.concatenate([np.broadcast_to(before, (len(rows), self._reach)), rows], 1)
        windows = line[:, np.arange(rows.shape[1])[:, None] + np.arange(self._reach)]
        x = self.module.hidden(self._tensor(windows.reshape(-1, self._reach)))
        logs = self.module.head.log_probs(x, self._tensor(rows.reshape(-1)))
        return logs.view(rows.shape).double().cpu().numpy()

    def begin(self, prefix: np.ndarray) -> WindowReading:
        """See models.base.WritingModel."""
        return WindowReading(self.next_probs, self._reach, prefix)

    def shown(self, ids: np.ndarray) -> np.ndarray:
        """See models.base."""
        return np.concatenate([[BOS], ids]).astype(np.int32)

    @torch.no_grad()
    def layers(self, ids: np.ndarray) -> np.ndarray:
        """See models.base; layer 0 only.

        The hidden layer is no vector of a token but of the window before the next, and of another
        length.
        """
        vectors = self.module.embedding(self._tensor(self.shown(ids)))  # (T, width)
        return vectors[None].float().cpu().numpy()

    @torch.no_grad()
    def layers_of(self, rows: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """See models.base; layer 0 only."""
        vectors = self.module.embedding(self._tensor(rows))  # (B, T, width)
        return vectors[None].float().cpu().numpy()

    def _tensor(self, ids: np.ndarray) -> Tensor:
        device = self.module.embedding.weight.device
        return torch.from_numpy(np.asarray(ids, np.int64)).to(device)


def build(config: FfnnConfig, counts: np.ndarray, segmentation_folder: Path | None = None) -> Ffnn:
    """A new module for the ids counted in `counts` (V,); torch's seed decides its weights."""
    return Ffnn(config, len(counts), counts)


def load(run_folder: Path, config: FfnnConfig, rows: int) -> FfnnModel:
    """The trained model of a run, from its best checkpoint."""
    module = Ffnn(config, rows)
    weights.load(run_folder, module)
    return FfnnModel(module)
