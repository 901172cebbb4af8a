"""A beginning, read once, that is read on token by token: what writing needs of a model.

Texts that share a beginning are read side by side, B of them; each step costs the same, however
much was read before. Where a model sees one sentence at a time, `</s>` begins the next one.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from lmstudio.data.layout import EOS


class Reading(Protocol):
    """B texts that were read as far as they go; one at first."""

    def probs(self) -> np.ndarray:
        """(B, rows) float64 p of what comes next in each; as `next_probs`."""
        ...

    def read(self, rows: Sequence[int], ids: Sequence[int]) -> None:
        """Go on with N texts: each is the one of `rows` (N,) and its id of `ids` (N,) after it.

        A text may be gone on with several times, or not at all.
        """
        ...


class WindowReading:
    """Of a model that looks at the last few ids of its sentence only."""

    def __init__(
        self, next_probs: Callable[[np.ndarray], np.ndarray], reach: int, prefix: np.ndarray
    ) -> None:
        """`reach`: so many ids before the next one matter."""
        self._next_probs, self._reach = next_probs, reach
        self._seen = [self._kept(sentence_of(prefix))]

    def probs(self) -> np.ndarray:
        """See Reading."""
        return np.stack([self._next_probs(np.array(ids, np.int32)) for ids in self._seen])

    def read(self, rows: Sequence[int], ids: Sequence[int]) -> None:
        """See Reading."""
        pairs = zip(rows, ids, strict=True)
        self._seen = [self._kept([*self._seen[row], int(number)]) for row, number in pairs]

    def _kept(self, ids: list[int]) -> list[int]:
        ids = sentence_of(ids)
        return ids[max(0, len(ids) - self._reach) :]


def sentence_of(prefix: Sequence[int] | np.ndarray) -> list[int]:
    """What of `prefix` stands after the last `</s>`."""
    ids = [int(number) for number in prefix]
    return ids[len(ids) - ids[::-1].index(EOS) :] if EOS in ids else ids
