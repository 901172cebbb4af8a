"""Lines of a corpus into their sentences, and these into tokens, as a plan asks."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lmstudio.data.cut_plan import CutPlan
from lmstudio.data.given import GivenWords
from lmstudio.text.marks import characters_of, unmarked
from lmstudio.text.segment import PieceSegmenter, Span, Tokens, Whitespace, cut_all
from lmstudio.text.sentences import sentence_spans, trimmed

_MARKS = ("<s>", "</s>")


@dataclass(frozen=True)
class Sentence:
    """A sentence of a line and its tokens."""

    start: int  # code points from the start of the line
    text: str
    spans: list[Span]  # in `text`
    types: list[str]  # of the tokens, as the vocabulary knows them
    spaces: int  # code points of white space that are part of what a model predicts


class LineCutter:
    """Cuts any line of a corpus folder. `check` is called often, so that a job can be stopped."""

    def __init__(self, corpus: Path, plan: CutPlan, check: Callable[[], None]) -> None:
        self._cutter = plan.segmenter()
        self._by_line = plan.options.sentences == "line"
        self._special = plan.options.special_tokens
        self._check = check
        self._given = GivenWords(corpus) if plan.options.by == "given" else None
        self._keeps_spaces = isinstance(self._cutter, PieceSegmenter) and self._cutter.keeps_spaces

    def cut(
        self, lines: Sequence[tuple[int, str]], longest: int | None = None
    ) -> list[list[Sentence]]:
        """The sentences of numbered lines, of each its first `longest` code points."""
        cut: list[list[Sentence]] = []
        waiting: list[tuple[list[Sentence], int, str]] = []  # where a sentence goes, and its start
        for number, line in lines:
            words = self._given.of(number)[0] if self._given is not None else []
            found: list[Sentence] = []
            cut.append(found)
            for start, end in self._sentences(line, longest):
                if words:
                    tokens = _given_in(line, words, start, end)
                    self._add(found, start, line[start:end], tokens)
                else:
                    waiting.append((found, start, line[start:end]))
        texts = [text for _, _, text in waiting]
        tokens_of = cut_all(self._cutter, texts, self._check, self._special)
        for (found, start, text), tokens in zip(waiting, tokens_of, strict=True):
            self._add(found, start, text, tokens)
        return cut

    def _sentences(self, line: str, longest: int | None) -> Iterator[Span]:
        whole = trimmed(line, 0, len(line))
        for start, end in [whole] if self._by_line else sentence_spans(line):
            yield start, end if longest is None else min(end, start + longest)

    def _add(self, found: list[Sentence], start: int, text: str, tokens: Tokens) -> None:
        """Keep a sentence that has tokens."""
        spans, types = tokens
        if spans:
            found.append(Sentence(start, text, spans, types, self._spaces(text)))

    def _spaces(self, text: str) -> int:
        if not self._keeps_spaces:
            return 0
        covered = sum(end - start for start, end, _ in unmarked(text, self._special))
        return covered - characters_of(text)


def _given_in(line: str, words: list[Span], start: int, end: int) -> Tokens:
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
