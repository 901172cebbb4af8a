"""Sentences of a part -> batches of packed rows with blanks in them, as BERT learns from.

An example is `<s> tokens </s>`, or `<s> tokens </s> tokens </s>` where pairs of sentences are read
too; <s> stands for the [CLS] of Devlin et al. 2019, </s> for their [SEP]. A row holds several
examples, none of which sees the others. A batch is

    ids         (B, T) int64   what is shown; the id after the vocabulary's is [MASK]
    targets     (B, T) int64   what stood there, where it is to be guessed; IGNORE elsewhere
    positions   (B, T) int64   0, 1, ... in each example
    segments    (B, T) int64   the example's number in its row, -1 where padded
    types       (B, T) int64   1 in the second half of a pair, 0 elsewhere

and where there are pairs

    starts      (B, P) int64   the column of the <s> of each; 0 where padded
    follows     (B, P) int64   1 where the second half follows the first, 0 where not; IGNORE
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from lmstudio.data.batches import IGNORE, RARE_SHARE, Batch
from lmstudio.data.cut_from import documents_at
from lmstudio.data.layout import BOS, EOS, UNK
from lmstudio.data.masking import Masking
from lmstudio.data.packing import pack
from lmstudio.data.pairs import EXAMPLE, NextSentencePairs, NoPairsError
from lmstudio.errors import AppError
from lmstudio.messages import Message

Examples = Callable[[np.random.Generator], np.ndarray]
"""Makes the EXAMPLE records of an epoch."""

LEAST_WINDOW = 3  # <s>, a token, </s>
LEAST_PAIR_WINDOW = 5  # and another token, </s>


def examples_of(
    segmentation: Path, bounds: np.ndarray, window: int, *, pairs: bool, held_out: bool = False
) -> tuple[Examples, Message | None]:
    """What makes the examples of the sentences `bounds` (S, 2), and what is to be said of it.

    `pairs`: of two stretches, for next sentence prediction. AppError where none can be made, or
    the window is too small; held-out text without pairs is read sentence by sentence.
    """
    least = LEAST_PAIR_WINDOW if pairs else LEAST_WINDOW
    if window < least:
        raise AppError("The window must be {least} tokens at least.", least=least)
    if pairs:
        try:
            found = NextSentencePairs(bounds, documents_at(segmentation, bounds[:, 0]))
            return partial(found.examples, window), found.notice
        except NoPairsError:
            if not held_out:
                raise
    made = single(bounds, window)
    return lambda _: made, None


def single(bounds: np.ndarray, window: int) -> np.ndarray:
    """EXAMPLE records of one stretch each: every sentence, a long one in pieces that fit."""
    room = window - 2
    sizes = bounds[:, 1] - bounds[:, 0]
    counts = -(-sizes // room)  # none of an empty sentence
    owner = np.repeat(np.arange(len(bounds)), counts)
    offset = (np.arange(len(owner)) - (np.cumsum(counts) - counts)[owner]) * room
    examples = np.zeros(len(owner), EXAMPLE)
    examples["a"] = bounds[owner, 0] + offset
    examples["a_size"] = np.minimum(room, sizes[owner] - offset)
    examples["follows"] = IGNORE
    return examples


class Packed:
    """Examples, each with its place in a row."""

    def __init__(self, examples: np.ndarray, window: int) -> None:
        rows = pack(sizes_of(examples), window)
        self.examples = examples[np.argsort(rows, kind="stable")]
        self._counts = np.bincount(rows)  # examples of each row
        self._firsts = np.cumsum(self._counts) - self._counts

    def __len__(self) -> int:
        """Rows."""
        return len(self._counts)

    def of(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The EXAMPLE records in some rows, and of each the number of its row among these."""
        row = np.repeat(np.arange(len(rows)), self._counts[rows])
        ranks = np.arange(len(row)) - np.searchsorted(row, row)
        return self.examples[self._firsts[rows][row] + ranks], row


def sizes_of(examples: np.ndarray) -> np.ndarray:
    """(E,) how many tokens examples have, marks included."""
    pair = examples["follows"] != IGNORE
    return (examples["a_size"] + examples["b_size"] + 2 + pair).astype(np.int64)


class MaskedBatches:
    """Training batches: each epoch other rows and other blanks, or the same in another order."""

    def __init__(
        self,
        tokens: np.ndarray,
        examples: Examples,
        masking: Masking,
        *,
        rows: int,
        window: int,
        seed: int,
        dynamic: bool = True,
        begins: np.ndarray | None = None,
        rare: np.ndarray | None = None,
    ) -> None:
        """`tokens` may be a memory map. `dynamic` False: a sentence keeps the blanks it has.

        `begins` (N,) bool: where words begin among the tokens, to be hidden as a whole; `rare` as
        in SentenceBatches.
        """
        self._tokens, self._source, self._masking = tokens, examples, masking
        self._rows, self._window, self._seed, self._dynamic = rows, window, seed, dynamic
        self._begins, self._rare = begins, rare
        self._epoch = 0
        self._packed, self._order = self._drawn(0)
        self._first = len(self._packed)  # rows
        self.events = int(masking.counts(sizes_of(self._packed.examples)).sum())
        """Tokens to be guessed in an epoch, nearly: words that are hidden as a whole go over."""

    def __len__(self) -> int:
        """Batches in an epoch."""
        return -(-self._first // self._rows)

    def at(self, step: int) -> Batch:
        """The batch of a step, counted from 0 over all epochs; depends on nothing else."""
        epoch, index = divmod(step, len(self))
        if self._dynamic:
            return self._batch(epoch, index)
        order = np.random.default_rng([self._seed, epoch, len(self)]).permutation(len(self))
        return self._batch(0, int(order[index]))

    def once(self) -> Iterator[Batch]:
        """The batches of the first epoch, each time with the same blanks: to validate on."""
        for index in range(len(self)):
            yield self._batch(0, index)

    def _batch(self, epoch: int, index: int) -> Batch:
        if epoch != self._epoch:
            self._epoch, (self._packed, self._order) = epoch, self._drawn(epoch)
        chosen = self._order[index * self._rows : (index + 1) * self._rows]
        examples, row = self._packed.of(chosen)
        rng = np.random.default_rng([self._seed, epoch, index, UNK])
        return self._rows_of(examples, row, rng)

    def _drawn(self, epoch: int) -> tuple[Packed, np.ndarray]:
        """The rows of an epoch, and their order, which names as many as the first epoch has.

        Drawn pairs are never quite as many: some rows are left out then, or come twice.
        """
        rng = np.random.default_rng([self._seed, epoch])
        packed = Packed(rng.permutation(self._source(rng)), self._window)
        order = rng.permutation(len(packed))
        return packed, np.resize(order, self._first) if epoch else order

    def _rows_of(self, examples: np.ndarray, row: np.ndarray, rng: np.random.Generator) -> Batch:
        """Examples, and which row each is in, laid side by side."""
        sizes = sizes_of(examples)
        starts = np.cumsum(sizes) - sizes
        example = np.repeat(np.arange(len(examples)), sizes)  # of each of N tokens
        position = np.arange(len(example)) - starts[example]
        places, second = _sources(examples[example], position, sizes[example])
        words = places >= 0
        ids = np.where(position == 0, BOS, EOS)
        ids[words] = self._read(places[words], rng)
        begins = None if self._begins is None else self._begins[np.maximum(places, 0)]
        chosen = self._masking.choose(example, words, begins, rng)
        opens = np.searchsorted(row, row)  # the first example of the row of each
        start, number = starts - starts[opens], np.arange(len(row)) - opens
        cells = row[example], start[example] + position
        batch = {
            "ids": _filled(cells, self._masking.hide(ids, chosen, rng), EOS),
            "targets": _filled(cells, np.where(chosen, ids, IGNORE), IGNORE),
            "positions": _filled(cells, position, 0),
            "segments": _filled(cells, number[example], -1),
            "types": _filled(cells, second, 0),
        }
        if (examples["follows"] != IGNORE).any():
            batch["starts"] = _filled((row, number), start, 0)
            batch["follows"] = _filled((row, number), examples["follows"], IGNORE)
        return batch

    def _read(self, places: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """The ids of tokens; some that are rare are unknown."""
        ids = np.asarray(self._tokens[places], np.int64)
        if self._rare is not None:
            ids[self._rare[ids] & (rng.random(len(ids)) < RARE_SHARE)] = UNK
        return ids


def _sources(
    examples: np.ndarray, position: np.ndarray, sizes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """For each of N tokens, which has a `position` in its example: its index in the text, -1 where
    it is a mark, and whether it is in the second half of a pair."""
    middle = examples["a_size"] + 1  # the </s> after the first stretch
    second = position > middle
    places = np.where(
        second, examples["b"] + position - middle - 1, examples["a"] + position - 1
    )  # fmt: skip
    places[(position == 0) | (position == middle) | (position == sizes - 1)] = -1
    return places, second


def _filled(cells: tuple[np.ndarray, np.ndarray], values: np.ndarray, padding: int) -> np.ndarray:
    """(B, T) int64 with `values` in the cells (row, column), `padding` elsewhere."""
    row, column = cells
    filled = np.full((int(row[-1]) + 1, int(column.max()) + 1), padding)
    filled[cells] = values
    return filled
