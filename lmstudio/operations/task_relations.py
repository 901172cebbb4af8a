"""Does a better language model make a better fine-tuned one? Figures of encoders against scores."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lmstudio.analysis.tasks.relations import Correlation, correlations
from lmstudio.errors import AppError
from lmstudio.files import unwritten, written
from lmstudio.formats.chart import Curve, chart
from lmstudio.formats.chart_axis import number_axis
from lmstudio.formats.chart_style import alone
from lmstudio.formats.table_file import save_table
from lmstudio.jobs import Job
from lmstudio.messages import listed, msg, tr
from lmstudio.operations import run_names, task_scaling
from lmstudio.operations.task_scaling import Point
from lmstudio.store.rows import Part
from lmstudio.store.workspace import Workspace

BY = {"bits_per_character": msg("Bits per character"), "perplexity": msg("Perplexity")}
"""The figures of encoders: of the first, all on the same text share an axis; of perplexity only
those that predict the same tokens."""
ENCODER_PART: Part = "test"
"""The part of their corpus on which encoders are measured."""


@dataclass(frozen=True)
class Related:
    """An encoder's figure, and the score of what was tuned from it."""

    x: float
    point: Point

    @property
    def y(self) -> float:
        """The mean score."""
        return self.point.mean


@dataclass(frozen=True)
class Relation:
    """Encoders whose figures can be compared, tuned in the same way."""

    title: str  # what they share
    pseudo: bool  # figures of models that see both sides
    points: tuple[Related, ...]  # by x
    pearson: Correlation
    spearman: Correlation

    @property
    def n(self) -> int:
        """How many encoders there are."""
        return len(self.points)


def relation(
    ws: Workspace, task: int | str, part: Part = "test", measure: str = "", *,
    by: str = "bits_per_character", job: Job,
) -> list[Relation]:  # fmt: skip
    """The relations between encoders' figures and scores, one for each group that can be compared.

    Groups never mix pseudo-perplexity with perplexity, nor other text, nor ways of tuning; for
    `by` "perplexity" nor segmentations. AppError for figures that there are not.
    """
    if by not in BY:
        raise AppError("Encoders are measured by: {known}.", known=listed(BY))
    groups: dict[tuple[str, bool], list[Related]] = {}
    for point in task_scaling.points(ws, task, part, measure):
        figure = (ws.evaluation(point.encoder_id, ENCODER_PART) or {}).get(by)
        if isinstance(figure, int | float):
            key = _group(ws, point, by)
            groups.setdefault(key, []).append(Related(float(figure), point))
    found = []
    for (title, pseudo), related in groups.items():
        job.check()
        related.sort(key=lambda one: one.x)
        both = correlations([one.x for one in related], [one.y for one in related], job=job)
        found.append(Relation(title, pseudo, tuple(related), *both))
    return sorted(found, key=lambda one: (one.pseudo, -one.n, one.title))


def _group(ws: Workspace, point: Point, by: str) -> tuple[str, bool]:
    """What the figures of a group have in common, in words, and whether they are pseudo ones."""
    run = ws.run(point.encoder_id)
    cut = ws.segmentation(run.segmentation_id)
    pseudo = run_names.sees_both_sides(run.spec)
    told = [ws.corpus(cut.corpus_id).name]
    if by == "perplexity" or run_names.own_axis(run, cut):
        told.append(cut.name)
    if pseudo:
        told.append(tr("pseudo-perplexity"))
    return " · ".join([*told, point.series]), pseudo


def save_csv(
    path: Path, found: Sequence[Relation], by: str, measure: str, *, job: Job
) -> None:  # fmt: skip
    """Write a row for each encoder, as a table for spreadsheets."""
    header = [tr("Group"), tr("Encoder"), tr(BY[by]), measure, tr("standard deviation"),
              tr("Runs")]  # fmt: skip

    def rows() -> Iterator[list[object]]:
        for group in found:
            for one in group.points:
                yield [group.title, one.point.encoder, one.x, one.y, one.point.spread,
                       "; ".join(one.point.runs)]  # fmt: skip

    save_table(path, header, rows(), job=job)


def save_charts(path: Path, found: Sequence[Relation], title: str) -> list[Path]:
    """Write an SVG file for each group, the score of each encoder against its figure; the files.

    The first is `path`, others get a number. AppError where there is nothing to draw.
    """
    if not found:
        raise AppError("There is nothing to draw: no run has both a number and a figure.")
    paths = [path.with_stem(f"{path.stem} {number}") if number > 1 else path
             for number in range(1, len(found) + 1)]  # fmt: skip
    for file, group in zip(paths, found, strict=True):
        save_chart(file, group, f"{title} · {group.title}")
    return paths


def save_chart(path: Path, found: Relation, title: str) -> None:
    """Write an SVG file: the score of each encoder against its figure."""
    curves = [Curve(one.point.encoder, one.point.model, ((one.x, one.y),), one.y)
              for one in found.points]  # fmt: skip
    drawing = alone(chart(curves, axis=number_axis, name=title, whole=True), title)
    with unwritten(path), written(path) as temporary:
        temporary.write_text(drawing, encoding="utf-8")
