"""Sentences -> LSTM states -> the next token: a recurrent language model with gates.

Hochreiter & Schmidhuber 1997, "Long short-term memory"; Sundermeyer, Schlüter & Ney 2012, "LSTM
neural networks for language modeling"; dropout on the non-recurrent connections only, as in
Zaremba, Sutskever & Vinyals 2014; forget gates start open (Jozefowicz et al. 2015); the embedding
serves as output matrix too where asked (Press & Wolf 2017).
"""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from torch import Tensor, nn

from lmstudio.data.batches import IGNORE, like_lengths
from lmstudio.data.layout import BOS
from lmstudio.models import softmax, weights
from lmstudio.models.config import LstmConfig
from lmstudio.models.trainable import Sums, Tensors, Trainable

State = tuple[Tensor, Tensor] | None  # h and c, each (layers, B, D); None at <s>

SCALE = 4.0  # of embeddings when read: as rows to predict with they are too short to move gates
EXACT_LENGTH = 256  # tokens read at a time where the state is carried on
EXACT_ROWS = 64


class Lstm(Trainable):
    """B sentences of T tokens, D wide, over a table of V rows."""

    def __init__(self, config: LstmConfig, rows: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(rows, config.width)
        self.dropout = nn.Dropout(config.dropout)
        between = config.dropout if config.layers > 1 else 0.0
        self.lstm = nn.LSTM(
            config.width, config.width, config.layers, batch_first=True, dropout=between
        )
        self.output = None if config.tied else nn.Linear(config.width, rows, bias=False)
        self.bias = nn.Parameter(torch.zeros(rows))
        self.never: Tensor
        self.register_buffer("never", torch.tensor([BOS]), persistent=False)
        self._start(config.width)

    def _start(self, width: int) -> None:
        """Random weights, but gates that remember."""
        bound = 1 / math.sqrt(width)
        nn.init.uniform_(self.embedding.weight, -bound, bound)
        for layer in range(self.lstm.num_layers):
            forget = getattr(self.lstm, f"bias_ih_l{layer}")[width : 2 * width]  # gates i f g o
            nn.init.ones_(forget)

    def hidden(self, ids: Tensor, state: State = None) -> tuple[Tensor, State]:
        """What the model makes of ids (B, T): (B, T, D), and the state after them."""
        x = self.embedding(ids) * SCALE  # (B, T, D)
        x, state = self.lstm(self.dropout(x), state)
        return self.dropout(x), state

    def head(self) -> tuple[Tensor, Tensor]:
        """The output matrix (V, D) and bias (V,), by which <s> is never predicted."""
        matrix = self.embedding.weight if self.output is None else self.output.weight
        return matrix, self.bias.index_fill(0, self.never, -torch.inf)

    def forward(self, ids: Tensor, targets: Tensor | None = None) -> tuple[Tensor, Tensor | None]:
        """Logits (B, T, V) and, with targets, the mean loss; for looking, not for training."""
        x, _ = self.hidden(ids)
        matrix, bias = self.head()
        logits = x @ matrix.t() + bias  # (B, T, V)
        if targets is None:
            return logits, None
        flat = targets.flatten()
        return logits, nn.functional.cross_entropy(logits.flatten(0, 1), flat, ignore_index=IGNORE)

    def events(self, batch: Tensors) -> Sums:
        """The number of targets."""
        return {"tokens": (batch["targets"] != IGNORE).sum()}

    def losses(self, batch: Tensors) -> Sums:
        """The sum of -ln p over the targets."""
        x, _ = self.hidden(batch["ids"])
        targets = batch["targets"].flatten()
        return {"tokens": softmax.cross_entropy(x.flatten(0, 1), *self.head(), targets)}

    def evaluate(self, batch: Tensors) -> Iterator[Sums]:
        """The same of whole sentences of any length, some columns at a time."""
        for logprobs in self.score(batch["ids"], batch["targets"]):
            yield {"tokens": -logprobs.sum()}

    @torch.no_grad()
    def score(self, ids: Tensor, targets: Tensor) -> Iterator[Tensor]:
        """ln p of the targets (B, T), 0 where padded, some columns (B, t) at a time.

        The state is carried from columns to columns, so memory does not grow with T.
        """
        state: State = None
        for start in range(0, ids.shape[1], EXACT_LENGTH):
            here = slice(start, start + EXACT_LENGTH)
            x, state = self.hidden(ids[:, here], state)
            found = softmax.log_probs(x.flatten(0, 1), *self.head(), targets[:, here].flatten())
            yield found.view(len(ids), -1)


class LstmModel:
    """A trained Lstm as models.base.LanguageModel, on the CPU."""

    context: Literal["sentence", "document"] = "sentence"
    proper = True

    def __init__(self, module: Lstm) -> None:
        self.module = module.eval()

    def logprobs(self, stream: np.ndarray) -> np.ndarray:
        """See models.base; sentences of like length are scored together."""
        starts = np.flatnonzero(stream == BOS)
        sizes = np.diff(starts, append=len(stream)) - 1  # targets of each sentence
        found = np.empty(len(stream), np.float64)
        for group in like_lengths(sizes, EXACT_ROWS):
            places = starts[group, None] + np.arange(sizes[group].max())  # (B, T) of what is read
            inside = np.arange(places.shape[1]) < sizes[group, None]
            places = np.minimum(places, len(stream) - 2)
            ids = torch.from_numpy(stream[places]).long()
            targets = torch.from_numpy(
                np.where(inside, stream[places + 1], IGNORE).astype(np.int64)
            )
            scored = torch.cat(list(self.module.score(ids, targets)), 1).numpy()
            found[places[inside] + 1] = scored[inside]
        return found[stream != BOS]

    @torch.no_grad()
    def next_probs(self, prefix: np.ndarray) -> np.ndarray:
        """See models.base."""
        ids = torch.from_numpy(np.concatenate([[BOS], prefix]).astype(np.int64))
        state: State = None
        for start in range(0, len(ids), EXACT_LENGTH):
            x, state = self.module.hidden(ids[None, start : start + EXACT_LENGTH], state)
        matrix, bias = self.module.head()
        logits = matrix @ x[0, -1] + bias  # (V,)
        return torch.softmax(logits.double(), 0).numpy()


def build(config: LstmConfig, counts: np.ndarray) -> Lstm:
    """A new module for the ids counted in `counts` (V,); torch's seed decides its weights.

    Its output starts as the unigram distribution, which would take many steps to learn.
    """
    module = Lstm(config, len(counts))
    shares = (counts + 1) / (counts + 1).sum()
    with torch.no_grad():
        module.bias.copy_(torch.from_numpy(np.log(shares)))
    return module


def load(run_folder: Path, config: LstmConfig, rows: int) -> LstmModel:
    """The trained model of a run, from its best checkpoint."""
    module = Lstm(config, rows)
    weights.load(run_folder, module)
    return LstmModel(module)
