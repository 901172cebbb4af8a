"""A line into jieba's words, with spans, user words of any shape, and no state outside the object.

jieba (https://github.com/fxsjy/jieba) is slow in Python. Here rjieba cuts by the dictionary, as
`DictionaryPass` makes it cut what jieba would, and `NewWords` guesses words that it lacks; where
rjieba is not to be had, jieba does it all. A test holds every mode to jieba's own words.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path

import numpy as np

from lmstudio.text.dictionary_pass import HAN, LATIN
from lmstudio.text.full_words import full_words
from lmstudio.text.jieba_tokenizer import jieba, tokenizer
from lmstudio.text.new_words import NewWords
from lmstudio.text.special_words import SpecialWords
from lmstudio.text.userdict import UserWord

Span = tuple[int, int]

_BLOCK = re.compile(f"[{HAN}{LATIN}]+")  # jieba looks for words inside these
_BETWEEN = "，"  # two texts: any mark would do
_LATIN_PART = re.compile(r"[a-zA-Z0-9]+(?:\.\d+)?%?|[^\u4e00-\u9fd5a-zA-Z0-9]+")
"""A number or Latin word, or other characters: what jieba's model of new words leaves whole."""
_ALNUMS = re.compile("[a-zA-Z0-9]+")
_VISIBLE = re.compile(r"\S+")
_SPACES = [code for code in range(0x3001) if chr(code).isspace()]
_KEPT = 200_000  # answers kept from one line to the next, some 30 MB


def _kinds() -> np.ndarray:
    """(0x110000,) by code point: 0 mark, 1 white space, 2 Latin, 3 Chinese, as jieba has it."""
    kinds = np.zeros(0x110000, np.uint8)
    kinds[_SPACES] = _SPACE
    kinds[[code for code in range(128) if _BLOCK.match(chr(code))]] = _LATIN
    kinds[0x4E00:0x9FD6] = _HAN
    return kinds


_SPACE, _LATIN, _HAN = 1, 2, 3
_KINDS = _kinds()


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
        self._tokenizer, self._pass = tokenizer(inside, cache)
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
        joined = _BETWEEN.join(texts)
        codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32)
        kinds = _KINDS[codes]
        ends = self._ends(joined, codes, kinds)
        stops = np.flatnonzero(ends) + 1
        starts = np.concatenate([[0], stops[:-1]]) if len(stops) else stops
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        firsts = np.cumsum(lengths + 1) - lengths - 1
        words = kinds[starts] != _SPACE
        words[np.searchsorted(starts, firsts[1:] - 1)] = False  # what stands between two texts
        starts, stops = starts[words], stops[words]
        bounds = np.searchsorted(starts, firsts).tolist()
        shift = np.repeat(firsts, np.diff(bounds, append=len(starts)))
        spans = list(zip((starts - shift).tolist(), (stops - shift).tolist(), strict=True))
        return [spans[a:b] for a, b in zip(bounds, [*bounds[1:], len(spans)], strict=True)]

    def _ends(self, text: str, codes: np.ndarray, kinds: np.ndarray) -> np.ndarray:
        """(N,) bool: after which characters of `text` a piece ends; all of it is in pieces."""
        ends = np.zeros(len(text), bool)
        if self._pass is None:
            sizes = np.fromiter(map(len, self._tokenizer.cut(text, HMM=self._hmm)), np.int64)
            ends[np.cumsum(sizes) - 1] = True
            return ends
        ends[np.cumsum(self._pass.cut(text), dtype=np.int64) - 1] = True
        lone = ends & (kinds >= _LATIN)
        lone[1:] &= ends[:-1]  # pieces of one character, marks left out
        if self._hmm:
            lone = self._guess(text, codes, kinds, lone, ends)
        for first, last in _runs(lone & (kinds == _LATIN)):
            for part in (_LATIN_PART if self._hmm else _ALNUMS).finditer(text, first, last):
                ends[part.start() : part.end() - 1] = False
        return ends

    def _guess(
        self, text: str, codes: np.ndarray, kinds: np.ndarray, lone: np.ndarray, ends: np.ndarray
    ) -> np.ndarray:
        """Write into `ends` where words end that no dictionary has; (N,) bool, where was guessed.

        As jieba: a run of single characters is guessed at unless it is a known word itself.
        """
        runs = [run for run in _runs(lone) if run[1] - run[0] > 1]
        unknown = np.array([run for run in runs if not self._known.get(text[run[0] : run[1]])])
        borders = np.zeros(len(text) + 1, np.int8)
        if len(unknown):
            borders[unknown[:, 0]] = 1
            borders[unknown[:, 1]] = -1
        guessed = np.cumsum(borders[:-1], dtype=np.int8) > 0
        chinese = guessed & (kinds == _HAN)
        parts = _runs(chinese)
        if parts:
            lengths = np.array([last - first for first, last in parts])
            ends[chinese] = self._new_words.ends(codes[chinese], lengths)
        for first, last in parts if self._gone else ():
            self._take_apart(text, first, last, ends)
        return guessed

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
        spans = []
        for start, end in words:
            if end - start > 2:
                spans += [(start + i, start + j) for i, j in self._inside(text[start:end])]
            spans.append((start, end))
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
        """As `Tokenizer.cut(cut_all=True)`; marks between words stay together."""
        return [self._all_words(text) for text in texts]

    def _all_words(self, text: str) -> list[Span]:
        words = self._words_at(text)
        spans: list[Span] = []
        position = 0
        for block in _BLOCK.finditer(text):
            spans += _marks(text, position, block.start())
            spans += full_words(text, *block.span(), words)
            position = block.end()
        return spans + _marks(text, position, len(text))

    def _words_at(self, text: str) -> dict[int, list[int]]:
        """Where the dictionary words end that begin at each place of `text`."""
        ends: dict[int, list[int]] = defaultdict(list)
        if self._pass is not None:
            for start, end in self._pass.words(text):
                ends[start].append(end)
            return ends
        for block in _BLOCK.finditer(text):
            for start, last in self._tokenizer.get_DAG(block[0]).items():
                ends[block.start() + start] = [block.start() + i + 1 for i in last]
        return ends


@lru_cache(maxsize=1)
def _new_words() -> NewWords:
    return NewWords(jieba().finalseg)


def _runs(marked: np.ndarray) -> list[Span]:
    """(first, end) of each stretch of True."""
    borders = np.flatnonzero(np.diff(marked, prepend=False, append=False)).tolist()
    return list(zip(borders[::2], borders[1::2], strict=True))


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


def _marks(text: str, start: int, end: int) -> list[Span]:
    return [match.span() for match in _VISIBLE.finditer(text, start, end)]
