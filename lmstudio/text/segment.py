"""A line of text into the spans of its tokens: characters, words, or pieces of words.

Spans count code points; the tokens joined with the gaps between them are the line, exactly. They
never touch white space at their ends, save where a segmenter keeps it (byte pairs).
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Protocol, runtime_checkable

from lmstudio.text.marks import unmarked
from lmstudio.text.segment_options import SUBWORD, SegmentOptions
from lmstudio.text.userdict import read_dictionary

Span = tuple[int, int]
Tokens = tuple[list[Span], list[str]]

_AT_ONCE = 10_000  # code points between two checks for a stop
_SPACE = re.compile(r"\s")
_WORD = re.compile(r"\S+")

__all__ = [
    "Characters", "PieceSegmenter", "SegmentOptions", "Segmenter", "Span", "Whitespace",
    "Tokens", "cut_all", "cut_sentence", "segmenter", "stretches",
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
    def keeps_spaces(self) -> bool:
        """Whether white space is part of pieces."""
        ...

    @property
    def axis(self) -> str:
        """What keeps its figures from the shared axis, a key of AXES; "" nothing."""
        ...

    def pieces(self, text: str) -> Tokens:
        """Spans, and for each its type; that of an unknown piece is `marks.unknown_type`."""
        ...


def _each(length: int) -> Iterator[Span]:
    return pairwise(range(length + 1))


_EACH = list(_each(_AT_ONCE))  # for texts of common length


class Characters:
    """Every code point that is not white space is a token."""

    version, longest = "1", 0

    def cut(self, text: str) -> list[Span]:
        """One span a code point."""
        return self.pieces(text)[0]

    def pieces(self, text: str) -> Tokens:
        """The same with the characters, which are quicker had at once."""
        spans = _EACH[: len(text)] if len(text) <= len(_EACH) else list(_each(len(text)))
        if not _SPACE.search(text):
            return spans, list(text)
        kept = [(span, c) for span, c in zip(spans, text, strict=True) if not c.isspace()]
        return [span for span, _ in kept], [character for _, character in kept]


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
    """The spans of the tokens of one sentence; see `cut_all`."""
    return cut_all(cutter, [text], check, special)[0][0]


def cut_all(
    cutter: Segmenter,
    texts: Sequence[str],
    check: Callable[[], None] = lambda: None,
    special: tuple[str, ...] = (),
) -> list[Tokens]:
    """The tokens of each sentence: where they stand, and their types in the vocabulary.

    `<s>` and `</s>` written in a text are none; `<unk>` and what is `special` are one each.
    `check` is called often enough for a job to be stopped within a sentence of any length.
    """
    marked = [_places(cutter, text, special) for text in texts]
    plain = [
        text[start:end]
        for text, places in zip(texts, marked, strict=True)
        for start, end, whole in places
        if not whole
    ]
    cut = _cut_plain(cutter, plain, check)
    return [_together(text, places, cut) for text, places in zip(texts, marked, strict=True)]


def _places(
    cutter: Segmenter, text: str, special: tuple[str, ...]
) -> list[tuple[int, int, bool]]:  # fmt: skip
    """(start, end, is whole) of the marks, and of the stretches between them."""
    if "<" not in text and not special and not 0 < cutter.longest < len(text):
        return [(0, len(text), False)]
    found = []
    for start, end, whole in unmarked(text, special):
        spans = [(start, end)] if whole else stretches(text, start, end, cutter.longest)
        found += [(first, last, whole) for first, last in spans]
    return found


def _together(text: str, places: list[tuple[int, int, bool]], cut: Iterator[Tokens]) -> Tokens:
    """The next of `cut` for every stretch, moved to where it stands, and the marks."""
    if places == [(0, len(text), False)]:
        return next(cut)
    spans: list[Span] = []
    types: list[str] = []
    for start, end, whole in places:
        found, named = ([(0, end - start)], [text[start:end]]) if whole else next(cut)
        spans += [(start + a, start + b) for a, b in found]
        types += named
    return spans, types


def _cut_plain(
    cutter: Segmenter, texts: Sequence[str], check: Callable[[], None]
) -> Iterator[Tokens]:  # fmt: skip
    """The tokens of texts without marks, some texts at a time."""
    pieces = getattr(cutter, "pieces", None)  # isinstance of a protocol is slow
    many = getattr(cutter, "cut_many", None)
    for some in _groups(texts):
        check()
        if pieces:
            yield from map(pieces, some)
            continue
        cut = many(some) if many else map(cutter.cut, some)
        for text, spans in zip(some, cut, strict=True):
            yield spans, [text[start:end] for start, end in spans]


def _groups(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Texts in order, so many at a time that they are cut in some tenths of a second."""
    first = size = 0
    for number, text in enumerate(texts):
        size += len(text)
        if size >= _AT_ONCE:
            yield texts[first : number + 1]
            first, size = number + 1, 0
    yield texts[first:]


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
