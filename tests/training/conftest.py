"""One torch thread, so that trainings are bit-identical and leave the cores to others."""

import time
from types import SimpleNamespace

import pytest
import torch

from lmstudio.training import loop, measuring


@pytest.fixture(autouse=True)
def _one_thread(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def own_time(monkeypatch):
    """A training is timed by what the processor does for it, whatever else it has to do."""
    clock = SimpleNamespace(monotonic=time.process_time)
    for module in (loop, measuring):
        monkeypatch.setattr(module, "time", clock)
