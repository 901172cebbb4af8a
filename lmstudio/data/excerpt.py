"""A few sentences of a corpus into their tokens, for a look at a segmenter."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lmstudio.data.cut_lines import CutPlan
from lmstudio.data.layout import CorpusText
from lmstudio.jobs import Job
from lmstudio.text.segment import Span, cut_sentence
from lmstudio.text.sentences import sentence_spans

_LONGEST = 500  # code points shown of a sentence
_MOST_READ = 20_000  # code points read of a line


@dataclass(frozen=True)
class CutSentence:
    """A sentence and its tokens."""

    line: int
    start: int  # code points from the start of the line
    text: str  # at most its first 500 code points
    spans: list[Span]  # in `text`; in full and search mode they overlap


@dataclass(frozen=True)
class Excerpt:
    """Sentences that follow one another."""

    sentences: list[CutSentence]
    next_line: int | None  # where the next excerpt begins, None at the end of the corpus


def excerpt(corpus: Path, plan: CutPlan, first_line: int, count: int, *, job: Job) -> Excerpt:
    """The sentences of the lines from `first_line` on, until there are `count` of them."""
    text, cutter = CorpusText(corpus), plan.segmenter()
    found: list[CutSentence] = []
    line = first_line
    while line < len(text) and len(found) < count:
        for start, sentence in _sentences(text.line(line), plan):
            spans = cut_sentence(cutter, sentence, job.check)
            if spans and len(found) < count:
                found.append(CutSentence(line, start, sentence, spans))
        line += 1
    return Excerpt(found, line if line < len(text) else None)


def _sentences(line: str, plan: CutPlan) -> Iterator[tuple[int, str]]:
    """Start and shown text of each sentence at the front of a line."""
    line = line[:_MOST_READ]
    by_line = plan.options.sentences == "line"
    for start, end in [(0, len(line))] if by_line else sentence_spans(line):
        yield start, line[start : min(end, start + _LONGEST)]
