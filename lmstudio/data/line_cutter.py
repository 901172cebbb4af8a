"""A line of a corpus into its sentences, and these into tokens, as a plan asks."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from lmstudio.data.cut_plan import CutPlan
from lmstudio.data.given import GivenWords
from lmstudio.text.marks import characters_of, unmarked
from lmstudio.text.segment import PieceSegmenter, Span, Whitespace, cut_pieces
from lmstudio.text.sentences import sentence_spans, trimmed

_MARKS = ("<s>", "</s>")


@dataclass(frozen=True)
class Sentence:
    """A sentence of a line and its tokens."""

    start: int  # code points from the start of the line
    text: str
    spans: list[Span]  # in `text`
    types: list[str]  # of the tokens, as the vocabulary knows them
    scored: int  # code points that a model predicts: white space only where pieces keep it


class LineCutter:
    """Cuts any line of a corpus folder. `check` is called often, so that a job can be stopped."""

    def __init__(self, corpus: Path, plan: CutPlan, check: Callable[[], None]) -> None:
        self._cutter = plan.segmenter()
        self._by_line = plan.options.sentences == "line"
        self._special = plan.options.special_tokens
        self._check = check
        self._given = GivenWords(corpus) if plan.options.by == "given" else None
        pieces = isinstance(self._cutter, PieceSegmenter)
        self._keeps_spaces = pieces and bool(getattr(self._cutter, "keeps_spaces", False))

    def cut(self, number: int, line: str, longest: int | None = None) -> Iterator[Sentence]:
        """The sentences of line `number`, of each its first `longest` code points."""
        words = self._given.of(number)[0] if self._given is not None else []
        whole = trimmed(line, 0, len(line))
        for start, end in [whole] if self._by_line else sentence_spans(line):
            end = end if longest is None else min(end, start + longest)
            text = line[start:end]
            if words:
                spans, types = _given_in(line, words, start, end)
            else:
                spans, types = cut_pieces(self._cutter, text, self._check, self._special)
            if spans:
                yield Sentence(start, text, spans, types, self._scored(text))

    def _scored(self, text: str) -> int:
        if not self._keeps_spaces:
            return characters_of(text)
        return sum(end - start for start, end, _ in unmarked(text, self._special))


def _given_in(
    line: str, words: list[Span], start: int, end: int
) -> tuple[list[Span], list[str]]:  # fmt: skip
    """The words that begin in a sentence; what stands between two of them is cut at white space."""
    spans: list[Span] = []
    position = start
    for first, last in [*(w for w in words if start <= w[0] < end), (end, end)]:
        between = Whitespace().cut(line[position:first])
        spans += [(position + a, position + b) for a, b in between]
        if first < last:
            spans.append((first, last))
        position = max(position, last)
    kept = [(a, b) for a, b in spans if line[a:b] not in _MARKS]
    return [(a - start, b - start) for a, b in kept], [line[a:b] for a, b in kept]
