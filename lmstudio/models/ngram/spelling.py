"""Words in, the bits their spelling costs out: what an unknown word is charged.

A character 5-gram over the words of the train part. `<unk>` says only that some unknown word
follows; p(<unk>) p_spell(its characters and its end) is the probability of the word itself. So
models with different vocabularies are charged for the same text.
"""

from collections.abc import Iterable, Sequence
from typing import Self

import numpy as np

from lmstudio.data.layout import BOS, EOS, SPECIALS, UNK
from lmstudio.models.config import NgramConfig
from lmstudio.models.ngram.counts import Progress
from lmstudio.models.ngram.model import NgramModel

CODE_POINTS = 0x110000 - 0x800
"""Unicode without surrogates."""


class Speller:
    """p_spell: a distribution over all strings of Unicode characters."""

    def __init__(self, model: NgramModel, characters: np.ndarray) -> None:
        """`characters` (C,) are the known code points, ascending; their ids begin after SPECIALS.

        The characters that are not known share the probability of `<unk>` evenly.
        """
        self.model, self.characters = model, characters
        self._id_of = np.zeros(0x110000, np.int32)
        self._id_of[characters] = np.arange(len(characters)) + len(SPECIALS)
        self._unknown_bits = float(np.log2(CODE_POINTS - len(characters)))

    @classmethod
    def fit(cls, words: Sequence[str], progress: Progress, order: int = 5) -> Self:
        """Learn from words, each as often as it stands in the text; at least one."""
        codes = _codes(words)
        characters = np.flatnonzero(np.bincount(codes)).astype(np.uint32)
        rows = len(SPECIALS) + len(characters)
        ids = np.searchsorted(characters, codes) + len(SPECIALS)
        model, _ = NgramModel.fit(_stream(ids, words), rows, NgramConfig(order), progress)
        return cls(model, characters)

    def bits(self, word: str) -> float:
        """-log2 p_spell(word and its end)."""
        return float(self.bits_of([word])[0])

    def bits_of(self, words: Sequence[str]) -> np.ndarray:
        """(W,) -log2 p_spell of each word; much faster than one by one."""
        if not words:
            return np.empty(0)
        ids = self._id_of[_codes(words)]
        stream = _stream(ids, words)
        bits = -self.model.logprobs(stream) / np.log(2)
        bits[stream[stream != BOS] == UNK] += self._unknown_bits
        starts = np.cumsum([0, *(len(word) + 1 for word in words[:-1])])
        return np.add.reduceat(bits, starts)


def _codes(words: Iterable[str]) -> np.ndarray:
    """The code points of all words, one after the other."""
    return np.frombuffer("".join(words).encode("utf-32-le", "surrogatepass"), np.uint32)


def _stream(ids: np.ndarray, words: Sequence[str]) -> np.ndarray:
    """int32 `<s> c ... </s>` of every word, where `ids` are the characters of all of them."""
    lengths = np.fromiter(map(len, words), np.int64, len(words)) + 2
    ends = np.cumsum(lengths)
    stream = np.full(len(ids) + 2 * len(words), EOS, np.int32)
    inside = np.ones(len(stream), bool)
    inside[ends - 1] = inside[ends - lengths] = False
    stream[ends - lengths] = BOS
    stream[inside] = ids
    return stream
