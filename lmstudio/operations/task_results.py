"""The fine-tuned runs of a task -> the settings that were tried, with the spread over their seeds.

Runs are of one setting where they differ in nothing but the seed; what repeats a run, seed and all,
is none of it. The spread is the standard deviation of their scores, with n - 1; there is none of a
single seed.
"""

import re
import statistics
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lmstudio.figures import DASH, count, percent
from lmstudio.formats.table_file import save_table
from lmstudio.jobs import Job
from lmstudio.messages import msg, tr
from lmstudio.store.rows import PARTS, Facts, Part, RunRow, TaskRow
from lmstudio.store.workspace import Workspace

MEASURES: dict[str, dict[str, str]] = {
    "classify": {"accuracy": msg("accuracy"), "macro_f1": msg("macro F1")},
    "pair": {"accuracy": msg("accuracy"), "macro_f1": msg("macro F1")},
    "tag": {"f1": msg("F1 of whole spans"), "precision": msg("precision"), "recall": msg("recall"),
            "lenient_f1": msg("F1, conlleval's reading")},
    "qa": {"em": msg("exact match"), "f1": msg("F1 of characters and words")},
}  # fmt: skip
"""By kind of task: what its runs are scored by, the first where nobody chose."""

_SEED = re.compile(r"[\s,，·:：_(（)-]*(?:seed|随机种子|种子)?[\s_=-]*\d+[)）]?$", re.IGNORECASE)


@dataclass(frozen=True)
class Scored:
    """A fine-tuned run and the figures of the parts that it was scored on."""

    run: RunRow
    encoder: str  # its name; "" where it was deleted
    figures: dict[Part, Facts]

    def score(self, part: Part, measure: str) -> float | None:
        """A score, if there is one."""
        found = self.figures.get(part, {}).get(measure)
        return float(found) if isinstance(found, int | float) else None


@dataclass(frozen=True)
class Setting:
    """Runs that differ in their seed only, oldest first."""

    name: str
    runs: tuple[Scored, ...]

    @property
    def model(self) -> str:
        """The family of the encoder."""
        return self.runs[0].run.model

    def scores(self, part: Part, measure: str) -> list[float]:
        """Those that are known, in the order of the runs."""
        found = (run.score(part, measure) for run in self.runs)
        return [score for score in found if score is not None]


@dataclass(frozen=True)
class Spread:
    """n scores: their mean, and their standard deviation where n > 1."""

    n: int
    mean: float
    deviation: float | None


def spread(scores: list[float]) -> Spread | None:
    """The mean and spread of some scores; None of none."""
    if not scores:
        return None
    deviation = statistics.stdev(scores) if len(scores) > 1 else None
    return Spread(len(scores), statistics.fmean(scores), deviation)


def told(found: Spread | None) -> str:
    """A mean in percent, with its deviation where there is one: "85.0 ± 4.6 %"."""
    if found is None:
        return DASH
    if found.deviation is None:
        return percent(found.mean, 1)
    return f"{found.mean * 100:.1f} ± {percent(found.deviation, 1)}"


def chooser_note(task: TaskRow, part: str) -> str:
    """What is to be said beside scores of the part that chose the checkpoint; "" of the others."""
    if part != "valid":
        return ""
    return tr("Of the {count} examples that also chose the checkpoint: optimistic.",
              count=count(task.facts["counts"].get(part, 0)))  # fmt: skip


def settings(ws: Workspace, task: int | str) -> list[Setting]:
    """The settings tried for a task, in the order of their first runs."""
    groups: dict[tuple[str, int], list[Scored]] = {}
    before = Counter[tuple[str, object]]()
    names = {run.id: run.name for run in ws.runs()}
    for run in ws.tuned_runs(ws.task(task).id):
        found = {part: figures for part in PARTS if (figures := ws.evaluation(run.id, part))}
        encoder = names.get(run.parent, "") if run.parent else ""
        key, seed = _key(run), run.spec.get("training", {}).get("seed")
        groups.setdefault((key, before[key, seed]), []).append(Scored(run, encoder, found))
        before[key, seed] += 1
    return [Setting(_name(runs), tuple(runs)) for runs in groups.values()]


def measures(kind: str, found: Iterable[Setting]) -> dict[str, str]:
    """The measures that some run has a score of; all of the kind where none has any."""
    runs = [run for setting in found for run in setting.runs]
    known = {name for run in runs for figures in run.figures.values() for name in figures}
    offered = {name: title for name, title in MEASURES[kind].items() if name in known}
    return offered or MEASURES[kind]


def save_csv(found: list[Setting], measure: str, path: Path, *, job: Job) -> None:
    """A row for each setting and part with its scores, as a table for spreadsheets."""
    header = [tr("Setting"), tr("Encoder"), tr("Part"), tr("Seeds"), tr("mean"),
              tr("standard deviation"), tr("Score of each seed")]  # fmt: skip
    rows: list[list[Any]] = []
    for setting in found:
        for part in PARTS:
            if (known := spread(scores := setting.scores(part, measure))) is not None:
                listed = " ".join(f"{score:.4f}" for score in scores)
                rows.append([setting.name, setting.runs[0].encoder, part, known.n, known.mean,
                             known.deviation, listed])  # fmt: skip
    save_table(path, header, rows, job=job)


def _key(run: RunRow) -> str:
    """The same for runs that differ in their seed only."""
    training = {k: v for k, v in run.spec.get("training", {}).items() if k != "seed"}
    spec = run.spec | {"training": training}
    return repr((run.parent, run.segmentation_id, sorted(spec.items(), key=lambda item: item[0])))


def _name(runs: list[Scored]) -> str:
    """The name of the first, without its seed where there are several."""
    name = runs[0].run.name
    return _SEED.sub("", name) or name if len(runs) > 1 else name
