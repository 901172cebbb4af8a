"""A text into the pieces that jieba's dictionary gives, found by rjieba as jieba finds them.

rjieba (https://github.com/messense/rjieba-py) is jieba in Rust, with the same graph and the same
sums. It takes other characters for Chinese than jieba does and treats Latin ones by rules of its
own. So it is shown a text of the same length in which each of jieba's Latin characters is a rare
Chinese one, in the text as in the dictionary, and what jieba takes for a mark is a comma. What it
cuts then are the words jieba cuts, to the last bit of the probabilities; a test compares.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from lmstudio.text.joined_text import COMMA, LATIN_CLASS, JoinedText, shown_words

_LATIN = re.compile(f"[{LATIN_CLASS}]")
_IN_NO_TEXT = "\u34ff"  # behind the stand-ins of Latin characters
_LARGEST = 2**53  # frequencies up to here are exact in a sum


class DictionaryPass:
    """rjieba with jieba's dictionary and the words of a user in it."""

    def __init__(
        self, rjieba: Any, base: Mapping[str, int], latin: Sequence[str], added: Mapping[str, int]
    ) -> None:
        """`base`: jieba's frequencies by word; `added`: the user's, which count instead.

        `latin` are the `latin_words` of `base`.
        """
        self._rust = rjieba.Jieba()
        for word, shown in zip(latin, shown_words(latin), strict=True):
            self._rust.add_word(shown, base[word], None)
            self._rust.add_word(word, 0, None)  # it stands in no text; the sum stays as it was
        surplus = 0
        for word, shown in zip(added, shown_words(list(added)), strict=True):
            self._rust.add_word(shown, added[word], None)
            surplus += base.get(word, 0)  # jieba adds to its sum of frequencies, rjieba replaces
        if surplus:
            self._rust.add_word(_IN_NO_TEXT, surplus, None)

    def cut(self, text: JoinedText) -> np.ndarray:
        """(pieces,) their lengths; marks and Latin characters in no word are pieces of one."""
        pieces = self._rust.cut(text.shown(), False)
        return np.fromiter(map(len, pieces), np.int64, len(pieces))


class DictionaryPlaces(DictionaryPass):
    """The same, to be asked for the words at all places, which wants a dictionary of its own.

    rjieba lists the words without saying where. In it each character that begins a word is a word
    itself, so the words of one character, which come first, tell where the others begin.
    """

    def __init__(
        self, rjieba: Any, base: Mapping[str, int], latin: Sequence[str], added: Mapping[str, int]
    ) -> None:
        super().__init__(rjieba, base, latin, added)
        words = shown_words([word for word, frequency in added.items() if frequency > 0])
        words += shown_words(latin)
        words += [word for word, frequency in base.items() if frequency and word not in added]
        single = {word for word in words if len(word) == 1}
        first = {word[0] for word in words}
        for character in first - single:
            self._rust.add_word(character, 1, None)
        self._begins = _table(first | {COMMA})
        self._single = _table(single)
        self._gone = {word for word, frequency in added.items() if frequency == 0}

    def words(self, text: JoinedText) -> tuple[np.ndarray, np.ndarray]:
        """Starts and ends of the dictionary words at all places, shorter ones first."""
        shown = text.shown()
        words = self._rust.cut_all(shown)
        sizes = np.fromiter(map(len, words), np.int64, len(words))
        codes = np.frombuffer(shown.encode("utf-16-le"), np.uint16)
        places = np.flatnonzero(self._begins[codes])
        starts = places[np.cumsum(sizes == 1) - 1]
        real = (sizes > 1) | self._single[codes[starts]]
        starts, ends = starts[real], (starts + sizes)[real]
        if not self._gone:
            return starts, ends
        spans = zip(starts.tolist(), ends.tolist(), strict=True)
        here = np.array([text.text[a:b] not in self._gone for a, b in spans], bool)
        return starts[here], ends[here]


def _table(characters: Iterable[str]) -> np.ndarray:
    """(0x10000,) bool by code point: whether it is one of `characters`."""
    table = np.zeros(0x10000, bool)
    table[[ord(character) for character in characters if ord(character) < 0x10000]] = True
    return table


def can_hold(added: Mapping[str, int], base: Mapping[str, int]) -> bool:
    """Whether rjieba treats these words and frequencies as jieba does.

    It does not forget a word of frequency 0 but takes it for the very last resort: that is the
    same only where another word begins at the same place.
    """
    return all(
        frequency < _LARGEST
        and (frequency > 0 or (len(word) > 1 and added.get(word[0], base.get(word[0], 0)) > 0))
        for word, frequency in added.items()
    )


def latin_words(base: Mapping[str, int]) -> list[str]:
    """The words that hold a Latin character; a few hundred of half a million."""
    text = "\n" + "\n".join(base) + "\n"
    places = (match.start() for match in _LATIN.finditer(text))
    found = {text[text.rindex("\n", 0, at) + 1 : text.index("\n", at)] for at in places}
    return [word for word in found if base[word] > 0]
