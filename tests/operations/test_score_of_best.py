"""The score that chose the best checkpoint is the one that the run has on the valid part."""

import numpy as np
import pytest
import torch

from lmstudio.analysis.tasks.judging import MEASURE
from lmstudio.data.labelled.example import Example, Span
from lmstudio.jobs import Job
from lmstudio.operations import corpora, finetuning, segmentations, task_scores, tasks, training
from lmstudio.store.workspace import Workspace
from lmstudio.text.segment import SegmentOptions
from lmstudio.training import precision
from lmstudio.training.spec import TrainingConfig
from lmstudio.training.task_config import KINDS, TaskConfig
from tests.operations.families import network

NETWORKS = ("bert", "gpt", "lstm")
FEW = TrainingConfig(max_steps=4, batch=4, learning_rate=5e-3, patience=0, validate_every=1,
                     precision="bf16")  # fmt: skip


def examples(kind, count):
    """Texts of all lengths, longer than is read at once; where the place stands differs."""
    draw, made = np.random.default_rng(7), []
    for n in range(count):
        place = ("北京", "上海", "天津")[n % 3]
        before = "".join(draw.choice(list("我爱的春天很什么"), draw.integers(1, 30)))
        text = f"{before}{place}的春天{'很' * int(draw.integers(0, 9))}"
        span = Span(len(before), len(before) + 2, "地" if kind == "tag" else "")
        made.append({
            "classify": Example(text, label=place), "tag": Example(text, spans=(span,)),
            "pair": Example(text, "我爱北京", ("是", "否")[n % 3 > 0]),
            "qa": Example(text, "他爱什么", spans=(span,) if n % 4 else ()),
        }[kind])  # fmt: skip
    return made


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    with Workspace(tmp_path_factory.mktemp("best") / "workspace") as ws:
        text = "我爱北京天安门。\n他爱上海的春天很。\n他爱什么\n" * 10
        corpora.import_text(ws, text, name="文", job=Job())
        cut = segmentations.create(ws, "文", SegmentOptions(by="characters"), job=Job()).new_id
        for name in NETWORKS:
            training.train(ws, cut, network(name, max_steps=2), name=name, job=Job())
        for kind in KINDS:
            valid = examples(kind, 40)
            if kind == "classify":  # what training never shows counts as wrong
                valid = [*valid, Example("他爱南京", label="南京")]
            tasks.add_examples(ws, kind, kind, {"train": examples(kind, 24), "valid": valid},
                               job=Job())  # fmt: skip
        yield ws


@pytest.mark.parametrize("tuned", [-1, 0], ids=["tuned", "frozen"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NETWORKS)
def test_the_best_score_is_the_score_of_the_best(made, monkeypatch, name, kind, tuned):
    monkeypatch.setattr(precision, "has_bf16", lambda device: True)
    head = TaskConfig(kind=kind, length=14, cut="windows", stride=6, tuned=tuned,
                      crf=kind == "tag" and tuned != 0)  # fmt: skip
    [row] = finetuning.queue_tuning(made, kind, name, head, FEW)
    training.start(made, row.id, job=Job())
    told = {step: value for step, _, value in made.metrics(row.id, "valid_score")}
    assert len(told) == 4
    run = made.run(row.id)
    assert run.facts["precision"] in ("bf16", "fp32")
    figure = made.evaluation(row.id, "valid")[MEASURE[kind]]
    assert told[run.facts["best_step"]] == max(told.values()) == figure
    again = task_scores.score_part(made, row.id, "valid", job=Job())
    assert again.figures[MEASURE[kind]] == figure
    assert torch.get_float32_matmul_precision() == "highest"
