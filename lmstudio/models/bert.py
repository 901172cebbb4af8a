"""Tokens with blanks -> layers that look at both sides -> what stood in the blanks: BERT.

Devlin, Chang, Lee & Toutanova 2019, "BERT: pre-training of deep bidirectional transformers for
language understanding": layer norms after each part, learned positions, an embedding for each half
of a pair, two losses that are added. <s> is its [CLS], </s> its [SEP]; [MASK] is one more row at
the end of the table. Marks are never predicted. Sentences are scored by pseudo log-likelihood
(Salazar, Liang, Nguyen & Kirchhoff 2020, "Masked language model scoring").

A narrow table whose vectors are projected, and one layer that is gone through again and again, are
those of Lan et al. 2020, "ALBERT: a lite BERT for self-supervised learning of language
representations".
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from torch import Tensor, nn

from lmstudio.data.batches import IGNORE
from lmstudio.data.layout import BOS, EOS
from lmstudio.models import blocks, softmax, weights
from lmstudio.models.attending import Attending
from lmstudio.models.blocks import Block
from lmstudio.models.config import BertConfig
from lmstudio.models.dropout import Dropout
from lmstudio.models.heads import BlankHead, PairHead
from lmstudio.models.texts import Texts
from lmstudio.models.trainable import CORRECT, Sums, Tensors, Trainable
from lmstudio.models.transformer_input import TransformerInput

EXACT_TOKENS = 8192  # read at a time where sentences are scored


class Bert(Trainable):
    """B rows of T tokens, D wide, over a table of V rows, of which the last is [MASK]'s.

    The table is E wide, which is D unless the config says otherwise.
    """

    headline = ("masked",)
    optimizer = "muon"

    def __init__(self, config: BertConfig, rows: int) -> None:
        """`rows` of the table, [MASK] included."""
        super().__init__()
        self.config, self.mask = config, rows - 1
        narrow = config.looked_up
        self.embedding = nn.Embedding(rows, narrow)
        self.positions = blocks.positions(config.positions, config.window, narrow)
        self.types = nn.Embedding(2, narrow)
        self.norm = nn.LayerNorm(narrow, config.norm_epsilon)
        self.dropout = Dropout(config.dropout)
        self.projection = nn.Linear(narrow, config.width) if config.table_width else None
        self.blocks = nn.ModuleList(
            Block(
                config.width, config.heads, config.between, causal=False, norm_first=False,
                dropout=config.dropout, gelu=config.gelu, epsilon=config.norm_epsilon,
            )
            for _ in range(1 if config.shared else config.layers)
        )  # fmt: skip
        never = [BOS, EOS, self.mask]
        self.blank = BlankHead(config.width, narrow, rows, never, config.norm_epsilon,
                               gelu=config.gelu)  # fmt: skip
        self.pair = PairHead(config.width) if config.next_sentence else None
        blocks.start(self)

    def stack(self) -> list[Block]:
        """The layers in the order they are gone through: one and the same where it is shared."""
        found = [block for block in self.blocks if isinstance(block, Block)]
        return found * (self.config.layers // len(found))

    def look_up(self, ids: Tensor) -> Tensor:
        """Layer 0, (..., D): ids (...) looked up, nothing added to them."""
        vectors: Tensor = self.embedding(ids)
        return vectors if self.projection is None else self.projection(vectors)

    def embed(
        self, ids: Tensor, places: Tensor | None = None, types: Tensor | None = None
    ) -> Tensor:
        """What the first layer reads of ids (B, T): (B, T, D).

        `places` None: 0, 1, ..., T - 1; `types` None: all of one sentence.
        """
        if places is None:
            places = torch.arange(ids.shape[1], device=ids.device)
        halves = self.types.weight[0] if types is None else self.types(types)
        x = self.dropout(self.norm(self.embedding(ids) + self.positions(places) + halves))
        return x if self.projection is None else self.projection(x)

    def hidden(
        self,
        ids: Tensor,
        places: Tensor | None = None,
        segments: Tensor | None = None,
        types: Tensor | None = None,
        kept: Tensor | None = None,
    ) -> Tensor:
        """What the model makes of ids (B, T): (B, T, D). Segments (B, T) do not see each other.

        `kept` (B, T) bool: (N, D) instead, of those tokens only, for which much of the last layer
        need not be worked out.
        """
        mask = None if segments is None else _apart(segments)
        x = self.embed(ids, places, types)
        for number, block in enumerate(self.stack(), 1):
            x = block(x, mask, kept=kept if number == self.config.layers else None)
        return x

    def forward(self, ids: Tensor, segments: Tensor | None = None) -> Tensor:
        """ln p (B, T, V) of what stands at every place; for looking, not for training."""
        x = self.hidden(ids, segments=segments)
        return self.guess(x.flatten(0, 1)).unflatten(0, ids.shape)

    def guess(self, x: Tensor) -> Tensor:
        """ln p (N, V) of what stands where the model has made x (N, D)."""
        return self.blank.log_distribution(x, self.embedding.weight)

    # --- training ----------------------------------------------------------------------------

    def events(self, batch: Tensors) -> Sums:
        """The numbers of blanks and of pairs."""
        events = {"masked": (batch["targets"] != IGNORE).sum()}
        if self.pair is not None and "follows" in batch:
            events["next"] = (batch["follows"] != IGNORE).sum()
        return events

    def losses(self, batch: Tensors) -> Sums:
        """The sums of -ln p of what stood in the blanks, and of what is true of the pairs."""
        kept = batch["targets"] != IGNORE  # (B, T)
        pair = self.pair if "follows" in batch else None
        if pair is not None:
            real = batch["follows"] != IGNORE  # (B, P)
            row, _ = real.nonzero(as_tuple=True)
            kept[row, batch["starts"][real]] = True
        ids, places, segments = batch["ids"], batch["positions"], batch["segments"]
        x = self.hidden(ids, places, segments, batch["types"], kept)  # (N, D)
        targets = batch["targets"][kept]
        blanks = targets != IGNORE
        table = self.embedding.weight
        loss, right = self.blank.losses(x[blanks], table, targets[blanks])
        sums = {"masked": loss, "masked" + CORRECT: right}
        if pair is not None:
            loss, right = pair.losses(x[~blanks], batch["follows"][real])
            sums |= {"next": loss, "next" + CORRECT: right}
        return sums

    def model(self) -> "BertModel":
        """See Trainable."""
        return BertModel(self)


class BertModel(Attending, TransformerInput):
    """A Bert as models.base.AttendingModel and SummingModel, on the module's device.

    Its figures are pseudo log-likelihoods: each token is guessed from all the others.
    """

    context: Literal["sentence", "document"] = "sentence"
    proper = False
    module: Bert

    def __init__(self, module: Bert) -> None:
        self.module = module.eval()
        self._layers = module.stack()

    # --- scoring -----------------------------------------------------------------------------

    def logprobs(self, stream: np.ndarray) -> np.ndarray:
        """See models.base; NaN at </s>. A sentence of n tokens is read n times."""
        return self.logprobs_hiding(stream, None)

    @torch.no_grad()
    def logprobs_hiding(
        self, stream: np.ndarray, ends: np.ndarray | None, check: Callable[[], None] = lambda: None
    ) -> np.ndarray:
        """`logprobs`, where a token is guessed without those behind it up to an end either.

        `ends` (N,) of the N tokens of the stream, marks left out: each is the number of the first
        that is shown again, as of the next word's first (Kauf & Ivanova 2023, "A better way to do
        masked language model scoring"). `check` is called often: it may end it by an exception.
        """
        words = np.flatnonzero((stream != BOS) & (stream != EOS))
        sentence = np.cumsum(stream == BOS)[words]
        first, end = (np.searchsorted(sentence, sentence, side) for side in ("left", "right"))
        place = np.arange(len(words))
        hidden = np.ones(len(words), int) if ends is None else ends - place  # how many
        start, size = self._nearest(place, first, end)
        found = np.full(len(stream), np.nan)
        for group in _equal(size, EXACT_TOKENS):
            check()
            ids = stream[words[start[group, None] + np.arange(size[group[0]])]]
            x, blank = self._hidden(ids, (place - start)[group], hidden[group]), self.module.blank
            targets = self._tensor(stream[words[group]])
            scored = blank.log_probs(x, self.module.embedding.weight, targets)
            found[words[group]] = scored.double().cpu().numpy()
        return found[stream != BOS]

    def next_probs(self, prefix: np.ndarray) -> np.ndarray:
        """All NaN: what comes next without what comes after it was never learned."""
        return np.full(self.module.mask, np.nan)

    def fill_probs(self, ids: np.ndarray, place: int) -> np.ndarray:
        """(rows,) p of each id at `place` of the sentence `ids` (no marks), from all the others.

        Sums to 1; marks have 0.
        """
        return self.fill_rows(np.asarray(ids)[None], np.arange(len(ids)) == place, place)[0]

    @torch.no_grad()
    def fill_rows(self, ids: np.ndarray, hidden: np.ndarray, place: int) -> np.ndarray:
        """See models.base. What is longer than the window is read as far as it is near."""
        starts, sizes = self._nearest(np.array([place]), np.array([0]), np.array([len(hidden)]))
        near = slice(int(starts[0]), int(starts[0] + sizes[0]))
        shown = np.where(hidden, self.module.mask, ids)[:, near]
        x = self._hidden(shown, np.full(len(ids), place - near.start))
        logits = self.module.guess(x).double()
        return torch.softmax(logits, 1)[:, : self.module.mask].cpu().numpy()

    def _nearest(
        self, place: np.ndarray, first: np.ndarray, end: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """(start, size) of what is read of a text from `first` to `end` around `place`."""
        size = np.minimum(end - first, self.module.config.window - 2)
        return np.clip(place - size // 2, first, end - size), size

    def _hidden(self, ids: np.ndarray, blank: np.ndarray, hidden: np.ndarray | int = 1) -> Tensor:
        """(N, D) at the places `blank` (N,) of sentences (N, T), which are hidden there.

        So are the tokens behind them, `hidden` (N,) in all.
        """
        shown = np.pad(ids, ((0, 0), (1, 1)), constant_values=((0, 0), (BOS, EOS)))
        behind = np.arange(shown.shape[1]) - (blank[:, None] + 1)
        away = (behind >= 0) & (behind < np.broadcast_to(hidden, blank.shape)[:, None])
        shown = np.where(away & (shown != EOS), self.module.mask, shown)
        device = self.module.embedding.weight.device
        kept = torch.from_numpy(behind == 0).to(device)
        return self.module.hidden(self._tensor(shown), kept=kept)

    # --- looking inside ----------------------------------------------------------------------

    def shown(self, ids: np.ndarray) -> np.ndarray:
        """See models.base; cut to the window."""
        room = self.module.config.window - 2
        return np.concatenate([[BOS], ids[:room], [EOS]]).astype(np.int64)

    @torch.no_grad()
    def layers(self, ids: np.ndarray) -> np.ndarray:
        """See models.base."""
        looked_up = self.module.look_up(self._tensor(self.shown(ids)))  # (T, D)
        outputs = [stages["output"][0] for stages in self._stages(ids)]
        return torch.stack([looked_up, *outputs]).float().cpu().numpy()

    @torch.no_grad()
    def layers_of(self, rows: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """See models.base."""
        ids, real = self._tensor(rows), np.arange(rows.shape[1]) < sizes[:, None]
        mask = None if real.all() else _apart(self._tensor(real.astype(np.int64) - 1))
        found, x = [self.module.look_up(ids)], self.module.embed(ids)  # (B, T, D)
        for layer in self._layers:
            x = layer(x, mask)
            found.append(x)
        return torch.stack(found).float().cpu().numpy()

    @torch.no_grad()
    def hidden_streams(self, ids: np.ndarray, places: np.ndarray) -> np.ndarray:
        """(L + 1, N, D): `streams` at N `places` of the sentence, each where it alone is hidden."""
        shown, here = self.shown(ids), places + 1
        x = self.module.embed(
            self._tensor(np.where(np.arange(len(shown)) == here[:, None], self.module.mask, shown))
        )
        rows, columns = torch.arange(len(here)), torch.from_numpy(here)
        found = [x[rows, columns]]
        for layer in self._layers:
            x = layer(x)
            found.append(x[rows, columns])
        return torch.stack(found).float().cpu().numpy()

    @torch.no_grad()
    def guesses(self, vectors: np.ndarray) -> np.ndarray:
        """See models.base.LayeredModel; ids without [MASK], as of `fill_probs`."""
        x = torch.from_numpy(vectors).to(self.module.embedding.weight.device)
        return torch.softmax(self.module.guess(x).double(), 1)[:, : self.module.mask].cpu().numpy()

    def guessed(self, ids: np.ndarray) -> np.ndarray:
        """See Attending."""
        return np.arange(1, len(self.shown(ids)) - 1)

    def _read_for(self, ids: np.ndarray, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A row for each place, which is hidden in it."""
        row = self.shown(ids)
        blank = np.arange(len(row)) == places[:, None]
        return np.where(blank, self.module.mask, row), blank

    def _log_probs(self, x: Tensor, targets: Tensor) -> Tensor:
        return self.module.blank.log_probs(x, self.module.embedding.weight, targets)

    def _distribution(self, x: Tensor) -> Tensor:
        return torch.softmax(self.module.guess(x).double(), 1)[:, : self.module.mask]


def build(config: BertConfig, counts: np.ndarray, segmentation_folder: Path | None = None) -> Bert:
    """A new module for the ids counted in `counts` (V - 1,); torch's seed decides its weights."""
    module = Bert(config, len(counts) + 1)
    with torch.no_grad():
        module.blank.bias[:-1] = softmax.log_shares(counts)
    return module


def load(run_folder: Path, config: BertConfig, rows: int) -> BertModel:
    """The trained model of a run, from its best checkpoint; `rows` without [MASK]."""
    module = Bert(config, rows + 1)
    weights.load(run_folder, module)
    return BertModel(module)


def _apart(segments: Tensor) -> Tensor | Texts:
    """What keeps the segments of rows (B, T) to themselves on their device."""
    if segments.device.type == "cpu" and not torch.compiler.is_compiling():
        return Texts(segments)
    return blocks.segment_mask(segments, causal=False)


def _equal(sizes: np.ndarray, cells: int) -> Iterator[np.ndarray]:
    """The indices of equal `sizes` together, in groups of at most `cells` cells."""
    order = np.argsort(sizes, kind="stable")
    for same in np.split(order, np.flatnonzero(np.diff(sizes[order])) + 1):
        step = max(1, cells // int(sizes[same[0]])) if len(same) else 1
        for start in range(0, len(same), step):
            yield same[start : start + step]
