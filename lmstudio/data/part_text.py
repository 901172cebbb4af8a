"""A part of a corpus to the row of its characters, onto which tokens of any segmentation are laid.

Characters are what bits are divided by (`text.marks.characters_of`): code points without white
space and sentence marks. Where tokens of different segmentations are laid onto the same row, what
models that read different tokens paid for can be added up over the same characters.
"""

from itertools import accumulate
from pathlib import Path

import numpy as np

from lmstudio.data.layout import PART_NAMES, SEGMENT_AGAIN, CorpusText, Tokens, ranges
from lmstudio.errors import AppError
from lmstudio.text.marks import SENTENCE_MARK

_SPACES = np.array([code for code in range(0x3001) if chr(code).isspace()], np.uint32)


class PartText:
    """All lines of a part, one after the other, and which of their code points count."""

    def __init__(self, corpus: Path, part: str, spaces: Tokens | None = None) -> None:
        """Of `spaces`, a segmentation that scores white space, what its tokens cover counts too.

        AppError where the corpus is damaged.
        """
        text = CorpusText(corpus)
        self._part = part
        self.lines = np.flatnonzero(text.lines["part"] == PART_NAMES.index(part))  # (L,)
        texts = _texts(text, self.lines)
        self.text = "".join(texts)
        self._starts = np.array([0, *accumulate(map(len, texts))], np.int64)  # (L + 1,)
        self._counted = _counted(self.text, texts, self._starts)
        if spaces is not None:
            start, end = self._flat_spans(spaces)
            self._counted[ranges(np.stack([start, end], axis=1))] = True
        self._before = np.concatenate([[0], np.cumsum(self._counted)])
        self._places = np.flatnonzero(self._counted)
        self._documents = np.asarray(text.lines["document"])[self.lines]

    @property
    def characters(self) -> int:
        """How many count."""
        return len(self._places)

    def spans(self, tokens: Tokens) -> np.ndarray:
        """(N, 2) int64: first character and end of each token of the part, at least one each."""
        start, end = self._before[np.stack(self._flat_spans(tokens))]
        start = np.minimum(start, max(self.characters - 1, 0))
        return np.stack([start, np.maximum(end, start + 1)], axis=1)

    def token_texts(self, tokens: Tokens, chosen: np.ndarray) -> list[str]:
        """What stands where some tokens of the part do, by their numbers in it."""
        start, end = self._flat_spans(tokens)
        pairs = zip(start[chosen].tolist(), end[chosen].tolist(), strict=True)
        return [self.text[a:b] for a, b in pairs]

    def sentence_starts(self, tokens: Tokens) -> np.ndarray:
        """(S,) int64: the first character of each sentence of the part."""
        bounds = tokens.bounds(self._part)
        lengths = bounds[:, 1] - bounds[:, 0]
        first = np.cumsum(lengths) - lengths
        line = np.searchsorted(self.lines, self._sentence_lines(tokens))
        starts = self._before[self._starts[line]]
        whole = lengths > 0
        starts[whole] = self._before[self._flat_spans(tokens)[0][first[whole]]]
        return starts

    def lines_at(self, characters: np.ndarray) -> np.ndarray:
        """The line of the corpus in which some characters stand."""
        return self.lines[self._line_places(characters)]

    def documents_at(self, characters: np.ndarray) -> np.ndarray:
        """The number of the document in which some characters stand."""
        return self._documents[self._line_places(characters)]

    def between(self, first: int, end: int) -> str:
        """The text from one character to before another, with the white space in it."""
        if first >= end:
            return ""
        return self.text[self._places[first] : self._places[end - 1] + 1]

    def _line_places(self, characters: np.ndarray) -> np.ndarray:
        flat = self._places[characters]
        return np.searchsorted(self._starts, flat, side="right") - 1

    def _sentence_lines(self, tokens: Tokens) -> np.ndarray:
        sentences = tokens.sentences[:-1]
        return sentences["line"][sentences["part"] == PART_NAMES.index(self._part)]

    def _flat_spans(self, tokens: Tokens) -> tuple[np.ndarray, np.ndarray]:
        """(N,), (N,) int64: where the tokens of the part begin and end in `text`.

        AppError where they were cut from another text.
        """
        bounds = tokens.bounds(self._part)
        line = np.searchsorted(self.lines, self._sentence_lines(tokens))
        base = np.repeat(self._starts[line], bounds[:, 1] - bounds[:, 0])
        offsets = tokens.offsets[ranges(bounds)]
        start, end = base + offsets["start"], base + offsets["end"]
        if start.min(initial=0) < 0 or end.max(initial=0) > len(self.text):
            raise AppError(SEGMENT_AGAIN, path=tokens.folder / "offsets.bin")
        return start, end


def _texts(text: CorpusText, lines: np.ndarray) -> list[str]:
    """The lines of some numbers, stretch by stretch."""
    if not len(lines):
        return []
    breaks = np.flatnonzero(np.diff(lines) != 1) + 1
    found: list[str] = []
    for stretch in np.split(lines, breaks):
        found += text.texts(int(stretch[0]), int(stretch[-1]) + 1)
    return found


def _counted(text: str, texts: list[str], starts: np.ndarray) -> np.ndarray:
    """(P,) bool: which code points are neither white space nor of a sentence mark."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    counted = ~np.isin(codes, _SPACES)
    for start, line in zip(starts.tolist(), texts, strict=False):
        if "<" in line:
            for match in SENTENCE_MARK.finditer(line):
                counted[start + match.start() : start + match.end()] = False
    return counted
