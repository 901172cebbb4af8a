"""Which device is taken, and what is said when the wanted one is absent."""

import os
from pathlib import Path

import pytest
import torch

from lmstudio.training import device, nvidia
from lmstudio.training.nvidia import Card, Driver

CASES = Path(__file__).resolve().parents[1] / "data" / "cases"


@pytest.fixture
def one_gpu(monkeypatch):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(device, "_has_code_for", lambda index: True)


@pytest.fixture
def no_gpu(monkeypatch):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    monkeypatch.setattr(nvidia, "driver", lambda: None)


def test_auto_takes_the_best_there_is(one_gpu):
    assert device.choose("auto") == (torch.device("cuda"), None)


@pytest.mark.usefixtures("no_gpu")
@pytest.mark.parametrize("wanted", ["auto", "cpu"])
def test_the_cpu_is_always_there(wanted):
    assert device.choose(wanted) == (torch.device("cpu"), None)


@pytest.mark.usefixtures("no_gpu")
@pytest.mark.parametrize("wanted", ["cuda", "cuda:0", "mps", "GPU 0", "cuda:x", "cpu:7", ""])
def test_case_d6_an_absent_device_falls_back_with_a_note(wanted):
    chosen, note = device.choose(wanted)
    assert chosen == torch.device("cpu")
    assert wanted in str(note)
    assert "CPU" in str(note)


def test_case_d6_the_second_gpu_where_there_is_one(one_gpu):
    assert device.choose("cuda:0") == (torch.device("cuda:0"), None)
    chosen, note = device.choose("cuda:1")
    assert chosen == torch.device("cpu")
    assert "cuda:1" in str(note)


def test_case_d6_an_absent_gpu_is_explained(no_gpu):
    _, note = device.choose("cuda:0")
    assert str(note).startswith(
        "The device cuda:0 is not here; training on the CPU. No GPU is used"
    )


def test_a_card_that_lies_idle_is_told_of(no_gpu, monkeypatch):
    monkeypatch.setattr(nvidia, "driver", lambda: Driver((13, 0), (Card("RTX", (8, 9)),)))
    chosen, note = device.choose("auto")
    assert chosen == torch.device("cpu")
    assert str(note).startswith("RTX is not used")
    assert device.choose("cpu") == (torch.device("cpu"), None)


@pytest.mark.parametrize(("capability", "built", "runs"), [
    ((8, 9), ["sm_75", "sm_80", "sm_90"], True),
    ((6, 1), ["sm_75", "sm_80", "sm_90"], False),
    ((12, 0), ["sm_75", "sm_90"], False),
    ((12, 0), ["sm_75", "compute_90"], True),
    ((9, 0), ["sm_90a"], True),
], ids=["later of one generation", "too old", "too new", "PTX", "with a letter"])  # fmt: skip
def test_a_card_runs_what_was_built_for_its_generation(monkeypatch, capability, built, runs):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda index: capability)
    monkeypatch.setattr(torch.cuda, "get_arch_list", lambda: built)
    monkeypatch.setattr(nvidia, "driver", lambda: None)
    assert (device.choose("auto")[0].type == "cuda") is runs


def test_case_d6_a_gpu_checkpoint_opens_without_a_gpu():
    saved = torch.load(CASES / "d_cuda_tagged.pt", map_location="cpu", weights_only=True)
    assert torch.equal(saved["weight"], torch.arange(6.0).view(2, 3))


def test_devices_are_described_in_plain_data(no_gpu):
    (cpu,) = device.describe()
    assert cpu["name"] == "cpu"
    assert cpu["available"]


@pytest.mark.parametrize(("variable", "expected"), [("1", 1), (None, os.cpu_count())])
def test_threads_follow_the_environment(monkeypatch, variable, expected):
    if variable:
        monkeypatch.setenv("OMP_NUM_THREADS", variable)
    else:
        monkeypatch.delenv("OMP_NUM_THREADS")
    device.use_threads()
    assert torch.get_num_threads() == expected
