"""Queue: jobs of all lanes, in every state, with what can be done with each."""

import threading

import pytest
from PySide6.QtGui import QGuiApplication

from lmstudio import messages
from lmstudio.errors import AppError
from lmstudio.gui.panels.train import training_jobs
from lmstudio.gui.panels.train.queue import QueuePanel
from lmstudio.jobs import Job
from lmstudio.operations.changes import Changes
from lmstudio.training.spec import RunSpec
from tests.gui.conftest import assert_fits
from tests.gui.panels import run_workspace


def refuse(*, job):
    raise AppError("The name {name} is taken. Choose another.", name="甲")


def row(panel, title):
    return next(row for row in panel.list.rows if title in row.accessibleName())


@pytest.fixture
def panel(app_state, cut, shown):
    return shown(QueuePanel(app_state))


@pytest.fixture
def busy(app_state):
    """The train lane works until the test lets it go on."""
    gate = threading.Event()

    def work(*, job):
        job.tick(1, 4, "working")
        gate.wait(20)
        job.check()

    app_state.run("train", Job("busy"), work)
    yield gate
    gate.set()


def test_nothing_to_show_leads_to_a_new_run(panel, app_state, qtbot):
    assert panel._pages.currentIndex() == 1
    with qtbot.waitSignal(app_state.panel_wanted) as wanted:
        panel.primary.click()
    assert wanted.args == ["new_run"]


def test_running_waiting_and_ended_jobs_are_listed(panel, app_state, busy, qtbot):
    spec = RunSpec.from_json({"model": "ngram", "config": {"order": 1}})
    training_jobs.add(app_state, app_state.segmentation.id, spec, "first")
    training_jobs.add(app_state, app_state.segmentation.id, spec, "second")
    app_state.run("bulk", Job("refused"), refuse, quiet=True)
    qtbot.waitUntil(lambda: len(app_state.jobs.ended()) == 1)
    qtbot.waitUntil(lambda: row(panel, "busy")._percent.text() == "25 %")
    sections = [(title, len(jobs)) for title, jobs in panel.list.jobs()]
    assert sections == [("Running", 1), ("Waiting", 2), ("Ended", 1)]
    assert "taken" in row(panel, "refused").sentence()

    row(panel, "second").first.click()  # moved first
    assert [job.title for job in app_state.queue.waiting("train")] == [
        "Train second", "Train first",
    ]  # fmt: skip
    row(panel, "first").remove.click()  # withdrawn: it was never begun
    assert [run.name for run in app_state.runs()] == ["second"]

    busy.set()
    qtbot.waitUntil(lambda: len(app_state.jobs.ended()) == 4)
    assert "bits/character" in row(panel, "second").sentence()
    assert row(panel, "first").sentence() == "taken out of the queue"


def test_stop_and_continue(panel, app_state, busy, qtbot):
    stopped = run_workspace.made_up(app_state.workspace, app_state.segmentation.id, "LSTM",
                                    state="stopped")  # fmt: skip
    qtbot.waitUntil(lambda: row(panel, "busy").stop.isVisible())
    row(panel, "busy").stop.click()
    assert row(panel, "busy").sentence() == "Stopping…"
    job = Job("Train LSTM")
    job.run_id, job.state = stopped, "cancelled"
    app_state.jobs._ended.appendleft(job)
    app_state.apply(Changes(runs=True))
    panel.list.rebuild()
    assert row(panel, "LSTM").can_continue()
    row(panel, "LSTM").resume.click()
    assert [waiting.run_id for waiting in app_state.queue.waiting("train")] == [stopped]
    training_jobs.withdraw(app_state, app_state.queue.waiting("train")[0])
    assert app_state.workspace.run(stopped).state == "stopped"  # kept


def test_what_was_stopped_while_it_was_measured_can_go_on(panel, app_state):
    done = run_workspace.made_up(app_state.workspace, app_state.segmentation.id, "LSTM")
    job = Job("Train LSTM")
    job.run_id, job.state = done, "cancelled"
    app_state.jobs._ended.appendleft(job)
    app_state.apply(Changes(runs=True))
    panel.list.rebuild()
    assert row(panel, "LSTM").can_continue()
    assert row(panel, "LSTM").sentence() == "trained, not scored yet"
    assert row(panel, "LSTM").resume.text() == "Score"
    for part in ("valid", "test"):
        app_state.workspace.set_evaluation(done, part, {"bits_per_character": 1.0})
    assert not row(panel, "LSTM").can_continue()


def test_pause_and_go_on(panel, busy, qtbot):
    qtbot.waitUntil(lambda: row(panel, "busy").pause.isVisible())
    row(panel, "busy").pause.click()
    assert row(panel, "busy").job.paused
    assert row(panel, "busy").sentence() == "paused"
    assert row(panel, "busy").pause.toolTip() == "Go on"
    row(panel, "busy").pause.click()
    assert not row(panel, "busy").job.paused
    assert row(panel, "busy").sentence() == "working"


def test_the_log_of_a_run_and_the_details_of_a_failure(panel, app_state):
    made = run_workspace.made_up(app_state.workspace, app_state.segmentation.id, "LSTM")
    job = Job("Train LSTM")
    job.run_id, job.state, job.details = made, "failed", "Traceback: deep"
    job.error = AppError("Memory ran out.")
    panel.log.show_job(job)
    assert len(panel.log.table.rows()) == 60
    assert panel.log.table.rows()[0].cells["step"].value == 600
    panel.log.copy()
    assert QGuiApplication.clipboard().text() == "Memory ran out.\n\nTraceback: deep"


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_it_fits_the_smallest_screen(app_state, cut, language):
    messages.use(language)
    panel = QueuePanel(app_state)
    assert_fits(panel)
    panel.deleteLater()
