"""A curve that gets fifty points a second, with warnings in the worker and a bug at its end."""

import os

import pytest

from lmstudio.gui.panels.compare.curves import CurvesPanel
from lmstudio.jobs import Job
from lmstudio.operations import training
from lmstudio.training.spec import RunSpec
from tests import worker_tasks

SECONDS = float(os.environ.get("LMSTUDIO_SOAK", "15"))  # 60 for the whole of it


@pytest.mark.slow
def test_case_i2_fifty_points_a_second_then_a_bug(app_state, cut, shown, qtbot, caplog):
    panel = shown(CurvesPanel(app_state))
    spec = RunSpec.from_json({"model": "lstm"})
    run = training.queue_run(app_state.workspace, cut, spec, name="soaked")
    app_state.workspace.update_run(run.id, state="running")
    job = Job("soak")
    job.run_id = run.id

    def work(*, job):
        job.call(worker_tasks.pour, SECONDS, run.id)

    with qtbot.waitSignal(app_state.problem, timeout=(SECONDS + 30) * 1000) as told:
        app_state.run("train", job, work)
    assert "a bug at the end" in told.args[0]
    assert "pour" in told.args[1]
    assert job.state == "failed"
    drawn = next(s for s in panel.plot.series() if s.name == "soaked")
    assert len(drawn.x) > 40 * SECONDS
    caplog.clear()  # the bug was logged, as it should be
    following = Job("next")
    app_state.run("train", following, lambda *, job: job.call(worker_tasks.add, 1, 2))
    qtbot.waitUntil(lambda: following.result == 3)
