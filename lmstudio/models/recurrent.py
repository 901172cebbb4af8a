"""Tokens -> states -> the next token: what RNN, GRU and LSTM have in common.

Layers of cells over one embedding. Dropout is on the connections between layers only (Zaremba,
Sutskever & Vinyals 2014); the embedding serves as output matrix too where asked (Press & Wolf
2017). With the context "sentence" the state begins anew at each <s>; with "document" it is carried
on from batch to batch, through which the gradient does not flow (truncated BPTT, Williams & Peng
1990; Mikolov et al. 2010).
"""

import math
from abc import abstractmethod
from collections.abc import Iterator
from typing import Literal

import numpy as np
import torch
from torch import Tensor, nn

from lmstudio.data.batches import IGNORE, like_lengths
from lmstudio.data.layout import BOS
from lmstudio.models import softmax
from lmstudio.models.config.recurrent import RecurrentConfig
from lmstudio.models.recurrent_reading import RecurrentReading
from lmstudio.models.trainable import Sums, Tensors, Trainable

State = tuple[Tensor, ...]
"""What the cells remember, (layers, B, D) each: h, and c of an LSTM; () at the beginning."""

SCALE = 4.0  # of embeddings when read: as rows to predict with they are too short to move gates
EXACT_LENGTH = 256  # tokens read at a time where the state is carried on
EXACT_ROWS = 64  # sentences scored together


class Recurrent(Trainable):
    """B rows of T tokens, D wide, over a vocabulary of V."""

    remembers: tuple[str, ...] = ("h",)  # the names of the tensors of a state

    def __init__(
        self, config: RecurrentConfig, cells: nn.RNNBase, rows: int, counts: np.ndarray | None
    ) -> None:
        super().__init__()
        self.config = config
        embedding = nn.Embedding(rows, config.width)
        self.head = softmax.head(  # first, as optimisers of old checkpoints know the weights
            config.softmax, config.width, rows, counts, embedding if config.tied else None
        )
        self.embedding = embedding
        self.dropout = nn.Dropout(config.dropout)
        self.cells = cells
        bound = 1 / math.sqrt(config.width)
        nn.init.uniform_(self.embedding.weight, -bound, bound)

    def hidden(self, ids: Tensor, state: State = ()) -> tuple[Tensor, State]:
        """What the model makes of ids (B, T): (B, T, D), and the state after them."""
        x = self.embedding(ids) * SCALE  # (B, T, D)
        x, state = self.read(self.dropout(x), state)
        return self.dropout(x), state

    def read(self, x: Tensor, state: State) -> tuple[Tensor, State]:
        """The states of the last layer (B, T, D), and those of all layers at the end."""
        if len(self.remembers) == 1:
            states, last = self.cells(x, state[0] if state else None)
            return states, (last,)
        return self.cells(x, state or None)

    @abstractmethod
    def walk(self, layer: int, x: Tensor) -> dict[str, Tensor]:
        """One layer over x (T, .., D), step by step: its "state" and gates after each, as long.

        Between T and D there may be rows that are read side by side.
        """

    def forward(self, ids: Tensor, targets: Tensor | None = None) -> tuple[Tensor, Tensor | None]:
        """ln p of every id (B, T, V) and, with targets, the mean loss; for looking."""
        x, _ = self.hidden(ids)
        logs = self.head.log_distribution(x.flatten(0, 1))  # (B T, V)
        loss = None
        if targets is not None:
            loss = nn.functional.nll_loss(logs, targets.flatten(), ignore_index=IGNORE)
        return logs.view(*ids.shape, -1), loss

    # --- training ----------------------------------------------------------------------------

    def events(self, batch: Tensors) -> Sums:
        """The number of targets."""
        return {"tokens": (batch["targets"] != IGNORE).sum()}

    def losses(self, batch: Tensors) -> Sums:
        """The sum of -ln p over the targets."""
        x, state = self.hidden(batch["ids"], self._state(batch))
        self._carry(batch, state)
        return {"tokens": self.head.losses(x.flatten(0, 1), batch["targets"].flatten())}

    def evaluate(self, batch: Tensors) -> Iterator[Sums]:
        """The same of rows of any length, some columns at a time."""
        for logprobs in self.score(batch):
            yield {"tokens": -logprobs.sum()}

    @torch.no_grad()
    def score(self, batch: Tensors) -> Iterator[Tensor]:
        """ln p of the targets (B, T), 0 where padded, some columns (B, t) at a time.

        The state is carried from columns to columns, so memory does not grow with T.
        """
        ids, targets, state = batch["ids"], batch["targets"], self._state(batch)
        for start in range(0, ids.shape[1], EXACT_LENGTH):
            here = slice(start, start + EXACT_LENGTH)
            x, state = self.hidden(ids[:, here], state)
            found = self.head.log_probs(x.flatten(0, 1), targets[:, here].flatten())
            yield found.view(len(ids), -1)
        self._carry(batch, state)

    def _state(self, batch: Tensors) -> State:
        """What the rows of a batch go on from: nothing where they are `fresh`."""
        if f"carried.{self.remembers[0]}" not in batch:
            return ()
        known = ~batch["fresh"][:, None, None]
        carried = (batch[f"carried.{name}"] * known for name in self.remembers)
        return tuple(rows.transpose(0, 1).contiguous() for rows in carried)

    def _carry(self, batch: Tensors, state: State) -> None:
        """Keep the state for the next batch, if this one is a piece of a longer text."""
        if "fresh" in batch:
            named = zip(self.remembers, state, strict=True)
            self.carried = {name: part.detach().transpose(0, 1) for name, part in named}

    def weights(self, layer: int) -> list[Tensor]:
        """Of a layer: from its input, from its state, and the bias of each; gates on top of each
        other, (gates D, D) and (gates D,)."""
        names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        return [getattr(self.cells, f"{name}_l{layer}") for name in names]


def between(config: RecurrentConfig) -> float:
    """The dropout between two layers; torch warns of one where there is no second."""
    return config.dropout if config.layers > 1 else 0.0


class RecurrentModel:
    """A trained Recurrent as models.base.NeuralModel and DocumentModel, on the module's device."""

    proper = True

    def __init__(self, module: Recurrent) -> None:
        self.module = module.eval()

    @property
    def context(self) -> Literal["sentence", "document"]:
        """See models.base."""
        return "document" if self.module.config.context == "document" else "sentence"

    def logprobs(self, stream: np.ndarray) -> np.ndarray:
        """See models.base."""
        if self.context == "document":
            return np.concatenate([np.empty(0), *self.read(stream)])
        return self.logprobs_apart(stream)

    def logprobs_apart(self, stream: np.ndarray) -> np.ndarray:
        """See models.base.DocumentModel; sentences of like length are scored together."""
        starts = np.flatnonzero(stream == BOS)
        sizes = np.diff(starts, append=len(stream)) - 1  # targets of each sentence
        found = np.empty(len(stream), np.float64)
        for group in like_lengths(sizes, EXACT_ROWS):
            places = starts[group, None] + np.arange(sizes[group].max())  # (B, T) of what is read
            inside = np.arange(places.shape[1]) < sizes[group, None]
            places = np.minimum(places, len(stream) - 2)
            targets = np.where(inside, stream[places + 1], IGNORE)
            batch = {"ids": self._tensor(stream[places]), "targets": self._tensor(targets)}
            scored = torch.cat(list(self.module.score(batch)), 1).cpu().numpy()
            found[places[inside] + 1] = scored[inside]
        return found[stream != BOS]

    def read(self, stream: np.ndarray) -> Iterator[np.ndarray]:
        """See models.base.DocumentModel: the sentence ends go on as what is read next."""
        if self.context == "sentence":
            yield self.logprobs_apart(stream)
            return
        kept = stream != BOS
        kept[:1] = True  # one <s>, at the very beginning, as in data.lanes
        line = self._tensor(stream[kept])[None]
        batch = {"ids": line[:, :-1], "targets": line[:, 1:]}
        for piece in self.module.score(batch):
            yield piece[0].double().cpu().numpy()

    @torch.no_grad()
    def next_probs(self, prefix: np.ndarray) -> np.ndarray:
        """See models.base."""
        x, _ = self._read_through(prefix)
        return _distributions(self.module.head.log_distribution(x))[0]

    @torch.no_grad()
    def continuations(self, prefix: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """See models.base.ReadingModel; the prefix is read once."""
        x, state = self._read_through(prefix)
        ids = self._tensor(rows)  # (B, K)
        found = [self.module.head.log_distribution(x)[0, ids[:, :1]]]
        if ids.shape[1] > 1:
            state = tuple(part.expand(-1, len(ids), -1).contiguous() for part in state)
            x, _ = self.module.hidden(ids[:, :-1], state)
            logs = self.module.head.log_probs(x.flatten(0, 1), ids[:, 1:].flatten())
            found.append(logs.view(len(ids), -1))
        return torch.cat(found, 1).double().cpu().numpy()

    def _read_through(self, prefix: np.ndarray) -> tuple[Tensor, State]:
        """What predicts the token after `<s>` and `prefix`, (1, D), and the state there."""
        ids = self._tensor(self.shown(prefix))[None]
        state: State = ()
        for start in range(0, ids.shape[1], EXACT_LENGTH):
            x, state = self.module.hidden(ids[:, start : start + EXACT_LENGTH], state)
        return x[:, -1], state

    def begin(self, prefix: np.ndarray) -> RecurrentReading:
        """See models.base.WritingModel."""
        return RecurrentReading(self.module, prefix)

    def shown(self, ids: np.ndarray) -> np.ndarray:
        """See models.base."""
        return np.concatenate([[BOS], ids]).astype(np.int32)

    def layers(self, ids: np.ndarray) -> np.ndarray:
        """See models.base; above the table, the states of each layer."""
        states = [walked["state"] for walked in self._walked(ids)]
        table = self.module.embedding(self._tensor(self.shown(ids)))
        return torch.stack([table, *states]).detach().float().cpu().numpy()

    @torch.no_grad()
    def layers_of(self, rows: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """See models.base: padding stands behind what is read, so it changes nothing."""
        x = self.module.embedding(self._tensor(rows.T))  # (T, B, D)
        found, x = [x], x * SCALE
        for layer in range(self.module.config.layers):
            x = self.module.walk(layer, x)["state"]
            found.append(x)
        return torch.stack(found).transpose(1, 2).float().cpu().numpy()

    def streams(self, ids: np.ndarray) -> np.ndarray:
        """See models.base.LayeredModel; what is read are the vectors of the table, made longer."""
        found = self.layers(ids)
        found[0] *= SCALE
        return found

    @torch.no_grad()
    def guesses(self, vectors: np.ndarray) -> np.ndarray:
        """See models.base.LayeredModel."""
        x = torch.from_numpy(vectors).to(self.module.embedding.weight.device)
        return _distributions(self.module.head.log_distribution(x))

    @torch.no_grad()
    def _walked(self, ids: np.ndarray) -> list[dict[str, Tensor]]:
        """What each layer does at each token of a sentence by itself."""
        x = self.module.embedding(self._tensor(self.shown(ids))) * SCALE
        found = []
        for layer in range(self.module.config.layers):
            found.append(self.module.walk(layer, x))
            x = found[-1]["state"]
        return found

    def _gates(self, ids: np.ndarray) -> dict[str, np.ndarray]:
        """See models.base.GatedModel."""
        walked = self._walked(ids)
        names = [name for name in walked[0] if name != "state"]
        return {
            name: torch.stack([layer[name] for layer in walked]).float().cpu().numpy()
            for name in names
        }

    def _tensor(self, ids: np.ndarray) -> Tensor:
        device = self.module.embedding.weight.device
        return torch.from_numpy(np.asarray(ids, np.int64)).to(device)


def _distributions(logs: Tensor) -> np.ndarray:
    """ln p (N, V) -> p, float64."""
    probs = logs.cpu().double().exp()
    return (probs / probs.sum(1, keepdim=True)).numpy()
