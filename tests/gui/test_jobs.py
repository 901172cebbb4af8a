"""Jobs as the window sees them: polled, answered once, failures told in the main thread."""

import threading
import time

import pytest
from PySide6.QtCore import QObject

from lmstudio.errors import AppError
from lmstudio.gui.jobs import Asker
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.operations.changes import Changes
from tests.gui.conftest import settle


def count(steps: int, *, job: Job) -> Changes:
    for n in range(steps):
        job.tick(n + 1, steps, loss=1.0 / (n + 1))
    return Changes(runs=True, notes=(Message("Starting…"),))


def echo(value: int, *, job: Job) -> int:
    return value


def wait(*, job: Job) -> None:
    while True:
        job.tick(0, 1)
        time.sleep(0.01)


def refuse(*, job: Job) -> None:
    raise AppError("Open a workspace first.")


def break_down(*, job: Job) -> None:
    raise ZeroDivisionError


def test_points_come_in_few_signals_and_all_of_them(app_state, qtbot):
    seen, threads = [], set()

    def note(job, points):
        threads.add(threading.current_thread())
        seen.append(points)

    app_state.jobs.progressed.connect(note)
    with qtbot.waitSignals([app_state.runs_changed, app_state.told]):
        app_state.run("bulk", Job("count"), count, 20_000)
    assert sum(map(len, seen)) == 20_000
    assert len(seen) < 30
    assert threads == {threading.main_thread()}
    assert app_state.jobs.jobs() == []


def test_an_error_of_the_user_is_told_without_details(app_state, qtbot):
    with qtbot.waitSignal(app_state.problem) as told:
        app_state.run("bulk", Job("refuse"), refuse)
    assert told.args == ["Open a workspace first.", ""]


def test_a_bug_is_told_with_its_traceback_and_the_next_job_runs(app_state, qtbot, caplog):
    with qtbot.waitSignal(app_state.problem) as told:
        app_state.run("bulk", Job("broken"), break_down, quiet=True)
    assert "ZeroDivisionError" in told.args[1]
    caplog.clear()
    with qtbot.waitSignal(app_state.runs_changed):
        app_state.run("bulk", Job("count"), count, 3)


def test_quiet_jobs_tell_no_error_of_the_user(app_state, qtbot):
    with qtbot.assertNotEmitted(app_state.problem), qtbot.waitSignal(app_state.jobs.finished):
        app_state.run("ask", Job(), refuse, quiet=True)


def test_a_new_question_drops_the_answer_to_the_last(app_state, qtbot):
    asker, answers = Asker(app_state, app_state), []
    asker.answered.connect(answers.append)
    asker.ask(wait)
    asker.ask(echo, 1)
    asker.ask(echo, 2)
    qtbot.waitUntil(lambda: answers == [2])
    assert not asker.busy


def test_a_question_that_fails(app_state, qtbot):
    asker = Asker(app_state, app_state)
    with qtbot.waitSignal(asker.failed) as failed:
        asker.ask(refuse)
    assert isinstance(failed.args[0], AppError)


@pytest.mark.parametrize("twice", [False, True])
def test_case_i1_closing_while_a_job_runs(app_state, qtbot, twice):
    job = app_state.run("bulk", Job("wait"), wait)
    qtbot.waitUntil(lambda: job.state == "running")
    begun = time.monotonic()
    app_state.close()
    if twice:
        app_state.close()
    assert time.monotonic() - begun < 3
    assert job.state == "cancelled"


def test_a_question_ends_with_what_asked_it(app_state, qtbot):
    """A window that is thrown away cannot stop a search that would go on for ever."""
    panel = QObject()
    Asker(app_state, panel).ask(wait)
    qtbot.waitUntil(lambda: app_state.jobs.busy and app_state.jobs._jobs[0].ticked)
    panel.deleteLater()
    del panel
    settle()
    qtbot.waitUntil(lambda: not app_state.jobs.busy)
