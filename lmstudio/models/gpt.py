"""Tokens -> layers that look at what was before -> the next token: GPT.

Radford et al. 2018, "Improving language understanding by generative pre-training", in the layout
of GPT-2 (Radford et al. 2019, "Language models are unsupervised multitask learners"): layer norms
first, learned positions, GELU, the embedding as output matrix, no output bias. Only <s> is never
predicted. With the context "document" it reads windows of the whole text, with "sentence" each
sentence for itself, several of them packed into a row.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from lmstudio.data.batches import IGNORE, Batch
from lmstudio.data.layout import BOS, EOS
from lmstudio.data.packing import Packing
from lmstudio.data.windows import bounds_of, first_seen, half, whole_windows
from lmstudio.models import blocks, softmax, weights
from lmstudio.models.attending import Attending
from lmstudio.models.blocks import Block, Past
from lmstudio.models.config import GptConfig
from lmstudio.models.dropout import Dropout
from lmstudio.models.gpt_reading import GptReading
from lmstudio.models.trainable import Sums, Tensors, Trainable
from lmstudio.models.transformer_input import TransformerInput

EXACT_TOKENS = 4096  # read at a time where a text is scored


class Gpt(Trainable):
    """B rows of T tokens, D wide, over a table of V rows."""

    optimizer = "muon"

    def __init__(self, config: GptConfig, rows: int) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(rows, config.width)
        self.positions = blocks.positions(config.positions, config.window, config.width)
        self.dropout = Dropout(config.dropout)
        self.blocks = nn.ModuleList(
            Block(
                config.width, config.heads, config.between, causal=True, norm_first=True,
                dropout=config.dropout, gelu=config.gelu, epsilon=config.norm_epsilon,
            )
            for _ in range(config.layers)
        )  # fmt: skip
        self.norm = nn.LayerNorm(config.width, config.norm_epsilon)
        self.output = None if config.tied else nn.Linear(config.width, rows, bias=False)
        self.offsets: Tensor  # of the logits: nothing, but for <s>
        offsets = torch.zeros(rows).index_fill(0, torch.tensor([BOS]), -torch.inf)
        self.register_buffer("offsets", offsets, persistent=False)
        blocks.start(self)

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        """The offsets too, where an imported model has ids that are never predicted."""
        super()._save_to_state_dict(destination, prefix, keep_vars)
        sized_only = self.offsets.device.type == "meta"
        if not sized_only and (self.offsets.isfinite() & (self.offsets != 0)).any():
            destination[prefix + "offsets"] = self.offsets

    def _load_from_state_dict(self, state_dict: Any, prefix: str, *rest: Any) -> None:
        offsets = state_dict.pop(prefix + "offsets", None)
        if offsets is not None:
            self.offsets.copy_(offsets)
        super()._load_from_state_dict(state_dict, prefix, *rest)

    def stack(self) -> list[Block]:
        """The layers, from the bottom to the top."""
        return [block for block in self.blocks if isinstance(block, Block)]

    def embed(self, ids: Tensor, places: Tensor | None = None) -> Tensor:
        """What the first layer reads of ids (B, T): (B, T, D). `places` None: 0, 1, ..., T - 1."""
        if places is None:
            places = torch.arange(ids.shape[1], device=ids.device)
        return self.dropout(self.embedding(ids) + self.positions(places))

    def hidden(
        self, ids: Tensor, places: Tensor | None = None, segments: Tensor | None = None
    ) -> Tensor:
        """What the model makes of ids (B, T): (B, T, D). Segments (B, T) do not see each other."""
        mask = None if segments is None else blocks.segment_mask(segments, causal=True)
        x = self.embed(ids, places)
        for block in self.blocks:
            x = block(x, mask)
        return self.norm(x)

    def head(self) -> tuple[Tensor, Tensor]:
        """The output matrix (V, D) and the offsets (V,) by which <s> is never predicted."""
        matrix = self.embedding.weight if self.output is None else self.output.weight
        return matrix, self.offsets

    def forward(self, ids: Tensor, targets: Tensor | None = None) -> tuple[Tensor, Tensor | None]:
        """Logits (B, T, V) and, with targets, the mean loss; for looking, not for training."""
        matrix, offsets = self.head()
        logits = self.hidden(ids) @ matrix.t() + offsets  # (B, T, V)
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=IGNORE)

    # --- training ----------------------------------------------------------------------------

    def events(self, batch: Tensors) -> Sums:
        """The number of targets."""
        return {"tokens": (batch["targets"] != IGNORE).sum()}

    def losses(self, batch: Tensors) -> Sums:
        """The sum of -ln p over the targets."""
        x = self.hidden(batch["ids"], batch.get("positions"), batch.get("segments"))
        targets = batch["targets"].flatten()
        return {"tokens": softmax.cross_entropy(x.flatten(0, 1), *self.head(), targets)}

    def evaluate(self, batch: Tensors) -> Iterator[Sums]:
        """The same without gradients."""
        yield {"tokens": -self.score(batch).sum()}

    @torch.no_grad()
    def score(self, batch: Tensors) -> Tensor:
        """(N,) ln p of the targets that are not IGNORE, row after row."""
        x = self.hidden(batch["ids"], batch.get("positions"), batch.get("segments"))
        scored = batch["targets"] != IGNORE
        return softmax.log_probs(x[scored], *self.head(), batch["targets"][scored])

    def model(self) -> "GptModel":
        """See Trainable."""
        return GptModel(self)


class GptModel(Attending, TransformerInput):
    """A Gpt as models.base.AttendingModel, SummingModel and DocumentModel, on its device."""

    proper = True
    module: Gpt

    def __init__(self, module: Gpt) -> None:
        self.module = module.eval()
        self._layers = module.stack()
        self._read = np.empty(0, np.int64)  # by the last `next_probs`, with what it made of it
        self._past = [Past() for _ in self._layers]

    @property
    def context(self) -> Literal["sentence", "document"]:
        """See models.base."""
        return "document" if self.module.config.context == "document" else "sentence"

    # --- scoring -----------------------------------------------------------------------------

    def logprobs(self, stream: np.ndarray) -> np.ndarray:
        """See models.base; what is longer than the window is read in windows that overlap."""
        if self.context == "document":
            return np.concatenate([np.empty(0), *self.read(stream)])
        return self.logprobs_apart(stream)

    def logprobs_apart(self, stream: np.ndarray) -> np.ndarray:
        """See models.base.DocumentModel."""
        window = self.module.config.window
        packing = Packing(stream, bounds_of(stream), window, half(window))
        found = np.empty(len(stream), np.float64)
        for first in range(0, len(packing), self._rows):
            rows = np.arange(first, min(first + self._rows, len(packing)))
            found[packing.scored(rows)] = self._score(packing.batch(rows))
        return found[stream != BOS]

    def read(self, stream: np.ndarray) -> Iterator[np.ndarray]:
        """See models.base.DocumentModel."""
        if self.context == "sentence":
            yield self.logprobs_apart(stream)
            return
        window = self.module.config.window
        for batch in whole_windows(stream, bounds_of(stream), self._rows, window):
            yield self._score(batch)

    @torch.no_grad()
    def next_probs(self, prefix: np.ndarray) -> np.ndarray:
        """See models.base. Reads the window in which `logprobs` would score the next token.

        One id more than the last time costs one step, until the window moves on.
        """
        ids = np.concatenate([[BOS], prefix]).astype(np.int64)
        ids = ids[first_seen(len(ids), self.module.config.window) :]
        ids[0] = BOS if ids[0] == EOS else ids[0]
        x = self._hidden_of_last(ids)
        matrix, offsets = self.module.head()
        logits = matrix @ x + offsets  # (V,)
        return torch.softmax(logits.cpu().double(), 0).numpy()

    @torch.no_grad()
    def continuations(self, prefix: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """See models.base.ReadingModel; the prefix is read once.

        Of a prefix that leaves too little of the window the beginning is not read.
        """
        room = max(1, self.module.config.window + 1 - rows.shape[1])
        before = np.concatenate([[BOS], prefix]).astype(np.int64)[-room:]
        pasts = [Past() for _ in self._layers]
        x = self._read_on(self._tensor(before)[None], 0, pasts)[0, -1]  # (D,)
        matrix, offsets = self.module.head()
        ids = self._tensor(rows)  # (B, K)
        found = [torch.log_softmax(matrix @ x + offsets, 0)[ids[:, :1]]]
        if ids.shape[1] > 1:
            for past in pasts:
                past.repeat(len(ids))
            states = self._read_on(ids[:, :-1], len(before), pasts).flatten(0, 1)
            logs = softmax.log_probs(states, matrix, offsets, ids[:, 1:].flatten())
            found.append(logs.view(len(ids), -1))
        return torch.cat(found, 1).double().cpu().numpy()

    def _read_on(self, ids: Tensor, place: int, pasts: list[Past]) -> Tensor:
        """(B, T, D) of ids (B, T), the first of which stands at `place`."""
        places = torch.arange(place, place + ids.shape[1], device=ids.device)
        x = self.module.embed(ids, places)
        for layer, past in zip(self._layers, pasts, strict=True):
            x = layer(x, past=past)
        return self.module.norm(x)

    def begin(self, prefix: np.ndarray) -> GptReading:
        """See models.base.WritingModel."""
        return GptReading(self.module, prefix)

    def _hidden_of_last(self, ids: np.ndarray) -> Tensor:
        """(D,) of the last of `ids`; what the last call has read before is not read again."""
        known = len(self._read)
        if known >= len(ids) or not np.array_equal(self._read, ids[:known]):
            self._past, known = [Past() for _ in self._layers], 0
        x = self._read_on(self._tensor(ids[known:])[None], known, self._past)
        self._read = ids
        return x[0, -1]

    @property
    def _rows(self) -> int:
        return max(1, EXACT_TOKENS // self.module.config.window)

    def _score(self, batch: Batch) -> np.ndarray:
        tensors = {name: self._tensor(rows) for name, rows in batch.items()}
        return self.module.score(tensors).cpu().double().numpy()

    # --- looking inside ----------------------------------------------------------------------

    def shown(self, ids: np.ndarray) -> np.ndarray:
        """See models.base; cut to the window."""
        return np.concatenate([[BOS], ids]).astype(np.int64)[: self.module.config.window]

    @torch.no_grad()
    def layers(self, ids: np.ndarray) -> np.ndarray:
        """See models.base; the last layer as the last layer norm leaves it."""
        looked_up = self.module.embedding(self._tensor(self.shown(ids)))  # (T, D)
        outputs = [stages["output"][0] for stages in self._stages(ids)]
        outputs[-1] = self.module.norm(outputs[-1])
        return torch.stack([looked_up, *outputs]).float().cpu().numpy()

    @torch.no_grad()
    def layers_of(self, rows: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """See models.base: nothing looks at the padding behind it."""
        ids = self._tensor(rows)
        found, x = [self.module.embedding(ids)], self.module.embed(ids)  # (B, T, D)
        for layer in self._layers:
            x = layer(x)
            found.append(x)
        found[-1] = self.module.norm(x)
        return torch.stack(found).float().cpu().numpy()

    @torch.no_grad()
    def guesses(self, vectors: np.ndarray) -> np.ndarray:
        """See models.base.LayeredModel; the last layer norm comes before the output."""
        matrix, offsets = self.module.head()
        x = self.module.norm(torch.from_numpy(vectors).to(offsets.device))  # (N, D)
        return torch.softmax((x @ matrix.t() + offsets).double(), 1).cpu().numpy()

    def guessed(self, ids: np.ndarray) -> np.ndarray:
        """See Attending; `</s>` too where everything fits into the window."""
        return np.arange(1, min(len(ids) + 2, self.module.config.window))

    def _read_for(self, ids: np.ndarray, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        row = self.shown(ids)
        return row[None], np.isin(np.arange(len(row)), places - 1)[None]

    def _log_probs(self, x: Tensor, targets: Tensor) -> Tensor:
        return softmax.log_probs(self.module.norm(x), *self.module.head(), targets)

    def _distribution(self, x: Tensor) -> Tensor:
        matrix, offsets = self.module.head()
        return torch.softmax((self.module.norm(x) @ matrix.t() + offsets).double(), 1)


def build(config: GptConfig, counts: np.ndarray, segmentation_folder: Path | None = None) -> Gpt:
    """A new module for the ids counted in `counts` (V,); torch's seed decides its weights.

    Its window is no longer than the text it will see: a place that is never trained knows nothing.
    """
    return Gpt(replace(config, window=min(config.window, max(2, int(counts.sum())))), len(counts))


def load(run_folder: Path, config: GptConfig, rows: int) -> GptModel:
    """The trained model of a run, from its best checkpoint."""
    trained = weights.rows_of(run_folder, "positions.weight")
    module = Gpt(replace(config, window=trained or config.window), rows)
    weights.load(run_folder, module)
    return GptModel(module)
