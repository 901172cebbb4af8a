"""Some examples of a scored part -> the columns of a list of them, of any length."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from lmstudio import figures
from lmstudio.analysis.tasks.errors import PartScores
from lmstudio.data.browse.listing import Column as Field
from lmstudio.data.browse.listing import Listing
from lmstudio.gui.captions import sentence_case
from lmstudio.gui.tables import Column
from lmstudio.messages import msg, tr
from lmstudio.operations import task_scores


@dataclass(frozen=True)
class ExampleListing(Listing):
    """N examples with what is right and what was said."""

    number: Annotated[np.ndarray, Field(msg("Row"))]  # (N,) int64, among all of the part, from 0
    text: Annotated[list[str], Field(msg("Text"))]
    other: Annotated[list[str], Field(msg("Second text"))]
    right: Annotated[list[str], Field(msg("What is right"))]
    said: Annotated[list[str], Field(msg("Said"))]
    sure: Annotated[np.ndarray, Field("p")]  # (N,) float64
    points: Annotated[np.ndarray, Field(msg("Score, 0 to 1"))]  # (N,) float64, from 0 to 1
    exact: Annotated[np.ndarray, Field(msg("Exact match"))]  # (N,) float64, 0 or 1


def listing(found: PartScores, numbers: list[int]) -> ExampleListing:
    """The examples `numbers` in that order; of spans and answers the worst first."""
    points = np.array(found.each, float)[numbers]
    if found.task in ("tag", "qa"):
        numbers = [numbers[n] for n in np.argsort(points, kind="stable").tolist()]
        points = np.sort(points, kind="stable")
    chosen = [(found.examples[n], found.predictions[n]) for n in numbers]
    exact = np.array(found.exact or [0.0] * len(found.each), float)
    return ExampleListing(
        np.array(numbers, np.int64),
        [example.text for example, _ in chosen],
        [example.other for example, _ in chosen],
        [task_scores.right_of(found.task, example) for example, _ in chosen],
        [task_scores.said_of(found.task, said) or figures.DASH for _, said in chosen],
        np.array(found.sure, float)[numbers], points, exact[numbers],
    )  # fmt: skip


def columns(kind: str) -> list[Column]:
    """What is shown of the examples of a kind of task."""
    sure = _share("sure", "p", tr("How sure the model was of what it said"))
    f1 = _share("points", "F1", tr("Of this example alone"))
    titles = {"right": sentence_case(tr("right")), "said": sentence_case(tr("guessed"))}
    labels = [Column(key, title, width=96) for key, title in titles.items()]
    wide = [Column(key, title) for key, title in titles.items()]
    match kind:
        case "pair":
            texts = [Column("text", tr("First text")), Column("other", tr("Second text"))]
            return [*texts, *labels, sure]
        case "tag":
            return [Column("text", tr("Text")), *wide, f1, sure]
        case "qa":
            exact = _share("exact", "EM", tr("Exact match"))
            return [Column("other", tr("Question")), *wide, exact, f1, sure]
    return [Column("text", tr("Text")), *labels, sure]


def _share(key: str, title: str, note: str) -> Column:
    return Column(key, title, right=True, show=figures.percent, width=64, note=note)
