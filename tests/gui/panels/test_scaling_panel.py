"""Scaling: a sweep of really trained models, drawn, tabled and exported."""

import csv

import numpy as np
import pytest

from lmstudio import messages
from lmstudio.gui.panels.compare.scaling import ScalingPanel
from lmstudio.jobs import Job
from lmstudio.operations import sweeps, training
from lmstudio.operations.changes import Changes
from lmstudio.training.spec import RunSpec
from tests.gui.conftest import assert_fits


@pytest.fixture
def orders(app_state, cut):
    """Runs of orders 1, 2 and 3."""
    ws, spec = app_state.workspace, RunSpec.from_json({"model": "ngram"})
    rows = sweeps.sweep(ws, cut, spec, "order", [1, 2, 3], name="orders")
    for row in rows:
        training.start(ws, row.id, job=Job())
    app_state.apply(Changes(runs=True))
    return rows


@pytest.fixture
def panel(app_state, orders, shown, qtbot):
    made = shown(ScalingPanel(app_state))
    qtbot.waitUntil(lambda: made.found is not None)
    return made


def choose(box, key, qtbot, panel):
    panel.found = None
    box.setCurrentIndex(box.findData(key))
    box.activated.emit(box.currentIndex())
    qtbot.waitUntil(lambda: panel.found is not None)


def test_runs_stand_at_the_setting_in_which_they_differ(panel, app_state, orders):
    assert panel.found.x == "order"
    (curve,) = panel.plot._drawn
    assert curve.series.x.tolist() == [1, 2, 3]
    known = [app_state.workspace.evaluation(run.id, "valid") for run in orders]
    np.testing.assert_allclose(curve.series.y, [one["bits_per_character"] for one in known])
    assert len(curve.mark.getData()[0]) == 3  # every value is marked
    assert [row.cells["x"].value for row in panel.table.rows()] == [1.0, 2.0, 3.0]


def test_they_can_be_set_against_size_and_a_sweep_be_chosen(panel, app_state, orders, qtbot):
    choose(panel.which, "orders", qtbot, panel)
    choose(panel.against, "parameters", qtbot, panel)
    (curve,) = panel.plot._drawn
    assert curve.series.x.tolist() == [app_state.workspace.run(r.id).parameters for r in orders]
    assert panel.table.isColumnHidden(1)


def test_the_test_part_has_figures_of_its_own(panel, app_state, orders, qtbot):
    panel.found = None
    panel.part.segment("test").click()
    qtbot.waitUntil(lambda: panel.found is not None)
    known = app_state.workspace.evaluation(orders[0].id, "test")
    assert panel.found.rows[0].bits_per_character == known["bits_per_character"]


def test_the_table_is_saved(panel, tmp_path, qtbot, app_state):
    from lmstudio.operations import scaling

    path = tmp_path / "scaling.csv"
    panel.save.save(path, scaling.save_csv, panel.found)
    qtbot.waitUntil(lambda: not app_state.jobs.busy)
    with path.open(encoding="utf-8-sig", newline="") as file:
        assert len(list(csv.reader(file))) == 4


def test_without_runs_it_leads_to_training(app_state, shown, qtbot):
    panel = shown(ScalingPanel(app_state))
    with qtbot.waitSignal(app_state.panel_wanted) as wanted:
        panel.primary.click()
    assert wanted.args == ["new_run"]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_it_fits_the_smallest_screen(app_state, shown, cut, language):
    messages.use(language)
    assert_fits(shown(ScalingPanel(app_state)))
