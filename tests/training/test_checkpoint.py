"""Checkpoints are whole whenever the program is killed, and come back exactly."""

import errno
import os
import random
import shutil
import subprocess
from dataclasses import replace

import pytest
import torch
from safetensors import SafetensorError
from torch import nn

from lmstudio.errors import AppError
from lmstudio.messages import Message
from lmstudio.models import weights
from lmstudio.training import checkpoint, trainer_state
from lmstudio.training.checkpoint import Checkpoints
from lmstudio.training.early_stopping import EarlyStopping
from lmstudio.training.plan import Plan
from lmstudio.training.progress import Progress


class Killed(Exception):
    pass


def module_of(value: float) -> nn.Module:
    module = nn.Linear(2, 2)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.fill_(value)
    return module


def progress_at(step: int) -> Progress:
    early = EarlyStopping(3, best_loss=0.1 + 0.2, best_step=step, waited=1)
    notes = [Message("Memory ran out: {parts}", {"parts": 2})]
    course = Plan(total=9, validate_every=2, batch=3)
    return Progress(early, course, step=step, validated=step, parts=2, seconds=1 / 3, notes=notes)


def save(folder, step: int) -> None:
    trainer = {
        "optimizer": {"step": step},
        "random": trainer_state.random_state(torch.device("cpu")),
    }
    Checkpoints(folder).save("last", module_of(step), progress_at(step), trainer)


def saved_step(folder) -> int:
    """The step of the checkpoint; its three files agree."""
    module = module_of(-1)
    progress, trainer = Checkpoints(folder).load("last", module)
    assert trainer["optimizer"]["step"] == progress.step
    assert module.bias[0].item() == progress.step
    return progress.step


def test_comes_back_exactly(tmp_path):
    save(tmp_path, 7)
    progress, _ = Checkpoints(tmp_path).load("last", module_of(0))
    assert progress == progress_at(7)


@pytest.mark.parametrize("operation", ["save_file", "torch.save", "write_json", "replace 1",
                                       "replace 2", "rmtree 3"])  # fmt: skip
def test_a_kill_at_any_moment_leaves_a_readable_one(tmp_path, monkeypatch, operation):
    save(tmp_path, 1)
    with monkeypatch.context() as patched:
        name, _, count = operation.partition(" ")
        owner = {"replace": os, "rmtree": shutil, "torch.save": torch}.get(name, checkpoint)
        name = name.removeprefix("torch.")
        real, calls = getattr(owner, name), []

        def killed(*args, **kwargs):
            calls.append(args)
            if len(calls) == int(count or 1):
                raise Killed
            return real(*args, **kwargs)

        patched.setattr(owner, name, killed)
        with pytest.raises(Killed):
            save(tmp_path, 2)
    assert saved_step(tmp_path) in (1, 2)
    save(tmp_path, 3)
    assert saved_step(tmp_path) == 3
    assert [p.name for p in (tmp_path / "checkpoints").iterdir()] == ["last"]


def test_questions_go_to_the_best_then_to_the_last(tmp_path):
    with pytest.raises(AppError, match="no checkpoint"):
        asked_step(tmp_path)
    early = replace(progress_at(1), early=EarlyStopping(3))
    Checkpoints(tmp_path).save("last", module_of(1), early)
    assert asked_step(tmp_path) == 1
    Checkpoints(tmp_path).save("best", module_of(5), progress_at(5))
    assert asked_step(tmp_path) == 5
    save(tmp_path, 6)
    shutil.rmtree(tmp_path / "checkpoints/best")
    with pytest.raises(AppError, match="best is missing"):
        asked_step(tmp_path)


def asked_step(folder) -> int:
    module = module_of(0)
    weights.load(folder, module)
    return module.bias[0].item()


@pytest.mark.parametrize("name", ["trainer.pt", "weights.safetensors", "meta.json"])
@pytest.mark.parametrize("content", [None, b"", b"{}", b"half", random.Random(1).randbytes(500)])
def test_a_damaged_checkpoint_is_named(tmp_path, name, content):
    save(tmp_path, 1)
    path = tmp_path / "checkpoints/last" / name
    if content == b"half":
        content = path.read_bytes()[: path.stat().st_size // 2]
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(AppError, match="is missing or damaged. Train a new run"):
        Checkpoints(tmp_path).load("last", module_of(0))


def test_weights_of_another_shape_are_damage(tmp_path):
    save(tmp_path, 1)
    with pytest.raises(AppError, match="weights.safetensors is missing or damaged"):
        Checkpoints(tmp_path).load("last", nn.Linear(3, 3))


def test_nothing_is_unpickled(tmp_path):
    Checkpoints(tmp_path).save("last", module_of(1), progress_at(1), {"optimizer": Killed()})
    with pytest.raises(Exception, match="trainer.pt is missing or damaged"):
        Checkpoints(tmp_path).load("last", module_of(0))


def test_random_numbers_go_on(tmp_path):
    cpu = torch.device("cpu")
    trainer = {"random": trainer_state.random_state(cpu)}
    drawn = torch.rand(3)
    Checkpoints(tmp_path).save("last", nn.Linear(2, 2), progress_at(1), trainer)
    _, loaded = Checkpoints(tmp_path).load("last", nn.Linear(2, 2))
    trainer_state.set_random_state(loaded["random"], cpu)
    assert torch.equal(torch.rand(3), drawn)


def full(*args, **kwargs):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def full_for_torch(*args, **kwargs):
    raise RuntimeError("[enforce fail at inline_container.cc:664] . unexpected pos 64 vs 0: "
                       "PytorchStreamWriter failed writing file data.pkl")  # fmt: skip


def full_for_safetensors(*args, **kwargs):
    raise SafetensorError("Error while serializing: I/O error: No space left on device (os err")


@pytest.mark.parametrize(
    ("owner", "name", "error"),
    [
        (checkpoint, "save_file", full_for_safetensors),
        (torch, "save", full_for_torch),
        (checkpoint, "write_json", full),
        (os, "fsync", full),
    ],
)
def test_a_full_disk_leaves_the_checkpoint_before(tmp_path, monkeypatch, owner, name, error):
    save(tmp_path, 1)
    with monkeypatch.context() as patched:
        patched.setattr(owner, name, error)
        with pytest.raises(AppError, match=f"disk that holds {tmp_path} is full"):
            save(tmp_path, 2)
    assert saved_step(tmp_path) == 1
    assert [p.name for p in (tmp_path / "checkpoints").iterdir()] == ["last"]
    save(tmp_path, 3)
    assert saved_step(tmp_path) == 3


def test_other_errors_of_writing_are_bugs(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "save_file", lambda *args: torch.zeros(2).view(3))
    with pytest.raises(RuntimeError, match="shape"):
        save(tmp_path, 1)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="mounts a disk")
def test_a_real_disk_that_is_full(tmp_path):
    """One of two megabytes holds one checkpoint and a half."""
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(disk)]
    if subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("cannot mount here")
    try:
        large, checkpoints = nn.Linear(600, 600), Checkpoints(disk)  # 1.4 MB
        checkpoints.save("last", large, progress_at(1), {})
        with pytest.raises(AppError, match="is full"):
            checkpoints.save("last", large, progress_at(2), {})
        progress, _ = checkpoints.load("last", large)
        assert progress.step == 1
    finally:
        subprocess.run(["umount", str(disk)], check=True)
