"""Runs as a user meets them: trained, stopped, killed, continued, measured, deleted."""

import math
import os
import signal
import time

import numpy as np
import pytest

from lmstudio.errors import AppError, Cancelled, WorkerDied
from lmstudio.jobs import ENDED, Job, JobQueue
from lmstudio.operations import corpora, evaluation, runs, segmentations, training
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.spec import RunSpec

TEXT = "我爱北京天安门。\n他爱上海的春天。\n北京的春天很短，上海的春天很长。\n" * 60


def lstm(**training):
    config = {"width": 16, "dropout": 0.1}
    training = {"epochs": 2, "batch": 4, "validate_every": 20} | training
    return RunSpec.from_json({"model": "lstm", "config": config, "training": training})


def ngram(**config):
    return RunSpec.from_json({"model": "ngram", "config": config})


@pytest.fixture
def cut(workspace):
    corpora.import_text(workspace, TEXT, name="短文", job=Job())
    options = SegmentOptions(by="characters")
    return segmentations.create(workspace, "短文", options, name="字", job=Job()).new_id


def losses(workspace, run_id, name="loss"):
    return {step: value for step, _, value in workspace.metrics(run_id, name)}


def test_a_run_is_trained_measured_and_listed(workspace, cut):
    changes = training.train(workspace, cut, ngram(order=2), name="二元", job=Job())
    assert changes.runs
    (row,) = runs.runs(workspace)
    assert (row["id"], row["name"], row["state"]) == (changes.new_id, "二元", "done")
    assert row["corpus"] == "短文"
    assert row["test"] == evaluation.evaluate(workspace, "二元", "test", job=Job())
    assert row["parameters"] > 0


@pytest.mark.parametrize("part", ["valid", "train"])
def test_the_curve_is_the_evaluation_in_every_measure(workspace, cut, part):
    run = training.train(workspace, cut, ngram(order=3), job=Job()).new_id
    figures = evaluation.evaluate(workspace, run, part, job=Job())
    if part == "train":
        points = [(1, 0.5, "loss", math.log(figures["perplexity"]))]
        workspace.add_metrics(run, points)
    for measure in ("bits_per_character", "perplexity"):
        x, y = evaluation.curve(workspace, run, part=part, measure=measure)
        assert len(x) == 1
        assert y[-1] == pytest.approx(figures[measure])


def test_a_stopped_run_goes_on_exactly_where_it_was(workspace, cut):
    straight = training.train(workspace, cut, lstm(), name="straight", job=Job()).new_id
    row = training.queue_run(workspace, cut, lstm(), name="stopped")
    job = Job()
    job.tick = _stop_at(job, 13)
    with pytest.raises(Cancelled):
        training.start(workspace, row.id, job=job)
    assert workspace.run("stopped").state == "stopped"
    training.start(workspace, row.id, job=Job())
    stopped = workspace.run("stopped")
    assert stopped.state == "done"
    assert stopped.step == workspace.run(straight).step
    valid = losses(workspace, row.id, "valid_loss")
    assert valid == pytest.approx(losses(workspace, straight, "valid_loss"), abs=1e-6)
    x, _ = evaluation.curve(workspace, row.id)
    assert (np.diff(x) > 0).all()


def _stop_at(job, step):
    tick = job.tick

    def stopping(done, *args, **point):
        if done >= step:
            job.cancel()
        tick(done, *args, **point)

    return stopping


@pytest.mark.slow
def test_a_killed_worker_leaves_a_run_that_can_be_continued(workspace, cut):
    queue = JobQueue()
    try:
        row = training.queue_run(workspace, cut, lstm(epochs=1000, patience=0), name="killed")
        job = queue.submit("train", Job("killed"), training.start, workspace, row.id)
        while not losses(workspace, row.id, "valid_loss"):
            time.sleep(0.05)
        os.kill(queue.worker_pid("train"), signal.SIGKILL)
        _wait(job)
        assert isinstance(job.error, WorkerDied)
        killed = workspace.run(row.id)
        assert killed.state == "interrupted"
        assert "exit code -9" in runs.message(killed)
        following = queue.submit("train", Job("next"), training.train, workspace, cut, ngram())
        assert _wait(following).state == "done"
        reached = workspace.run(row.id).step
        again = queue.submit("train", Job("again"), training.start, workspace, row.id)
        while workspace.run(row.id).step <= reached:
            assert again.state not in ENDED, again.error
            time.sleep(0.05)
        again.cancel()
        assert _wait(again).state == "cancelled"
        assert evaluation.evaluate(workspace, row.id, "test", job=Job())["events"] > 0
    finally:
        queue.close()


def _wait(job):
    deadline = time.monotonic() + 60
    while job.state not in ENDED:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return job


def test_case_d6_a_missing_gpu_is_said_and_the_cpu_is_used(workspace, cut):
    changes = training.train(workspace, cut, lstm(epochs=1, device="cuda:7"), job=Job())
    assert any("cuda:7" in str(note) for note in changes.notes)
    assert workspace.run(changes.new_id).facts["device"] == "cpu"


def test_a_failure_is_kept_as_a_sentence(workspace, cut):
    row = training.queue_run(workspace, cut, lstm(), name="broken")
    (workspace.segmentation_folder(cut) / "vocab.json").unlink()
    with pytest.raises(AppError, match="Segment the corpus again"):
        training.start(workspace, row.id, job=Job())
    broken = workspace.run("broken")
    assert broken.state == "failed"
    assert "vocab.json" in runs.message(broken)


def test_what_makes_no_sense_is_refused(workspace, cut):
    training.train(workspace, cut, ngram(), name="done", job=Job())
    with pytest.raises(AppError, match="nothing to continue"):
        training.start(workspace, workspace.run("done").id, job=Job())
    with pytest.raises(AppError, match="taken"):
        training.train(workspace, cut, ngram(), name="done", job=Job())
    waiting = training.queue_run(workspace, cut, ngram(), name="waiting")
    with pytest.raises(AppError, match="no finished model"):
        evaluation.evaluate(workspace, "waiting", "test", job=Job())
    workspace.update_run(waiting.id, state="running")
    with pytest.raises(AppError, match="Stop it first"):
        runs.delete(workspace, "waiting")
    runs.delete(workspace, "done")
    assert [row["name"] for row in runs.runs(workspace)] == ["waiting"]


def test_the_demo_does_the_main_line_once(workspace, monkeypatch):
    from lmstudio.operations import demo

    specs = [ngram(order=1), lstm(epochs=1)]
    monkeypatch.setattr(demo, "specs", lambda: iter(specs))
    demo.run(workspace, size=60_000, job=Job())
    first = runs.runs(workspace)
    assert [row["state"] for row in first] == ["done", "done"]
    assert all(row["test"]["bits_per_character"] > 0 for row in first)
    oracle = evaluation.oracle(workspace, workspace.corpora()[0].id, "test")
    assert 0 < oracle < min(row["test"]["bits_per_character"] for row in first)
    demo.run(workspace, size=60_000, job=Job())
    assert runs.runs(workspace) == first


@pytest.mark.parametrize("state", ["running", "queued"])
def test_what_a_run_in_training_stands_on_is_not_deleted(workspace, cut, state):
    row = training.queue_run(workspace, cut, ngram(order=2), name="二元")
    workspace.update_run(row.id, state=state)
    with pytest.raises(AppError, match="二元"):
        corpora.delete(workspace, "短文", job=Job())
    with pytest.raises(AppError, match="二元"):
        segmentations.delete(workspace, cut)
    workspace.update_run(row.id, state="done")
    corpora.delete(workspace, "短文", job=Job())
    assert not workspace.runs()


def test_a_run_deleted_while_it_is_measured_is_a_sentence(workspace, cut, monkeypatch):
    run = training.train(workspace, cut, ngram(order=2), name="二元", job=Job()).new_id
    measure = evaluation.perplexity.evaluate

    def deleting(*args, **kwargs):
        figures = measure(*args, **kwargs)
        runs.delete(workspace, run)
        return figures

    monkeypatch.setattr(evaluation.perplexity, "evaluate", deleting)
    with pytest.raises(AppError, match="The run 二元 was deleted"):
        evaluation.evaluate_again(workspace, run, job=Job())


def test_a_damaged_segmentation_costs_its_run_the_curve_only(workspace, cut, tmp_path):
    from lmstudio.operations import reports

    training.train(workspace, cut, lstm(epochs=1), name="net", job=Job())
    (workspace.segmentation_folder(cut) / "meta.json").write_text("{}")
    with pytest.raises(AppError, match="Segment the corpus again"):
        evaluation.curve(workspace, workspace.run("net").id)
    page = reports.write(workspace, tmp_path / "report.html", job=Job())
    assert "net" in page.read_text(encoding="utf-8")


def test_a_run_whose_settings_are_damaged_can_be_listed_and_deleted(workspace, cut):
    row = training.queue_run(workspace, cut, ngram(), name="broken")
    workspace.db.connection.execute("update run set spec = '{'")
    with pytest.raises(AppError, match="settings of the run broken are damaged"):
        training.start(workspace, row.id, job=Job())
    assert len(runs.runs(workspace)) == 1
    runs.delete(workspace, "broken")
