"""Which precision is taken, and what it does to a step."""

import math

import pytest
import torch
from torch import nn

from lmstudio.jobs import Job
from lmstudio.training import compiling, loop
from lmstudio.training.fit_neural import fit
from lmstudio.training.precision import Precision, has_bf16
from tests.training.networks import Watched, small_text, spec_of

CPU = torch.device("cpu")


@pytest.fixture
def segmentation(tmp_path):
    return small_text(tmp_path / "segmentation")


@pytest.fixture
def quick_bf16(monkeypatch):
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: True)


@pytest.fixture
def slow_bf16(monkeypatch):
    for name in ("_is_amx_tile_supported", "_is_avx512_bf16_supported"):
        monkeypatch.setattr(torch.cpu, name, lambda: False)


def test_a_cpu_takes_bf16_only_where_it_has_units_for_it(quick_bf16):
    assert has_bf16(CPU)
    assert Precision("auto", CPU).name == "bf16"


@pytest.mark.parametrize("wanted", ["bf16", "fp16"])
def test_what_is_not_faster_is_said_and_not_done(slow_bf16, wanted):
    precision = Precision(wanted, CPU)
    assert precision.name == "fp32"
    assert wanted in str(precision.note)
    assert Precision("auto", CPU).note is None


@pytest.mark.parametrize("model", ["gpt", "bert", "elmo", "ffnn"])
def test_networks_train_in_bf16(quick_bf16, model, segmentation, tmp_path):
    job, halves = Watched(), Watched()
    fit(segmentation, tmp_path / "whole", spec_of(model, max_steps=6, precision="fp32"), job=job)
    auto = spec_of(model, max_steps=6, precision="auto")
    facts = fit(segmentation, tmp_path / "half", auto, job=halves)
    assert facts["precision"] == "bf16"
    whole, half = job.curve("valid_loss"), halves.curve("valid_loss")
    assert list(half.values()) == pytest.approx(list(whole.values()), rel=0.03)


def test_a_layer_that_has_no_bf16_here_is_trained_in_fp32(
    quick_bf16, segmentation, tmp_path, monkeypatch
):
    plain = compiling.Losses.__call__

    def no_bf16(self, batch):
        if torch.is_autocast_enabled("cpu"):
            raise RuntimeError("could not create a primitive descriptor for the LSTM")
        return plain(self, batch)

    monkeypatch.setattr(compiling.Losses, "__call__", no_bf16)
    auto = spec_of("lstm", max_steps=2, precision="auto")
    facts = fit(segmentation, tmp_path / "run", auto, job=Job())
    assert facts["precision"] == "fp32"
    assert any("slower with {precision}" in sentence for sentence, _ in facts["notes"])


def test_fp16_leaves_out_a_step_that_overflows():
    module = nn.Linear(1, 1)
    optimizer = torch.optim.SGD(module.parameters(), lr=1.0)
    precision = Precision("fp32", CPU)
    precision.scaler = torch.amp.GradScaler("cpu")
    before = module.weight.item()
    precision.scaled(module(torch.full((1, 1), math.inf)).sum()).backward()
    precision.unscale(optimizer)
    norm = precision.norm(nn.utils.clip_grad_norm_(module.parameters(), 1.0))
    precision.step(optimizer)
    assert module.weight.item() == before
    assert norm.item() == 0


def test_what_cannot_be_compiled_is_trained_as_it_is(segmentation, tmp_path, monkeypatch):
    def broken(losses):
        def call(batch):
            raise RuntimeError("no compiler was found")

        return call

    monkeypatch.setattr(torch, "compile", broken)
    monkeypatch.setattr(loop, "LOG_SECONDS", 0.0)
    plain, job = Watched(), Watched()
    fit(segmentation, tmp_path / "plain", spec_of("gpt", max_steps=4), job=plain)
    facts = fit(segmentation, tmp_path / "run", spec_of("gpt", max_steps=4, compile=True), job=job)
    assert job.curve("loss") == plain.curve("loss")
    assert ["The model could not be compiled here; training without.", {}] in facts["notes"]


def test_a_frozen_program_does_not_compile(segmentation, tmp_path, monkeypatch):
    monkeypatch.setattr(compiling.sys, "frozen", True, raising=False)
    monkeypatch.setattr(torch, "compile", None)
    spec = spec_of("lstm", max_steps=2, compile=True)
    facts = fit(segmentation, tmp_path / "run", spec, job=Job())
    assert any("cannot compile" in sentence for sentence, _ in facts["notes"])


def test_a_bug_in_a_loss_is_no_failure_to_compile(monkeypatch):
    class Broken:
        def losses(self, batch):
            raise RuntimeError("shape")

    monkeypatch.setattr(torch, "compile", lambda losses: losses)
    with pytest.raises(RuntimeError, match="shape"):
        compiling.Losses(Broken(), compiled=True)({})
