"""A line to the places of given words, longest first: for words that a segmenter would split."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

_ALNUM = re.compile("[a-zA-Z0-9]")


class SpecialWords:
    """Words that are found before the segmenter sees the text."""

    def __init__(self, words: Iterable[str]) -> None:
        self._by_first: dict[str, list[str]] = defaultdict(list)
        for word in sorted(words, key=len, reverse=True):
            self._by_first[word[0]].append(word)
        self._first = re.compile("[" + re.escape("".join(self._by_first)) + "]")

    def find(self, text: str) -> Iterator[tuple[int, int]]:
        """(start, end) of the words in `text`, from the left, without overlap."""
        position = 0
        while match := self._first.search(text, position):
            start = match.start()
            if end := self._end(text, start):
                yield start, end
            position = end or start + 1

    def _end(self, text: str, start: int) -> int:
        """Where the longest word that begins at `start` ends, 0 if none does."""
        for word in self._by_first[text[start]]:
            end = start + len(word)
            if text.startswith(word, start) and _stands_alone(text, start, end):
                return end
        return 0


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Latin letters and digits do not go on across either end: "AT&T x" is not in "AT&T xy"."""
    return not (_joined(text, start) or _joined(text, end))


def _joined(text: str, border: int) -> bool:
    around = text[max(0, border - 1) : border + 1]
    return 0 < border < len(text) and all(_ALNUM.match(character) for character in around)
