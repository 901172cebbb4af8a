"""Scores: segmenters beside a gold segmentation, a file's or the given words of a corpus."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lmstudio.data.cut_plan import CutPlan
from lmstudio.data.given import has_given
from lmstudio.data.gold import gold_lines, reference_lines, tokens_of_lines
from lmstudio.errors import AppError, SpecError
from lmstudio.formats.table_file import save_table
from lmstudio.jobs import Job
from lmstudio.messages import Message, tr
from lmstudio.operations.segmentations import describe
from lmstudio.options import faults
from lmstudio.store.rows import Part
from lmstudio.store.settings import cache_folder
from lmstudio.store.workspace import Workspace
from lmstudio.text.scoring import (
    Difference,
    SegmentationScore,
    differences,
    read_words,
    score,
)
from lmstudio.text.segment import cut_all
from lmstudio.text.segment_options import SegmentOptions

Candidate = tuple[str, SegmentOptions, Path | None]
"""Name to show, options, user dictionary."""

_TOGETHER = 200  # lines
_UNTRAINED = ("characters", "jieba", "whitespace")


@dataclass(frozen=True)
class ScoreRow:
    """How one segmentation did; `differences` are its first lines that were cut otherwise."""

    name: str
    score: SegmentationScore
    differences: tuple[Difference, ...] = ()


def jieba_modes(dictionary: Path | None = None) -> list[Candidate]:
    """jieba in every mode, with and without its guesses at new words (full mode makes none)."""
    modes = [("accurate", True), ("accurate", False), ("full", True), ("search", True),
             ("search", False)]  # fmt: skip
    options = [SegmentOptions(by="jieba", mode=mode, hmm=hmm) for mode, hmm in modes]
    return [(candidate_name(o), o, dictionary) for o in options]


def candidate_name(options: SegmentOptions) -> str:
    """A short name for a segmenter in the table of scores."""
    if options.by != "jieba" or options.hmm:
        return describe(options)
    return tr("{name}, no new words", name=describe(options))


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
    SpecError for options out of their limits, AppError for a segmenter that has to be trained, a
    file that cannot be read or one whose lines are not those of `gold`.
    """
    plans = [(name, _plan(options, dictionary)) for name, options, dictionary in candidates]
    return job.call(_score_files, Path(gold), plans, [Path(f) for f in segmented], words)


def score_corpus(
    ws: Workspace,
    corpus: int | str,
    candidates: Sequence[Candidate] = (),
    part: Part = "test",
    *,
    segmentations: Sequence[int | str] = (),
    reference: int | str | None = None,
    job: Job,
) -> list[ScoreRow]:
    """Score segmenters, and segmentations of a corpus, on the given words of one of its parts.

    Or on those of `reference`, one of its segmentations: so two and more are compared. Out of
    vocabulary are words that the training part does not hold. AppError if no words are given
    there; else as `score_files`.
    """
    row = ws.corpus(corpus)
    plans = [(name, _plan(options, dictionary)) for name, options, dictionary in candidates]
    made = [ws.segmentation(key) for key in segmentations]
    right = None if reference is None else ws.segmentation(reference)
    for other in [one for one in (*made, *filter(None, [right])) if one.corpus_id != row.id]:
        raise AppError(
            "{name} is a segmentation of another corpus. Choose one of {corpus}.",
            name=other.name, corpus=row.name,
        )  # fmt: skip
    folders = [(one.name, ws.segmentation_folder(one.id)) for one in made]
    if right is None and not has_given(ws.corpus_folder(row.id)):
        raise _nothing_given(row.name, part)
    by = ws.segmentation_folder(right.id) if right else None
    rows = job.call(_score_corpus, ws.corpus_folder(row.id), by, part, plans, folders)
    if not rows or not rows[0].score.gold:
        raise _nothing_given(row.name, part)
    return rows


def save_csv(rows: Sequence[ScoreRow], path: Path, *, job: Job) -> None:
    """Write the table of scores; UTF-8 with a mark. AppError if it cannot be written."""
    save_table(path, header(), [cells(row) for row in rows], job=job)


def header() -> list[str]:
    """The columns of `cells`."""
    return [tr("Segmenter"), tr("Precision"), tr("Recall"), "F1", tr("OOV rate"),
            tr("OOV recall"), tr("IV recall"), tr("Gold words"), tr("Words found"),
            tr("Correct words")]  # fmt: skip


def cells(row: ScoreRow) -> list[str]:
    """A row of the table, shares to three places as the bakeoff prints them; "" for none."""
    one = row.score
    shares = (one.precision, one.recall, one.f1, one.oov_rate, one.oov_recall, one.iv_recall)
    told = ["" if share is None else f"{share:.3f}" for share in shares]
    return [row.name, *told, str(one.gold), str(one.test), str(one.correct)]


def _nothing_given(name: str, part: Part) -> AppError:
    return AppError(
        "No words are given in the {part} part of {corpus}. Import text that is cut into words, "
        "or score a file.",
        corpus=name, part=Message(part),
    )  # fmt: skip


def _plan(options: SegmentOptions, dictionary: Path | None) -> CutPlan:
    if wrong := faults(options):
        raise SpecError(wrong)
    if options.by not in _UNTRAINED:
        raise AppError(
            "{name} has to be trained. Segment a corpus with it and score that segmentation.",
            name=options.by,
        )
    used = Path(dictionary).absolute() if dictionary and options.by == "jieba" else None
    return CutPlan(options, used, cache_folder() / "jieba")


def _score_files(
    gold: Path, plans: list[tuple[str, CutPlan]], segmented: list[Path], words: Path | None, *,
    job: Job,
) -> list[ScoreRow]:  # fmt: skip
    right = read_words(gold)
    known = {word for line in read_words(words) for word in line} if words else None
    lines = ["".join(line) for line in right]
    found = [(name, _cut(lines, plan, job)) for name, plan in plans]
    found += [(path.name, _lines_of(path, right, gold)) for path in segmented]
    return [_row(name, right, test, known) for name, test in found]


def _score_corpus(
    corpus: Path, reference: Path | None, part: str, plans: list[tuple[str, CutPlan]],
    folders: list[tuple[str, Path]], *, job: Job,
) -> list[ScoreRow]:  # fmt: skip
    if reference:
        gold = reference_lines(corpus, reference, part, job=job)
    else:
        gold = gold_lines(corpus, part, job=job)
    found = [(name, _cut(gold.texts, plan, job)) for name, plan in plans]
    found += [
        (name, tokens_of_lines(folder, gold.numbers, gold.texts, job=job))
        for name, folder in folders
    ]
    return [_row(name, gold.words, test, gold.training_words, gold.numbers) for name, test in found]


def _cut(lines: list[str], plan: CutPlan, job: Job) -> list[list[str]]:
    cutter = plan.segmenter()
    words: list[list[str]] = []
    for first in range(0, len(lines), _TOGETHER):
        job.tick(first, len(lines), Message("Cutting the gold text"))
        some = lines[first : first + _TOGETHER]
        cut = cut_all(cutter, some, job.check)
        words += [[t[a:b] for a, b in spans] for t, (spans, _) in zip(some, cut, strict=True)]
    return words


def _lines_of(path: Path, right: list[list[str]], gold: Path) -> list[list[str]]:
    found = read_words(path)
    if len(found) != len(right):
        raise AppError(
            "{path} has {count} lines, {gold} has {expected}. Only the same lines can be compared.",
            path=path.name, count=len(found), gold=gold.name, expected=len(right),
        )  # fmt: skip
    return found


def _row(
    name: str, right: list[list[str]], test: list[list[str]], known: set[str] | None,
    numbers: Sequence[int] | None = None,
) -> ScoreRow:  # fmt: skip
    """`numbers`: of the lines in their corpus, from 0, where they are not those of a file."""
    found = differences(right, test)
    if numbers is not None:
        found = [replace(one, line=numbers[one.line - 1] + 1) for one in found]
    return ScoreRow(name, score(right, test, known), tuple(found))
