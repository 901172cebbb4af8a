"""What layers know: probes, weights of layers, prompts and figures of networks really trained."""

import csv
import shutil

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QStyleOptionViewItem

from lmstudio import messages
from lmstudio.gui.panels.tasks.layer_views.probe import _columns
from lmstudio.gui.panels.tasks.layer_views.view import path_last
from lmstudio.gui.panels.tasks.layers_of_tasks import VIEWS, LayersOfTasksPanel
from lmstudio.jobs import Job
from lmstudio.operations import (
    layer_weights,
    task_probing,
    task_relations,
    task_scaling,
    training,
    zero_shot,
)
from lmstudio.store.workspace import Workspace
from tests.gui.conftest import assert_fits, clipped
from tests.gui.panels import run_workspace, tuned_workspace


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A workspace with a BERT, an n-gram, a run of a task, and one that mixes layers."""
    folder = tmp_path_factory.mktemp("layers") / "workspace"
    with Workspace(folder) as ws:
        tuned_workspace.trained(ws, "classify")
        (encoder,) = (run for run in ws.runs() if run.name == "bert")
        run_workspace.counted(ws, encoder.segmentation_id, 2)
        (mixed,) = layer_weights.queue(ws, encoder.id, ["classify"], epochs=2)
        training.start(ws, mixed.id, job=Job())
        tuned_workspace.task(ws, "问答", "qa")
        ws.set_evaluation(encoder.id, "test", {"bits_per_character": 2.5, "perplexity": 9.0})
    return folder


@pytest.fixture
def panel(app_state, trained, shown, tmp_path, qtbot):
    app_state.open_workspace(shutil.copytree(trained, tmp_path / "copy"))
    panel = shown(LayersOfTasksPanel(app_state))
    wait(panel, qtbot)
    return panel


def wait(panel, qtbot):
    qtbot.waitUntil(lambda: not panel.busy, timeout=150_000)


def show(panel, key, qtbot):
    panel.view.segment(key).click()
    wait(panel, qtbot)
    return panel.shown


def rows(path):
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))


@pytest.mark.slow
def test_probes_are_bars_by_layer(panel, app_state, qtbot, tmp_path):
    view = panel.shown
    assert view.bars.series() == []
    view.seeds.setValue(2)
    view.limit.setValue(20)
    view.control.setChecked(True)
    (run,) = view.networks()
    view.all.click()
    wait(panel, qtbot)
    known = task_probing.probe(app_state.workspace, run.id, "classify", seeds=2, limit=20,
                               control=True, job=Job())  # fmt: skip
    (shown,) = view.bars.series()
    assert view.bars.groups() == ("table", "layer 1")
    assert [bar.value for bar in shown.bars] == [one.mean for one in known.layers]
    assert [bar.spread for bar in shown.bars] == [one.spread for one in known.layers]
    assert [bar.notch for bar in shown.bars] == [one.mean for one in known.control]
    assert view.bars.line()[0] == known.majority == 0.5
    row = next(row for row in view.table.rows() if row.key == run.id)
    assert row.cells["score"].value == known.best.mean
    view.table.select([run.id])
    found = view.found[view._key(run.id)]
    view.save.save(tmp_path / "probe.csv", path_last(task_probing.save_probed), found)
    qtbot.waitUntil(lambda: not app_state.jobs.busy)
    assert len(rows(tmp_path / "probe.csv")) == 1 + 2 * 2 * 2  # layers, seeds, trained and random
    view.seeds.setValue(3)
    assert view.bars.series() == []  # of other settings nothing is known


def test_a_chart_without_probes_says_what_it_is_for(panel):
    assert panel.shown.bars.series() == []
    assert "Probe networks" in panel.shown.bars._empty


def test_names_that_have_no_room_keep_their_seeds(panel):
    option, table = QStyleOptionViewItem(), panel.shown.table
    named = [column.key for column in _columns()].index("name")
    table.itemDelegate().initStyleOption(option, table.model().index(0, named))
    assert option.textElideMode == Qt.TextElideMode.ElideMiddle


@pytest.mark.slow
def test_a_probe_can_be_stopped(panel, qtbot):
    view = panel.shown
    view.all.click()
    assert panel.busy
    assert panel.stop()
    assert not panel.busy
    assert not panel.stop()
    assert view.found == {}


@pytest.mark.slow
def test_questions_have_no_probe_and_no_prompt(panel, app_state, qtbot):
    app_state.tuned.choose_task(app_state.workspace.task("问答").id)
    assert not panel.shown.all.isEnabled()
    assert "no linear probe" in panel.shown.all.toolTip()
    view = show(panel, "size", qtbot)
    assert view.prompt.ask.isHidden()
    assert "stretches of text" in view.prompt.fault.text()


@pytest.mark.slow
def test_shares_of_layers_are_those_of_the_runs(panel, app_state, qtbot, monkeypatch):
    view = show(panel, "weights", qtbot)
    ws = app_state.workspace
    (run,) = layer_weights.mixed_runs(ws)
    (known,) = layer_weights.weights(ws, [run.id])
    (row,) = view.grid.shares()
    assert row.name == "classify"
    assert row.shares == pytest.approx(known.shares)
    assert row.end == f"γ {known.gamma:.2f}"
    (told,) = view.runs.rows()
    assert told.cells["score"].value == ws.evaluation(run.id, "test")["accuracy"]
    assert view.wanted() == [ws.task("问答").id]
    started = []
    monkeypatch.setattr(
        "lmstudio.gui.panels.train.training_jobs.start",
        lambda state, row, log=None: started.append(row),
    )
    view.table.select([ws.task("classify").id])
    view.epochs.setValue(4)
    view.seeds.setValue(2)
    view.queue.click()
    assert [row.spec["task"]["layers"] for row in started] == ["mix", "mix"]
    assert {row.spec["training"]["epochs"] for row in started} == {4}
    assert {row.spec["training"]["seed"] for row in started} == {1, 2}


@pytest.mark.slow
def test_scores_stand_over_sizes_beside_prompts(panel, app_state, qtbot, monkeypatch):
    view = show(panel, "size", qtbot)
    ws = app_state.workspace
    known = task_scaling.points(ws, "classify", "test", "accuracy")
    assert [point.mean for point in view.points] == [point.mean for point in known]
    assert {series.name for series in view.plot.series()} == {
        "BERT, fine-tuned", "BERT, mixed layers, frozen"
    }  # fmt: skip
    (asked,) = view.causal()
    view.prompt.words["好"].setText("很好看")
    view.prompt.words["坏"].setText("太难看")
    view.prompt.template.setText("{text}，")
    view.prompt.ask.click()
    wait(panel, qtbot)
    prompt = view.prompt.prompt()
    (said,) = zero_shot.score(ws, [asked.id], "classify", prompt, part="test", job=Job())
    (point,) = [one for one in view.points if one.share == 0]
    assert point.mean == said.figures["accuracy"]
    assert point.parameters == asked.parameters
    view.measure.setCurrentIndex(view.measure.findData("macro_f1"))
    view.draw()
    (point,) = [one for one in view.points if one.share == 0]
    assert point.mean == said.figures["macro_f1"]
    view.prompt.template.setText("{text}是")
    view.draw()
    assert all(one.share for one in view.points)  # another prompt was not asked
    started = []
    monkeypatch.setattr(
        "lmstudio.gui.panels.train.training_jobs.start",
        lambda state, row, log=None: started.append(row),
    )
    assert not view.queue.isEnabled()
    view.encoders.selectRow(0)
    view.seeds.setValue(2)
    view.queue.click()
    assert [row.spec["task"]["kind"] for row in started] == ["classify"] * 2
    view.preset.setCurrentIndex(view.preset.findData("published"))
    view.queue.click()
    rates = {(row.spec["training"]["optimizer"], row.spec["training"]["learning_rate"])
             for row in started[2:]}  # fmt: skip
    assert rates == {("adamw", 5e-5)}
    assert started[0].spec["training"]["learning_rate"] == 3e-3  # as suits a network made here


@pytest.mark.slow
def test_figures_of_networks_stand_beside_scores(panel, app_state, qtbot):
    view = show(panel, "perplexity", qtbot)
    known = task_relations.relation(app_state.workspace, "classify", "test", "accuracy", job=Job())
    assert [one.title for one in view.found] == [one.title for one in known]
    assert view.relation().pseudo  # BERT guesses from both sides
    assert "pseudo" in view.group.currentText()
    (point,) = view.plot.series()
    np.testing.assert_array_equal(point.y[:1], [known[0].points[0].y])
    assert point.x[0] == known[0].points[0].x == 2.5
    view.by.setCurrentIndex(view.by.findData("perplexity"))
    view.by.activated.emit(1)
    wait(panel, qtbot)
    assert view.plot.series()[0].x[0] == 9.0
    assert view.said.text().endswith("networks 1")
    with qtbot.waitSignal(app_state.panel_wanted) as wanted:
        panel.primary.click()
    assert wanted.args == ["tasks"]


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_it_fits_the_smallest_screen(panel, language, app_state, shown, qtbot):
    messages.use(language)
    made = shown(LayersOfTasksPanel(app_state))
    for key in VIEWS:
        show(made, key, qtbot)
        assert_fits(made)
        assert clipped(made) == []


def test_without_a_task_it_leads_to_the_tasks(app_state, shown, qtbot):
    panel = shown(LayersOfTasksPanel(app_state))
    with qtbot.waitSignal(app_state.panel_wanted) as wanted:
        panel.primary.click()
    assert wanted.args == ["tasks"]


def test_without_a_network_it_leads_to_training(app_state, shown, qtbot):
    tuned_workspace.task(app_state.workspace)
    panel = shown(LayersOfTasksPanel(app_state))
    with qtbot.waitSignal(app_state.panel_wanted) as wanted:
        panel.primary.click()
    assert wanted.args == ["new_run"]
