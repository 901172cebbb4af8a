"""From the curves to a comparison, a finding, and the same question to a third model."""

import json

import pytest
from PySide6.QtCore import Qt

from lmstudio import cli
from lmstudio.operations import findings
from lmstudio.operations.changes import Changes
from tests.gui.panels import run_workspace

pytestmark = pytest.mark.slow
WAIT = 60_000


def primary(window, qtbot):
    """What Ctrl+Enter does in the panel that is shown."""
    panel = window.panel(window.current_panel)
    qtbot.waitUntil(panel.primary.isEnabled, timeout=WAIT)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow, timeout=WAIT)
    qtbot.keyClick(window, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)


def test_compare_keep_and_ask_again(window, qtbot, capsys):
    state = window.state
    cut = run_workspace.segmented(state.workspace)
    runs = [run_workspace.counted(state.workspace, cut, order) for order in (1, 2, 3)]
    state.apply(Changes(corpora=True, segmentations=True, runs=True, new_id=cut))
    window.show_panel("curves")
    state.select_runs(tuple(runs[:2]))
    primary(window, qtbot)
    assert window.current_panel == "head_to_head"
    panel = window.panel("head_to_head")
    qtbot.waitUntil(lambda: panel.found is not None and not panel.busy, timeout=WAIT)
    interval = panel.found.differences[1]
    names = [state.workspace.run(number).name for number in runs]
    primary(window, qtbot)

    (kept,) = findings.findings(state.workspace)
    state.show_finding(kept.id)
    board = window.panel("findings")
    board.run.setCurrentIndex(board.run.findData(runs[2]))
    primary(window, qtbot)
    qtbot.waitUntil(lambda: len(board.finding().answers) == 2, timeout=WAIT)
    answers = board.finding().answers
    assert list(answers) == names[1:]
    assert answers[names[1]]["low"] == interval.low

    folder = state.workspace.folder
    state.close()
    words = ["compare", names[0], names[1], names[2], "--json"]
    assert cli.main(["--workspace", str(folder), *words]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["differences"][1]["low"] == interval.low
    assert found["differences"][2]["high"] == answers[names[2]]["high"]
