"""What the layers of a run know of a task, by linear probes; as values and as a table."""

from collections.abc import Iterator
from pathlib import Path

from lmstudio.analysis.tasks import probing
from lmstudio.analysis.tasks.probe_rows import ProbedTask
from lmstudio.analysis.tasks.probing import LIMIT, SEEDS, Probed
from lmstudio.formats.table_file import save_table
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.operations.asked import asked
from lmstudio.operations.task_results import MEASURES
from lmstudio.store.workspace import Workspace


def probe(
    ws: Workspace, run: int | str, task: int | str, *, seeds: int = SEEDS, limit: int = LIMIT,
    control: bool = False, job: Job,
) -> Probed:  # fmt: skip
    """How well a linear probe of each layer of a run, a language model or fine-tuned, does a task.

    At most `limit` examples are learned from and as many scored; `control`: the same network with
    random weights too. AppError for a model without vectors, for a task of questions, and where too
    few examples are labelled.
    """
    row = ws.task(task)
    given = ProbedTask(row.name, row.kind, ws.task_folder(row.id))
    return job.call(probing.probe, asked(ws, run, "layers"), given, seeds=seeds, limit=limit,
                    control=control)  # fmt: skip


def save_probed(path: Path, found: Probed, *, job: Job) -> None:
    """Write the scores as CSV, a row for each layer and seed."""
    header = [tr("Run"), tr("Task"), tr("Weights"), tr("Layer"), tr("Seed"),
              tr(MEASURES[found.kind][found.figure])]  # fmt: skip

    def rows() -> Iterator[list[object]]:
        for weights, layers in ((tr("trained"), found.layers), (tr("random"), found.control)):
            for one in layers:
                for seed, score in enumerate(one.scores, 1):
                    yield [found.run, found.task, weights, one.layer, seed, score]

    save_table(path, header, rows(), job=job)
