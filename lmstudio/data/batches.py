"""Sentences of a part -> padded batches of ids, the same for the same seed and step.

A batch is a dictionary of arrays whose first axis is its rows, so that any row range of it is a
batch again. Here: `ids` (B, T), what is read, and `targets` (B, T), what is to be predicted, with
IGNORE where a row is padded.
"""

from collections.abc import Iterator

import numpy as np

from lmstudio.data.layout import BOS, EOS, UNK

Batch = dict[str, np.ndarray]

IGNORE = -1
PIECE = np.dtype([("start", "<i8"), ("size", "<i4"), ("opens", "?"), ("closes", "?")])
"""Index of its first target among the tokens, number of targets, whether it begins with <s> and
ends with </s>."""

WINDOW = 16  # batches within which rows of like length are put together
RARE_SHARE = 0.5  # of the words seen once that are read as <unk> (Dyer et al. 2015, section 4.1)
EXACT_CELLS = 1 << 16  # ids in a batch of whole sentences, unless one sentence is longer


def cut(bounds: np.ndarray, length: int) -> np.ndarray:
    """PIECE records: every sentence of `bounds` (S, 2) in pieces of at most `length` targets.

    A sentence of n tokens has n + 1 targets, its end included.
    """
    targets = bounds[:, 1] - bounds[:, 0] + 1
    counts = -(-targets // length)  # rounded up
    sentence = np.repeat(np.arange(len(bounds)), counts)
    firsts = np.cumsum(counts) - counts
    offset = (np.arange(len(sentence)) - firsts[sentence]) * length
    pieces = np.empty(len(sentence), PIECE)
    pieces["start"] = bounds[sentence, 0] + offset
    pieces["size"] = np.minimum(length, targets[sentence] - offset)
    pieces["opens"] = offset == 0
    pieces["closes"] = offset + pieces["size"] == targets[sentence]
    return pieces


def gather(tokens: np.ndarray, pieces: np.ndarray) -> Batch:
    """The batch (int64) whose rows are `pieces` of `tokens`, padded to the longest."""
    places = np.arange(pieces["size"].max())
    index = pieces["start"][:, None] + places  # (B, T)
    padding = places >= pieces["size"][:, None]
    last = max(len(tokens) - 1, 0)
    targets = _taken(tokens, np.minimum(index, last))
    targets[pieces["closes"], pieces["size"][pieces["closes"]] - 1] = EOS
    targets[padding] = IGNORE
    ids = _taken(tokens, np.clip(index - 1, 0, last))
    ids[pieces["opens"], 0] = BOS
    ids[padding] = EOS  # any id: what is read there reaches no loss
    return {"ids": ids, "targets": targets}


def _taken(tokens: np.ndarray, index: np.ndarray) -> np.ndarray:
    return np.asarray(tokens[index] if len(tokens) else np.zeros_like(index), np.int64)


class SentenceBatches:
    """Training batches: pieces of sentences in a new order each epoch, little padding."""

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
        """`tokens` may be a memory map; `bounds` (S, 2) are the sentences in it.

        `rare` (V,) bool: ids of which RARE_SHARE is replaced by <unk>, others each time, so that
        a model whose text has no unknown word learns what to expect of one.
        """
        self._tokens, self._rows, self._seed, self._rare = tokens, rows, seed, rare
        self._pieces = cut(bounds, length)
        self._epoch, self._order = -1, [np.empty(0, np.int64)]

    def __len__(self) -> int:
        """Batches in an epoch."""
        return -(-len(self._pieces) // self._rows)

    @property
    def events(self) -> int:
        """Targets in an epoch."""
        return int(self._pieces["size"].sum())

    def at(self, step: int) -> Batch:
        """The batch of a step, counted from 0 over all epochs; depends on nothing else."""
        epoch, index = divmod(step, len(self))
        if epoch != self._epoch:
            self._epoch, self._order = epoch, self._shuffled(epoch)
        batch = gather(self._tokens, self._pieces[self._order[index]])
        if self._rare is not None:
            self._forget_rare(batch, np.random.default_rng([self._seed, step, UNK]), self._rare)
        return batch

    @staticmethod
    def _forget_rare(batch: Batch, generator: np.random.Generator, rare: np.ndarray) -> None:
        """Replace a token where it is predicted, and where it is read one place later."""
        targets = batch["targets"]
        forgotten = (targets != IGNORE) & rare[targets]
        forgotten &= generator.random(targets.shape) < RARE_SHARE
        targets[forgotten] = UNK
        batch["ids"][:, 1:][forgotten[:, :-1]] = UNK

    def _shuffled(self, epoch: int) -> list[np.ndarray]:
        """The rows of each batch: shuffled, sorted by size in windows, the batches shuffled."""
        generator = np.random.default_rng([self._seed, epoch])
        order = generator.permutation(len(self._pieces))
        window = WINDOW * self._rows
        for start in range(0, len(order), window):
            rows = order[start : start + window]
            order[start : start + window] = rows[np.argsort(self._pieces["size"][rows])]
        batches = [order[i : i + self._rows] for i in range(0, len(order), self._rows)]
        return [batches[i] for i in generator.permutation(len(batches))]


def whole_sentences(tokens: np.ndarray, bounds: np.ndarray, rows: int) -> Iterator[Batch]:
    """Every sentence once and uncut, in batches of at most `rows` of like length."""
    for sentences in like_lengths(bounds[:, 1] - bounds[:, 0] + 1, rows):
        chosen = bounds[sentences]
        yield gather(tokens, cut(chosen, int((chosen[:, 1] - chosen[:, 0]).max()) + 1))


def like_lengths(sizes: np.ndarray, rows: int) -> Iterator[np.ndarray]:
    """Indices of `sizes` in groups of at most `rows` and EXACT_CELLS cells, short ones first."""
    order = np.argsort(sizes, kind="stable")
    start = 0
    while start < len(order):
        end = min(start + rows, len(order))
        while end > start + 1 and (end - start) * int(sizes[order[end - 1]]) > EXACT_CELLS:
            end = start + (end - start) // 2
        yield order[start:end]
        start = end
