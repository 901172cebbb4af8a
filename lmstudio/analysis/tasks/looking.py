"""A fine-tuned transformer and an example -> where its heads look, in the row as it is read.

Marks and the second text are in it, of a question the question first: so it is what the answer
comes from, not what the encoder would make of the text alone.
"""

from dataclasses import dataclass, replace

import numpy as np

from lmstudio.analysis.attending.attention import rollout, small
from lmstudio.analysis.tasks.asked_task import AskedTask
from lmstudio.analysis.tasks.tuned import Tuned, tuned
from lmstudio.data.labelled.encoding import Row, encode
from lmstudio.data.labelled.example import Example
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.training.fit_task import cutting_of, window_of

WHOLE = -1
"""As a head: the mean of all of its layer."""


@dataclass(frozen=True)
class TaskLooks:
    """T tokens of a row; L layers of H heads."""

    names: tuple[str, ...]  # (T,)
    spans: np.ndarray  # (T, 2) int64: where they stand in the text; -1 for all that is not of it
    weights: np.ndarray  # (L, H, T, T) float32: how much of its look each row gives to each column
    causal: bool  # nothing looks at what is later
    asks: int  # the token that the class is read from; the first where it is read from several

    @property
    def pictures(self) -> np.ndarray:
        """(L, H, g, g) float32: each head, small."""
        return small(self.weights)

    @property
    def barred(self) -> np.ndarray:
        """(T, T) bool: what cannot be looked at."""
        return np.triu(np.full(self.weights.shape[2:], self.causal), 1)

    def seen(self, layer: int, head: int) -> np.ndarray:
        """(T, T) of a head; of the mean of its layer, for WHOLE."""
        found: np.ndarray = self.weights[layer]
        return found.mean(0) if head == WHOLE else found[head]

    def flow(self, layers: int) -> np.ndarray:
        """(T, T): the rollout of the first so many layers."""
        return rollout(self.weights[:layers]).astype(np.float32)

    def token_at(self, place: int) -> int:
        """The token that a code point of the text stands in, -1 where none was read there."""
        inside = (self.spans[:, 0] <= place) & (place < self.spans[:, 1])
        return int(inside.argmax()) if inside.any() else -1


def looks(asked: AskedTask, example: Example, place: int = -1, *, job: Job) -> TaskLooks:
    """Where the heads of a run look in an example.

    Of a text that is read in several windows it is the first that `place`, a code point of the
    text, stands in. AppError for a run that reads the look-up table alone, which looks at nothing.
    """
    if asked.config.layers == "table":
        raise AppError("{name} reads the look-up table alone, which looks at nothing.",
                       name=asked.name)  # fmt: skip
    model = tuned(asked, job=job)
    cutting = cutting_of(asked.config, asked.labels, window_of(asked.asked.spec))
    bare = replace(example, label="", spans=(), labelled=False)
    rows = encode([bare], cutting, asked.asked.plan, model.vocabulary, job=job).rows
    row = next((one for one in rows if _reads(one, place)), rows[0])
    return _looks(model, row, example.text)


def _reads(row: Row, place: int) -> bool:
    return any(start <= place < end for start, end in row.spans)


def _looks(model: Tuned, row: Row, text: str) -> TaskLooks:
    import torch

    size, own = len(row.ids), slice(row.place, row.place + len(row.spans))
    spans = np.full((size, 2), -1, np.int64)
    spans[own] = np.array(row.spans, np.int64).reshape(-1, 2)
    names = [text[start:end] if start >= 0 else model.vocabulary.types[int(number)]
             for (start, end), number in zip(spans, row.ids, strict=True)]  # fmt: skip
    view = model.model.view
    weights = view.looks(torch.from_numpy(row.ids), torch.from_numpy(row.types))
    last = model.model.pooling == "last" and model.asked.task in ("classify", "pair")
    return TaskLooks(tuple(names), spans, weights.float().numpy(), view.reads == "left",
                     size - 1 if last else 0)  # fmt: skip
