"""A line into jieba's words, with spans, user words of any shape, and no state outside the object.

jieba (https://github.com/fxsjy/jieba) is slow in Python, and its port rjieba splits mixed scripts
otherwise and rounds when it guesses new words. With the dictionary alone both cut plain Chinese
the same, so rjieba does that, `NewWords` guesses, and jieba cuts the rest; a test compares.
"""

import logging
import re
import warnings
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

from lmstudio.text.new_words import NewWords
from lmstudio.text.special_words import SpecialWords
from lmstudio.text.userdict import UserWord

Span = tuple[int, int]

_HAN = "\u4e00-\u9fd5"  # what jieba takes for a Chinese character
_SAFE = (  # single tokens for jieba and rjieba alike, and never inside a word of either
    r"\s!\"$'()*,/:;<=>?@\[\\\]^`{|}~·×\u2010-\u2027\u2030-\u205e"
    r"\u3001-\u3004\u3008-\u3020\u3030\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
)
_NOT_PLAIN = re.compile(f"[^{_HAN}{_SAFE}]")
_RUN = re.compile(f"[^{_SAFE}]+|[{_SAFE}]+")
_IN_BLOCK = re.compile(rf"[{_HAN}a-zA-Z0-9+#&._%-]+")  # jieba looks for words inside these
_LATIN = re.compile("[a-zA-Z0-9]")
_VISIBLE = re.compile(r"\S+")


class JiebaWords:
    """jieba with its own dictionary object, in one mode."""

    longest = 10_000  # it takes about a tenth of a second, and a kilobyte a code point

    def __init__(self, mode: str, hmm: bool, words: Iterable[UserWord], cache: Path) -> None:
        """`mode`: accurate, full or search; `cache`: where the parsed dictionary may be kept."""
        words = list(words)
        inside = [word for word in words if _IN_BLOCK.fullmatch(word.word)]
        across = [w.word for w in words if w.frequency != 0 and not _IN_BLOCK.fullmatch(w.word)]
        self.version = f"jieba {_jieba().__version__}"
        self._special = SpecialWords(across) if across else None
        self._tokenizer = _tokenizer(inside, cache)
        self._rust: Any = None if inside or mode == "full" else _rust()
        self._hmm = hmm
        self._cut = {"accurate": self._accurate, "full": self._full, "search": self._search}[mode]

    def cut(self, text: str) -> list[Span]:
        """(start, end) of each word in jieba's order; in full and search mode they overlap."""
        if self._special is None:
            return self._cut(text)
        spans, position = [], 0
        for start, end in self._special.find(text):
            spans += _moved(self._cut(text[position:start]), position)
            spans.append((start, end))
            position = end
        return spans + _moved(self._cut(text[position:]), position)

    def _accurate(self, text: str) -> list[Span]:
        spans, start = [], 0
        for word in self._words(text):
            end = start + len(word)
            if not word.isspace():
                spans.append((start, end))
            start = end
        return spans

    def _words(self, text: str) -> Iterable[str]:
        """All of `text`, white space too, in jieba's pieces."""
        if self._rust is None:
            return self._tokenizer.cut(text, HMM=self._hmm)
        if not _NOT_PLAIN.search(text):
            return self._plain(text)
        words: list[str] = []
        for run in _RUN.findall(text):
            if _NOT_PLAIN.search(run):
                words += self._tokenizer.cut(run, HMM=self._hmm)
            else:
                words += self._plain(run)
        return words

    def _plain(self, text: str) -> list[str]:
        """As jieba: by the dictionary, then runs of single characters may be new words."""
        found: list[str] = self._rust.cut(text, False)
        if not self._hmm:
            return found
        words: list[str] = []
        run = ""
        for word in found:
            if len(word) == 1 and "\u4e00" <= word <= "\u9fd5":
                run += word
                continue
            if run:
                words += self._run(run)
                run = ""
            words.append(word)
        words += self._run(run)
        return words

    def _run(self, run: str) -> Iterable[str]:
        if len(run) < 2 or self._tokenizer.FREQ.get(run):
            return run
        return _new_words().cut(run)

    def _search(self, text: str) -> list[Span]:
        """As `Tokenizer.cut_for_search`: before a long word the known pairs and triples in it."""
        known = self._tokenizer.FREQ
        spans = []
        for start, end in self._accurate(text):
            for length in (2, 3):
                if end - start > length:
                    inner = ((i, i + length) for i in range(start, end - length + 1))
                    spans += [(i, j) for i, j in inner if known.get(text[i:j])]
            spans.append((start, end))
        return spans

    def _full(self, text: str) -> list[Span]:
        """As `Tokenizer.cut(cut_all=True)`; marks between words stay together."""
        spans, position = [], 0
        for block in _IN_BLOCK.finditer(text):
            spans += _marks(text, position, block.start())
            spans += _moved(self._full_block(block[0]), block.start())
            position = block.end()
        return spans + _marks(text, position, len(text))

    def _full_block(self, block: str) -> Iterator[Span]:
        """Every dictionary word in `block`; a character in none stands alone, Latin ones join.

        A Latin run ends where a dictionary word begins; jieba would join the run across the word.
        """
        covered, latin = 0, -1  # end of the last word, start of a Latin run that is still open
        for start, ends in self._tokenizer.get_DAG(block).items():
            single = len(ends) == 1
            if latin >= 0 and (not single or not _LATIN.match(block, start)):
                yield latin, covered
                latin = -1
            if not single:
                yield from ((start, end + 1) for end in ends if end > start)
                covered = ends[-1] + 1
            elif start >= covered:
                covered = ends[0] + 1
                if not _LATIN.match(block, start):
                    yield start, covered
                elif latin < 0:
                    latin = start
        if latin >= 0:
            yield latin, covered


def _marks(text: str, start: int, end: int) -> list[Span]:
    return [match.span() for match in _VISIBLE.finditer(text, start, end)]


def _moved(spans: Iterable[Span], by: int) -> list[Span]:
    return [(start + by, end + by) for start, end in spans]


def _tokenizer(words: list[UserWord], cache: Path) -> Any:
    """A jieba.Tokenizer that knows `words`; without words its table is shared and never changed."""
    tokenizer = _jieba().Tokenizer()
    tokenizer.FREQ, tokenizer.total = _base(cache)
    tokenizer.initialized = True
    if words:
        tokenizer.FREQ = dict(tokenizer.FREQ)
    for word in words:
        _add(tokenizer, word)
    return tokenizer


def _add(tokenizer: Any, word: UserWord) -> None:
    """`Tokenizer.add_word` without its entry in a table that all tokenizers share."""
    frequency = word.frequency
    if frequency is None:
        frequency = tokenizer.suggest_freq(word.word)
    tokenizer.FREQ[word.word] = frequency
    tokenizer.total += frequency
    for end in range(1, len(word.word)):
        tokenizer.FREQ.setdefault(word.word[:end], 0)


@lru_cache(maxsize=1)
def _base(cache: Path) -> tuple[dict[str, int], int]:
    """jieba's own dictionary: frequencies by word and by prefix of a word (0), and their sum.

    Kept in `cache` where that can be written, for jieba's own place is shared by all accounts.
    """
    tokenizer = _jieba().Tokenizer()
    tokenizer.tmp_dir = str(cache)
    try:
        cache.mkdir(parents=True, exist_ok=True)
    except OSError:
        logging.getLogger(__name__).info("no cache for jieba in %s", cache)
    tokenizer.initialize()
    return tokenizer.FREQ, tokenizer.total


@lru_cache(maxsize=1)
def _rust() -> Any:
    """rjieba's cutter, None where it does not run: then all is jieba's, and slower."""
    try:
        import rjieba
    except ImportError:
        return None
    return rjieba.Jieba()


@lru_cache(maxsize=1)
def _new_words() -> NewWords:
    return NewWords(_jieba().finalseg)


@lru_cache(maxsize=1)
def _jieba() -> ModuleType:
    """jieba, quiet: it warns when it is imported, and logs to the terminal."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import jieba
    logger = logging.getLogger("jieba")
    logger.setLevel(logging.CRITICAL)
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
    return jieba
