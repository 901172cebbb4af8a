"""A line into jieba's words, with spans, user words of any shape, and no state outside the object.

jieba (https://github.com/fxsjy/jieba) is slow in Python. Here rjieba cuts by the dictionary, as
`DictionaryPass` makes it cut what jieba would, and `NewWords` guesses words that it lacks; where
rjieba is not to be had, jieba does it all. A test holds every mode to jieba's own words.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path

import numpy as np

from lmstudio.text.dictionary_pass import DictionaryPass, DictionaryPlaces
from lmstudio.text.full_words import full_words
from lmstudio.text.jieba_tokenizer import jieba, tokenizer
from lmstudio.text.joined_text import (
    HAN,
    HAN_CLASS,
    LATIN,
    LATIN_CLASS,
    SPACE,
    JoinedText,
    Span,
    runs,
)
from lmstudio.text.new_words import NewWords
from lmstudio.text.special_words import SpecialWords
from lmstudio.text.userdict import UserWord

_BLOCK = re.compile(f"[{HAN_CLASS}{LATIN_CLASS}]+")  # jieba looks for words inside these
_LATIN_PART = re.compile(rf"[a-zA-Z0-9]+(?:\.\d+)?%?|[^{HAN_CLASS}a-zA-Z0-9]+")
"""A number or Latin word, or other characters: what jieba's model of new words leaves whole."""
_ALNUMS = re.compile("[a-zA-Z0-9]+")
_KEPT = 200_000  # answers kept from one line to the next, some 30 MB


class JiebaWords:
    """jieba with its own dictionary object, in one mode."""

    longest = 10_000  # it takes about a tenth of a second, and a kilobyte a code point

    def __init__(self, mode: str, hmm: bool, words: Iterable[UserWord], cache: Path) -> None:
        """`mode`: accurate, full or search; `cache`: where the parsed dictionary may be kept."""
        words = list(words)
        inside = [word for word in words if _BLOCK.fullmatch(word.word)]
        across = [w.word for w in words if w.frequency != 0 and not _BLOCK.fullmatch(w.word)]
        self.version = f"jieba {jieba().__version__}"
        self._special = SpecialWords(across) if across else None
        self._tokenizer, self._pass = tokenizer(
            inside, cache, DictionaryPlaces if mode == "full" else DictionaryPass
        )
        self._known: dict[str, int] = self._tokenizer.FREQ
        self._hmm, self._new_words = hmm, _new_words()
        self._gone = {word.word for word in inside if word.frequency == 0}
        self._inner: dict[str, list[Span]] = {}
        self._cut = {"accurate": self._accurate, "full": self._full, "search": self._search}[mode]

    def cut(self, text: str) -> list[Span]:
        """(start, end) of each word in jieba's order; in full and search mode they overlap."""
        return self.cut_many([text])[0]

    def cut_many(self, texts: Sequence[str]) -> list[list[Span]]:
        """The same for many texts, ten times faster than one by one."""
        if self._special is None:
            return self._cut(texts)
        places = [list(self._special.find(text)) for text in texts]
        around = [_around(text, found) for text, found in zip(texts, places, strict=True)]
        rests = [t[a:b] for t, gaps in zip(texts, around, strict=True) for a, b in gaps]
        cut = iter(self._cut(rests))
        return [_together(cut, *found) for found in zip(around, places, strict=True)]

    def _accurate(self, texts: Sequence[str]) -> list[list[Span]]:
        joined = JoinedText(texts)
        stops = np.flatnonzero(self._ends(joined)) + 1
        starts = np.concatenate([[0], stops[:-1]]) if len(stops) else stops
        words = joined.kinds[starts] != SPACE
        return joined.spans(starts[words], stops[words])

    def _ends(self, joined: JoinedText) -> np.ndarray:
        """(N,) bool: after which characters a piece ends; all of the text is in pieces."""
        text, kinds = joined.text, joined.kinds
        ends = np.zeros(len(text), bool)
        if self._pass is None:
            sizes = np.fromiter(map(len, self._tokenizer.cut(text, HMM=self._hmm)), np.int64)
            ends[np.cumsum(sizes) - 1] = True
            return ends
        ends[np.cumsum(self._pass.cut(joined)) - 1] = True
        lone = ends & (kinds >= LATIN)
        lone[1:] &= ends[:-1]  # pieces of one character, marks left out
        if self._hmm:
            lone = self._guess(joined, lone, ends)
        for first, last in runs(lone & (kinds == LATIN)):
            for part in (_LATIN_PART if self._hmm else _ALNUMS).finditer(text, first, last):
                ends[part.start() : part.end() - 1] = False
        return ends

    def _guess(self, joined: JoinedText, lone: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """Write into `ends` where words end that no dictionary has; (N,) bool, where was guessed.

        As jieba: a run of single characters is guessed at unless it is a known word itself.
        """
        guessed = np.zeros(len(lone) + 1, np.int8)
        found = [run for run in runs(lone) if run[1] - run[0] > 1]
        unknown = [run for run in found if not self._known.get(joined.text[run[0] : run[1]])]
        firsts, lasts = np.array(unknown, np.int64).reshape(-1, 2).T
        guessed[firsts], guessed[lasts] = 1, -1  # no two runs touch
        inside = np.cumsum(guessed[:-1], dtype=np.int8) > 0
        chinese = inside & (joined.kinds == HAN)
        if parts := runs(chinese):
            lengths = np.array([last - first for first, last in parts])
            ends[chinese] = self._new_words.ends(joined.codes[chinese], lengths)
        for first, last in parts if self._gone else ():
            self._take_apart(joined.text, first, last, ends)
        return inside

    def _take_apart(self, text: str, first: int, last: int, ends: np.ndarray) -> None:
        """Words that the user took out of the dictionary are not made up again."""
        for stop in (np.flatnonzero(ends[first:last]) + first + 1).tolist():
            if text[first:stop] in self._gone:
                ends[first:stop] = True
            first = stop

    def _search(self, texts: Sequence[str]) -> list[list[Span]]:
        """As `Tokenizer.cut_for_search`: before a long word the known pairs and triples in it."""
        return [self._with_inner(t, s) for t, s in zip(texts, self._accurate(texts), strict=True)]

    def _with_inner(self, text: str, words: list[Span]) -> list[Span]:
        spans: list[Span] = []
        for span in words:
            start, end = span
            if end - start > 2 and (inner := self._inside(text[start:end])):
                spans += [(start + i, start + j) for i, j in inner]
            spans.append(span)
        return spans

    def _inside(self, word: str) -> list[Span]:
        found = self._inner.get(word)
        if found is None:
            lengths = range(2, min(4, len(word)))
            places = ((i, i + n) for n in lengths for i in range(len(word) - n + 1))
            found = [(i, j) for i, j in places if self._known.get(word[i:j])]
            if len(self._inner) >= _KEPT:
                self._inner.clear()
            self._inner[word] = found
        return found

    def _full(self, texts: Sequence[str]) -> list[list[Span]]:
        joined = JoinedText(texts)
        if isinstance(self._pass, DictionaryPlaces):
            return full_words(joined, *self._pass.words(joined))
        spans = [
            (block.start() + start, block.start() + last + 1)
            for block in _BLOCK.finditer(joined.text)
            for start, lasts in self._tokenizer.get_DAG(block[0]).items()
            for last in lasts
        ]
        return full_words(joined, *np.array(spans, np.int64).reshape(-1, 2).T)


@lru_cache(maxsize=1)
def _new_words() -> NewWords:
    return NewWords(jieba().finalseg)


def _around(text: str, found: Sequence[Span]) -> list[Span]:
    """(start, end) of what lies before, between and after the spans `found`."""
    starts = [0, *(end for _, end in found)]
    return list(zip(starts, [*(start for start, _ in found), len(text)], strict=True))


def _together(cut: Iterator[list[Span]], gaps: list[Span], found: list[Span]) -> list[Span]:
    """The spans `found` with the next of `cut` in the gaps around them."""
    spans: list[Span] = []
    for (start, _), special in zip_longest(gaps, found):
        spans += [(start + a, start + b) for a, b in next(cut)]
        if special:
            spans.append(special)
    return spans
