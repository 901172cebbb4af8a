"""What fine-tuned runs take of each layer: ELMo's s_j by task; runs queued to find them."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from lmstudio.analysis.tasks.layer_weights import LayerWeights, read_mix
from lmstudio.errors import AppError
from lmstudio.formats.table_file import save_table
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.operations import finetuning, runs
from lmstudio.store.rows import RunRow
from lmstudio.store.workspace import Workspace
from lmstudio.training.task_config import TUNING

RECIPE: dict[str, Any] = {"epochs": 10, "learning_rate": 5e-3, "optimizer": "adamw"}
"""Of the runs of `queue` instead of TUNING: a head and a mix alone want more than a network."""


def mixed_runs(ws: Workspace) -> list[RunRow]:
    """The fine-tuned runs that read a mix of layers and have a model, oldest first."""
    return [run for run in ws.tuned_runs() if _mixes(run) and runs.has_model(ws, run)]


def weights(ws: Workspace, which: Sequence[int | str]) -> list[LayerWeights]:
    """The shares of the layers in runs. AppError for one that reads no mix, or has no model yet."""
    names = {run.id: run.name for run in ws.runs()}
    tasks = {task.id: task for task in ws.tasks()}
    found = []
    for run in map(ws.run, which):
        if run.task is None or not _mixes(run):
            raise AppError("{name} does not read a mix of layers. Fine-tune with the layers “mix”.",
                           name=run.name)  # fmt: skip
        shares, gamma = read_mix(ws.run_folder(run.id))
        task = tasks[run.task]
        found.append(LayerWeights(run.name, run.id, run.model, names.get(run.parent or 0, ""),
                                  task.name, task.kind, shares, gamma))  # fmt: skip
    return found


def queue(
    ws: Workspace, encoder: int | str, tasks: Sequence[int | str], *, epochs: int = 0,
    seeds: int = 1,
) -> list[RunRow]:  # fmt: skip
    """Queue a run for each task as ELMo was used: the encoder frozen, its layers mixed."""
    how = TUNING | RECIPE | ({"epochs": epochs} if epochs else {})
    queued = []
    for task in map(ws.task, tasks):
        spec = finetuning.spec_for(ws, task, encoder, {"layers": "mix", "tuned": 0}, how)
        assert spec.task is not None
        queued += finetuning.queue_tuning(ws, task.id, encoder, spec.task, spec.training,
                                          seeds=seeds)  # fmt: skip
    return queued


def save_weights(path: Path, found: Sequence[LayerWeights], *, job: Job) -> None:
    """Write the shares as CSV, a row for each run and layer."""
    header = [tr("Run"), tr("Encoder"), tr("Task"), tr("Layer"), tr("Share"), "gamma"]

    def rows() -> Iterator[list[object]]:
        for one in found:
            for layer, share in enumerate(one.shares):
                yield [one.run, one.encoder, one.task, layer, share, one.gamma]

    save_table(path, header, rows(), job=job)


def _mixes(run: RunRow) -> bool:
    return (run.spec.get("task") or {}).get("layers") == "mix"
