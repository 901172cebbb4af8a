"""The vectors of a question and a passage -> where in the passage the answer begins and ends.

Devlin et al. 2019, section 4.2: a vector for the start and one for the end; the first mark is
where an answer stands that this window of the passage does not hold (section 4.3).
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from lmstudio.data.batches import IGNORE
from lmstudio.models.dropout import Dropout
from lmstudio.models.trainable import CORRECT, Sums, Tensors

OVERLAP, QUESTIONS = "spans_overlap", "questions"
"""Among the sums of an evaluation: F1 of the tokens of the likeliest answer, and how many there
are."""

_Span = tuple[int, int]
_NONE = (-1, -1)  # no answer


class SpanHead(nn.Module):
    """Scores of T places as start and as end."""

    def __init__(self, width: int, dropout: float) -> None:
        super().__init__()
        self.dropout = Dropout(dropout)
        self.output = nn.Linear(width, 2)

    def forward(self, x: Tensor, batch: Tensors) -> tuple[Tensor, Tensor]:
        """x (B, T, D) -> logits (B, T) of starts and of ends.

        -inf but in the passage (`types` 1, without the mark that ends it) and at the first mark.
        """
        columns = torch.arange(x.shape[1], device=x.device)
        passage = (batch["types"] == 1) & (columns < batch["sizes"].unsqueeze(1) - 1)
        logits = self.output(self.dropout(x)).float()
        logits = logits.masked_fill(~(passage | (columns == 0)).unsqueeze(2), -torch.inf)
        return logits[..., 0], logits[..., 1]

    def events(self, batch: Tensors) -> Sums:
        """The number of windows, for both ends of an answer."""
        return {name: (batch[name] != IGNORE).sum() for name in ("starts", "ends")}

    def losses(self, x: Tensor, batch: Tensors) -> Sums:
        """The sums of -ln p of both ends."""
        sums: Sums = {}
        for name, logits in zip(("starts", "ends"), self(x, batch), strict=True):
            sums[name] = F.cross_entropy(logits, batch[name], ignore_index=IGNORE, reduction="sum")
            sums[name + CORRECT] = (logits.detach().argmax(1) == batch[name]).sum()
        return sums

    def score_sums(self, x: Tensor, batch: Tensors) -> Sums:
        """OVERLAP with the answers of a batch that `task_batches.by_question` made."""
        starts, ends = self(x, batch)
        best, start, end = likeliest(starts, ends)
        none = (starts[:, 0] + ends[:, 0]).masked_fill(batch["answered"], -torch.inf)
        at = batch["offsets"]
        gold = torch.stack([batch["starts"] + at, batch["ends"] + at], 1)
        gold = gold.masked_fill((batch["starts"] == 0).unsqueeze(1), -1)
        said = torch.stack([start + at, end + at], 1)
        windows: dict[int, list[tuple[float, float, _Span, _Span]]] = {}
        columns = (batch["questions"], best, none, said, gold)
        for number, score, empty, mine, right in zip(*(c.tolist() for c in columns), strict=True):
            windows.setdefault(number, []).append((score, empty, tuple(mine), tuple(right)))
        shared = sum(map(_overlap, windows.values()))
        return {OVERLAP: x.new_tensor(shared, dtype=torch.double),
                QUESTIONS: x.new_tensor(len(windows), dtype=torch.double)}  # fmt: skip


def _overlap(windows: list[tuple[float, float, _Span, _Span]]) -> float:
    """F1 of the pieces of an answer: (score of the best span, of none, best span, gold) each.

    As `analysis.tasks.answer_search`: the best of all windows, or none, if the window that is
    the least sure of it is surer.
    """
    best, _, said, _ = max(windows)
    if min(none for _, none, _, _ in windows) >= best:
        said = _NONE
    gold = max(gold for _, _, _, gold in windows)
    if _NONE in (said, gold):
        return float(said == gold)
    shared = min(said[1], gold[1]) - max(said[0], gold[0]) + 1
    return 2 * max(0, shared) / (said[1] - said[0] + gold[1] - gold[0] + 2)


def likeliest(starts: Tensor, ends: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The scores and places, each (B,), of the best span that does not end before it begins.

    The first mark, which stands for no answer, is left out.
    """
    best_start, start = torch.cummax(starts[:, 1:], 1)  # of what is not behind each end
    best, end = (best_start + ends[:, 1:]).max(1)
    return best, start.gather(1, end.unsqueeze(1)).squeeze(1) + 1, end + 1
