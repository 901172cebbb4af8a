"""Mixtures of trained runs: how much of each, and what the mixture is worth."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lmstudio.analysis import mixture
from lmstudio.analysis.mixture import Asked, Score
from lmstudio.errors import AppError
from lmstudio.formats.table_file import save_table
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.operations import runs as all_runs
from lmstudio.store.workspace import Workspace
from lmstudio.training.spec import RunSpec


@dataclass(frozen=True)
class Component:
    """A run or the cache, with its weight, or the mixture of them all, with weight 1."""

    name: str
    weight: float
    valid: Score
    test: Score | None  # None without a test part


@dataclass(frozen=True)
class Mixture:
    """What was mixed, and what came of it. The weights of `components` sum to 1."""

    components: list[Component]
    mixture: Component
    cache: int = 0  # words that the last component looks back at, if it is one

    @property
    def weights(self) -> list[float]:
        """Of the runs in their order, then of the cache if there is one."""
        return [component.weight for component in self.components]


def mix(ws: Workspace, runs: Sequence[int | str], *, cache: int = 0, job: Job) -> Mixture:
    """Interpolate runs with the weights that the valid part likes best; nothing is kept.

    `cache`: so many words just read are a model of their own, 0 for none. AppError unless there
    are two models or more, trained on one segmentation.
    """
    rows = [ws.run(run) for run in runs]
    if len(rows) + bool(cache) < 2:
        raise AppError("A mixture needs two runs, or one and a cache.")
    if len({row.segmentation_id for row in rows}) != 1:
        raise AppError(
            "Only runs on one segmentation can be mixed: they must predict the same tokens."
        )
    for row in rows:
        all_runs.refuse_unscored(ws, row)
    asked = [Asked(row.name, ws.run_folder(row.id), RunSpec.from_json(row.spec)) for row in rows]
    folder = ws.segmentation_folder(rows[0].segmentation_id)
    found = job.call(mixture.interpolate, folder, asked, cache=cache)
    names = [row.name for row in rows]
    names += [tr("Cache of {count} words", count=cache)] if cache else []
    valid = found.scores["valid"]
    test: Sequence[Score | None] = found.scores.get("test") or [None] * len(valid)
    *parts, whole = [
        Component(*one)
        for one in zip([*names, tr("Mixture")], [*found.weights, 1.0], valid, test, strict=True)
    ]
    return Mixture(parts, whole, cache)


def table(found: Mixture) -> tuple[list[str], list[list[object]]]:
    """The header and a row for each model and for the mixture."""
    header = [tr("Model"), tr("Weight"), tr("Valid bits/char"), tr("Valid perplexity"),
              tr("Test bits/char"), tr("Test perplexity")]  # fmt: skip
    return header, [_cells(one) for one in (*found.components, found.mixture)]


def save(found: Mixture, path: Path, *, job: Job) -> None:
    """Write the table as CSV."""
    header, rows = table(found)
    save_table(path, header, rows, total=len(rows), job=job)


def _cells(one: Component) -> list[object]:
    scores = [
        figure
        for score in (one.valid, one.test)
        for figure in ((score.bits_per_character, score.perplexity) if score else ("", ""))
    ]
    return [one.name, one.weight, *scores]
