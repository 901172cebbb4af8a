"""Counts of the train part into a vocabulary: the table of types and their ids."""

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Self

import numpy as np

from lmstudio.data.layout import BOS, EOS, SEGMENT_AGAIN, SPECIALS, UNK
from lmstudio.errors import AppError
from lmstudio.files import read_json, reading, write_json


class Vocabulary:
    """Types by id: `<unk>`, `<s>`, `</s>`, special ones, then the most frequent first.

    Equals stand by code point; pieces of words in the order of their file.
    """

    def __init__(self, types: list[str], counts: np.ndarray) -> None:
        """`types` (rows,) with the three specials first; `counts` (rows,) int64, in train."""
        self.types, self.counts = types, counts
        self._ids = {word: number for number, word in enumerate(types)}

    def __len__(self) -> int:
        return self.rows

    @property
    def rows(self) -> int:
        """Length of the table, `<s>` included: what an embedding needs."""
        return len(self.types)

    @property
    def size(self) -> int:
        """V: what can be predicted, so with `<unk>` and `</s>` and without `<s>`."""
        return self.rows - 1

    def id_of(self, word: str) -> int:
        """The id of a type, that of `<unk>` if the vocabulary lacks it."""
        return self._ids.get(word, UNK)

    def type_of(self, number: int) -> str:
        """The type of an id."""
        return self.types[number]

    def encode(self, words: Iterable[str]) -> np.ndarray:
        """int32 ids of words."""
        return np.array([self._ids.get(word, UNK) for word in words], np.int32)

    def save(self, folder: Path) -> None:
        """Write vocab.json."""
        write_json(folder / "vocab.json", {"types": self.types, "counts": self.counts.tolist()})

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read vocab.json. AppError if it is missing or damaged."""
        return cls(*_read(folder / "vocab.json"))


def read_counts(folder: Path) -> np.ndarray:
    """(rows,) int64: how often the types of vocab.json are in train. AppError as in `load`."""
    return _read(folder / "vocab.json")[1]


def _read(path: Path) -> tuple[list[str], np.ndarray]:
    with reading(path, SEGMENT_AGAIN):
        data = read_json(path)
        types, counts = data["types"], np.array(data["counts"], np.int64)
        if counts.shape != (len(types),) or tuple(types[: len(SPECIALS)]) != SPECIALS:
            raise ValueError("damaged")
        return types, counts


def choose(
    words: list[str],
    counts: np.ndarray,
    *,
    sentences: int,
    min_count: int = 1,
    max_size: int = 0,
    always: Sequence[str] = (),
    dropped: Collection[str] = (),
) -> Vocabulary:
    """The vocabulary of `words` (T,) that the train part holds `counts` (T,) times.

    A word with fewer than `min_count`, or beyond the `max_size` most frequent (0: no limit), is
    unknown; `<unk>` has the count of all those and of itself, `</s>` that of `sentences`, `<s>`
    none, for it is never predicted. What is in `dropped` is unknown too; what is in `always` comes
    first, whatever its count. Raises AppError if the train part has no token at all.
    """
    kept = np.flatnonzero(counts >= max(1, min_count)).tolist()
    out = {*SPECIALS, *always, *dropped}
    kept = [i for i in kept if words[i] not in out]
    kept.sort(key=lambda i: (-counts[i], words[i]))
    if max_size:
        kept = kept[:max_size]
    return fixed(words, counts, [*always, *(words[i] for i in kept)], sentences=sentences)


def fixed(
    words: list[str], counts: np.ndarray, pieces: Sequence[str], *, sentences: int
) -> Vocabulary:
    """The vocabulary of `pieces` in their order, each once, after our own specials.

    So what a loaded file calls [UNK] is our id 0, and its other pieces keep their order from 3 on.
    Counts and errors as in `choose`.
    """
    if not counts.any():
        raise AppError("The train part holds no token. Give it some text, or split anew.")
    types = list(dict.fromkeys([*SPECIALS, *pieces]))
    number = {word: i for i, word in enumerate(types)}
    table = np.zeros(len(types), np.int64)
    for word, count in zip(words, counts.tolist(), strict=True):
        table[number.get(word, UNK)] += count
    table[BOS], table[EOS] = 0, sentences
    return Vocabulary(types, table)


def of_words(
    words: list[str], counts: np.ndarray, given: Sequence[str], *, sentences: int
) -> Vocabulary:
    """The vocabulary of the words `given`, whether the text has them or not.

    The most frequent first, others in the order given. Counts and errors as in `choose`.
    """
    count = dict(zip(words, counts.tolist(), strict=True))
    ordered = sorted(given, key=lambda word: -count.get(word, 0))
    return fixed(words, counts, ordered, sentences=sentences)
