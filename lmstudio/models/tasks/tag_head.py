"""The vectors of tokens -> their tags, each for itself or all of a row together.

Devlin et al. 2019, section 5.3: a linear layer on each token. `places` are those that have a tag:
marks and padding have none.
"""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from lmstudio.data.batches import IGNORE
from lmstudio.data.labelled.tags import is_tag, scheme_of
from lmstudio.models.dropout import Dropout
from lmstudio.models.tasks.crf import Crf
from lmstudio.models.trainable import CORRECT, Sums, Tensors


class TagHead(nn.Module):
    """C tags of vectors D wide."""

    def __init__(
        self, width: int, tags: Sequence[str], dropout: float, *, crf: bool, scheme: str
    ) -> None:
        super().__init__()
        self.tags = tuple(tags)
        if not all(map(is_tag, tags)):  # one tag a word, as parts of speech
            scheme = "plain"
        elif scheme_of([self.tags]) == "BMES":
            scheme = "BMES"
        self.dropout = Dropout(dropout)
        self.output = nn.Linear(width, len(tags))
        self.crf = Crf(tags, scheme) if crf else None

    def forward(self, x: Tensor) -> Tensor:
        """x (B, T, D) -> scores (B, T, C)."""
        scores: Tensor = self.output(self.dropout(x)).float()
        return scores

    def events(self, batch: Tensors) -> Sums:
        """The number of tags."""
        return {"tags": (batch["tags"] != IGNORE).sum()}

    def losses(self, x: Tensor, batch: Tensors) -> Sums:
        """The sum of -ln p of the tags, or of whole sequences of them."""
        scores, tags = self(x), batch["tags"]
        places = tags != IGNORE
        right = ((scores.detach().argmax(2) == tags) & places).sum()
        if self.crf is None:
            loss = F.cross_entropy(scores[places], tags[places], reduction="sum")
        else:
            some = places.any(1)
            packed, sizes = _packed(scores[some], places[some])
            gold, _ = _packed(tags[some], places[some])
            loss = -self.crf.log_probs(packed, sizes, gold).sum()
        return {"tags": loss, "tags" + CORRECT: right}

    def right(self, x: Tensor, batch: Tensors) -> Tensor:
        """How many tags of a batch are right, as `decode` finds them."""
        places = batch["tags"] != IGNORE
        found = [tag for row in self.best(self(x), places) for tag in row]
        return (batch["tags"][places] == x.new_tensor(found, dtype=torch.long)).sum()

    @torch.no_grad()
    def decode(
        self, x: Tensor, places: Tensor, *, sure: bool = True
    ) -> tuple[list[list[int]], Tensor]:
        """The tags of each row at its `places` (B, T), one after the other; p (B, T, C) of each.

        Not `sure`: 0 for each p.
        """
        scores = self(x)
        shares = self._shares(scores, places) if sure else torch.zeros_like(scores)
        return self.best(scores, places), shares

    @torch.no_grad()
    def best(self, scores: Tensor, places: Tensor) -> list[list[int]]:
        """The likeliest tags of each row at its `places` (B, T), given scores (B, T, C)."""
        if self.crf is None:
            rows = zip(scores.argmax(2), places, strict=True)
            return [row[mine].tolist() for row, mine in rows]
        packed, sizes = _packed(scores, places)
        found = self.crf.best(packed, sizes.clamp(min=1))  # without places, then left out
        return [row[:size] for row, size in zip(found, sizes.tolist(), strict=True)]

    def _shares(self, scores: Tensor, places: Tensor) -> Tensor:
        """(B, T, C) p of each tag at the `places` (B, T)."""
        if self.crf is None:
            return torch.softmax(scores, 2)
        packed, sizes = _packed(scores, places)
        inside = torch.arange(packed.shape[1], device=scores.device) < sizes.unsqueeze(1)
        probs = torch.zeros_like(scores)
        probs[places] = self.crf.marginals(packed, sizes.clamp(min=1))[inside]
        return probs


def _packed(x: Tensor, places: Tensor) -> tuple[Tensor, Tensor]:
    """What is at the `places` (B, T) of x (B, T, ..) side by side, (B, N, ..), and the N of each.

    N is at least 1, so that there is something to look at in rows without any.
    """
    sizes = places.sum(1)
    packed = pad_sequence(list(x[places].split(sizes.tolist())), batch_first=True)
    if not packed.shape[1]:
        packed = x[:, :1]
    return packed, sizes
