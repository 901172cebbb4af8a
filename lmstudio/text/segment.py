"""A line of text into the spans of its tokens: characters, words between white space, or jieba.

Spans count code points and never touch white space at their ends; the tokens joined with the gaps
between them are the line, exactly.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Protocol

from lmstudio.messages import msg
from lmstudio.options import option
from lmstudio.text.marks import unmarked
from lmstudio.text.userdict import read_dictionary

Span = tuple[int, int]

_SPACE = re.compile(r"\s")
_WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class SegmentOptions:
    """How a corpus becomes tokens, and which of them the vocabulary keeps."""

    by: str = option(
        "characters", msg("Segmenter"), msg("What a token is"),
        choices=("characters", "jieba", "whitespace"),
    )  # fmt: skip
    mode: str = option(
        "accurate", msg("jieba mode"),
        msg("accurate covers the text once; full and search let words overlap"),
        choices=("accurate", "full", "search"),
    )  # fmt: skip
    hmm: bool = option(
        True, msg("New words"), msg("Let jieba guess words that its dictionary lacks (HMM)")
    )
    sentences: str = option(
        "auto", msg("Sentences"),
        msg("Where a sentence ends: at the end of a line, or at 。！？ too; auto asks the corpus"),
        choices=("auto", "line", "punctuation"),
    )  # fmt: skip
    min_count: int = option(
        1, msg("Minimum count"), msg("Rarer types of the train part become unknown"),
        low=1, high=1_000_000,
    )  # fmt: skip
    max_size: int = option(
        0, msg("Most types"), msg("Only so many types are kept, frequent ones first; 0: all"),
        low=0, high=100_000_000, more=True,
    )  # fmt: skip

    @property
    def overlapping(self) -> bool:
        """Whether tokens cover the text more than once."""
        return self.by == "jieba" and self.mode != "accurate"


class Segmenter(Protocol):
    """Cuts text; the same text gives the same spans, whatever was cut before."""

    version: str  # of the program and the data behind it
    longest: int  # code points it should be given at once; 0: any number

    def cut(self, text: str) -> list[Span]:
        """(start, end) of each token, in code points."""
        ...


class Characters:
    """Every code point that is not white space is a token."""

    version, longest = "1", 0

    def cut(self, text: str) -> list[Span]:
        """One span a code point."""
        spans = list(pairwise(range(len(text) + 1)))
        if not _SPACE.search(text):
            return spans
        return [span for span, character in zip(spans, text, strict=True) if character.strip()]


class Whitespace:
    """What stands between white space is a token."""

    version, longest = "1", 0

    def cut(self, text: str) -> list[Span]:
        """One span a run without white space."""
        return [match.span() for match in _WORD.finditer(text)]


def segmenter(options: SegmentOptions, dictionary: Path | None = None, *, cache: Path) -> Segmenter:
    """The segmenter that `options` ask for.

    `dictionary` is a user dictionary for jieba (see `text.userdict`); `cache` a folder in which
    jieba's own dictionary is kept ready. Raises AppError if the dictionary cannot be read.
    """
    if options.by == "characters":
        return Characters()
    if options.by == "whitespace":
        return Whitespace()
    return _jieba(options.mode, options.hmm, dictionary, _state(dictionary), cache)


def _state(dictionary: Path | None) -> tuple[int, int]:
    """Tells versions of a file apart."""
    if dictionary is None or not dictionary.exists():
        return 0, 0
    found = dictionary.stat()
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=8)
def _jieba(
    mode: str, hmm: bool, dictionary: Path | None, state: tuple[int, int], cache: Path
) -> Segmenter:
    """Kept from one question of a panel to the next, until the dictionary's `state` changes."""
    from lmstudio.text.jieba_words import JiebaWords

    words = read_dictionary(dictionary).words if dictionary else ()
    return JiebaWords(mode, hmm, words, cache)


def cut_sentence(
    cutter: Segmenter, text: str, check: Callable[[], None] = lambda: None
) -> list[Span]:
    """The tokens of a sentence; `<s>` and `</s>` written in it are none, `<unk>` is one.

    `check` is called often enough for a job to be stopped within a sentence of any length.
    """
    if "<" not in text and not 0 < cutter.longest < len(text):
        return cutter.cut(text)
    spans: list[Span] = []
    for start, end, unknown in unmarked(text):
        if unknown:
            spans.append((start, end))
            continue
        for first, last in _pieces(text, start, end, cutter.longest):
            check()
            spans += [(first + a, first + b) for a, b in cutter.cut(text[first:last])]
    return spans


def _pieces(text: str, start: int, end: int, longest: int) -> Iterator[Span]:
    """Stretches of at most `longest`, each up to a mark or white space if there is one."""
    while 0 < longest < end - start:
        border = start + longest
        while border > start and not _ends_block(text[border - 1]):
            border -= 1
        border = border if border > start else start + longest
        yield start, border
        start = border
    yield start, end


def _ends_block(character: str) -> bool:
    return not (character.isalnum() or character in "+#&._%-")
