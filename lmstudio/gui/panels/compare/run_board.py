"""RunBoard: the runs of the selected corpus with figures and curves, also of those in training."""

import math
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, Signal, Slot

from lmstudio.data.layout import PartCounts
from lmstudio.gui.panels.compare import measures
from lmstudio.gui.panels.compare.losses import Losses
from lmstudio.gui.state import AppState
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.operations import evaluation, foreign_curves, leaks, run_names, runs, tags
from lmstudio.operations.foreign_curves import ForeignCurve
from lmstudio.store.rows import Facts, Part, RunRow, SegmentationRow


@dataclass(frozen=True)
class RunEntry:
    """A run and what is known of it."""

    row: RunRow
    segmentation: SegmentationRow
    valid: Facts | None
    test: Facts | None
    order: int  # among the runs of its family, from 0: solid, dashed, dotted
    job: Job | None  # that trains it, or waits to
    leaks: dict[str, Message] = field(default_factory=dict)  # by part, see `operations.leaks.notes`
    tags: tuple[str, ...] = ()

    @property
    def comparable(self) -> bool:
        """It may stand on the axis of the others."""
        return not self.own_axis

    @property
    def own_axis(self) -> str:
        """Why it may not, a catalogue sentence; "" if it may."""
        return run_names.own_axis(self.row, self.segmentation)

    @property
    def pseudo(self) -> bool:
        """Its figures are those of a model that sees both sides of a token."""
        return run_names.sees_both_sides(self.row.spec)

    @property
    def context(self) -> str:
        """What may be seen before a token that is scored: "sentence" or "document"."""
        known: Facts = self.valid or self.test or self.row.spec.get("config", {})
        return str(known.get("context") or "sentence")

    @property
    def state(self) -> str:
        """The state of the row, or "queued" where a job waits to go on with it."""
        waits = self.job is not None and self.job.state == "queued"
        return "queued" if waits else self.row.state

    @property
    def share(self) -> float | None:
        """How much of its training is done, while it is trained."""
        job = self.job
        return job.done / job.total if self.state == "running" and job and job.total else None

    @property
    def lacking(self) -> list[Part]:
        """The parts that it could be measured on, and is not, nor does a job do it."""
        found: dict[Part, Facts | None] = {"valid": self.valid, "test": self.test}
        return [] if self.job else runs.lacking(self.row, self.segmentation, found)

    def figure(self, measure: str, part: str = "valid") -> float | None:
        """A figure of its evaluation, if it was evaluated."""
        figures = self.valid if part == "valid" else self.test
        if measure == "loss" and figures is not None:
            return math.log(figures["perplexity"])
        return None if figures is None else figures.get(measure)


class RunBoard(QObject):
    """Reads rows when they change and curves when they are asked for; keeps what did not change."""

    changed = Signal()  # runs, their states or figures
    advanced = Signal(bool)  # a run in training came further; True: with new points

    def __init__(self, state: AppState, parent: QObject) -> None:
        super().__init__(parent)
        self._state = state
        self._entries: list[RunEntry] = []
        self._tags: dict[int, tuple[str, ...]] = {}
        self._losses: dict[int, dict[str, Losses]] = {}  # of a run, by metric
        self._metrics: dict[int, set[str]] = {}  # what a run has points of
        self._shares: dict[int, float] = {}  # of the valid part that is looked at, once known
        self._read_at: dict[int, tuple[str, int, float]] = {}  # state, step, seconds of the row
        self._foreign: list[ForeignCurve] = []
        state.runs_changed.connect(self.refresh)
        state.segmentations_changed.connect(self.refresh)
        state.selection_changed.connect(self.refresh)
        state.workspace_changed.connect(self._forget)
        state.jobs.progressed.connect(self._progressed)
        state.jobs.finished.connect(self._job_changed)
        state.jobs.started.connect(self._job_changed)
        self.refresh()

    def entries(self) -> list[RunEntry]:
        """The runs of the corpus, oldest first."""
        return self._entries

    def entry(self, run_id: int) -> RunEntry | None:
        """One of them."""
        return next((entry for entry in self._entries if entry.row.id == run_id), None)

    def foreign(self) -> list[ForeignCurve]:
        """The curves that the corpus has from files."""
        return self._foreign

    def curve(
        self, entry: RunEntry, part: str, measure: str, x: str
    ) -> tuple[np.ndarray, np.ndarray]:
        """See `operations.evaluation.curve`; with the points that came since it was stored."""
        whole = PartCounts(**entry.segmentation.facts["parts"][part])
        counts = evaluation.scored(entry.row, whole)
        per_step = entry.row.facts.get("tokens_per_step") or _tokens_per_step(entry)
        points = self.points(entry.row.id, measures.metric(entry.row, measure, part))
        return points.curve(measure, x, counts, per_step)

    def points(self, run_id: int, metric: str) -> Losses:
        """What was recorded of a run under a name, such as "valid_loss"."""
        known = self._losses.setdefault(run_id, {})
        if metric not in known:
            known[metric] = Losses.read(self._state.workspace, run_id, metric)
        return known[metric]

    def measures(self) -> list[str]:
        """The measures that some run or curve from a file has, see MEASURES."""
        known = measures.offered((entry.row, self.metrics(entry.row.id)) for entry in self._entries)
        known += [curve.measure for curve in self._foreign]
        return [name for name in measures.MEASURES if name in known]

    def metrics(self, run_id: int) -> set[str]:
        """The names of what was recorded of a run."""
        if run_id not in self._metrics:
            self._metrics[run_id] = set(self._state.workspace.metric_names(run_id))
        return self._metrics[run_id]

    def looked_at(self, run_id: int) -> float | None:
        """See `operations.evaluation.looked_at`."""
        if run_id not in self._shares:
            share = evaluation.looked_at(self._state.workspace, run_id)
            if share is None:
                return None
            self._shares[run_id] = share
        return self._shares[run_id]

    def oracle(self, part: Part) -> float | None:
        """The bits per character that no model can go below, if known."""
        corpus = self._state.corpus
        return evaluation.oracle(self._state.workspace, corpus.id, part) if corpus else None

    @Slot()
    def refresh(self) -> None:
        """Read the rows."""
        self._entries = []
        corpus, jobs = self._state.corpus, self._jobs()
        leaking = leaks.notes(corpus.facts.get("leaks", {})) if corpus else {}
        seen: Counter[str] = Counter()
        self._tags = tags.tags(self._state.workspace, "run") if corpus else {}
        self._foreign = foreign_curves.curves(self._state.workspace, corpus.id) if corpus else []
        for cut in self._state.segmentations(corpus.id) if corpus else []:
            for row in self._state.runs(cut.id):
                self._drop_if_changed(row)
                self._entries.append(self._entry(row, cut, jobs.get(row.id), leaking))
        self._entries.sort(key=lambda entry: entry.row.id)
        for number, entry in enumerate(self._entries):
            family = entry.row.model
            self._entries[number] = replace(entry, order=seen[family])
            seen[family] += 1
        self.changed.emit()

    def _entry(
        self, row: RunRow, cut: SegmentationRow, job: Job | None, leaking: dict[str, Message]
    ) -> RunEntry:
        ws = self._state.workspace
        valid, test = ws.evaluation(row.id, "valid"), ws.evaluation(row.id, "test")
        words = self._tags.get(row.id, ())
        return RunEntry(row, cut, valid, test, 0, job, leaking, words)

    def _jobs(self) -> dict[int, Job]:
        return {job.run_id: job for job in self._state.jobs.jobs() if job.run_id is not None}

    def _drop_if_changed(self, row: RunRow) -> None:
        """Stored points are read again after a run has come further without our seeing it."""
        now = (row.state, row.step, row.seconds)
        if self._read_at.get(row.id) != now and row.state != "running":
            self._drop(row.id)
        self._read_at[row.id] = now

    def _drop(self, run_id: int) -> None:
        self._losses.pop(run_id, None)
        self._metrics.pop(run_id, None)
        self._shares.pop(run_id, None)

    @Slot()
    def _forget(self) -> None:
        self._losses.clear()
        self._metrics.clear()
        self._shares.clear()
        self._read_at.clear()

    @Slot(object)
    def _job_changed(self, job: Job) -> None:
        if job.run_id is not None:
            self.refresh()

    @Slot(object, list)
    def _progressed(self, job: Job, points: list[tuple[int, dict[str, float]]]) -> None:
        entry = None if job.run_id is None else self.entry(job.run_id)
        if entry is None:
            return
        for step, point in points:
            seconds = point.get("seconds", entry.row.seconds + _elapsed(job))
            for name in point.keys() - {"seconds"}:
                self.points(entry.row.id, name).add(step, seconds, point[name])
            self.metrics(entry.row.id).update(point.keys() - {"seconds"})
        self.advanced.emit(bool(points))


def _elapsed(job: Job) -> float:
    return 0.0 if job.started is None else time.monotonic() - job.started


def _tokens_per_step(entry: RunEntry) -> float:
    """What a step reads at most; the exact figure comes with the end of the run."""
    training: dict[str, Any] = entry.row.spec.get("training", {})
    return float(training.get("batch", 1) * training.get("length", 1)) or 1.0
