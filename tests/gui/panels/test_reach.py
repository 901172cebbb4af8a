"""Reach: really trained models, asked with less and less context."""

import numpy as np
import pytest

from lmstudio import messages
from lmstudio.gui.panels.compare.reach import ReachPanel
from lmstudio.jobs import Job
from lmstudio.operations import inside, training
from lmstudio.operations.changes import Changes
from lmstudio.training.spec import RunSpec
from tests.gui.conftest import assert_fits


@pytest.fixture
def bigram(app_state, cut):
    spec = RunSpec.from_json({"model": "ngram", "config": {"order": 2}})
    changes = training.train(app_state.workspace, cut, spec, job=Job())
    app_state.apply(Changes(runs=True))
    return changes.new_id


@pytest.fixture
def panel(app_state, bigram, shown):
    return shown(ReachPanel(app_state))


def measured(panel, qtbot):
    panel.measure.click()
    qtbot.waitUntil(lambda: not panel.busy)


def test_a_bigram_sees_one_word_and_no_more(panel, app_state, bigram, qtbot):
    measured(panel, qtbot)
    (curve,) = panel.plot._drawn
    assert curve.series.x[0] == 1
    np.testing.assert_allclose(curve.series.y, curve.series.y[0], rtol=1e-9)
    known = inside.reach(app_state.workspace, bigram, "valid", job=Job())
    np.testing.assert_allclose(curve.series.y, known.bits_per_character(known.cut), rtol=1e-9)
    (row,) = panel.table.rows()
    assert row.cells["1"].value == pytest.approx(row.cells["full"].value)
    panel.view.segment("shuffled").click()
    np.testing.assert_allclose(panel.plot._drawn[0].series.y, curve.series.y[0], rtol=1e-9)


def test_what_is_measured_is_not_measured_again(panel, qtbot):
    measured(panel, qtbot)
    before = dict(panel.found)
    panel.measure.click()
    assert not panel.busy
    assert panel.found == before


def test_without_models_it_leads_to_training(app_state, cut, shown, qtbot):
    panel = shown(ReachPanel(app_state))
    with qtbot.waitSignal(app_state.panel_wanted) as wanted:
        panel.primary.click()
    assert wanted.args == ["new_run"]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_it_fits_the_smallest_screen(app_state, shown, cut, language):
    messages.use(language)
    assert_fits(shown(ReachPanel(app_state)))
