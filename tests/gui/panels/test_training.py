"""From the form to the table with real workers: an n-gram and a tiny LSTM."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from lmstudio.gui.panels.compare.curves import CurvesPanel
from lmstudio.gui.panels.train.new_run import NewRunPanel
from lmstudio.jobs import Job
from lmstudio.operations import evaluation

pytestmark = pytest.mark.slow


def test_form_to_curves_and_figures(app_state, cut, shown, qtbot):
    curves = shown(CurvesPanel(app_state))
    form = shown(NewRunPanel(app_state))
    form.form.page().preset.segment("2").click()
    QTest.mouseClick(form.row.start, Qt.MouseButton.LeftButton)

    form.timeline.choose("lstm")
    page = form.form.page()
    page.config.control("width").setValue(16)
    page.training.control("epochs").setValue(2)
    page.training.control("batch").setValue(8)
    page.training.control("minutes").setValue(0)  # or its steps are timed first
    QTest.mouseClick(form.row.start, Qt.MouseButton.LeftButton)

    live = []
    curves.board.advanced.connect(lambda: live.append(curves.plot.visible_points()))
    qtbot.waitUntil(lambda: len(app_state.jobs.ended()) == 2, timeout=120_000)
    states = {run.name: run.state for run in app_state.runs()}
    assert states == {"2-gram mod. KN": "done", "LSTM 1×16": "done"}
    assert live[-1] > live[0]

    drawn = {series.name: series for series in curves.plot.series()}
    assert len(drawn["2-gram mod. KN"].x) == 1
    assert len(drawn["LSTM 1×16"].x) > 5
    for row in curves.table.table.rows():
        for part in ("valid", "test"):
            figures = evaluation.evaluate(app_state.workspace, row.key, part, job=Job())
            assert row.cells[part].value == figures["bits_per_character"]
        assert row.cells["state"].value == "done"
