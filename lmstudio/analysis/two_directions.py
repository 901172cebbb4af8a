"""A sentence and an ELMo in; what each direction has read and predicts at every place, out.

Each direction hands its states on without seeing the other's: the one has read what stands before
a place, the other what stands behind it. Only the output joins them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import numpy as np

from lmstudio.analysis.asked import Asked
from lmstudio.analysis.logit_lens import Lens, Side, columns, joint, look
from lmstudio.analysis.typed_sentence import typed_sentence
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.models.base import LayeredModel
from lmstudio.models.capabilities import reason


@dataclass(frozen=True)
class TwoDirections:
    """Of L layers, T tokens (marks included) and W numbers of each direction."""

    tokens: list[str]
    forward: np.ndarray  # (L + 1, T, W) float32: after reading from the left up to each token
    backward: np.ndarray  # (L + 1, T, W) float32: after reading from the right up to each token
    before: Lens | None  # what is predicted from the left; None with the head "joint"
    behind: Lens | None  # from the right
    both: Lens  # from both sides of each place
    notes: tuple[Message, ...] = ()  # what a reader must know of it

    def rows(self) -> Iterator[tuple[object, ...]]:
        """(side, then as of Lens.rows) of all three."""
        for side, found in (("before", self.before), ("behind", self.behind), ("both", self.both)):
            for row in found.rows() if found is not None else ():
                yield side, *row


def two_directions(asked: Asked, text: str, *, job: Job) -> TwoDirections:
    """Of a text, read as one sentence. AppError if it is empty, or the model no ELMo."""
    if why := reason(asked.spec.model, "directions", asked.spec.config):
        raise AppError("{name} cannot answer this: {reason}.", name=asked.name, reason=why)
    sentence = typed_sentence(asked, text, job=job)

    def seen(side: Side) -> Lens:
        return look(sentence, columns(sentence, side, hidden=True, job=job), job=job)

    streams = cast(LayeredModel, sentence.network).streams(sentence.ids)
    left, right = np.split(streams, 2, 2)
    apart = not joint(asked)
    before, behind = (seen("before"), seen("behind")) if apart else (None, None)
    return TwoDirections(sentence.shown(), left, right, before, behind, seen("both"),
                         sentence.notes)  # fmt: skip
