"""Runs are fine-tuned for tasks, as any run is trained, and scored."""

from dataclasses import replace

import pytest

from lmstudio.analysis.loading import load
from lmstudio.data.labelled.example import Example, Span
from lmstudio.data.labelled.task_folder import write_part
from lmstudio.data.vocab import Vocabulary
from lmstudio.errors import AppError, Cancelled, SpecError
from lmstudio.jobs import Job
from lmstudio.operations import (
    corpora,
    finetuning,
    runs,
    segmentations,
    tasks,
    training,
)
from lmstudio.store.rows import TaskRow
from lmstudio.text.segment import SegmentOptions
from lmstudio.training import fit_task, measuring
from lmstudio.training.plan import Speed
from lmstudio.training.spec import RunSpec, TrainingConfig
from lmstudio.training.task_config import TaskConfig
from tests.operations.families import network

HOW = TrainingConfig(epochs=2, batch=4, learning_rate=5e-3, patience=0)


def examples(kind):
    """Twelve examples of each kind: what the place is called decides."""
    made = []
    for n in range(12):
        place = ("北京", "上海")[n % 2]
        text = f"他爱{place}的春天{'很' * (n // 2)}"
        span = Span(2, 4, "地" if kind == "tag" else "")
        made.append({
            "classify": Example(text, label=place), "tag": Example(text, spans=(span,)),
            "pair": Example(text, "我爱北京", ("是", "否")[n % 2]),
            "qa": Example(text, "他爱什么", spans=(span,) if n % 3 else ()),
        }[kind])  # fmt: skip
    return made


def add_task(ws, kind, **parts):
    row = TaskRow(ws.next_id("task"), f"task {kind}", "", kind, {"counts": {}})
    ws.task_folder(row.id).mkdir(parents=True)
    parts = {"train": examples(kind), "valid": examples(kind)[:5], "test": examples(kind)} | parts
    for part, rows in parts.items():
        write_part(ws.task_folder(row.id), part, rows)
    return ws.add_task(row)


@pytest.fixture
def cut(workspace):
    text = "我爱北京天安门。\n他爱上海的春天。\n" * 20
    corpora.import_text(workspace, text, name="短文", job=Job())
    options = SegmentOptions(by="characters")
    return segmentations.create(workspace, "短文", options, name="字", job=Job()).new_id


@pytest.fixture
def encoder(workspace, cut):
    return training.train(workspace, cut, network("bert"), name="encoder", job=Job()).new_id


@pytest.mark.parametrize("kind", ["classify", "tag", "pair", "qa"])
def test_a_task_of_each_kind_is_learned_and_scored(workspace, encoder, kind):
    add_task(workspace, kind)
    head = TaskConfig(kind=kind, length=16, cut="windows", stride=8)
    [row] = finetuning.queue_tuning(workspace, f"task {kind}", encoder, head, HOW)
    training.start(workspace, row.id, job=Job())
    done = workspace.run(row.id)
    assert (done.state, done.task, done.parent) == ("done", 1, encoder)
    assert done.facts["best_step"] > 0
    for part in ("valid", "test"):
        assert workspace.evaluation(row.id, part)
    assert not finetuning.unmeasured(workspace, done)


def test_several_seeds_are_runs_of_their_own(workspace, encoder):
    add_task(workspace, "tag")
    rows = finetuning.queue_tuning(workspace, 1, encoder, TaskConfig(kind="tag", crf=True), HOW,
                                   seeds=3)  # fmt: skip
    first = HOW.seed
    assert [runs.spec_of(workspace, row.id).training.seed for row in rows] == [
        first, first + 1, first + 2,
    ]  # fmt: skip
    assert len({row.name for row in rows}) == 3
    assert workspace.tuned_runs(1) == rows


def test_seeds_beyond_the_last_are_refused_before_anything_is_queued(workspace, encoder):
    add_task(workspace, "tag")
    with pytest.raises(SpecError, match="seed|种子"):
        finetuning.queue_tuning(workspace, 1, encoder, TaskConfig(kind="tag"),
                                replace(HOW, seed=2**31 - 2), seeds=3)  # fmt: skip
    assert not workspace.tuned_runs(1)


def test_two_texts_need_room_for_a_token_of_each(workspace, encoder):
    add_task(workspace, "pair")
    with pytest.raises(SpecError, match="length|最长"):
        finetuning.queue_tuning(workspace, 1, encoder, TaskConfig(kind="pair", length=4), HOW)
    assert finetuning.queue_tuning(workspace, 1, encoder, TaskConfig(kind="pair", length=5), HOW)


def test_a_name_that_is_taken_is_refused_before_anything_is_queued(workspace, encoder):
    add_task(workspace, "tag")
    for seeds, name in ((1, "encoder"), (2, "two")):
        if seeds == 2:
            workspace.rename("run", encoder, "two-seed2")
        with pytest.raises(AppError, match=name):
            finetuning.queue_tuning(workspace, 1, encoder, TaskConfig(kind="tag"), HOW, name=name,
                                    seeds=seeds)  # fmt: skip
    assert not workspace.tuned_runs(1)


def test_it_goes_on_to_the_same_weights(workspace, encoder):
    """One that is stopped after some steps ends where one ends that was not."""
    add_task(workspace, "classify")
    head = TaskConfig(kind="classify", dropout=0.3)
    one, two = finetuning.queue_tuning(workspace, 1, encoder, head, HOW, seeds=2)
    same = replace(runs.spec_of(workspace, two.id).training, seed=HOW.seed)
    workspace.update_run(two.id, spec=replace(runs.spec_of(workspace, two.id), training=same)
                         .to_json())  # fmt: skip
    training.start(workspace, one.id, job=Job())
    with pytest.raises(Cancelled):
        training.start(workspace, two.id, job=StoppedAt(3))
    assert workspace.run(two.id).state == "stopped"
    training.start(workspace, two.id, job=Job())
    paths = [workspace.run_folder(n) / "checkpoints/last/weights.safetensors"
             for n in (one.id, two.id)]  # fmt: skip
    assert paths[0].read_bytes() == paths[1].read_bytes()


@pytest.mark.parametrize("labels", ["same", "other"])
def test_going_on_tells_that_the_task_was_changed(workspace, encoder, labels):
    row = add_task(workspace, "classify")
    [run] = finetuning.queue_tuning(workspace, 1, encoder, TaskConfig(kind="classify"), HOW)
    with pytest.raises(Cancelled):
        training.start(workspace, run.id, job=StoppedAt(3))
    changed = [replace(one, label=one.label if labels == "same" else f"{one.label}市")
               for one in examples("classify")[:8]]  # fmt: skip
    write_part(workspace.task_folder(row.id), "train", changed)
    if labels == "other":
        with pytest.raises(AppError, match="other labels now"):
            training.start(workspace, run.id, job=Job())
        return
    training.start(workspace, run.id, job=Job())
    assert fit_task.CHANGED in [str(note) for note in runs.notes(workspace.run(run.id).facts)]


def test_it_goes_on_by_the_optimiser_that_its_settings_name(workspace, cut):
    """What was queued when AdamW was usual keeps to it; auto is what the encoder was trained by."""
    encoder = training.train(workspace, cut, network("bert"), name="bert", job=Job()).new_id
    add_task(workspace, "classify")
    ended = {}
    for optimizer in ("adamw", "muon", "auto"):
        how = replace(HOW, optimizer=optimizer)
        [run] = finetuning.queue_tuning(workspace, 1, encoder, TaskConfig(kind="classify"), how)
        with pytest.raises(Cancelled):
            training.start(workspace, run.id, job=StoppedAt(3))
        training.start(workspace, run.id, job=Job())
        path = workspace.run_folder(run.id) / "checkpoints/last/weights.safetensors"
        ended[optimizer] = path.read_bytes()
        assert runs.spec_of(workspace, run.id).training.optimizer == optimizer
    assert ended["auto"] == ended["muon"] != ended["adamw"]


def test_it_is_trained_as_much_longer_as_is_asked_for(workspace, encoder):
    add_task(workspace, "classify")
    [row] = finetuning.queue_tuning(workspace, 1, encoder, TaskConfig(kind="classify"), HOW)
    training.start(workspace, row.id, job=Job())
    before = workspace.run(row.id).step
    training.continue_run(workspace, row.id, max_steps=2, job=Job())
    done = workspace.run(row.id)
    assert (done.state, done.step, done.facts["step"]) == ("done", before + 2, before + 2)


def test_it_keeps_to_the_minutes_it_was_given(workspace, encoder, monkeypatch):
    """At half a second a step, three seconds are six of the 150 steps; going on changes nothing."""
    monkeypatch.setattr(measuring, "measure", lambda *_, **__: Speed(0.5, 0.0))
    add_task(workspace, "classify")
    how = replace(HOW, epochs=50, minutes=0.05)
    [row] = finetuning.queue_tuning(workspace, 1, encoder, TaskConfig(kind="classify"), how)
    spec = runs.spec_of(workspace, row.id)
    estimate = finetuning.estimate(workspace, 1, encoder, spec, job=Job())
    assert (estimate.steps, estimate.seconds) == (6, pytest.approx(3.0))
    with pytest.raises(Cancelled):
        training.start(workspace, row.id, job=StoppedAt(3))
    training.start(workspace, row.id, job=Job())
    done = workspace.run(row.id)
    assert (done.state, done.step) == ("done", 6)
    assert done.facts["steps_per_epoch"] * 50 > 6


class StoppedAt(Job):
    """A job that is stopped after some steps of training."""

    def __init__(self, step):
        super().__init__()
        self._step = step

    def tick(self, done=0, total=0, *args, **values):
        super().tick(done, total, *args, **values)
        if "seconds" in values or (total == 6 and done >= self._step):
            raise Cancelled


@pytest.mark.parametrize(("by", "said"), [("score", "better score"), ("loss", "validation loss")])
def test_it_says_what_did_not_get_better(workspace, encoder, by, said):
    add_task(workspace, "classify")
    how = replace(HOW, epochs=50, learning_rate=1e-12, validate_every=1, patience=2)
    head = TaskConfig(choose_by=by, tuned=0, dropout=0.0)
    [row] = finetuning.queue_tuning(workspace, 1, encoder, head, how)
    training.start(workspace, row.id, job=Job())
    done = workspace.run(row.id)
    assert done.step == 3
    assert said in done.facts["why_ended"][0]


def test_an_estimate_leaves_nothing_behind(workspace, encoder):
    add_task(workspace, "classify")
    spec = finetuning.spec_for(workspace, workspace.task(1), encoder, {}, {"epochs": 2, "batch": 4})
    found = finetuning.estimate(workspace, 1, encoder, spec, job=Job())
    assert found.steps == 6
    assert found.seconds > 0
    assert not workspace.run_folder(0).exists()


def test_from_scratch_needs_no_weights_of_the_encoder(workspace, cut):
    add_task(workspace, "classify")
    queued = training.queue_run(workspace, cut, network("lstm"))
    with pytest.raises(AppError, match="no finished model"):
        finetuning.queue_tuning(workspace, 1, queued.id, TaskConfig(), HOW)
    [row] = finetuning.queue_tuning(workspace, 1, queued.id, TaskConfig(start="scratch"), HOW)
    training.start(workspace, row.id, job=Job())
    assert workspace.run(row.id).state == "done"


def test_a_counting_model_is_no_encoder(workspace, cut):
    add_task(workspace, "classify")
    run = training.train(workspace, cut, RunSpec.from_json({"model": "ngram"}), job=Job()).new_id
    with pytest.raises(AppError, match="no layers"):
        finetuning.queue_tuning(workspace, 1, run, TaskConfig(), HOW)


def test_a_valid_part_without_labels_is_refused_before_anything_is_queued(workspace, encoder):
    rows = examples("classify")
    parts = {"train": rows, "valid": [replace(row, label="", labelled=False) for row in rows[:4]]}
    tasks.add_examples(workspace, "t", "classify", parts, job=Job())
    with pytest.raises(AppError, match="no checkpoint can be chosen"):
        finetuning.queue_tuning(workspace, "t", encoder, TaskConfig(), HOW)
    assert workspace.tuned_runs() == []


def test_one_class_is_no_task(workspace, encoder):
    add_task(workspace, "classify", train=[Example("我爱", label="是")] * 3)
    [row] = finetuning.queue_tuning(workspace, 1, encoder, TaskConfig(), HOW)
    with pytest.raises(AppError, match="the same label"):
        training.start(workspace, row.id, job=Job())
    assert workspace.run(row.id).state == "failed"


def test_the_tuned_encoder_can_be_asked_as_a_language_model(workspace, encoder):
    add_task(workspace, "classify")
    [row] = finetuning.queue_tuning(workspace, 1, encoder, TaskConfig(), HOW)
    training.start(workspace, row.id, job=Job())
    folder = workspace.segmentation_folder(workspace.run(encoder).segmentation_id)
    rows = len(Vocabulary.load(folder).types)
    model = load(workspace.run_folder(row.id), runs.spec_of(workspace, row.id), rows)
    before = load(workspace.run_folder(encoder), runs.spec_of(workspace, encoder), rows)
    moved, still = model.module.state_dict(), before.module.state_dict()
    assert list(moved) == list(still)
    assert any(not moved[name].equal(still[name]) for name in moved)


def test_a_name_tells_no_setting_that_means_nothing_to_the_task():
    assert finetuning.unusual(TaskConfig(kind="classify", crf=True, tuned=0)) == ["frozen"]
    assert finetuning.unusual(TaskConfig(kind="tag", crf=True)) == ["CRF"]


def test_a_large_valid_part_is_looked_at_once_an_epoch(workspace, encoder):
    add_task(workspace, "classify", train=examples("classify") * 4, valid=examples("classify") * 4)
    how = replace(HOW, batch=4)
    [row] = finetuning.queue_tuning(workspace, 1, encoder, TaskConfig(length=16), how)
    training.start(workspace, row.id, job=Job())
    told = workspace.metrics(row.id, "valid_score")
    assert [step for step, _, _ in told] == [12, 24]
