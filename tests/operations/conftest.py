"""Networks are small here: one thread is faster, and the machine may be busy."""

import pytest


@pytest.fixture(autouse=True)
def _one_thread(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
