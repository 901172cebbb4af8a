"""How long a job still takes: by what was done of its step, without pauses."""

from types import SimpleNamespace

import pytest

from lmstudio.jobs import Job


@pytest.fixture
def now(monkeypatch):
    """What the clock tells, as a list of one."""
    told = [100.0]
    for module in ("jobs", "worker"):
        clock = SimpleNamespace(monotonic=lambda: told[0])
        monkeypatch.setattr(f"lmstudio.{module}.time", clock)
    return told


def test_time_left_does_not_count_pauses(now):
    job = Job("inline")
    job.tick(0, 100)
    now[0] += 2
    job.record(50, 100)
    job.pause()
    now[0] += 7
    assert job.seconds_left() == 2


@pytest.mark.parametrize("before", [(300, 300), (0, 1), (500, 500)], ids=str)
def test_time_left_is_measured_within_the_step(now, before):
    job = Job("inline")
    job.tick(0, before[1], "Training")
    now[0] += 30
    job.tick(*before)
    now[0] += 30
    for done in (1000, 2000):
        now[0] += 1
        job.tick(done, 10_000, "Scoring")
    assert job.seconds_left() == 8
