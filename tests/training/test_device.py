"""Which device is taken, and what is said when the wanted one is absent."""

import os
from pathlib import Path

import pytest
import torch

from lmstudio.training import device

CASES = Path(__file__).resolve().parents[1] / "data" / "cases"


@pytest.fixture
def one_gpu(monkeypatch):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)


@pytest.fixture
def no_gpu(monkeypatch):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)


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
