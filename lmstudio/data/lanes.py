"""A part read as one text -> lanes, read side by side, that go on from batch to batch.

The text is w ... </s> w ... </s>: every sentence end is what the next sentence is read after, and
<s> stands only where a lane begins. A batch is

    ids, targets  (B, T) int64   what is read, and what is to be predicted (IGNORE where padded)
    fresh         (B,) bool      rows that begin anew; the others go on where they were
"""

from collections.abc import Iterator

import numpy as np

from lmstudio.data.batches import IGNORE, RARE_SHARE, Batch
from lmstudio.data.layout import BOS, EOS, UNK

NEAR = 0.1  # of a lane, by which its beginning is moved at most
EXACT_LANES = 16  # of a validation part; where one begins, the text before is not seen
EXACT_LENGTH = 256  # tokens of a lane in one validation batch


class Line:
    """The sentences of a part as one row of targets; nothing of it is held in memory."""

    def __init__(self, tokens: np.ndarray, bounds: np.ndarray) -> None:
        """`tokens` may be a memory map; `bounds` (S, 2) are the sentences in it."""
        self._tokens, self._bounds = tokens, bounds
        sizes = bounds[:, 1] - bounds[:, 0] + 1
        self.begins = np.cumsum(sizes) - sizes  # (S,) place of the first target of each sentence
        self._size = int(sizes.sum())

    def __len__(self) -> int:
        return self._size

    def at(self, places: np.ndarray) -> np.ndarray:
        """The targets (int64) at `places`, of any shape, 0 ... len - 1."""
        sentence = np.searchsorted(self.begins, places, side="right") - 1
        index = self._bounds[sentence, 0] + places - self.begins[sentence]
        ends = index == self._bounds[sentence, 1]
        found = np.full(places.shape, EOS, np.int64)
        found[~ends] = self._tokens[index[~ends]]
        return found

    def opens(self, places: np.ndarray) -> np.ndarray:
        """Which of the places are the first of a sentence."""
        near = np.searchsorted(self.begins, places).clip(max=len(self.begins) - 1)
        return np.asarray(self.begins[near] == places)

    def snapped(self, cuts: np.ndarray) -> np.ndarray:
        """Increasing `cuts`, each moved to the next sentence if that begins before the next cut."""
        near = np.searchsorted(self.begins, cuts)
        begins = np.append(self.begins, self._size)[near]
        return np.where(begins < np.append(cuts[1:], self._size), begins, cuts)


class LaneBatches:
    """Training batches. The lanes of each epoch begin at other sentences."""

    def __init__(
        self,
        tokens: np.ndarray,
        bounds: np.ndarray,
        *,
        rows: int,
        length: int,
        seed: int,
        rare: np.ndarray | None = None,
    ) -> None:
        """`rows` lanes over the sentences `bounds` (S, 2), `length` tokens at a time.

        A text too short for that has fewer lanes. Lanes are equally long; as each begins with a
        sentence where one is near, a few tokens where two meet may be read twice in an epoch, or
        not at all.
        `rare`: see data.batches.SentenceBatches.
        """
        self._line, self._seed, self._rare = Line(tokens, bounds), seed, rare
        self._rows = max(1, min(rows, len(self._line) // length))
        self._lane = len(self._line) // self._rows
        self._length = min(length, self._lane)
        self._epoch, self._starts = -1, np.empty(0, np.int64)

    def __len__(self) -> int:
        """Batches in an epoch."""
        return -(-self._lane // self._length)

    @property
    def events(self) -> int:
        """Targets in an epoch."""
        return self._lane * self._rows

    def at(self, step: int) -> Batch:
        """The batch of a step, counted from 0 over all epochs; depends on nothing else."""
        epoch, index = divmod(step, len(self))
        if epoch != self._epoch:
            self._epoch, self._starts = epoch, self._begin(epoch)
        first = index * self._length
        last = min(first + self._length, self._lane)
        places = self._starts[:, None] + np.arange(first - 1, last)  # (B, T + 1)
        text = self._line.at(places % len(self._line))
        if self._rare is not None:
            text[self._rare[text] & self._forgotten(step, last - first)] = UNK
        fresh = np.full(self._rows, index == 0)
        if index == 0:
            text[self._line.opens(self._starts), 0] = BOS
        return {"ids": text[:, :-1], "targets": text[:, 1:], "fresh": fresh}

    def _begin(self, epoch: int) -> np.ndarray:
        """(B,) where the lanes begin: from the beginning of the text, then from anywhere.

        With the next sentence, but for one that is far: what lies before it would not be read.
        """
        shift = 0
        if epoch:
            shift = int(np.random.default_rng([self._seed, epoch]).integers(self._lane))
        cuts = shift + self._lane * np.arange(self._rows)
        begins = self._line.snapped(cuts)
        return np.where(begins - cuts <= self._lane * NEAR, begins, cuts)

    def _forgotten(self, step: int, length: int) -> np.ndarray:
        """(B, length + 1) whether a rare token there is read as <unk>, also in the next batch."""
        chances = [self._chances(step - 1)[:, -1:], self._chances(step)[:, :length]]
        return np.concatenate(chances, 1) < RARE_SHARE

    def _chances(self, step: int) -> np.ndarray:
        generator = np.random.default_rng([self._seed, step + 1, UNK])
        return generator.random((self._rows, self._length))


def whole_lanes(tokens: np.ndarray, bounds: np.ndarray, rows: int = EXACT_LANES) -> Iterator[Batch]:
    """Every target once, in at most `rows` lanes that each begin with a sentence."""
    line = Line(tokens, bounds)
    rows = max(1, min(rows, len(bounds)))
    starts = line.snapped(len(line) // rows * np.arange(rows))
    sizes = np.diff(starts, append=len(line))
    for first in range(0, int(sizes.max()), EXACT_LENGTH):
        columns = np.arange(first, min(first + EXACT_LENGTH, int(sizes.max())))
        places = starts[:, None] + columns
        inside = columns < sizes[:, None]
        targets = line.at(np.minimum(places, len(line) - 1))
        ids = line.at(np.clip(places - 1, 0, len(line) - 1))
        if first == 0:
            ids[line.opens(starts), 0] = BOS
        fresh = np.full(rows, first == 0)
        yield {"ids": ids, "targets": np.where(inside, targets, IGNORE), "fresh": fresh}
