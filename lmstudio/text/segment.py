"""A line of text into the spans of its tokens: characters, words, or pieces of words.

Spans count code points; the tokens joined with the gaps between them are the line, exactly. They
never touch white space at their ends, save where a segmenter keeps it (byte pairs).
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Protocol, runtime_checkable

from lmstudio.text.marks import unmarked
from lmstudio.text.segment_options import SUBWORD, SegmentOptions
from lmstudio.text.userdict import read_dictionary

Span = tuple[int, int]

_SPACE = re.compile(r"\s")
_WORD = re.compile(r"\S+")

__all__ = [
    "Characters", "PieceSegmenter", "SegmentOptions", "Segmenter", "Span", "Whitespace",
    "cut_pieces", "cut_sentence", "segmenter",
]  # fmt: skip


class Segmenter(Protocol):
    """Cuts text; the same text gives the same spans, whatever was cut before."""

    version: str  # of the program and the data behind it
    longest: int  # code points it should be given at once; 0: any number

    def cut(self, text: str) -> list[Span]:
        """(start, end) of each token, in code points."""
        ...


@runtime_checkable
class PieceSegmenter(Segmenter, Protocol):
    """One whose types are not the text that they stand for: `##ing`, bytes, lower case."""

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """Every piece it can give, in the order of its file, the unknown one left out."""
        ...

    @property
    def axis(self) -> str:
        """What keeps its figures from the shared axis, a key of AXES; "" nothing."""
        ...

    def pieces(self, text: str) -> tuple[list[Span], list[str]]:
        """Spans, and for each its type; that of an unknown piece is `marks.unknown_type`."""
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


def segmenter(
    options: SegmentOptions,
    dictionary: Path | None = None,
    *,
    cache: Path,
    tokenizer: Path | None = None,
) -> Segmenter:
    """The segmenter that `options` ask for.

    `dictionary` is a user dictionary for jieba (see `text.userdict`); `cache` a folder in which
    jieba's own dictionary is kept ready; `tokenizer` the vocab.txt or tokenizer.json that pieces
    of words are cut with. Given words stand beside a text, not in it: what has none is cut at
    white space. Raises AppError if a file cannot be read.
    """
    if options.by == "characters":
        return Characters()
    if options.by in SUBWORD:
        if tokenizer is None:
            raise ValueError("a subword segmenter needs the file of its pieces")
        return _subwords(tokenizer, options, _state(tokenizer))
    if options.by == "jieba":
        return _jieba(options.mode, options.hmm, dictionary, _state(dictionary), cache)
    return Whitespace()


def _state(path: Path | None) -> tuple[int, int]:
    """Tells versions of a file apart."""
    if path is None or not path.exists():
        return 0, 0
    found = path.stat()
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=8)
def _jieba(
    mode: str, hmm: bool, dictionary: Path | None, state: tuple[int, int], cache: Path
) -> Segmenter:
    """Kept from one question of a panel to the next, until the dictionary's `state` changes."""
    from lmstudio.text.jieba_words import JiebaWords

    words = read_dictionary(dictionary).words if dictionary else ()
    return JiebaWords(mode, hmm, words, cache)


@lru_cache(maxsize=8)
def _subwords(tokenizer: Path, options: SegmentOptions, state: tuple[int, int]) -> Segmenter:
    """Kept like jieba."""
    from lmstudio.text.subword import Subwords

    return Subwords(tokenizer, options)


def cut_sentence(
    cutter: Segmenter,
    text: str,
    check: Callable[[], None] = lambda: None,
    special: tuple[str, ...] = (),
) -> list[Span]:
    """The spans of `cut_pieces`."""
    return cut_pieces(cutter, text, check, special)[0]


def cut_pieces(
    cutter: Segmenter,
    text: str,
    check: Callable[[], None] = lambda: None,
    special: tuple[str, ...] = (),
) -> tuple[list[Span], list[str]]:
    """The tokens of a sentence: where each stands, and its type in the vocabulary.

    `<s>` and `</s>` written in the text are none; `<unk>` and what is `special` are one each.
    `check` is called often enough for a job to be stopped within a sentence of any length.
    """
    if "<" not in text and not special and not 0 < cutter.longest < len(text):
        return _cut(cutter, text)
    spans: list[Span] = []
    types: list[str] = []
    for start, end, whole in unmarked(text, special):
        if whole:
            spans.append((start, end))
            types.append(text[start:end])
            continue
        for first, last in stretches(text, start, end, cutter.longest):
            check()
            found, named = _cut(cutter, text[first:last])
            spans += [(first + a, first + b) for a, b in found]
            types += named
    return spans, types


def _cut(cutter: Segmenter, text: str) -> tuple[list[Span], list[str]]:
    if pieces := getattr(cutter, "pieces", None):  # isinstance of a protocol is slow
        found: tuple[list[Span], list[str]] = pieces(text)
        return found
    spans = cutter.cut(text)
    return spans, [text[start:end] for start, end in spans]


def stretches(text: str, start: int, end: int, longest: int) -> Iterator[Span]:
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
