"""Runs of a corpus head to head: where one is better than another, and how sure that is.

Only figures over the same events are set against each other: those on the axis that all
segmentations share, or else those of runs on one segmentation that has an axis of its own, or
pseudo figures of runs on one segmentation. What is on another axis than the rest is left out, with
the reason; scores that are no probabilities always are.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lmstudio.analysis import comparison as analysis
from lmstudio.analysis.asked import Asked
from lmstudio.analysis.breakdown import (
    ENDS,
    FREQUENCIES,
    POSITIONS,
    UNKNOWN,
    Breakdown,
)
from lmstudio.analysis.comparison import Comparison, Question, TokenBits
from lmstudio.analysis.event_bits import kept_bits
from lmstudio.errors import AppError
from lmstudio.figures import count
from lmstudio.formats.table_file import save_table
from lmstudio.jobs import Job
from lmstudio.messages import Message, msg, phrases, tr
from lmstudio.models.config import SCORES_ONLY
from lmstudio.operations.asked import asked
from lmstudio.operations.run_names import own_axis, sees_both_sides
from lmstudio.operations.runs import has_model, why_unscored
from lmstudio.store.rows import RunRow
from lmstudio.store.workspace import Workspace

BREAKDOWNS = {
    "positions": msg("Place in the sentence"), "frequencies": msg("Frequency of the word"),
    "documents": msg("Document"),
}  # fmt: skip
"""The fields of a Comparison that are Breakdowns, and what stands in their first column."""

MOST_SAMPLES = 100_000
"""Draws of the bootstrap; more change nothing that is shown."""
LAST_SEED = 2**31 - 1

_OTHER_AXIS = msg("is on another axis than the rest")


@dataclass(frozen=True)
class Chosen:
    """Runs that can be set against each other, and why others cannot, by their names."""

    runs: list[RunRow]
    left_out: dict[str, Message]


def choose(ws: Workspace, runs: Sequence[int | str]) -> Chosen:
    """Which of some runs of a corpus share an axis: the shared one, if two of them are on it."""
    rows = list({row.id: row for row in map(ws.run, runs)}.values())
    if len({ws.segmentation(row.segmentation_id).corpus_id for row in rows}) > 1:
        raise AppError("These runs are of different corpora. Choose runs of one.")
    left_out: dict[str, Message] = {}
    by_axis: dict[str, list[RunRow]] = {"": []}
    for row in rows:
        if not has_model(ws, row):
            left_out[row.name] = Message("no finished model or checkpoint yet")
        elif why_not := why_unscored(row):
            left_out[row.name] = why_not
        elif row.spec.get("config", {}).get("smoothing") in SCORES_ONLY:
            left_out[row.name] = Message(own_axis(row, ws.segmentation(row.segmentation_id)))
        else:
            by_axis.setdefault(_axis(ws, row), []).append(row)
    chosen = next((group for group in by_axis.values() if len(group) > 1), by_axis[""])
    for row in rows:
        if row not in chosen and row.name not in left_out:
            why = own_axis(row, ws.segmentation(row.segmentation_id))
            left_out[row.name] = Message(why or _OTHER_AXIS)
    return Chosen(chosen, left_out)


def compare(
    ws: Workspace, runs: Sequence[int | str], part: str = "valid", *, words: int | str = "",
    by: str = "sentence", base: int | str = "", sentences: int = analysis.SENTENCES,
    samples: int = analysis.SAMPLES, seed: int = 1, job: Job,
) -> Comparison:  # fmt: skip
    """Two or more runs on a part; those that share no axis with them are left out (`choose`).

    `words`: the segmentation over whose words is added up, else that of the runs with the longest
    tokens. `by`: what the bootstrap draws, of analysis.comparison.UNITS. `base`: the run that the
    others are set against, else the first. AppError where fewer than two can be compared, and for
    `samples` and a `seed` out of their limits.
    """
    if not 1 <= samples <= MOST_SAMPLES:
        raise AppError("From 1 to {most} draws can be taken.", most=count(MOST_SAMPLES))
    if not 0 <= seed <= LAST_SEED:
        raise AppError("The seed of the draws must be from 0 to {most}.", most=count(LAST_SEED))
    chosen = choose(ws, runs)
    if len(chosen.runs) < 2:
        raise _too_few(chosen)
    ids = [row.id for row in chosen.runs]
    first = ws.run(base).id if base else ids[0]
    if first not in ids:
        raise AppError("{name} is not among the runs that are compared.", name=ws.run(base).name)
    folder = None
    if words:
        cut = ws.segmentation(words)
        if cut.corpus_id != ws.segmentation(chosen.runs[0].segmentation_id).corpus_id:
            raise AppError("{name} is a segmentation of another corpus.", name=cut.name)
        folder = ws.segmentation_folder(cut.id)
    question = Question(part, folder, by, ids.index(first), samples, seed, sentences,
                        keep=not ws.read_only)  # fmt: skip
    found = job.call(analysis.compare, [asked(ws, number) for number in ids], question)
    return replace(found, words_of=ws.segmentation(int(found.words_of)).name)


def unscored(ws: Workspace, runs: Sequence[int | str], part: str) -> list[str]:
    """The names of the runs whose text must first be scored, which takes a while."""
    return [run.name for run in _asked(ws, runs) if kept_bits(run, part) is None]


def sentence_tokens(
    ws: Workspace, runs: Sequence[int | str], part: str, first: int, end: int, *, job: Job
) -> list[list[TokenBits]]:
    """What each token of a sentence of `Comparison.examples` cost each run, in their order."""
    return job.call(analysis.sentence_tokens, _asked(ws, runs), part, first, end,
                    keep=not ws.read_only)  # fmt: skip


def against(
    ws: Workspace, run: int | str, base: str, part: str = "valid", by: str = "sentence", *, job: Job
) -> dict[str, Any]:
    """One run against another, as a finding keeps it."""
    found = compare(ws, [base, run], part, by=by, job=job)
    return answers(found)[found.runs[1]]


def answers(found: Comparison) -> dict[str, dict[str, Any]]:
    """What a finding keeps of a comparison: how far each run but the base is from it."""
    return {
        run: {
            "bits per character": bits, "from": found.runs[found.base], "difference": apart,
            "low": low, "high": high, "standard error": error, "better": better,
        }
        for run, bits, apart, low, high, error, better, is_base in difference_rows(found)
        if not is_base
    }  # fmt: skip


def group_names(ws: Workspace, found: Comparison, kind: str, corpus_id: int) -> list[str]:
    """What the groups of a breakdown (a key of BREAKDOWNS) are called, in its order."""
    groups: list[int] = getattr(found, kind).groups.tolist()
    if kind == "documents":
        names = {d.number: d.title or d.name for d in ws.documents(corpus_id)}
        return [names.get(group, str(group)) for group in groups]
    bands = POSITIONS if kind == "positions" else FREQUENCIES
    return [_band(group, bands) for group in groups]


def corpus_of(ws: Workspace, found: Comparison) -> int:
    """The id of the corpus whose runs were compared."""
    return ws.segmentation(ws.run(found.runs[0]).segmentation_id).corpus_id


def save_breakdown(ws: Workspace, found: Comparison, kind: str, path: Path, *, job: Job) -> None:
    """Write a breakdown: the sums of each group, and for each run bits per character and word."""
    groups: Breakdown = getattr(found, kind)
    per_character, per_word = groups.bits_per_character(), groups.bits_per_word()
    header = [tr(BREAKDOWNS[kind]), tr("Words"), tr("Characters"),
              *(f"{run}: {tr('bits per character')}" for run in found.runs),
              *(f"{run}: {tr('bits per word')}" for run in found.runs)]  # fmt: skip
    names = group_names(ws, found, kind, corpus_of(ws, found))
    rows = [(name, int(groups.words[i]), int(groups.characters[i]), *per_character[:, i].tolist(),
             *per_word[:, i].tolist()) for i, name in enumerate(names)]  # fmt: skip
    save_table(path, header, rows, total=len(rows), job=job)


def save_sentences(found: Comparison, path: Path, *, job: Job) -> None:
    """Write the sentences that differ most, with the bits that each run needed."""
    header = [tr("Line"), tr("Document"), tr("Characters"), *found.runs, tr("Sentence")]
    rows = ((s.line + 1, s.document + 1, s.end - s.first, *s.bits, s.text) for s in found.examples)
    save_table(path, header, rows, total=len(found.examples), job=job)


def save_differences(found: Comparison, path: Path, *, job: Job) -> None:
    """Write bits per character of each run, and how far it is from the base."""
    header = [tr("Run"), tr("Bits per character"), tr("Difference"), tr("Low"), tr("High"),
              tr("Standard error"), tr("Share of draws in which it is better")]  # fmt: skip
    rows = (row[:-1] for row in difference_rows(found))
    save_table(path, header, rows, total=len(found.runs), job=job)


def difference_rows(found: Comparison) -> Iterator[tuple[Any, ...]]:
    """(run, bits per character, difference, low, high, error, better, is the base) of each run."""
    for number, (run, apart) in enumerate(zip(found.runs, found.differences, strict=True)):
        yield (run, float(found.bits_per_character()[number]), apart.difference, apart.low,
               apart.high, apart.error, apart.better, number == found.base)  # fmt: skip


def _axis(ws: Workspace, row: RunRow) -> str:
    """Runs with the same have figures over the same events; "" is the shared axis."""
    cut = ws.segmentation(row.segmentation_id)
    if not own_axis(row, cut):
        return ""
    return f"{'pseudo' if sees_both_sides(row.spec) else 'own'} {cut.id}"


def _asked(ws: Workspace, runs: Sequence[int | str]) -> list[Asked]:
    return [asked(ws, row.id) for row in choose(ws, runs).runs]


def _band(group: int, bands: tuple[int, ...]) -> str:
    """ "1", "3–4", "1,000 and more"; what 0 and -1 stand for."""
    if group == ENDS:
        return tr("sentence end")
    if group == UNKNOWN:
        return tr("unknown")
    after = [band for band in bands if band > group]
    if not after:
        return tr("{low} and more", low=count(group))
    return count(group) if after[0] == group + 1 else f"{count(group)}–{count(after[0] - 1)}"


def _too_few(chosen: Chosen) -> AppError:
    reasons = phrases(f"{name}: {why}" for name, why in chosen.left_out.items())
    if not reasons:
        return AppError("Choose at least two runs.")
    return AppError("Fewer than two of these runs can be set against each other. {reasons}",
                    reasons=reasons)  # fmt: skip
