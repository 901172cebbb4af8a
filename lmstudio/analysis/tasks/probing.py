"""A network and a labelled task -> how much of the task a linear probe reads off each layer.

The weights of the network stand still; its vectors are computed once, and a classifier learns from
those of each layer alone (Alain & Bengio 2016; for language models Tenney, Das & Pavlick 2019,
"BERT rediscovers the classical NLP pipeline"). Each seed draws SHARE of the examples to learn from,
and SHARE of those held out to be scored on. The control is the same network with random weights:
what a probe finds there it owes to the words and to itself, not to what was learned (Zhang & Bowman
2018, "Language modeling teaches you more than translation does").
"""

import os
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lmstudio.analysis.asked import Asked, answering
from lmstudio.analysis.tasks.layer_names import layer_name
from lmstudio.analysis.tasks.probe_rows import Figure, ProbedTask, ProbeRows, read_rows
from lmstudio.analysis.tasks.probe_vectors import room_for, untrained, vectors
from lmstudio.data.batches import IGNORE
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.models.registry import MODELS

if TYPE_CHECKING:
    from lmstudio.models.trainable import Trainable

SHARE = 0.8
LIMIT = 2000
SEEDS = 5


@dataclass(frozen=True)
class LayerScore:
    """What a probe reads off one layer."""

    layer: int  # 0: the look-up table
    scores: tuple[float, ...]  # by seed, from 0 to 1

    @property
    def name(self) -> str:
        """What the layer is called, in the language in use."""
        return layer_name(self.layer)

    @property
    def mean(self) -> float:
        """Over the seeds."""
        return statistics.fmean(self.scores)

    @property
    def spread(self) -> float | None:
        """The standard deviation over the seeds, with n - 1; None of a single one."""
        return statistics.stdev(self.scores) if len(self.scores) > 1 else None


@dataclass(frozen=True)
class Probed:
    """The layers of a run, probed for a task."""

    run: str
    model: str  # its family
    task: str
    kind: str
    part: str  # that was held out
    figure: Figure  # accuracy of classes, F1 of whole spans, strictly
    majority: float  # of who always says the commonest class, or tag
    layers: tuple[LayerScore, ...]
    control: tuple[LayerScore, ...]  # of the network untrained; () where nobody asked
    train: int  # examples that seeds draw from, to learn from and to be scored on
    held_out: int
    notes: tuple[Message, ...] = ()

    @property
    def best(self) -> LayerScore:
        """The layer with the highest mean, the lowest of equals."""
        return max(self.layers, key=lambda one: one.mean)


def probe(
    asked: Asked, task: ProbedTask, *, seeds: int = SEEDS, limit: int = LIMIT,
    control: bool = False, job: Job,
) -> Probed:  # fmt: skip
    """Probe all layers of a run. At most `limit` examples are read of each part.

    Word vectors from a file are a table by itself, without a control.

    AppError for questions, whose answers no linear probe can find, and where too little is
    labelled.
    """
    if task.kind == "qa":
        raise AppError("A linear probe says one thing of a text or of a token; {name} asks for "
                       "stretches of passages. Fine-tune a network for it instead.",
                       name=task.name)  # fmt: skip
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # read when torch is first imported
    opened = answering(asked, job=job)
    module = opened.model.module  # type: ignore[attr-defined]  # networks have one
    rows = read_rows(opened, task, limit, room_for(module, task.kind), job=job)
    found = _scores(module, rows, seeds, job)
    learned = MODELS[asked.spec.model].kind == "neural"  # word vectors were never random here
    other = _scores(untrained(asked), rows, seeds, job) if control and learned else ()
    return Probed(
        asked.name, asked.spec.model, task.name, task.kind, rows.part, rows.figure,
        rows.majority(), found, other, len(rows.train.examples), len(rows.held_out.examples),
        rows.notes,
    )  # fmt: skip


def _scores(
    module: "Trainable", rows: ProbeRows, seeds: int, job: Job
) -> tuple[LayerScore, ...]:  # fmt: skip
    """What each layer is worth, by seed."""
    learned = vectors(module, rows.train.rows, rows.kind, job=job)  # (L + 1, N, D)
    asked = vectors(module, rows.held_out.rows, rows.kind, job=job)
    found = []
    for layer in range(len(learned)):
        scores = []
        for seed in range(seeds):
            job.tick(layer * seeds + seed, len(learned) * seeds, Message("Learning probes"))
            scores.append(_score(learned[layer], asked[layer], rows, seed, job))
        found.append(LayerScore(layer, tuple(scores)))
    return tuple(found)


def _score(
    learned: np.ndarray, asked: np.ndarray, rows: ProbeRows, seed: int, job: Job
) -> float:  # fmt: skip
    """Of one layer and one seed: a probe learned from its examples, scored on its others."""
    import torch

    from lmstudio.models.tasks import linear_probe

    draw = np.random.default_rng(seed)
    places, _ = _drawn(rows.train.sizes, draw)
    places = places[rows.train.targets[places] != IGNORE]
    x = torch.from_numpy(learned[rows.train.kept[places]])
    made = linear_probe.fit(x, torch.from_numpy(rows.train.targets[places]), check=job.check)
    places, chosen = _drawn(rows.held_out.sizes, draw)
    guesses = made.classes(torch.from_numpy(asked[rows.held_out.kept[places]])).numpy()
    ends = np.cumsum([rows.held_out.sizes[number] for number in chosen])
    return rows.score(chosen, np.split(guesses, ends[:-1]))


def _drawn(sizes: Sequence[int], draw: np.random.Generator) -> tuple[np.ndarray, list[int]]:
    """A SHARE of examples that have `sizes` vectors each: places of the vectors, their numbers."""
    chosen = np.sort(draw.permutation(len(sizes))[: max(1, round(SHARE * len(sizes)))])
    first = np.cumsum([0, *sizes])
    places = np.concatenate([np.arange(first[number], first[number + 1]) for number in chosen])
    return places, chosen.tolist()
