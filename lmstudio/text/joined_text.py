"""Texts into one text, with what jieba takes each of its characters for, as arrays."""

import re
from collections.abc import Sequence

import numpy as np

Span = tuple[int, int]

HAN_CLASS = "\u4e00-\u9fd5"  # what jieba takes for a Chinese character
LATIN_CLASS = "a-zA-Z0-9+#&._%\\-"  # what else it looks for words in
MARK, SPACE, LATIN, HAN = range(4)

_BETWEEN = " "  # two texts
COMMA = "，"
"""What rjieba sees of marks and white space."""
_STAND_IN = 0x3400  # from here on rare characters that stand in no word stand for Latin ones


def _kinds() -> np.ndarray:
    """(0x110000,) by code point: its kind for jieba; white space is what `str.isspace` says."""
    kinds = np.full(0x110000, MARK, np.uint8)
    kinds[[code for code in range(0x3001) if chr(code).isspace()]] = SPACE
    latin = re.compile(f"[{LATIN_CLASS}]")
    kinds[[code for code in range(128) if latin.match(chr(code))]] = LATIN
    kinds[0x4E00:0x9FD6] = HAN
    return kinds


_KINDS = _kinds()


class JoinedText:
    """Texts with a space between each two. Places count code points of the whole."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.text = _BETWEEN.join(texts)
        self.codes = np.frombuffer(self.text.encode("utf-32-le", "surrogatepass"), np.uint32)
        self.kinds = _KINDS[self.codes]
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        self._firsts = np.cumsum(lengths + 1) - lengths - 1

    def shown(self) -> str:
        """What rjieba is to see, character by character: Chinese ones, stand-ins and commas."""
        codes = np.where(self.kinds == HAN, self.codes, ord(COMMA))
        latin = self.kinds == LATIN
        codes[latin] = self.codes[latin] + _STAND_IN
        return codes.astype("<u4").tobytes().decode("utf-32-le")

    def spans(
        self, starts: np.ndarray, stops: np.ndarray, order: np.ndarray | None = None
    ) -> list[list[Span]]:
        """(start, end) in each text of pieces of the whole, text after text.

        `order` (pieces,) rises and stands in the text of each piece; `starts` if they rise.
        """
        bounds = np.searchsorted(starts if order is None else order, self._firsts)
        counts = np.diff(bounds, append=len(starts))
        shift = np.repeat(self._firsts, counts)
        spans = list(zip((starts - shift).tolist(), (stops - shift).tolist(), strict=True))
        ends = (bounds + counts).tolist()
        return [spans[a:b] for a, b in zip(bounds.tolist(), ends, strict=True)]


def shown_words(words: Sequence[str]) -> list[str]:
    """Words without marks as rjieba is to know them."""
    return JoinedText(words).shown().split(COMMA) if words else []


def runs(marked: np.ndarray) -> list[Span]:
    """(first, end) of each stretch of True."""
    borders = np.flatnonzero(np.diff(marked, prepend=False, append=False)).tolist()
    return list(zip(borders[::2], borders[1::2], strict=True))
