"""Lines to paragraphs: what a line is in a file, and the joining of hard-wrapped lines.

Three rules: "sentence" (each line is one sentence), "paragraph" (a line holds sentences), "wrapped"
(a line ends where the page did). White space at a joint is left out, and recorded.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from lmstudio.text.lines import LONGEST, Line, is_blank
from lmstudio.text.sentences import sentence_spans

RULES = ("sentence", "paragraph", "wrapped")

Shift = tuple[int, int]
"""From this character of the piece on, original position - position in the piece."""

Piece = tuple[str, list[Shift]]
"""A line of the corpus, and where its characters were in the document."""

_ENDED = re.compile(r"[。！？!?…｡.][”’」』）》】〉〕)\]\"'\s]*\Z")
_CLOSED = re.compile(r"[。！？!?…｡.：:”’」』）》】〉〕)\]\"']\s*\Z")  # a last line
_INDENT = re.compile(r"\u3000|[ \t]{2}|\t")
_HEADING = re.compile(
    r"\s*第[0-9０-９零〇一二三四五六七八九十百千两兩]+[回章节節卷部篇集折](?=[\s：:]|\Z)"
)
_NARROWEST, _WIDEST = 30, 240  # columns of a page
_FULL = 0.85  # of the page's width: a line that is not shorter was ended by the page


@dataclass(frozen=True)
class Layout:
    """How the lines of a file were judged."""

    rule: str  # one of RULES
    unended: float  # share of the lines (blank ones left out) that end inside a sentence
    width: int = 0  # columns of a full line
    indented: bool = False  # paragraphs begin with an indented line


def layout(lines: Sequence[str], rule: str = "auto") -> Layout:
    """Judge a sample of lines, or fill in what a chosen `rule` needs to know of them."""
    full = [line.rstrip() for line in lines if not is_blank(line)]
    if not full:
        return Layout("sentence" if rule == "auto" else rule, 0.0)
    widths = sorted(_columns(line) for line in full)
    width = widths[(len(widths) - 1) * 95 // 100]
    unended = sum(not _ENDED.search(line) for line in full) / len(full)
    if rule == "auto":
        rule = _proposed(full, widths, width)
    return Layout(rule, unended, width, _begins_indented(lines))


def _proposed(lines: list[str], widths: list[int], width: int) -> str:
    """Wrapped lines are alike in width, with a sharp limit, and the page ends them anywhere."""
    long = [line for line in lines if _columns(line) >= _FULL * width]
    inside = sum(not _ENDED.search(line) for line in long) / len(long)
    sharp = widths[(len(widths) - 1) * 99 // 100] <= 1.15 * width
    alike = len(long) >= 0.4 * len(lines)
    if len(lines) >= 4 and _NARROWEST <= width <= _WIDEST and sharp and alike and inside >= 0.5:
        return "wrapped"
    several = sum(len(sentence_spans(line)) > 1 for line in lines)
    return "paragraph" if several > 0.03 * len(lines) else "sentence"


def _columns(text: str) -> int:
    """Width on a page where Chinese characters take two columns."""
    return len(text.encode("gb18030", "replace"))


def _begins_indented(lines: Sequence[str]) -> bool:
    """Indented lines come after lines that end something, not in the middle of sentences."""
    indented = well = 0
    before = ""
    for line in lines:
        if not is_blank(line) and _INDENT.match(line):
            indented += 1
            well += is_blank(before) or bool(_CLOSED.search(before) or _HEADING.match(before))
        before = line
    return indented > 0 and well >= 0.8 * indented


class Pieces:
    """The lines of a corpus from those of a file. Counts `blank` lines and `joined` line ends."""

    def __init__(self, lines: Iterable[Line], layout: Layout) -> None:
        self._lines, self._layout = lines, layout
        self.blank = self.joined = 0

    def __iter__(self) -> Iterator[Piece]:
        return self._paragraphs() if self._layout.rule == "wrapped" else self._as_they_are()

    def _as_they_are(self) -> Iterator[Piece]:
        for start, text in self._lines:
            if is_blank(text):
                self.blank += 1
            else:
                yield text, [(0, start)]

    def _paragraphs(self) -> Iterator[Piece]:
        paragraph = _Paragraph()
        for start, text in self._lines:
            if is_blank(text):
                self.blank += 1
                if paragraph.parts:
                    yield paragraph.taken()
                continue
            if paragraph.parts and self._begins(text, paragraph):
                yield paragraph.taken()
            self.joined += bool(paragraph.parts)
            paragraph.add(start, text)
        if paragraph.parts:
            yield paragraph.taken()

    def _begins(self, text: str, before: "_Paragraph") -> bool:
        """Does `text` begin a paragraph?"""
        if _HEADING.match(text) or _HEADING.match(before.last) or before.size > LONGEST:
            return True
        if self._layout.indented and _INDENT.match(text):
            return True
        last = before.last.rstrip()
        return bool(_CLOSED.search(last)) and _columns(last) < _FULL * self._layout.width


class _Paragraph:
    """Lines being joined."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.shifts: list[Shift] = []
        self.size = 0  # code points in parts
        self.last = ""  # the last line, as it was

    def add(self, start: int, text: str) -> None:
        """Join a line that stands at `start` in the document."""
        lead = 0
        if self.parts:
            self._end_of_last_line(text.lstrip())
            lead = len(text) - len(text.lstrip())
        self.shifts.append((self.size, start + lead - self.size))
        self.parts.append(text[lead:])
        self.size += len(text) - lead
        self.last = text

    def taken(self) -> Piece:
        """The paragraph; it is empty afterwards."""
        piece = "".join(self.parts), self.shifts
        self.parts, self.shifts, self.size, self.last = [], [], 0, ""
        return piece

    def _end_of_last_line(self, following: str) -> None:
        """Drop the white space before a joint; one space remains between Latin words.

        That space stands for what came after the last line's text, so its position is right.
        """
        tail = self.parts[-1].rstrip()
        self.size -= len(self.parts[-1]) - len(tail)
        self.parts[-1] = tail
        if is_latin(tail[-1]) and is_latin(following[0]) and tail[-1] != "-":
            self.parts.append(" ")
            self.size += 1


def is_latin(character: str) -> bool:
    """Of a script that writes spaces between words, or one of its marks."""
    return character < "\u1100" and character not in "“”‘’…—·"
