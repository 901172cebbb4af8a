"""The tasks that come with the program, tuned as the window offers it first: score and seconds.

    python -m tests.bench.bench_sample_tasks [--tasks sentiment travel]

A BERT of the preset "small" reads their texts for 150 steps (where the preset has a minute), then
it is tuned for each. To be reached on one thread: less than two minutes of the processor, and at
least half of what the commonest class or tag leaves wrong put right.
"""

import argparse
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from lmstudio.data.labelled.samples import NAMES
from lmstudio.data.labelled.task_folder import read_part
from lmstudio.jobs import Job
from lmstudio.operations import corpora, finetuning, sample_tasks, segmentations, training
from lmstudio.store.workspace import Workspace
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.spec import RunSpec, TrainingConfig
from lmstudio.training.task_config import TaskConfig
from lmstudio.training.tuning_presets import TUNING_PRESETS
from tests.bench.task_baselines import baselines

SECONDS = 120  # of the processor
STEPS = 150  # of pre-training
FIGURES = {"classify": "accuracy", "tag": "f1", "pair": "accuracy", "qa": "f1"}


@dataclass(frozen=True)
class Learned:
    """How well a task was learned, from 0 to 1, beside what is reached without a network."""

    score: float
    simple: dict[str, float]
    seconds: float

    @property
    def reached(self) -> bool:
        """In time, and far above the commonest class or tag."""
        return self.seconds < SECONDS and 1 - self.score < (1 - self.simple["majority"]) / 2


def prepare(ws: Workspace) -> None:
    """Add the tasks, and a BERT that has read their texts for some steps."""
    sample_tasks.sample_tasks(ws, job=Job())
    folders = [ws.task_folder(row.id) for row in ws.tasks()]
    rows = [row for folder in folders for row in read_part(folder, "train")]
    text = "\n".join(line for row in rows for line in (row.text, row.other) if line)
    corpora.import_text(ws, text, name="texts", job=Job())
    options = SegmentOptions(by="characters")
    segmentations.create(ws, "texts", options, name="characters", job=Job())
    how = {"max_steps": STEPS, "validate_every": STEPS}
    spec = RunSpec.from_json({"model": "bert", "preset": "small", "training": how})
    training.train(ws, "characters", spec, name="bert", job=Job())


def learn(ws: Workspace, name: str) -> Learned:
    """Tune BERT for a task with the preset that a form begins with."""
    kind, preset = NAMES[name], next(iter(TUNING_PRESETS.values()))
    head = TaskConfig(kind=kind, **preset.task_values(kind))
    how = TrainingConfig(**preset.training_values())
    (run,) = finetuning.queue_tuning(ws, name, "bert", head, how)
    began = time.process_time()
    training.start(ws, run.id, job=Job())
    seconds = time.process_time() - began
    score = (ws.evaluation(run.id, "test") or {})[FIGURES[kind]]
    folder = ws.task_folder(ws.task(name).id)
    simple = baselines(kind, read_part(folder, "train"), read_part(folder, "test"))
    return Learned(score, simple, seconds)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", nargs="+", default=list(NAMES), choices=NAMES)
    options = parser.parse_args()
    print("task        majority  words   BERT  seconds")
    with tempfile.TemporaryDirectory() as folder, Workspace(Path(folder) / "workspace") as ws:
        prepare(ws)
        for name in options.tasks:
            found = learn(ws, name)
            majority, words = found.simple["majority"], found.simple["bag of words"]
            print(f"{name:10} {majority:9.3f} {words:6.3f} {found.score:6.3f} {found.seconds:8.0f}"
                  f"   {'reached' if found.reached else 'MISSED'}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
