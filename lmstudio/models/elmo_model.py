"""A trained Elmo as something to ask: figures of each direction, blanks, vectors and gates."""

from typing import TYPE_CHECKING, Literal

import numpy as np
import torch
from torch import Tensor

from lmstudio.data.batches import IGNORE, like_lengths
from lmstudio.data.layout import BOS, EOS, UNK
from lmstudio.models.elmo_reading import ElmoReading
from lmstudio.models.projected_lstm import ProjectedLstm

if TYPE_CHECKING:
    from lmstudio.models.elmo import Elmo
    from lmstudio.models.trainable import Tensors

EXACT_ROWS = 64  # sentences scored together


class ElmoModel:
    """A trained Elmo as models.base.NeuralModel and GatedModel, on the module's device.

    Figures never depend on what was read before. `layers` and `gates` do where the state is
    carried: each sentence then begins with that of the sentence asked about before.
    """

    context: Literal["sentence", "document"] = "sentence"

    def __init__(self, module: "Elmo") -> None:
        self.module = module.eval()
        self._carried: Tensors = {}

    @property
    def proper(self) -> bool:
        """See models.base: not where both sides are seen."""
        return not self.module.joint

    def logprobs(self, stream: np.ndarray) -> np.ndarray:
        """See models.base. With the head "joint" each word is predicted from both its sides."""
        found = self._scored(stream, "both" if self.module.joint else "forward")
        if self.module.joint:
            found[stream == EOS] = np.nan
        return found[stream != BOS]

    def backward_logprobs(self, stream: np.ndarray) -> np.ndarray:
        """The same, read from the right: ln p of each position that is not </s>, in order.

        At <s> that of the beginning, the end in this direction. All NaN with the head "joint".
        """
        kept = stream != EOS
        if self.module.joint:
            return np.full(int(kept.sum()), np.nan)
        return self._scored(stream, "backward")[kept]

    @torch.no_grad()
    def next_probs(self, prefix: np.ndarray) -> np.ndarray:
        """See models.base."""
        if self.module.joint:
            return np.full(len(self.module.unigrams), np.nan)
        line = self._tensor([BOS, *prefix])
        both = torch.stack([line, line])[..., None]  # (2, T, 1); what the other reads is not used
        top = self.module.read(both, self._tensor([len(line)])).vectors[-1]
        return _distribution(self.module.head.log_distribution(top[0, -1])[0])

    def begin(self, prefix: np.ndarray) -> ElmoReading:
        """See models.base.WritingModel; not with the head "joint"."""
        return ElmoReading(self.module, prefix)

    def fill_probs(self, ids: np.ndarray, place: int) -> np.ndarray:
        """(rows,) p of each word at `place` of the sentence `ids`, seen from both its sides."""
        return self.fill_rows(np.asarray(ids)[None], np.zeros(len(ids), bool), place)[0]

    @torch.no_grad()
    def fill_rows(self, ids: np.ndarray, hidden: np.ndarray, place: int) -> np.ndarray:
        """See models.base: the id at `place` is not looked at, others `hidden` read as unknown.

        With the head "joint" it is what the model predicts. With "separate" it is

            p(w | left, right) = p(w | left) p(w | right) / p(w), scaled to sum to 1,

        which is exact if the sides are independent of each other once w is known. What training
        never showed, such as <unk> where every word is in the vocabulary, has a p(w) that nobody
        counted; to divide by it would make up an answer, so it has p = 0 and cannot fill a blank.
        """
        shown = np.where(hidden, UNK, ids)  # (B, T)
        left, right = shown[:, :place], shown[:, :place:-1]
        longest = max(left.shape[1], right.shape[1])
        both = np.full((2, longest + 1, len(ids)), EOS)
        both[0, 0] = BOS
        both[0, 1 : left.shape[1] + 1], both[1, 1 : right.shape[1] + 1] = left.T, right.T
        sizes = self._tensor(np.full(len(ids), longest + 1))
        top = self.module.read(self._tensor(both), sizes).vectors[-1]
        return _distribution(self._filled(top[0, left.shape[1]], top[1, right.shape[1]]))

    def _filled(self, left: Tensor, right: Tensor) -> Tensor:
        """ln p (B, V), but for its scale, between the states (B, W) of both sides."""
        if self.module.joint:
            logs = self.module.head.log_distribution(torch.cat([left, right], 1))
        else:
            sides = map(self.module.head.log_distribution, (left, right))
            logs = sum(sides, -self.module.unigrams)
            logs[:, self.module.unseen] = -torch.inf
        logs[:, [BOS, EOS]] = -torch.inf
        return logs

    # --- looking inside ----------------------------------------------------------------------

    def shown(self, ids: np.ndarray) -> np.ndarray:
        """See models.base: both marks are read."""
        return np.concatenate([[BOS], ids, [EOS]]).astype(np.int32)

    @torch.no_grad()
    def layers(self, ids: np.ndarray) -> np.ndarray:
        """(L + 1, T, 2 W) float32: what was read from the left, then from the right.

        Layer 0 is the vector of the word itself, twice, as published.
        """
        line = self._tensor(self.shown(ids))
        found, ends = self.module.embed(line[None], self._tensor([len(line)]), self._carried)
        self._carry(ends)
        return found[:, 0].cpu().numpy()

    @torch.no_grad()
    def streams(self, ids: np.ndarray) -> np.ndarray:
        """See models.base.LayeredModel; nothing is carried from what was read before."""
        line = self._tensor(self.shown(ids))
        found, _ = self.module.embed(line[None], self._tensor([len(line)]))
        return found[:, 0].float().cpu().numpy()

    @torch.no_grad()
    def guesses(self, vectors: np.ndarray) -> np.ndarray:
        """See models.base.LayeredModel: (N, W) of one direction, or (N, 2 W) of both sides."""
        x = torch.from_numpy(vectors).to(self.module.unigrams.device)
        if x.shape[1] > self.module.config.width:
            return _distribution(self._filled(*x.chunk(2, 1)))
        return _distribution(self.module.head.log_distribution(x))

    @torch.no_grad()
    def layers_of(self, rows: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """See models.base; also where the state was carried on in training, each begins anew."""
        found, _ = self.module.embed(self._tensor(rows), self._tensor(sizes))
        return found.cpu().numpy()

    @torch.no_grad()
    def gates(self, ids: np.ndarray) -> dict[str, np.ndarray]:
        """(L, T, 2 C) by name, see models.base: those of the left direction, then of the right."""
        line = self._tensor(self.shown(ids))
        sizes = self._tensor([len(line)])
        both = torch.stack([line, line.flip(0)])[..., None]  # (2, T, 1)
        read = self.module.read(both, sizes, self._carried)
        found = []
        for number, layer in enumerate(self.module.layers):
            assert isinstance(layer, ProjectedLstm)
            state = self.module.state(self._carried, number, 1)
            found.append(layer.gates(read.vectors[number], state))
        self._carry(read.ends)
        stacked = {name: torch.stack([gates[name] for gates in found]) for name in found[0]}
        left, right = ({name: x[:, side, :, 0] for name, x in stacked.items()} for side in (0, 1))
        return {
            name: torch.cat([left[name], right[name].flip(1)], -1).cpu().numpy() for name in left
        }

    def _carry(self, ends: "Tensors") -> None:
        if self.module.config.carried:
            self._carried = ends

    # --- scoring -----------------------------------------------------------------------------

    def _scored(self, stream: np.ndarray, name: str) -> np.ndarray:
        """ln p by `name` at every position of the stream that it predicts; elsewhere anything.

        Sentences of like length are scored together.
        """
        starts = np.flatnonzero(stream == BOS)
        sizes = np.diff(starts, append=len(stream)) - 1  # targets of each sentence
        found = np.empty(len(stream), np.float64)
        for group in like_lengths(sizes, EXACT_ROWS):
            steps = np.arange(sizes[group].max())
            inside = steps < sizes[group, None]  # (B, T)
            places = np.minimum(starts[group, None] + steps, len(stream) - 2)
            targets = np.where(inside, stream[places + 1], IGNORE)
            batch = {"ids": self._tensor(stream[places]), "targets": self._tensor(targets)}
            scored = torch.cat([part[name] for part in self.module.score(batch)])  # (T, B)
            places += 1
            if name == "backward":  # each step predicts one place further to the left
                places = starts[group, None] + sizes[group, None] - 1 - steps
            found[places[inside]] = scored.t().cpu().numpy()[inside]
        return found

    def _tensor(self, ids: object) -> Tensor:
        array = np.asarray(ids, np.int64)
        return torch.from_numpy(array).to(self.module.unigrams.device)


def _distribution(logs: Tensor) -> np.ndarray:
    return torch.softmax(logs.double(), -1).cpu().numpy()
