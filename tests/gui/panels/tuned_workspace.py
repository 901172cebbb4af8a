"""A small workspace with tasks and fine-tuned runs whose scores are made up."""

import math

from lmstudio.store.rows import TaskRow
from lmstudio.store.workspace import Workspace
from lmstudio.training.spec import RunSpec


def task(ws: Workspace, name: str = "评论", kind: str = "classify") -> int:
    """The id of a task without files."""
    facts = {"labels": ["好", "坏"], "counts": {"train": 60, "valid": 12, "test": 12}}
    row = TaskRow(ws.next_id("task"), name, "2026-11-30T00:00:00", kind, facts)
    return ws.add_task(row).id


def scored(
    ws: Workspace, cut: int, of: int, name: str, scores: dict[int, float], *,
    model: str = "bert", measure: str = "accuracy", **task_config: object,
) -> list[int]:  # fmt: skip
    """The ids of runs of one setting, by seed, with a valid and a test score and a curve."""
    made = []
    for seed, score in scores.items():
        spec = RunSpec.from_json(
            {"model": model, "training": {"seed": seed}, "task": {**task_config}}
        )
        row = ws.add_run(cut, f"{name}, {seed}", model, spec.to_json(), task=of)
        points = []
        for n in range(1, 21):
            loss = 0.3 + math.exp(-n / 5) + 0.01 * seed
            points += [(n * 10, float(n), "valid_loss", loss),
                       (n * 10, float(n), "valid_score", score * (1 - math.exp(-n / 4)))]  # fmt: skip
        ws.add_metrics(row.id, points)
        ws.update_run(row.id, state="done", seconds=20.0 + seed, step=200, parameters=512_345)
        ws.set_evaluation(row.id, "valid", {measure: score})
        ws.set_evaluation(row.id, "test", {measure: score - 0.05})
        made.append(row.id)
    return made
