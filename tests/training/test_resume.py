"""Stopped or killed anywhere and gone on with, a training is the one that was never stopped."""

import hashlib
import inspect
import json
import os
import subprocess
import sys

import pytest

from lmstudio.errors import Cancelled
from lmstudio.jobs import Job
from lmstudio.training import loop
from lmstudio.training.fit_neural import fit
from tests.training.networks import VARIANTS, Watched, small_text, spec_of

STEPS = {"max_steps": 20, "validate_every": 7, "epochs": 50}


@pytest.fixture
def segmentation(tmp_path):
    return small_text(tmp_path / "segmentation")


@pytest.fixture(autouse=True)
def _every_step_is_logged(monkeypatch):
    monkeypatch.setattr(loop, "LOG_SECONDS", 0.0)


@pytest.fixture
def batches(monkeypatch):
    """What every step read, validations left out, as hashes of the ids."""
    seen, real = [], loop.tensors

    def watched(rows, device):
        seen.append(hashlib.sha256(rows["ids"].tobytes()).hexdigest())
        return real(rows, device)

    monkeypatch.setattr(loop, "tensors", watched)
    return seen


def weights_of(run):
    return (run / "checkpoints/last/weights.safetensors").read_bytes()


@pytest.mark.parametrize("variant", VARIANTS)
def test_case_d4_ten_and_ten_steps_are_twenty(variant, segmentation, tmp_path, batches):
    spec = spec_of(variant, **STEPS)
    straight, first, second = Watched(), Watched(stop_at=10), Watched()
    fit(segmentation, tmp_path / "straight", spec, job=straight)
    read, batches[:] = batches[:], []
    with pytest.raises(Cancelled):
        fit(segmentation, tmp_path / "run", spec, job=first)
    fit(segmentation, tmp_path / "run", spec, resume=True, job=second)
    assert batches == read
    assert len(read) == 20
    assert first.points + second.points == straight.points
    assert len(straight.curve("learning_rate")) == len(straight.curve("loss")) == 20
    assert weights_of(tmp_path / "run") == weights_of(tmp_path / "straight")


class StopsWhileValidating(Job):
    """Stop is pressed while the valid part is looked at, at a step."""

    def check(self):
        if self.done == 14 and "validate" in {f.function for f in inspect.stack(0)}:
            self.cancel()
        super().check()


def test_a_stop_while_it_validates_changes_nothing(segmentation, tmp_path):
    spec, job = spec_of("lstm of documents", **STEPS), StopsWhileValidating()
    fit(segmentation, tmp_path / "straight", spec, job=Job())
    with pytest.raises(Cancelled):
        fit(segmentation, tmp_path / "run", spec, job=job)
    assert job.done == 14
    fit(segmentation, tmp_path / "run", spec, resume=True, job=Job())
    assert weights_of(tmp_path / "run") == weights_of(tmp_path / "straight")


AMONG = ("lstm of documents", "elmo, carried", "gpt", "bert")

KILLED = """
import json, os, signal, sys
from pathlib import Path

import torch

from lmstudio.jobs import Job
from lmstudio.training.fit_neural import fit
from lmstudio.training.spec import RunSpec


class Doomed(Job):
    def tick(self, done, *args, **point):
        if done >= 13:
            os.kill(os.getpid(), signal.SIGKILL)


torch.set_num_threads(1)
for spec, run in json.loads(sys.argv[2]):
    child = os.fork()
    if not child:
        fit(Path(sys.argv[1]), Path(run), RunSpec.from_json(spec), job=Doomed())
    _, status = os.waitpid(child, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL, run
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
def test_case_d4_resume_after_kill_9_in_the_middle_of_an_epoch(segmentation, tmp_path):
    """The last checkpoint is some steps old then."""
    often = {**STEPS, "save_minutes": 0.001}
    runs = [(spec_of(v, **often).to_json(), str(tmp_path / v)) for v in AMONG]
    command = [sys.executable, "-c", KILLED, str(segmentation), json.dumps(runs)]
    died = subprocess.run(command, check=False, env=os.environ | {"OMP_NUM_THREADS": "1"})
    assert died.returncode == 0
    for variant in AMONG:
        straight, rest = Watched(), Watched()
        run, whole = tmp_path / variant, tmp_path / f"{variant} straight"
        fit(segmentation, whole, spec_of(variant, **STEPS), job=straight)
        fit(segmentation, run, spec_of(variant, **often), resume=True, job=rest)
        assert rest.points, variant
        assert rest.points == straight.points[-len(rest.points) :], variant
        assert weights_of(run) == weights_of(whole), variant


def test_a_run_that_is_done_stays_as_it_is(segmentation, tmp_path):
    spec = spec_of("gpt", max_steps=3)
    fit(segmentation, tmp_path / "run", spec, job=Job())
    before = weights_of(tmp_path / "run")
    facts = fit(segmentation, tmp_path / "run", spec, resume=True, job=Job())
    assert facts["step"] == 3
    assert weights_of(tmp_path / "run") == before
