"""Sentences -> states of an LSTM for each direction -> what comes next, and what came before.

Peters et al. 2018, "Deep contextualized word representations". Both directions share the vectors
of words, looked up or made of characters, and the output; their layers never meet. Each layer but
the first adds to what it reads. Learned together: log p(->) + log p(<-).

The head "separate" is as published: read from the left, a language model. In "joint" the state
before a word and the state after it predict it together, so that blanks are filled natively; then
no end of a sentence is predicted, and log p of a text is a pseudo log-likelihood.

Read from the right the roles of the marks swap: </s> is read first, <s> is the end that is
predicted. One row of the output, that of </s>, stands for the end in both directions.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from lmstudio.data.batches import IGNORE
from lmstudio.data.layout import BOS, EOS
from lmstudio.data.vocab import Vocabulary
from lmstudio.models import softmax, weights
from lmstudio.models.character_cnn import CharacterCnn, SpelledWords, spellings
from lmstudio.models.config import ElmoConfig
from lmstudio.models.elmo_model import ElmoModel
from lmstudio.models.projected_lstm import ProjectedLstm, State, turned
from lmstudio.models.softmax.head import log_shares
from lmstudio.models.trainable import Sums, Tensors, Trainable

LEFT, RIGHT = 0, 1
"""Index of a direction, by the end that it begins at. Both are in the order in which they read."""
EXACT_LENGTH = 256  # columns of a batch that are scored together


@dataclass
class Read:
    """What two directions made of B rows."""

    vectors: list[Tensor]  # L + 1 of (2, T, B, W): of the words, then of each layer
    ends: Tensors  # "h" (B, L, 2, W), "c" (B, L, 2, C): the state after the last token of each row


class Elmo(Trainable):
    """B sentences over a vocabulary of V; W wide between layers, C inside them."""

    headline = ("forward", "both")  # the latter of the head "joint"

    def __init__(
        self,
        config: ElmoConfig,
        rows: int,
        counts: np.ndarray | None = None,
        words: nn.Module | None = None,
    ) -> None:
        """`words`: ids (..) -> vectors (.., W), if another than the config says."""
        super().__init__()
        self.config = config
        self.words = words or _words(config, rows)
        self.layers = nn.ModuleList(
            ProjectedLstm(config.width, config.cell, config.cell_clip) for _ in range(config.layers)
        )
        self.dropout = nn.Dropout(config.dropout)
        inputs = config.width * (2 if self.joint else 1)
        self.head = softmax.head(config.softmax, inputs, rows, counts)
        self.unigrams: Tensor  # ln p of each id by itself, which filling a blank needs
        shares = torch.zeros(rows) if counts is None else log_shares(counts)
        self.register_buffer("unigrams", shares)

    @property
    def joint(self) -> bool:
        """Whether both directions predict together."""
        return self.config.head == "joint"

    @property
    def unseen(self) -> Tensor:
        """(V,) which ids training never showed: their share is that of <s>, no word's count."""
        return (self.unigrams == self.unigrams[BOS]) & (self.unigrams < 0)  # 0 if not counted

    def read(self, ids: Tensor, sizes: Tensor, carried: Tensors | None = None) -> Read:
        """ids (2, T, B) as each direction reads them; `sizes` (B,) of them are not padding.

        The state goes on from `carried`, the `ends` of an earlier Read, if that is given.
        """
        vectors = [self.words(ids)]
        last, rows = (sizes - 1).clamp(min=0), torch.arange(len(sizes), device=sizes.device)
        ends: list[State] = []
        for number, layer in enumerate(self.layers):
            x = self.dropout(vectors[-1])
            hs, cs = layer(x, self.state(carried, number, len(sizes)))
            ends.append((hs[:, last, rows], cs[:, last, rows]))  # (2, B, ..)
            vectors.append(hs + x if number else hs)
        h, c = (torch.stack(parts).permute(2, 0, 1, 3) for parts in zip(*ends, strict=True))
        return Read(vectors, {"h": h.detach(), "c": c.detach()})

    def state(self, carried: Tensors | None, layer: int, rows: int) -> State | None:
        """Where a layer goes on from: new rows begin anew, those that are gone are left out."""
        if not carried:
            return None
        h, c = (carried[name][:rows, layer] for name in "hc")  # (b, 2, ..)
        new = (0, 0, 0, 0, 0, rows - len(h))
        h, c = (nn.functional.pad(x, new).transpose(0, 1) for x in (h, c))
        return h, c

    def embed(
        self, ids: Tensor, sizes: Tensor, carried: Tensors | None = None
    ) -> tuple[Tensor, Tensors]:
        """The vectors of B whole sentences ids (B, T), and the state after them.

        (L + 1, B, T, 2 W), what was read from the left first; layer 0 is the word twice.
        """
        line = ids.transpose(0, 1)
        read = self.read(torch.stack([line, turned(line, sizes)]), sizes, carried)
        both = [torch.cat([x[LEFT], turned(x[RIGHT], sizes)], -1) for x in read.vectors]
        return torch.stack(both).transpose(1, 2), read.ends

    # --- training ----------------------------------------------------------------------------

    def events(self, batch: Tensors) -> Sums:
        """The number of targets: of each direction, or of the words that have two sides."""
        sizes = (batch["targets"] != IGNORE).sum(1)
        if self.joint:
            return {"both": (sizes - 1).clamp(min=0).sum()}
        return {"forward": sizes.sum(), "backward": sizes.sum()}

    def losses(self, batch: Tensors) -> Sums:
        """The sums of -ln p."""
        predicted, ends = self.predicting(batch)
        if self.config.carried:
            self.carried = ends
        return {
            name: self.head.losses(x.flatten(0, 1), targets.flatten())
            for name, (x, targets) in predicted.items()
        }

    def evaluate(self, batch: Tensors) -> Iterator[Sums]:
        """The same of whole sentences, some columns at a time."""
        for scored in self.score(batch):
            yield {name: -logprobs.sum() for name, logprobs in scored.items()}

    @torch.no_grad()
    def score(self, batch: Tensors) -> Iterator[Tensors]:
        """ln p of what `predicting` finds, some columns (t, B) at a time, 0 where padded."""
        predicted, _ = self.predicting(batch)
        for start in range(0, batch["ids"].shape[1], EXACT_LENGTH):
            here = slice(start, start + EXACT_LENGTH)
            yield {
                name: self.head.log_probs(x[here].flatten(0, 1), targets[here].flatten()).view(
                    -1, targets.shape[1]
                )
                for name, (x, targets) in predicted.items()
            }

    def predicting(self, batch: Tensors) -> tuple[dict[str, tuple[Tensor, Tensor]], Tensors]:
        """By loss the vectors (T, B, D) that predict and the targets (T, B); and the ends.

        "forward" is in the order of the batch, "backward" begins at the end of each row; "both"
        is in the order of the batch, and the last of each row has no right side.
        """
        ids, targets = batch["ids"].t(), batch["targets"].t()
        sizes = (targets != IGNORE).sum(0)
        following = targets.masked_fill(targets == IGNORE, EOS)
        carried = {name: batch[f"carried.{name}"] for name in "hc" if f"carried.{name}" in batch}
        read = self.read(torch.stack([ids, turned(following, sizes)]), sizes, carried)
        left, right = self.dropout(read.vectors[-1])
        steps = torch.arange(len(ids), device=ids.device).unsqueeze(1)  # (T, 1)
        if self.joint:
            both = torch.cat([left, turned(right, sizes - 1)], -1)
            return {"both": (both, targets.masked_fill(steps >= sizes - 1, IGNORE))}, read.ends
        before = turned(ids, sizes)
        before = before.masked_fill(before == BOS, EOS).masked_fill(steps >= sizes, IGNORE)
        return {"forward": (left, targets), "backward": (right, before)}, read.ends

    def model(self) -> ElmoModel:
        """See Trainable."""
        return ElmoModel(self)


def _words(config: ElmoConfig, rows: int) -> nn.Module:
    if config.characters:
        cnn = CharacterCnn(config.width, config.convolutions, config.highways, config.byte_width)
        return SpelledWords(cnn, rows)
    embedding = nn.Embedding(rows, config.width)
    nn.init.uniform_(embedding.weight, -1, 1)
    return embedding


def build(config: ElmoConfig, counts: np.ndarray, segmentation_folder: Path) -> Elmo:
    """A new module for the ids counted in `counts` (V,); torch's seed decides its weights.

    With characters, their spellings are those of the vocabulary of the segmentation.
    """
    module = Elmo(config, len(counts), counts)
    if isinstance(module.words, SpelledWords):
        spelled = spellings(Vocabulary.load(segmentation_folder).types)
        module.words.spelled.copy_(torch.from_numpy(spelled))
    return module


def load(run_folder: Path, config: ElmoConfig, rows: int) -> ElmoModel:
    """The trained model of a run, from its best checkpoint."""
    module = Elmo(config, rows)
    weights.load(run_folder, module)
    return ElmoModel(module)
