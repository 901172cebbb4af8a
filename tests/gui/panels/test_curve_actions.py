"""The actions of the run table: change, continue, rename, delete; and why not."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from lmstudio.gui.dialogs.continue_run import ContinueDialog
from lmstudio.gui.panels.compare.run_actions import RunActions
from lmstudio.operations.changes import Changes
from tests.gui.panels import run_workspace


def test_d_starts_a_new_run_from_these_settings(full, app_state, qtbot):
    full.table.table.setFocus()
    app_state.select_runs((full.ids["LSTM"],))
    with qtbot.waitSignal(app_state.panel_wanted) as wanted:
        QTest.keyClick(full.table.table, Qt.Key.Key_D)
    assert wanted.args == ["new_run"]
    assert app_state.draft["model"] == "lstm"


def test_actions_say_why_not(full, app_state):
    actions = full.table.actions_
    assert not full.table.again.isEnabled()
    assert full.table.again.toolTip() == "Select a run first"
    app_state.select_runs((full.ids["1"],))
    assert "counted in one go" in actions.resume.toolTip()
    assert actions.warm.toolTip() == "Only networks have weights to begin with"
    assert actions.sweep.toolTip() == "It is not part of a sweep"
    app_state.select_runs((full.ids["LSTM"],))
    assert actions.resume.toolTip() == "It has no model or checkpoint yet"
    app_state.select_runs((full.ids["stopped"],))
    assert actions.resume.isEnabled()
    assert not actions.warm.isEnabled()
    assert actions.evaluate.toolTip() == "It has no model or checkpoint yet"


def test_rename_and_delete(full, app_state, qtbot):
    app_state.select_runs((full.ids["LSTM"],))
    full.table.actions_._asked = full.ids["LSTM"]
    full.table.actions_.rename_to("best")
    names = {row.key: row.cells["name"].value for row in full.table.table.rows()}
    assert names[full.ids["LSTM"]] == "best"
    problems = []
    app_state.problem.connect(lambda *problem: problems.append(problem[0]))
    full.table.actions_.rename_to("LSTM 1×128")
    assert "taken" in problems[0]
    full.table.actions_.delete_chosen()
    qtbot.waitUntil(lambda: not app_state.jobs.busy)
    assert full.ids["LSTM"] not in {run.id for run in app_state.runs()}
    assert len(full.plot.series()) == 3


def test_a_run_that_is_done_goes_on_and_lends_its_weights(full, app_state, cut, monkeypatch, qtbot):
    ws = app_state.workspace
    run = run_workspace.network(ws, cut, "rnn")
    app_state.apply(Changes(runs=True))
    app_state.select_runs((run,))
    actions = full.table.actions_
    monkeypatch.setattr(app_state, "run", lambda *_, **__: started.append(ws.run(run).state))
    started = []
    actions.resume.trigger()
    dialog = full.window().findChild(ContinueDialog)
    assert dialog.how.value() == "epochs"
    dialog.how.segment("minutes").click()
    dialog.minutes.setValue(2)
    dialog.accept()
    assert started == ["stopped"]
    known = ws.run(run)
    assert known.spec["training"]["minutes"] == pytest.approx(known.seconds / 60 + 2)
    with qtbot.waitSignal(app_state.panel_wanted) as wanted:
        actions.warm.trigger()
    assert wanted.args == ["new_run"]
    assert app_state.draft_parent == run


def test_a_run_is_not_deleted_while_it_is_evaluated(full, app_state, qtbot):
    app_state.select_runs((full.ids["1"],))
    delete = full.table.actions_.delete
    assert delete.isEnabled()
    full.table.actions_.evaluate.trigger()
    assert not delete.isEnabled()
    assert delete.toolTip() == "It is being evaluated. Wait for it, or stop it."
    other = RunActions(app_state, full.board, full)
    assert not other.delete.isEnabled(), "as after a change of language"
    app_state.jobs.jobs()[0].cancel()
    qtbot.waitUntil(lambda: not app_state.jobs.jobs())
    assert delete.isEnabled()
    assert other.delete.isEnabled()
