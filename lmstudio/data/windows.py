"""A part read as one text -> batches of windows, each read by itself.

The text is w ... </s> w ... </s>, as in data.lanes. Where a window begins with a sentence, <s> is
read before it: nothing is known of what was there, as at the very beginning. A batch is

    ids, targets  (B, T) int64   what is read, and what is to be predicted (IGNORE where only shown)
"""

from collections.abc import Iterator

import numpy as np

from lmstudio.data.batches import IGNORE, RARE_SHARE, Batch
from lmstudio.data.lanes import Line
from lmstudio.data.layout import BOS, EOS, UNK

WINDOW = np.dtype([("text", "<i8"), ("start", "<i8"), ("size", "<i4"), ("shown", "<i4")])
"""Number of its text, its first target there, how many it has, how many of these are not scored."""


def overlapping(events: np.ndarray, window: int, stride: int) -> np.ndarray:
    """WINDOW records: texts of `events` (N,) targets in windows that begin `stride` apart.

    Each target is scored once, after `window - stride` others of its text at least where there
    are so many. 1 <= stride <= window.
    """
    counts = 1 + np.maximum(0, -(-(events - window) // stride))
    text = np.repeat(np.arange(len(events)), counts)
    number = np.arange(len(text)) - (np.cumsum(counts) - counts)[text]
    windows = np.empty(len(text), WINDOW)
    windows["text"], windows["start"] = text, number * stride
    windows["size"] = np.minimum(window, events[text] - number * stride)
    windows["shown"] = np.where(number > 0, window - stride, 0)
    return windows


def bounds_of(stream: np.ndarray) -> np.ndarray:
    """(S, 2) the sentences in `<s> w ... </s> <s> ...`: indices of first words and of ends."""
    begins = np.flatnonzero(stream == BOS)
    return np.stack([begins + 1, np.append(begins[1:], len(stream))[: len(begins)] - 1], 1)


def half(window: int) -> int:
    """The stride of evaluations: each target is seen after half a window, and read twice."""
    return max(1, window // 2)


def first_seen(size: int, window: int) -> int:
    """Where the window begins in which evaluations would score what comes after `size` tokens."""
    stride = half(window)
    return max(0, -(-(size - window) // stride) * stride)


class WindowBatches:
    """Training batches: windows side by side, in a new order each epoch, cut at other places.

    The text is a ring for that: where it ends, it begins again.
    """

    def __init__(
        self,
        tokens: np.ndarray,
        bounds: np.ndarray,
        *,
        rows: int,
        window: int,
        seed: int,
        rare: np.ndarray | None = None,
    ) -> None:
        """`rows` windows of the sentences `bounds` (S, 2); `tokens` may be a memory map.

        `rare`: see data.batches.SentenceBatches.
        """
        self._line = Line(tokens, bounds)
        self._rows, self._window = rows, min(window, len(self._line))
        self._seed, self._rare = seed, rare
        self._windows = -(-len(self._line) // self._window)
        self._epoch, self._begins = -1, np.empty(0, np.int64)

    def __len__(self) -> int:
        """Batches in an epoch."""
        return -(-self._windows // self._rows)

    @property
    def events(self) -> int:
        """Targets in an epoch: all, up to a window of them twice."""
        return self._windows * self._window

    def at(self, step: int) -> Batch:
        """The batch of a step, counted from 0 over all epochs; depends on nothing else."""
        epoch, index = divmod(step, len(self))
        if epoch != self._epoch:
            self._epoch, self._begins = epoch, self._shuffled(epoch)
        begins = self._begins[index * self._rows : (index + 1) * self._rows]
        places = begins[:, None] + np.arange(-1, self._window)  # (B, T + 1)
        tokens = _begun(self._line.at(places % len(self._line)))
        if self._rare is not None:
            generator = np.random.default_rng([self._seed, step, UNK])
            forgotten = self._rare[tokens] & (generator.random(tokens.shape) < RARE_SHARE)
            tokens[forgotten] = UNK
        return {"ids": tokens[:, :-1], "targets": tokens[:, 1:]}

    def _shuffled(self, epoch: int) -> np.ndarray:
        """Where the windows of an epoch begin."""
        generator = np.random.default_rng([self._seed, epoch])
        first = generator.integers(len(self._line))
        return first + self._window * generator.permutation(self._windows)


def whole_windows(
    tokens: np.ndarray, bounds: np.ndarray, rows: int, window: int, stride: int = 0
) -> Iterator[Batch]:
    """Each target of the sentences `bounds` once and in order, in windows that overlap.

    `stride` 0 is half a window. The targets to score are those that are not IGNORE.
    """
    line = Line(tokens, bounds)
    if not len(line):
        return
    windows = overlapping(np.array([len(line)]), window, stride or half(window))
    for first in range(0, len(windows), rows):
        chosen = windows[first : first + rows]
        places = np.arange(-1, int(chosen["size"].max()))  # (T + 1,) in a window
        inside = places < chosen["size"][:, None]
        found = np.minimum(chosen["start"][:, None] + places, len(line) - 1)
        read = _begun(line.at(found % len(line)))  # (B, T + 1)
        scored = inside & (places >= chosen["shown"][:, None])
        targets = np.where(scored, read, IGNORE)[:, 1:]
        yield {"ids": read[:, :-1], "targets": targets}


def _begun(read: np.ndarray) -> np.ndarray:
    """Tokens (B, T + 1) of windows with <s> for a sentence end at their beginning."""
    first = read[:, 0]
    first[first == EOS] = BOS
    return read
