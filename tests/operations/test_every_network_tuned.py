"""Every network is fine-tuned for every kind of task, predicts, and can be asked what it knows."""

from dataclasses import replace

import numpy as np
import pytest

from lmstudio.data.labelled.example import Example, Span
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.operations import (
    corpora,
    embeddings,
    evaluation,
    finetuning,
    predicting,
    segmentations,
    task_scores,
    tasks,
    training,
)
from lmstudio.store.workspace import Workspace
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.spec import TrainingConfig
from lmstudio.training.task_config import KINDS, TaskConfig
from tests.operations.families import NETWORKS, network
from tests.operations.test_finetuning import examples

pytestmark = pytest.mark.slow
FEW = TrainingConfig(max_steps=3, batch=4, learning_rate=5e-3, patience=0)
TEXT, LONG = "他爱北京的春天", "他爱北京的春天很" * 6


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A workspace with a small run of each network, called so, and a task of each kind."""
    with Workspace(tmp_path_factory.mktemp("every") / "workspace") as ws:
        text = "我爱北京天安门。\n他爱上海的春天很。\n他爱什么\n" * 10
        corpora.import_text(ws, text, name="文", job=Job())
        cut = segmentations.create(ws, "文", SegmentOptions(by="characters"), job=Job()).new_id
        for name in NETWORKS:
            training.train(ws, cut, network(name, max_steps=2), name=name, job=Job())
        for kind in KINDS:
            rows = examples(kind)
            parts = {"train": rows, "valid": rows[:5], "test": rows[:5]}
            tasks.add_examples(ws, kind, kind, parts, job=Job())
        yield ws


@pytest.fixture(params=[f"{name} {kind}" for name in NETWORKS for kind in KINDS])
def run(request, made):
    """A run that was fine-tuned for some steps, and its kind."""
    name, kind = request.param.split()
    head = TaskConfig(kind=kind, length=12, cut="windows", stride=6)
    [row] = finetuning.queue_tuning(made, kind, name, head, FEW)
    training.start(made, row.id, job=Job())
    return made.run(row.id)


def test_it_predicts_and_is_scored(made, run):
    kind = run.spec["task"]["kind"]
    assert run.state == "done"
    texts, others = [TEXT, LONG], ["我爱北京", "他爱什么"] if kind in ("pair", "qa") else []
    short, long = predicting.predict(made, run.id, texts, others, job=Job())
    for found, text in ((short, TEXT), (long, LONG)):
        assert found.text == text
        if kind in ("classify", "pair"):
            assert sum(found.probabilities) == pytest.approx(1, abs=1e-5)
            assert found.label in ("北京", "上海", "是", "否")
        elif kind == "tag":
            assert [token.tag for token in found.tokens]
            assert [(token.start, token.end) for token in found.tokens] == [
                (n, n + 1) for n in range(len(text))
            ]
            assert all(text[one.start : one.end] for one in found.spans)
        else:
            assert all(one.text == text[one.start : one.end] for one in found.answers)
            assert sum(one.p for one in found.answers) == pytest.approx(1, abs=1e-5)
    assert long.cut == (kind == "pair")  # all else is read in windows
    again = predicting.predict(made, run.id, texts[::-1], others[::-1], job=Job())[::-1]
    assert again == [short, long]  # whatever stands beside it
    scores = task_scores.score_part(made, run.id, "test", job=Job())
    assert made.evaluation(run.id, "test") == scores.figures
    assert len(scores.predictions) == 5


@pytest.mark.parametrize("name", NETWORKS)
def test_a_tuned_run_is_asked_with_its_encoder(made, name):
    """Its look-up table is the tuned one; a frozen one is that of the encoder."""
    head = TaskConfig(length=12)
    [moved] = finetuning.queue_tuning(made, "classify", name, head, FEW)
    [still] = finetuning.queue_tuning(made, "classify", name, replace(head, tuned=0), FEW)
    for row in (moved, still):
        training.start(made, row.id, job=Job())
    ids = [4, 5, 6]
    before, frozen, after = (segmentations.lookup(made, run, ids, job=Job()).rows
                             for run in (name, still.id, moved.id))  # fmt: skip
    np.testing.assert_array_equal(frozen, before)
    assert np.abs(after - before).max() > 0
    own = embeddings.neighbors(made, moved.id, "北", job=Job())
    assert own.nearest
    with pytest.raises(AppError, match="task-scores"):
        evaluation.evaluate(made, moved.id, "test", job=Job())
    assert "accuracy" in made.evaluation(moved.id, "test")


@pytest.mark.parametrize("name", ["bert", "lstm"])
def test_answers_in_long_passages_are_found_and_said_to_be_none(made, name):
    """The answer stands behind the first windows; of every third question there is none."""
    long = []
    for n in range(12):
        place = ("北京", "上海")[n % 2]
        text = "春天很天" * 5 + f"他爱{place}的"
        asked = n % 3 != 2
        long.append(Example(text, "他爱什么" if asked else "我爱什么",
                            spans=(Span(22, 24),) if asked else ()))  # fmt: skip
    parts = {"train": long, "valid": long, "test": long}
    task = tasks.add_examples(made, f"long {name}", "qa", parts, job=Job()).new_id
    head = TaskConfig(kind="qa", length=16, stride=5, dropout=0.0)
    how = TrainingConfig(epochs=25, batch=16, learning_rate=0.02, warmup=5, patience=0)
    [row] = finetuning.queue_tuning(made, task, name, head, how)
    training.start(made, row.id, job=Job())
    figures = made.evaluation(row.id, "valid")
    told = [value for _, _, value in made.metrics(row.id, "valid_score")]
    assert max(told) == figures["f1"]
    scores = task_scores.score_part(made, row.id, "test", job=Job())
    answered = [said for one, said in zip(scores.examples, scores.predictions, strict=True)
                if one.spans]  # fmt: skip
    assert {(one.answers[0].start, one.answers[0].end) for one in answered} == {(22, 24)}


@pytest.mark.parametrize("name", ["elmo", "lstm"])
def test_a_language_model_can_begin_with_the_weights_of_a_tuned_run(made, name):
    [tuned] = finetuning.queue_tuning(made, "classify", name, TaskConfig(length=12), FEW)
    training.start(made, tuned.id, job=Job())
    spec = network(name, max_steps=1, learning_rate=1e-9)
    queued = training.queue_run(made, tuned.segmentation_id, spec, warm_start=tuned.id)
    training.start(made, queued.id, job=Job())
    tables = [segmentations.lookup(made, run, [4, 5, 6], job=Job()).rows
              for run in (tuned.id, queued.id)]  # fmt: skip
    np.testing.assert_allclose(*tables, atol=1e-6)
