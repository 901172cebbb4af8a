"""A sweep by mouse and keys: form, dialog, queue, and the runs set against their setting."""

import pytest
from PySide6.QtCore import Qt

from lmstudio.gui.dialogs.sweep import SweepDialog
from lmstudio.operations.changes import Changes
from tests.gui.panels import run_workspace

pytestmark = pytest.mark.slow

WAIT = 120_000


def test_orders_are_swept_and_set_against_each_other(window, qtbot):
    state = window.state
    cut = run_workspace.segmented(state.workspace)
    state.apply(Changes(corpora=True, segmentations=True, new_id=cut))
    window.show_panel("new_run")
    form = window.panel("new_run")
    form.several.click()
    dialog = window.findChild(SweepDialog)
    assert dialog.field.currentData() == "order"
    qtbot.keyClicks(dialog.values, "1..3")
    assert dialog.runs.toPlainText().count("\n") == 2
    qtbot.keyClick(dialog.values, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: [r.state for r in state.runs()] == ["done"] * 3, timeout=WAIT)
    qtbot.waitUntil(lambda: not state.jobs.jobs(), timeout=WAIT)
    form.row.sweep.click()
    scaling = window.panel("scaling")
    assert window.current_panel == "scaling"
    qtbot.waitUntil(lambda: scaling.found is not None, timeout=WAIT)
    assert scaling.which.currentData() == state.runs()[0].sweep
    assert [row.x for row in scaling.found.rows] == [1, 2, 3]
    assert len(scaling.plot.series()[0].x) == 3
