"""Scores of each tag at each token -> sequences of tags, where neighbours decide together.

Lafferty, McCallum & Pereira 2001, "Conditional random fields". The score of a sequence is the sum
of its tags' scores and of its transitions; p is the softmax over all sequences, which a recursion
over tokens sums up. Transitions that the tag scheme does not allow are impossible.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from lmstudio.data.labelled.tags import illegal

NEVER = -1e4
"""The score of what is impossible: e to this is 0, and no gradient becomes NaN."""


class Crf(nn.Module):
    """C tags over B rows of N tokens, of which `sizes` (B,), at least one, are in the sequence."""

    def __init__(self, tags: Sequence[str], scheme: str) -> None:
        super().__init__()
        count = len(tags)
        self.transitions = nn.Parameter(torch.zeros(count, count))  # from, to
        self.starts = nn.Parameter(torch.zeros(count))
        self.ends = nn.Parameter(torch.zeros(count))
        self.barred: Tensor  # the same three, one below the other: (C + 2, C)
        self.register_buffer("barred", _barred(tags, scheme), persistent=False)

    def log_probs(self, scores: Tensor, sizes: Tensor, tags: Tensor) -> Tensor:
        """(B,) ln p of the sequences `tags` (B, N) given the scores (B, N, C)."""
        return self._score(scores, sizes, tags) - self._total(scores, sizes)

    def marginals(self, scores: Tensor, sizes: Tensor) -> Tensor:
        """(B, N, C) p of each tag at each token, all sequences together; 0 where padded.

        It is how much the total changes with a tag's score.
        """
        with torch.enable_grad():
            scores = scores.detach().requires_grad_()
            total = self._total(scores, sizes).sum()
            return torch.autograd.grad(total, scores)[0]

    @torch.no_grad()
    def best(self, scores: Tensor, sizes: Tensor) -> list[list[int]]:
        """The likeliest sequence of each row (Viterbi 1967)."""
        transitions, starts, ends = self._weights()
        best, back = starts + scores[:, 0], []
        for place in range(1, scores.shape[1]):
            top, before = (best.unsqueeze(2) + transitions).max(1)  # (B, C)
            inside = (place < sizes).unsqueeze(1)
            best = torch.where(inside, top + scores[:, place], best)
            back.append(before)
        last = (best + ends).argmax(1).tolist()
        steps = torch.stack(back, 1).tolist() if back else [[] for _ in last]
        return [
            _walked_back(tag, rows[: size - 1])
            for tag, rows, size in zip(last, steps, sizes.tolist(), strict=True)
        ]

    def _weights(self) -> tuple[Tensor, Tensor, Tensor]:
        """Transitions (C, C), starts (C,) and ends (C,), what is impossible NEVER."""
        barred = self.barred
        return (
            self.transitions.masked_fill(barred[:-2], NEVER),
            self.starts.masked_fill(barred[-2], NEVER),
            self.ends.masked_fill(barred[-1], NEVER),
        )

    def _score(self, scores: Tensor, sizes: Tensor, tags: Tensor) -> Tensor:
        """(B,) of the sequences `tags` (B, N); anything but a tag's number stands for padding."""
        transitions, starts, ends = self._weights()
        inside = torch.arange(scores.shape[1], device=scores.device) < sizes.unsqueeze(1)  # (B, N)
        tags = tags.masked_fill(~inside, 0)
        emitted = (scores.gather(2, tags.unsqueeze(2)).squeeze(2) * inside).sum(1)
        moved = (transitions[tags[:, :-1], tags[:, 1:]] * inside[:, 1:]).sum(1)
        last = tags.gather(1, (sizes - 1).unsqueeze(1)).squeeze(1)
        return emitted + moved + starts[tags[:, 0]] + ends[last]

    def _total(self, scores: Tensor, sizes: Tensor) -> Tensor:
        """(B,) ln of the sum of e^score over all sequences.

        A step is a product of matrices of e^score, less the largest of the row: (C, C) additions
        and logarithms for each row would take ten times as long where tags are many.
        """
        transitions, starts, ends = self._weights()
        ways, least = transitions.exp(), torch.finfo(scores.dtype).tiny
        total = starts + scores[:, 0]  # (B, C): of what ends in each tag
        for place in range(1, scores.shape[1]):
            top = total.detach().amax(1, keepdim=True)
            reached = ((total - top).exp() @ ways).clamp(min=least)
            longer = reached.log() + top + scores[:, place]
            total = torch.where((place < sizes).unsqueeze(1), longer, total)
        return torch.logsumexp(total + ends, 1)


def _barred(tags: Sequence[str], scheme: str) -> Tensor:
    """(C + 2, C) bool: which tag cannot follow each, cannot begin, and cannot end a sequence."""

    def at(sequence: list[str]) -> set[int]:
        return {place for place, _ in illegal(sequence, scheme)}

    rows = [[1 in at([before, tag]) for tag in tags] for before in tags]
    rows.append([0 in at([tag]) for tag in tags])
    rows.append([1 in at([tag]) for tag in tags])
    return torch.tensor(rows)


def _walked_back(tag: int, steps: list[list[int]]) -> list[int]:
    """The sequence that ends in `tag`; `steps` say what came before each tag."""
    found = [tag]
    for before in reversed(steps):
        found.append(before[found[-1]])
    return found[::-1]
