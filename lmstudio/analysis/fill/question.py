"""A typed text into a question: the text, and the spans of it that are to be guessed.

A blank is a span of characters, whatever the tokens of a model are. Where a mark such as [MASK]
stands, nobody knows what belongs there; elsewhere the text itself is the true answer.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from lmstudio.errors import AppError

MASK = "[MASK]"
"""How a blank is written."""
MARKS = re.compile(r"(?:\[|［|【|<|＜)\s*(?:mask|ｍａｓｋ)\s*(?:\]|］|】|>|＞)", re.IGNORECASE)
"""And how else."""

Span = tuple[int, int]
"""Start and end in code points of the text."""


@dataclass(frozen=True, order=True)
class Blank:
    """A span that is to be guessed."""

    start: int
    end: int
    marked: bool = False  # a mark stands there, so there is no true answer


@dataclass(frozen=True)
class Question:
    """A text read as one sentence, and its blanks, from the left, none within another."""

    text: str
    blanks: tuple[Blank, ...] = ()

    @classmethod
    def of(cls, text: str, spans: Iterable[Span] = ()) -> Self:
        """The text with its marks, and with `spans` of it blanked too.

        Spans that overlap become one; what a mark is part of is that mark. White space at the ends
        of a span is no part of the blank.
        """
        marks = [Blank(*match.span(), marked=True) for match in MARKS.finditer(text)]
        found = list(marks)
        for start, end in _united(_trimmed(text, span) for span in spans):
            if start < end and all(end <= mark.start or mark.end <= start for mark in marks):
                found.append(Blank(start, end))
        return cls(text, tuple(sorted(found)))

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """What `to_json` gave, or somebody wrote; AppError where it is none of that."""
        text, spans = data.get("text"), data.get("blanks", ())
        if not isinstance(text, str):
            raise AppError("The text of a question is no text.")
        if not isinstance(spans, list | tuple) or not all(_is_span(span, text) for span in spans):
            raise AppError("Blanks are pairs of start and end within the text, such as [[0, 2]].")
        return cls.of(text, [(start, end) for start, end in spans])

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {"text": self.text, "blanks": [[b.start, b.end] for b in self.blanks]}

    def truth(self, number: int) -> str:
        """What stands in a blank; "" where it is a mark."""
        blank = self.blanks[number]
        return "" if blank.marked else self.text[blank.start : blank.end]

    def check(self) -> None:
        """AppError without a blank: how to make one."""
        if not self.text.strip():
            raise AppError("There is no token in this text. Type some words.")
        if not self.blanks:
            raise AppError("Nothing is blank in this text. Write {mask} in place of a word "
                           "that is to be guessed.", mask=MASK)  # fmt: skip

    def filled(self, words: Sequence[str | None]) -> str:
        """The text with a word in each blank, and nothing else changed; None leaves one open."""
        made, at = "", 0
        for blank, word in zip(self.blanks, words, strict=True):
            made += self.text[at : blank.start]
            made += self.text[blank.start : blank.end] if word is None else word
            at = blank.end
        return made + self.text[at:]

    def put(self, number: int, word: str) -> "Question":
        """The same with a word in one of its blanks: that stays blank, with the word as truth."""
        blank, more = self.blanks[number], 0
        more = len(word) - (blank.end - blank.start)
        words = [word if n == number else None for n in range(len(self.blanks))]
        moved = [replace(b, start=b.start + more, end=b.end + more) if b.start > blank.start else b
                 for b in self.blanks]  # fmt: skip
        moved[number] = Blank(blank.start, blank.start + len(word))
        return Question(self.filled(words), tuple(moved))


def words_in(text: str, words: Sequence[str]) -> list[Span]:
    """Where `words` stand first in the text; one named twice, where it stands next. Or AppError."""
    found: list[Span] = []
    for word in words:
        taken = [end for start, end in found if text[start:end] == word]
        start = text.find(word, max(taken, default=0)) if word else -1
        if start < 0:
            raise AppError("“{word}” does not stand in the text, so it can't be hidden there.",
                           word=word)  # fmt: skip
        found.append((start, start + len(word)))
    return found


def _is_span(span: object, text: str) -> bool:
    """Whether it is a pair of whole numbers that marks some of a text."""
    if not isinstance(span, list | tuple) or len(span) != 2:
        return False
    start, end = span
    return type(start) is type(end) is int and 0 <= start < end <= len(text)


def _trimmed(text: str, span: Span) -> Span:
    start, end = max(0, span[0]), min(span[1], len(text))
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return start, end


def _united(spans: Iterable[Span]) -> list[Span]:
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start < found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found
