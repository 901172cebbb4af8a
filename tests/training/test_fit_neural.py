"""A neural run from segmentation to checkpoints: stop, kill, resume, and what is said."""

import os
import random
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from lmstudio.data.layout import Tokens
from lmstudio.errors import AppError
from lmstudio.jobs import ENDED, Job, JobQueue, run
from lmstudio.models import lstm
from lmstudio.training import loop
from lmstudio.training.fit_neural import fit
from lmstudio.training.spec import RunSpec
from tests.segmentations import write_segmentation
from tests.training.networks import SMALL, Watched
from tests.training.networks import spec_of as small_spec_of


def spec_of(config=None, **training) -> RunSpec:
    return RunSpec.from_json(
        {
            "model": "lstm",
            "config": {"width": 8, "dropout": 0.1} | (config or {}),
            "training": {
                "batch": 4,
                "length": 8,
                "patience": 0,
                "device": "cpu",
                "precision": "fp32",
            }
            | training,
        }
    )


@pytest.fixture
def segmentation(tmp_path):
    letters = random.Random(1)
    sentences = [" ".join(letters.choices("abcdefg", k=letters.randint(0, 15))) for _ in range(60)]
    return write_segmentation(tmp_path / "segmentation", train=sentences, valid=sentences[:9])


@pytest.fixture(autouse=True)
def _every_step_is_logged(monkeypatch):
    monkeypatch.setattr(loop, "LOG_SECONDS", 0.0)


def test_leaves_facts_and_a_model_that_scores_as_validated(segmentation, tmp_path):
    spec, job = spec_of(epochs=3, learning_rate=0.02), Watched()
    facts = fit(segmentation, tmp_path / "run", spec, job=job)
    rows = 3 + 7
    assert facts["parameters"] == sum(count for _, _, count in spec.config.parameters(rows))
    assert facts["device"] == "cpu"
    assert facts["step"] == job.total == job.points[-1][0]
    assert facts["why_ended"] == ["All {steps} steps are done.", {"steps": facts["step"]}]
    model = lstm.load(tmp_path / "run", spec.config, rows)
    valid = model.logprobs(Tokens(segmentation).stream("valid"))
    assert -valid.mean() == pytest.approx(facts["best_valid_loss"], abs=1e-5)
    losses = [value for _, name, value in job.points if name == "valid_loss"]
    assert min(losses) == facts["best_valid_loss"] < losses[0]


def test_a_fresh_training_forgets_the_one_before(segmentation, tmp_path):
    fit(segmentation, tmp_path / "run", spec_of(max_steps=3), job=Job())
    facts = fit(segmentation, tmp_path / "run", spec_of(max_steps=2), job=Job())
    assert facts["step"] == 2


def test_resume_without_a_checkpoint_begins_and_says_so(segmentation, tmp_path):
    job = Watched()
    facts = fit(segmentation, tmp_path / "run", spec_of(max_steps=2), resume=True, job=job)
    assert facts["step"] == 2
    assert any("from the beginning" in note for note in job.notes)


def test_resume_of_a_finished_run_changes_nothing(segmentation, tmp_path):
    spec = spec_of(max_steps=3)
    facts = fit(segmentation, tmp_path / "run", spec, job=Job())
    again = fit(segmentation, tmp_path / "run", spec, resume=True, job=Job())
    assert again["step"] == 3
    assert again["best_valid_loss"] == facts["best_valid_loss"]


def test_case_a5_two_sentences_of_one_token_train(tmp_path):
    segmentation = write_segmentation(tmp_path / "s", train=["甲", "乙"])
    job = Watched()
    facts = fit(segmentation, tmp_path / "run", spec_of(epochs=2), job=job)
    assert facts["step"] == 2
    assert all(np.isfinite(value) for _, _, value in job.points)
    probs = lstm.load(tmp_path / "run", spec_of().config, 5).next_probs(np.array([], np.int32))
    assert probs.sum() == pytest.approx(1)


def test_case_d7_a_corpus_shorter_than_the_length_trains_and_says_so(tmp_path):
    segmentation = write_segmentation(tmp_path / "s", train=["a b c d e"], valid=["a b"])
    job = Watched()
    facts = fit(segmentation, tmp_path / "run", spec_of(epochs=1, length=8), job=job)
    assert any("has 6 tokens" in note and "8 is shortened" in note for note in job.notes)
    assert facts["notes"][0][1] == {"longest": 6, "length": 8}
    assert str(job.note) == "Training"  # the stage, not what was to be said


@pytest.mark.parametrize(
    ("model", "config", "length"),
    [("gpt", {"window": 8}, 8), ("lstm", {"context": "document"}, 8)],
)
def test_case_d7_a_text_shorter_than_the_window(model, config, length, tmp_path):
    """Five tokens and the end of their sentence; the valid part has three and its end."""
    segmentation = write_segmentation(tmp_path / "s", train=["a b c d e"], valid=["a b c"])
    spec = RunSpec.from_json(
        {"model": model, "config": {"width": 8} | config,
         "training": {"length": length, "epochs": 2, "device": "cpu"}}
    )  # fmt: skip
    job = Watched()
    facts = fit(segmentation, tmp_path / "run", spec, job=job)
    assert any("only 6 tokens" in note and "8 is shortened" in note for note in job.notes)
    assert facts["step"] == 2
    assert np.isfinite(facts["best_valid_loss"])


@pytest.mark.parametrize("model", SMALL)
def test_case_d1_every_figure_of_short_lines_is_finite(model, cases, tmp_path, monkeypatch):
    """Lines of one to three characters, one at a time: with BERT, most draws would hide nothing."""
    lines = (cases / "d_short_lines.txt").read_text(encoding="utf-8").split("\n")
    text = [" ".join(line) for line in lines if line]
    segmentation = write_segmentation(tmp_path / "s", train=text, valid=text[:5])
    steps = 200 if model == "bert" else 20
    spec = small_spec_of(model, batch=1, max_steps=steps, epochs=200, validate_every=50)
    job = Watched()
    fit(segmentation, tmp_path / "run", spec, job=job)
    assert len(job.curve("loss")) == steps
    assert all(np.isfinite(value) for _, _, value in job.points)
    weights = load_file(tmp_path / "run/checkpoints/last/weights.safetensors")
    assert all(np.isfinite(weight).all() for weight in weights.values())


def test_an_empty_valid_part_is_said(tmp_path):
    segmentation = write_segmentation(tmp_path / "s", train=["a b c"] * 9)
    job = Watched()
    facts = fit(segmentation, tmp_path / "run", spec_of(epochs=1, length=2), job=job)
    assert any("valid part is empty" in note for note in job.notes)
    assert facts["best_valid_loss"] is None
    assert facts["best_step"] == facts["step"]
    assert lstm.load(tmp_path / "run", spec_of().config, 6)


def test_an_empty_train_part_is_refused(tmp_path):
    segmentation = write_segmentation(tmp_path / "s", valid=["a"])
    with pytest.raises(AppError, match="train part holds no sentence"):
        fit(segmentation, tmp_path / "run", spec_of(), job=Job())


def test_case_d6_an_absent_gpu_is_said_before_data_is_read(tmp_path):
    job = Watched()
    with pytest.raises(AppError, match="Segment the corpus again"):
        fit(tmp_path / "nothing", tmp_path / "run", spec_of(device="cuda:7"), job=job)
    assert job.notes[0].startswith("The device cuda:7 is not here; training on the CPU.")


def test_importing_it_does_not_import_torch():
    code = "import sys, lmstudio.training.fit_neural; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.slow
def test_case_d8_a_spawned_worker_trains_and_leaves_no_child(segmentation, tmp_path):
    queue = JobQueue()
    try:
        job = queue.submit("train", Job("train"), _train_in_worker, segmentation, tmp_path / "run")
        deadline = time.monotonic() + 300
        while job.state not in ENDED and time.monotonic() < deadline:
            time.sleep(0.05)
        assert job.state == "done", job.details or job.error
        assert job.result["step"] == 15
        pid = queue.worker_pid("train")
        assert _children(pid) == []
    finally:
        began = time.monotonic()
        queue.close()
    assert time.monotonic() - began < 5
    assert not _alive(pid)


@pytest.mark.slow
def test_case_d8_stop_leaves_no_child(segmentation, tmp_path):
    queue = JobQueue()
    try:
        job = queue.submit("train", Job("train"), _train_long, segmentation, tmp_path / "run")
        deadline = time.monotonic() + 300
        while job.done < 5 and time.monotonic() < deadline:
            time.sleep(0.05)
        pid = queue.worker_pid("train")
    finally:
        began = time.monotonic()
        queue.close()
    assert time.monotonic() - began < 5
    assert job.state == "cancelled"
    assert not _alive(pid)
    assert (tmp_path / "run/checkpoints/last/meta.json").exists()


def _train_in_worker(segmentation, run, *, job):
    return job.call(fit, segmentation, run, spec_of(epochs=1, length=64))


def _train_long(segmentation, run, *, job):
    return job.call(fit, segmentation, run, spec_of(epochs=10_000))


def _alive(pid: int) -> bool:
    return os.path.exists(f"/proc/{pid}")


def _children(pid: int) -> list[str]:
    """Processes that any thread of `pid` has started."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [child for task in tasks for child in (task / "children").read_text().split()]


def test_a_pause_is_no_part_of_the_time_of_training(segmentation, tmp_path):
    job, spec = Job("paused"), spec_of(epochs=1000, max_steps=150, validate_every=1000)
    work = partial(fit, segmentation, tmp_path / "run", spec)
    thread = threading.Thread(target=run, args=(job, lambda job: work(job=job)))
    began = time.monotonic()
    thread.start()
    while job.done < 5:
        time.sleep(0.01)
    job.pause()
    time.sleep(0.3)  # it stops at its next tick
    done = job.done
    time.sleep(1.2)
    assert job.done == done
    job.resume_work()
    thread.join()
    assert job.state == "done", job.error
    assert job.result["seconds"] < time.monotonic() - began - 1.4
