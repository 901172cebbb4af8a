"""A task that comes with the program is learned soon, as the window offers it first.

tests/bench/bench_sample_tasks.py is the same for all of them.
"""

import pytest

from tests.bench import bench_sample_tasks


@pytest.mark.slow
def test_a_sample_task_is_learned_in_two_minutes(workspace, monkeypatch):
    monkeypatch.setattr(bench_sample_tasks, "STEPS", 40)
    bench_sample_tasks.prepare(workspace)
    found = bench_sample_tasks.learn(workspace, "travel")
    assert found.reached, found
