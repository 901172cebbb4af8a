"""Scores: segmenters beside a gold segmentation, a file's or the given words of a corpus."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lmstudio.data.cut_lines import CutPlan
from lmstudio.errors import AppError, SpecError
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.options import faults
from lmstudio.store.settings import cache_folder
from lmstudio.text.scoring import (
    Difference,
    SegmentationScore,
    differences,
    read_words,
    score,
)
from lmstudio.text.segment import SegmentOptions, cut_sentence

Candidate = tuple[str, SegmentOptions, Path | None]
"""Name to show, options, user dictionary."""

_TICK = 50  # lines


@dataclass(frozen=True)
class ScoreRow:
    """How one segmentation did; `differences` are its first lines that were cut otherwise."""

    name: str
    score: SegmentationScore
    differences: tuple[Difference, ...] = ()


def score_files(
    gold: Path,
    candidates: Sequence[Candidate],
    *,
    segmented: Sequence[Path] = (),
    words: Path | None = None,
    job: Job,
) -> list[ScoreRow]:
    """Score segmenters, and files that others cut, on a file of words that white space divides.

    `words` holds the training words, of which those out of vocabulary are told apart. Raises
    SpecError for options out of their limits, AppError for a file that cannot be read or whose
    lines are not those of `gold`.
    """
    plans = [(name, _plan(options, dictionary)) for name, options, dictionary in candidates]
    return job.call(_score_files, Path(gold), plans, [Path(f) for f in segmented], words)


def _plan(options: SegmentOptions, dictionary: Path | None) -> CutPlan:
    if wrong := faults(options):
        raise SpecError(wrong)
    used = Path(dictionary).absolute() if dictionary and options.by == "jieba" else None
    return CutPlan(options, used, cache_folder() / "jieba")


def _score_files(
    gold: Path, plans: list[tuple[str, CutPlan]], segmented: list[Path], words: Path | None, *,
    job: Job,
) -> list[ScoreRow]:  # fmt: skip
    right = read_words(gold)
    known = {word for line in read_words(words) for word in line} if words else None
    lines = ["".join(line) for line in right]
    found = [(name, list(_cut(lines, plan, job))) for name, plan in plans]
    found += [(path.name, _lines_of(path, right, gold)) for path in segmented]
    return [_row(name, right, test, known) for name, test in found]


def _cut(lines: list[str], plan: CutPlan, job: Job) -> Iterator[list[str]]:
    cutter = plan.segmenter()
    for number, line in enumerate(lines):
        if number % _TICK == 0:
            job.tick(number, len(lines), Message("Cutting the gold text"))
        yield [line[start:end] for start, end in cut_sentence(cutter, line, job.check)]


def _lines_of(path: Path, right: list[list[str]], gold: Path) -> list[list[str]]:
    found = read_words(path)
    if len(found) != len(right):
        raise AppError(
            "{path} has {count} lines, {gold} has {expected}. Only the same lines can be compared.",
            path=path.name, count=len(found), gold=gold.name, expected=len(right),
        )  # fmt: skip
    return found


def _row(
    name: str, right: list[list[str]], test: list[list[str]], known: set[str] | None
) -> ScoreRow:
    return ScoreRow(name, score(right, test, known), tuple(differences(right, test)))
