"""A few sentences of a corpus into their tokens, for a look at a segmenter."""

from dataclasses import dataclass
from pathlib import Path

from lmstudio.data.cut_plan import CutPlan
from lmstudio.data.layout import CorpusText
from lmstudio.data.line_cutter import LineCutter
from lmstudio.jobs import Job
from lmstudio.text.segment import Span

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
    text, cutter = CorpusText(corpus), LineCutter(corpus, plan, job.check)
    found: list[CutSentence] = []
    line = first_line
    while line < len(text) and len(found) < count:
        shown = text.line(line)[:_MOST_READ]
        for cut in cutter.cut([(line, shown)], _LONGEST)[0][: count - len(found)]:
            found.append(CutSentence(line, cut.start, cut.text, cut.spans))
        line += 1
    return Excerpt(found, line if line < len(text) else None)
