"""A text into the pieces that jieba's dictionary gives, found by rjieba as jieba finds them.

rjieba (https://github.com/messense/rjieba-py) is jieba in Rust, with the same graph and the same
sums. It takes other characters for Chinese than jieba does and treats Latin ones by rules of its
own. So it is shown a text of the same length in which each of jieba's Latin characters is a rare
Chinese one, in the text as in the dictionary, and what jieba takes for a mark is a comma. What it
cuts then are the words jieba cuts, to the last bit of the probabilities; a test compares.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

import numpy as np

HAN = "\u4e00-\u9fd5"  # what jieba takes for a Chinese character
LATIN = "a-zA-Z0-9+#&._%\\-"  # what else it looks for words in
_OTHER_HAN = "\u3400-\u4dbf\u9fd6-\u9fff\uf900-\ufaff\U00020000-\U0002ffff"  # rjieba's, not jieba's
_TRANSLATED = re.compile(f"[{LATIN}{_OTHER_HAN}\ud800-\udfff]")  # no Rust string holds halves
_LATIN = re.compile(f"[{LATIN}]")
_LATIN_CHARACTERS = "".join(filter(_LATIN.match, map(chr, range(128))))
_COMMA = ord("，")
_FIRST_STAND_IN = 0x3400  # a rare character; it and the next ones are in no word
_IN_NO_TEXT = chr(_FIRST_STAND_IN + len(_LATIN_CHARACTERS))
_LARGEST = 2**53  # frequencies up to here are exact in a sum


class _Table(dict[int, int]):
    """Code points to what rjieba is shown in their place, filled as they are met."""

    _han = re.compile(f"[{HAN}]")

    def __missing__(self, code: int) -> int:
        shown = self[code] = code if self._han.match(chr(code)) else _COMMA
        return shown


_table = _Table(zip(map(ord, _LATIN_CHARACTERS), count(_FIRST_STAND_IN)))


def shown(text: str) -> str:
    """`text` as rjieba is to see it, character by character; itself where that is the same."""
    return text.translate(_table) if _TRANSLATED.search(text) else text


class DictionaryPass:
    """rjieba with jieba's dictionary and the words of a user in it."""

    def __init__(self, rjieba: Any, base: Mapping[str, int], added: Mapping[str, int]) -> None:
        """`base`: jieba's frequencies by word; `added`: the user's, which count instead."""
        self._rust = rjieba.Jieba()
        self._gone = {shown(word) for word, frequency in added.items() if frequency == 0}
        for word in latin_words(base):
            self._rust.add_word(shown(word), base[word], None)
            self._rust.add_word(word, 0, None)  # it stands in no text; the sum stays as it was
        surplus = 0
        for word, frequency in added.items():
            self._rust.add_word(shown(word), frequency, None)
            surplus += base.get(word, 0)  # jieba adds to its sum of frequencies, rjieba replaces
        if surplus:
            self._rust.add_word(_IN_NO_TEXT, surplus, None)

    def cut(self, text: str) -> np.ndarray:
        """(pieces,) their lengths; marks and Latin characters in no word are pieces of one."""
        pieces = self._rust.cut(shown(text), False)
        return np.fromiter(map(len, pieces), np.int64, len(pieces))

    def words(self, text: str) -> Iterator[tuple[int, int]]:
        """(start, end) of every dictionary word at every place, shorter ones first; marks too."""
        seen = shown(text)
        start = longest = 0
        for word in self._rust.cut_all(seen):
            while len(word) <= longest or not seen.startswith(word, start):
                start, longest = start + 1, 0
            longest = len(word)
            if word not in self._gone:
                yield start, start + longest


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
