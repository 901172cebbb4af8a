"""Layers and gates: what a really trained network does with a sentence, drawn and saved."""

import csv

import numpy as np
import pytest

from lmstudio import messages
from lmstudio.gui.panels.explore.layers import LayersPanel
from lmstudio.jobs import Job
from lmstudio.operations import inside, training
from lmstudio.operations.changes import Changes
from lmstudio.training.spec import RunSpec
from tests.gui.conftest import assert_fits

SIZES = {"lstm": {"width": 8, "layers": 2}, "gpt": {"width": 8, "heads": 2, "layers": 2}}


@pytest.fixture(params=SIZES)
def run(request, app_state, cut):
    """A network of a few steps."""
    spec = {"model": request.param, "config": SIZES[request.param], "training": {"max_steps": 2}}
    changes = training.train(app_state.workspace, cut, RunSpec.from_json(spec), job=Job())
    app_state.apply(Changes(runs=True))
    return app_state.workspace.run(changes.new_id)


@pytest.fixture
def panel(app_state, run, shown, qtbot):
    made = shown(LayersPanel(app_state))
    qtbot.waitUntil(lambda: made.found is not None, timeout=30000)
    return made


def test_the_map_shows_what_the_operation_finds(panel, app_state, run):
    known = inside.inside(app_state.workspace, run.id, panel.text.text(), job=Job())
    names = [panel.name.itemData(n) for n in range(panel.name.count())]
    assert names == list(known.values)
    for number, name in enumerate(names):
        panel.name.setCurrentIndex(number)
        if known.kind == "gates":
            panel.layer.setCurrentIndex(1)
            expected = known.values[name][1].T
        else:
            expected = known.values[name]
        np.testing.assert_array_equal(panel.map.grid().values, expected)
    assert panel.map.grid().columns == tuple(known.tokens)
    assert len(panel.table.rows()) == len(known.tokens)
    assert panel.layer.isVisible() == (run.model == "lstm")


def test_a_token_is_chosen_in_the_map_and_in_the_table(panel, qtbot):
    with qtbot.waitSignal(panel.map.chosen):
        panel.map._take(2)
    assert panel.table.selected() == [2]
    panel.table.chosen.emit([1])
    assert panel.map.column() == 1
    assert panel.map.grid().columns[1] in panel.map.told(0, 1)


def test_every_value_is_saved(panel, app_state, tmp_path, qtbot):
    path = tmp_path / "inside.csv"
    panel.save.save(path, inside.save_inside, panel.found)
    qtbot.waitUntil(lambda: not app_state.jobs.busy, timeout=5000)
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    assert len(rows) == 1 + sum(values.size for values in panel.found.values.values())


def test_nothing_typed_is_said(panel, qtbot):
    panel.text.setText("")
    qtbot.waitUntil(lambda: bool(panel._said.text()), timeout=30000)
    assert "Type" in panel._said.text()


def test_without_networks_it_leads_to_training(app_state, cut, shown, qtbot):
    panel = shown(LayersPanel(app_state))
    with qtbot.waitSignal(app_state.panel_wanted) as wanted:
        panel.primary.click()
    assert wanted.args == ["new_run"]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_it_fits_the_smallest_screen(app_state, cut, language):
    messages.use(language)
    assert_fits(LayersPanel(app_state))
