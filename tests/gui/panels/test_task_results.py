"""Results: settings with the spread over their seeds, in bars, a table and curves."""

import csv
import statistics

import pytest

from lmstudio import messages
from lmstudio.gui.panels.tasks.results import ResultsPanel
from lmstudio.jobs import Job
from lmstudio.operations import task_results
from lmstudio.operations.changes import Changes
from tests.gui.conftest import assert_fits
from tests.gui.panels import tuned_workspace

SCORES = {1: 0.80, 2: 0.86, 3: 0.83}


@pytest.fixture
def filled(app_state, cut):
    """A task with a setting of three seeds and one of a single seed; another task without runs."""
    ws = app_state.workspace
    task = tuned_workspace.task(ws)
    tuned_workspace.task(ws, "旅行", "tag")
    tuned_workspace.scored(ws, cut, task, "BERT", SCORES)
    tuned_workspace.scored(ws, cut, task, "LSTM", {1: 0.7}, model="lstm")
    app_state.apply(Changes(runs=True))
    return task


@pytest.fixture
def panel(app_state, filled, shown):
    return shown(ResultsPanel(app_state))


def test_runs_that_differ_in_their_seed_are_one_setting(app_state, filled):
    found = task_results.settings(app_state.workspace, filled)
    assert [(one.name, len(one.runs)) for one in found] == [("BERT", 3), ("LSTM, 1", 1)]
    known = task_results.spread(found[0].scores("valid", "accuracy"))
    assert known.mean == pytest.approx(0.83)
    assert known.deviation == pytest.approx(statistics.stdev(SCORES.values()))
    assert task_results.spread(found[1].scores("valid", "accuracy")).deviation is None


@pytest.mark.parametrize(
    ("names", "setting"),
    [(("BERT, seed 1", "BERT, seed 2"), "BERT"), (("情感，随机种子 1", "情感，随机种子 2"), "情感"),
     (("情感（种子 1）", "情感（种子 2）"), "情感"), (("GPT 2", "GPT 2 b"), "GPT")],
    ids=["english", "chinese", "in brackets", "number of its own"],
)  # fmt: skip
def test_the_seed_is_no_part_of_a_settings_name(app_state, cut, names, setting):
    ws = app_state.workspace
    task = tuned_workspace.task(ws)
    for seed, name in enumerate(names, 1):
        (run,) = tuned_workspace.scored(ws, cut, task, "x", {seed: 0.8})
        ws.rename("run", run, name)
    (found,) = task_results.settings(ws, task)
    assert found.name == setting


def test_bars_and_table_say_mean_and_spread(panel):
    first, second = panel.bars.differences()
    assert first.value == pytest.approx(0.83)
    assert first.high - first.value == pytest.approx(0.03)
    assert first.end == "83.0 ± 3.0 %"
    assert second.low != second.low  # none of a single seed
    assert panel.table.rows()[0].cells["valid"].text == "83.0 ± 3.0"
    assert "examples that also chose the checkpoint: optimistic. Mean" in panel._said.text()
    panel.part.segment("test").click()
    assert panel.bars.differences()[0].value == pytest.approx(0.78)
    assert panel._said.text().startswith("Mean over the seeds")


def test_every_run_has_a_row_and_a_curve(panel):
    panel.rows.segment("runs").click()
    assert len(panel.table.rows()) == 4
    assert len(panel.plot.series()) == 4
    panel.curve.setCurrentIndex(panel.curve.findData("valid_loss"))
    panel._draw_curves()
    assert panel.plot.series()[0].y[-1] < panel.plot.series()[0].y[0]


def test_scores_are_told_in_percent_everywhere(panel):
    axes, (first, *_) = panel.plot.axes(), panel.plot.series()
    score = float(first.y[-1])
    assert axes.told(score) == f"{score * 100:.1f} %"
    assert axes.show_y(0.825) == "82.5 %"
    assert [column.title for column in panel.table._rows.columns][3:5] == [
        "Valid in %", "Test in %"]  # fmt: skip
    assert panel.bars.differences()[0].tip == "BERT: 80.0 %, 86.0 %, 83.0 %"
    panel.curve.setCurrentIndex(panel.curve.findData("valid_loss"))
    panel._draw_curves()
    assert "%" not in panel.plot.axes().told(score)


def test_a_bar_chooses_what_the_next_panels_ask(panel, app_state, qtbot):
    panel._choose_bar(0)
    assert app_state.tuned._task
    with qtbot.waitSignal(app_state.panel_wanted) as wanted:
        panel._open_box()
    assert wanted.args == ["try_it"]
    with qtbot.waitSignal(app_state.panel_wanted) as wanted:
        panel._open_mistakes()
    assert wanted.args == ["task_errors"]


def test_a_task_without_runs_leads_to_the_tasks(panel, app_state, qtbot):
    panel.task.setCurrentIndex(1)
    panel._choose_task()
    assert panel._pages.currentIndex() == 1
    with qtbot.waitSignal(app_state.panel_wanted) as wanted:
        panel.primary.click()
    assert wanted.args == ["tasks"]


def test_the_scores_are_saved_as_csv(app_state, filled, tmp_path):
    found = task_results.settings(app_state.workspace, filled)
    task_results.save_csv(found, "accuracy", tmp_path / "scores.csv", job=Job())
    with (tmp_path / "scores.csv").open(encoding="utf-8-sig") as file:
        rows = list(csv.reader(file))
    assert len(rows) == 1 + 4
    assert rows[1][0] == "BERT"
    assert rows[1][3] == "3"


def test_without_anything_it_says_what_is_missing(app_state, shown):
    panel = shown(ResultsPanel(app_state))
    assert panel._pages.currentIndex() == 1


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_it_fits_the_smallest_screen(app_state, shown, filled, language):
    messages.use(language)
    assert_fits(shown(ResultsPanel(app_state)))


def test_the_label_of_a_curve_tells_the_score_of_its_bar(app_state, filled, panel):
    ws = app_state.workspace
    (run,) = (one for one in ws.tuned_runs() if one.name == "LSTM, 1")
    step, _, score = ws.metrics(run.id, "valid_score")[11]  # the best, before it grew worse again
    ws.update_run(run.id, facts={"best_step": step})
    ws.set_evaluation(run.id, "valid", {"accuracy": score})
    app_state.apply(Changes(runs=True))
    panel.curve.setCurrentIndex(panel.curve.findData("valid_score"))
    panel._draw_curves()
    (drawn,) = (one for one in panel.plot._drawn if one.series.key == run.id)
    assert drawn.tip == (step, score)
    assert {one.at for one in panel.plot.series()} == {None, step}
