"""A small workspace with tasks and fine-tuned runs: scores made up, or really trained."""

import math

from lmstudio.data.labelled.example import Example, Span
from lmstudio.jobs import Job
from lmstudio.operations import corpora, finetuning, segmentations, tasks, training
from lmstudio.store.rows import TaskRow
from lmstudio.store.workspace import Workspace
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.spec import RunSpec, TrainingConfig
from lmstudio.training.task_config import TaskConfig
from tests.operations.families import network

CITIES = ("北京", "上海", "广州", "天津")


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
            reached = score * (1 - math.exp(-n / 4))
            points += [(n * 10, float(n), "valid_loss", loss),
                       (n * 10, float(n), "valid_score", reached)]  # fmt: skip
        ws.add_metrics(row.id, points)
        ws.update_run(row.id, state="done", seconds=20.0 + seed, step=200, parameters=512_345)
        ws.set_evaluation(row.id, "valid", {measure: score})
        ws.set_evaluation(row.id, "test", {measure: score - 0.05})
        made.append(row.id)
    return made


def encoder(ws: Workspace) -> int:
    """The id of a small BERT that read some words of the easy tasks."""
    text = "".join(f"我去{city}玩，{city}很好看，太难看。我在{city}住哪里\n" for city in CITIES)
    corpora.import_text(ws, text * 5, name="文", job=Job())
    cut = segmentations.create(ws, "文", SegmentOptions(by="characters"), job=Job()).new_id
    return training.train(ws, cut, network("bert"), name="bert", job=Job()).new_id or 0


def trained(ws: Workspace, *kinds: str) -> list[int]:
    """The ids of small runs that learned an easy task of each kind (classify, tag or qa) whole."""
    begun = encoder(ws)
    how = TrainingConfig(epochs=40, batch=8, learning_rate=0.01, warmup=5, patience=0)
    made = []
    for kind in kinds:
        rows = _easy(kind)
        parts = {"train": rows, "valid": rows[:4], "test": rows[:8]}
        tasks.add_examples(ws, kind, kind, parts, job=Job())
        (run,) = finetuning.queue_tuning(ws, kind, begun, TaskConfig(kind=kind, length=16), how,
                                         name=f"{kind} run")  # fmt: skip
        training.start(ws, run.id, job=Job())
        made.append(run.id)
    return made


def _easy(kind: str) -> list[Example]:
    """Eight examples of a kind."""
    if kind == "tag":
        return [Example(f"我去{city}玩", spans=(Span(2, 4, "到达地"),)) for city in CITIES * 2]
    if kind == "qa":
        return [Example(f"我在{city}玩", "住哪里", spans=(Span(2, 4),)) for city in CITIES * 2]
    return [Example(f"{city}{said}", label=label) for city in CITIES
            for said, label in (("很好看", "好"), ("太难看", "坏"))]  # fmt: skip
