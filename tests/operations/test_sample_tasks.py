"""A task that comes with the program is learned soon, as the window offers it first.

tests/bench/bench_sample_tasks.py is the same for all of them.
"""

import pytest

from lmstudio import messages
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.operations import sample_tasks, tasks
from tests.bench import bench_sample_tasks


def test_they_are_named_in_the_language_and_found_by_their_english_names(workspace):
    messages.use("zh_CN")
    try:
        sample_tasks.sample_tasks(workspace, job=Job())
    finally:
        messages.use("en")
    assert [row.name for row in workspace.tasks()] == ["情感", "出行", "推理", "阅读"]
    assert workspace.task("travel").name == "出行"
    tasks.rename(workspace, "情感", "travel")  # a name of one's own comes first
    assert workspace.task("travel").kind == "classify"
    with pytest.raises(AppError, match="no task named weather"):
        workspace.task("weather")


@pytest.mark.slow
def test_a_sample_task_is_learned_in_two_minutes(workspace, monkeypatch):
    monkeypatch.setattr(bench_sample_tasks, "STEPS", 40)
    bench_sample_tasks.prepare(workspace)
    found = bench_sample_tasks.learn(workspace, "travel")
    assert found.reached, found
