"""Lines of text whose words are given to MarkedLines: words with spaces, word/tag, CoNLL-U.

The words of a line are joined again: no white space stands between Chinese words, one space between
Latin ones. CoNLL-U says itself where spaces are: https://universaldependencies.org/format.html.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from lmstudio.errors import AppError
from lmstudio.text.document import MarkedLine
from lmstudio.text.lines import Line, is_blank
from lmstudio.text.wrapping import is_latin

_WORD = re.compile(r"\S+")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]")
_TAGGED = re.compile(r"(?P<open>\[*)(?P<word>.+)/(?P<tag>[^/\s\]]*)(?:\][^/\s\]]*)*")
"""Brackets as in the People's Daily corpus, [中国/ns 银行/n]nt, are no part of words or tags."""
_TAG = re.compile(r"[A-Za-z]+\d?")
_NUMBER = re.compile(r"\d+(?:[-.]\d+)?")  # of a word: 7, a range 7-8, an empty node 7.1
_COLUMNS = 10  # of CoNLL-U
_NEARLY_ALL = 0.9
_LONGEST_MEAN = 3.0  # characters a word; Chinese words have 1.5 to 2, phrases more than 4


def marked_format(lines: Sequence[str]) -> str:
    """What a sample of lines is, one of document.FORMATS: "text" if words are not given."""
    full = [line for line in lines if not is_blank(line)]
    if not full:
        return "text"
    rows = [line for line in full if not line.startswith("#")]
    if rows and sum(map(_is_conllu_row, rows)) >= _NEARLY_ALL * len(rows):
        return "conllu"
    words = [word for line in full for word in line.split()]
    if len(words) >= 2 * len(full) and sum(map(_has_tag, words)) >= _NEARLY_ALL * len(words):
        return "tagged"
    return "words" if _is_cut(full, words) else "text"


def _is_conllu_row(line: str) -> bool:
    cells = line.split("\t")
    return len(cells) == _COLUMNS and _NUMBER.fullmatch(cells[0]) is not None


def _has_tag(word: str) -> bool:
    found = _TAGGED.fullmatch(word)
    return found is not None and _TAG.fullmatch(found["tag"]) is not None


def _is_cut(lines: list[str], words: list[str]) -> bool:
    """Chinese in short pieces with spaces between them, and no table."""
    size = sum(map(len, words))
    han = sum(len(_HAN.findall(word)) for word in words)
    spaced = sum(" " in line.strip() and "\t" not in line for line in lines)
    short = size <= _LONGEST_MEAN * len(words)
    return short and han >= 0.5 * size and spaced >= 0.8 * len(lines)


@dataclass
class _Joined:
    """Words being joined to a line."""

    parts: list[str] = field(default_factory=list)
    size: int = 0  # code points in parts
    shifts: list[tuple[int, int]] = field(default_factory=list)
    words: list[tuple[int, int]] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)

    def add(self, word: str, position: int, tag: str, *, spaced: bool | None = None) -> None:
        """Add a word that stands at `position`; `spaced` None: a space between Latin words."""
        if spaced is None:
            spaced = bool(self.parts) and is_latin(self.parts[-1][-1]) and is_latin(word[0])
        if spaced and self.parts:
            self.parts.append(" ")  # stands for what came after the last word: right position
            self.size += 1
        if not self.shifts or self.shifts[-1][1] != position - self.size:
            self.shifts.append((self.size, position - self.size))
        self.words.append((self.size, self.size + len(word)))
        self.parts.append(word)
        self.size += len(word)
        self.tags.append(tag)

    def line(self) -> MarkedLine:
        tags = tuple(self.tags) if any(self.tags) else ()
        text = "".join(self.parts)
        return MarkedLine(text, tuple(self.shifts), tuple(self.words), tags)


def word_lines(lines: Iterable[Line]) -> Iterator[MarkedLine]:
    """Lines of words with white space between them; blank lines are left out."""
    for start, text in lines:
        joined = _Joined()
        for found in _WORD.finditer(text):
            joined.add(found[0], start + found.start(), "")
        if joined.words:
            yield joined.line()


def tagged_lines(lines: Iterable[Line]) -> Iterator[MarkedLine]:
    """Lines of word/tag; the last slash counts, and a word without one has an empty tag."""
    for start, text in lines:
        joined = _Joined()
        for found in _WORD.finditer(text):
            parts = _TAGGED.fullmatch(found[0])
            if parts:
                position = start + found.start() + parts.start("word")
                joined.add(parts["word"], position, parts["tag"])
            else:
                joined.add(found[0], start + found.start(), "")
        if joined.words:
            yield joined.line()


def conllu_documents(lines: Iterable[Line]) -> Iterator[tuple[str, Iterator[MarkedLine]]]:
    """The documents of a CoNLL-U file: the id of each newdoc, empty without one, and its lines.

    The lines are to be taken before the next document is asked for. They raise AppError at a line
    that is no CoNLL-U.
    """
    for (_, name), blocks in groupby(_blocks(lines), key=lambda block: block[0]):
        yield name, (_sentence(block) for _, block in blocks)


def _blocks(lines: Iterable[Line]) -> Iterator[tuple[tuple[int, str], list[Line]]]:
    """The rows of each sentence, with number and name of the document it stands in."""
    number, name, block = 0, "", list[Line]()
    for start, text in lines:
        if text.startswith("# newdoc"):
            number, name = number + 1, text.partition("=")[2].strip()
        if not is_blank(text):
            block.append((start, text))
            continue
        if _has_rows(block):
            yield (number, name), block
        block = []
    if _has_rows(block):
        yield (number, name), block


def _has_rows(block: list[Line]) -> bool:
    return any(not text.startswith("#") for _, text in block)


def _sentence(block: list[Line]) -> MarkedLine:
    rows = list(_rows(block))
    for start, text in block:
        if text.startswith("# text ="):
            said = text.partition("=")[2].strip()
            words = _found_in(said, [word for _, word, _, _ in rows])
            if words:
                shift = start + text.index(said, len("# text ="))
                tags = tuple(tag for _, _, tag, _ in rows)
                return MarkedLine(said, ((0, shift),), words, tags if any(tags) else ())
    joined = _Joined()
    told = any(no_space for *_, no_space in rows)
    before = True
    for position, word, tag, no_space in rows:
        joined.add(word, position, tag, spaced=not before if told else None)
        before = no_space
    return joined.line()


def _rows(block: list[Line]) -> Iterator[tuple[int, str, str, bool]]:
    """Position, form, tag and "no space after" of each word; words within a range are left out.

    A range (French "du", written as one, read as two) is one word with the tags of both.
    """
    last, tags, held = 0, list[str](), None
    for start, text in block:
        if text.startswith("#"):
            continue
        cells = text.split("\t")
        if len(cells) != _COLUMNS or not _NUMBER.fullmatch(cells[0]) or not cells[1].strip():
            raise AppError("This is no line of CoNLL-U: {line}", line=text[:60])
        number, _, end = cells[0].partition("-")
        tag = next((cell for cell in cells[3:5] if cell != "_"), "")
        no_space = "SpaceAfter=No" in cells[9].split("|")
        position = start + len(cells[0]) + 1
        if "." in number:
            continue
        if held and int(number) <= last:
            tags.append(tag)
            continue
        if held:
            yield held[0], held[1], "+".join(tags), held[2]
            held = None
        if end:
            held, last, tags = (position, cells[1], no_space), int(end), []
        else:
            yield position, cells[1], tag, no_space
    if held:
        yield held[0], held[1], "+".join(tags), held[2]


def _found_in(text: str, words: list[str]) -> tuple[tuple[int, int], ...]:
    """Where the words stand one after the other with nothing but white space between, or ()."""
    spans, at = [], 0
    for word in words:
        start = text.find(word, at)
        if start < 0 or text[at:start].strip():
            return ()
        at = start + len(word)
        spans.append((start, at))
    return () if text[at:].strip() else tuple(spans)
