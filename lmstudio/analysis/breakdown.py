"""What runs paid for each character in; the same by place, frequency and document, out.

The bits of a token are shared out evenly among its characters. So what runs with different tokens
paid can be added up over the words of any segmentation: exactly where their tokens are those words
or parts of them, and by the character where a token is longer.
"""

from dataclasses import dataclass

import numpy as np

from lmstudio.data.layout import ranges

POSITIONS = (1, 2, 3, 5, 9, 17, 33, 65)
"""Where the bands of positions begin: words of a sentence, the first is 1."""
FREQUENCIES = (1, 10, 100, 1000, 10_000, 100_000)
"""Where the bands of frequency begin: how often a word stands in the train part."""


@dataclass(frozen=True)
class Breakdown:
    """The sums of each group; all groups together are the whole part, sentence ends included."""

    groups: np.ndarray  # (K,) int64: where a band begins, a document's number; ENDS; UNKNOWN
    characters: np.ndarray  # (K,) int64
    words: np.ndarray  # (K,) int64; of ENDS the ends of sentences
    bits: np.ndarray  # (R, K) float64

    def bits_per_character(self) -> np.ndarray:
        """(R, K); NaN for a group without characters."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(self.characters > 0, self.bits / self.characters, np.nan)

    def bits_per_word(self) -> np.ndarray:
        """(R, K); NaN for a group without words."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(self.words > 0, self.bits / self.words, np.nan)


ENDS, UNKNOWN = -1, 0
"""Groups: the ends of sentences; words that are not in the vocabulary."""


def shared_out(spans: np.ndarray, bits: np.ndarray, characters: int) -> np.ndarray:
    """(C,) float64: what each character costs where tokens with `spans` (N, 2) cost `bits`."""
    lengths = spans[:, 1] - spans[:, 0]
    each = np.repeat(bits.astype(float) / lengths, lengths)
    return np.bincount(ranges(spans), weights=each, minlength=characters)


def by_word(
    groups: np.ndarray, starts: np.ndarray, costs: np.ndarray, ends: np.ndarray, sentences: int
) -> Breakdown:
    """Words (N,) of `groups` >= 0 that begin at `starts`; `costs` (R, C); `ends` (R,) of all
    `sentences` together, which are a group of their own; 0 where their ends are not scored.

    A character belongs to the last word that begins there or before it, so none is left out.
    """
    word = np.searchsorted(starts, np.arange(costs.shape[1]), side="right") - 1
    found = np.unique(groups)
    place = np.searchsorted(found, groups)
    of_character = place[np.maximum(word, 0)]
    size = len(found)
    bits = np.stack([np.bincount(of_character, row, size) for row in costs])
    characters = np.bincount(of_character, minlength=size)
    words = np.bincount(place, minlength=size)
    if not sentences:
        return Breakdown(found, characters, words, bits)
    return Breakdown(
        np.append(found, ENDS), np.append(characters, 0), np.append(words, sentences),
        np.concatenate([bits, ends[:, None]], axis=1),
    )  # fmt: skip


def position_groups(sentence_of: np.ndarray) -> np.ndarray:
    """(N,) the band of POSITIONS of each word, where `sentence_of` (N,) is rising."""
    begins = np.diff(sentence_of, prepend=-1) != 0
    place = np.arange(len(sentence_of))
    first = np.maximum.accumulate(np.where(begins, place, 0))
    return banded(place - first + 1, POSITIONS)


def banded(values: np.ndarray, bands: tuple[int, ...]) -> np.ndarray:
    """(N,) where the band of each value begins; 0 below the first."""
    edges = np.array([0, *bands])
    return edges[np.searchsorted(edges, values, side="right") - 1]


def by_unit(
    groups: np.ndarray, starts: np.ndarray, costs: np.ndarray, ends: np.ndarray,
    unit_of: np.ndarray,
) -> Breakdown:  # fmt: skip
    """Units (U,) that begin at the characters `starts`, their `ends` (R, U) added, by `groups`.

    `unit_of` (N,): in which of them each word stands.
    """
    sums = unit_sums(starts, costs) + ends
    lengths = np.diff(starts, append=costs.shape[1])
    found, place = np.unique(groups, return_inverse=True)
    size = len(found)
    return Breakdown(
        found, np.bincount(place, lengths, size).astype(np.int64),
        np.bincount(place[unit_of], minlength=size),
        np.stack([np.bincount(place, row, size) for row in sums]),
    )  # fmt: skip


def unit_sums(starts: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """(R, U) what the characters of each unit cost together."""
    return np.add.reduceat(costs, starts, axis=1)
