"""Decoded text to its lines, each with its position.

A line ends at \\n, \\r\\n or a lone \\r, and nowhere else: U+2028, U+0085 and the form feed stand
inside lines. Positions are code points from the start of the decoded text, without byte-order mark;
\\r\\n counts as two.
"""

import re
from collections.abc import Iterable, Iterator

from lmstudio.text.sentences import sentence_spans

LONGEST = 4 * 1024 * 1024  # code points; a longer line is cut, so that memory stays bounded
END = re.compile(r"\r\n|\r|\n")
_BLANK = re.compile(r"[\s\u200b\ufeff]*\Z")
_NEAR = 64 * 1024  # how far before the limit a sentence end is looked for

Line = tuple[int, str]
"""Position and text, without the line's end."""


def is_blank(text: str) -> bool:
    """Nothing but white space (U+3000 and no-break spaces too) and invisible marks."""
    return _BLANK.match(text) is not None


class Lines:
    """The lines of a text that comes in chunks. `cut` counts the cuts in lines over LONGEST."""

    def __init__(self, chunks: Iterable[str]) -> None:
        self._chunks = chunks
        self.cut = 0

    def __iter__(self) -> Iterator[Line]:
        held: list[str] = []  # pieces of a line whose end has not come
        start = base = size = 0
        for chunk in whole_ends(self._chunks):
            done = 0
            for end in END.finditer(chunk):
                text = chunk[done : end.start()]
                if held:
                    text = "".join([*held, text])
                    held, size = [], 0
                yield start, text
                done = end.end()
                start = base + done
            if done < len(chunk):
                held.append(chunk[done:])
                size += len(held[-1])
            base += len(chunk)
            while size > LONGEST:
                text = "".join(held)
                cut = _cut(text)
                yield start, text[:cut]
                start, size, held = start + cut, size - cut, [text[cut:]]
                self.cut += 1
        if held:
            yield start, "".join(held)


def whole_ends(chunks: Iterable[str]) -> Iterator[str]:
    """The same text in chunks that do not part \\r from its \\n."""
    kept = ""
    for chunk in chunks:
        text = kept + chunk
        kept = "\r" if text.endswith("\r") else ""
        yield text[:-1] if kept else text
    if kept:
        yield kept


def _cut(text: str) -> int:
    """Where to cut a line that is too long: after a sentence if one ends near the limit."""
    spans = sentence_spans(text[LONGEST - _NEAR : LONGEST])
    return LONGEST - _NEAR + spans[-2][1] if len(spans) > 1 else LONGEST
