"""Curves and run table: what is drawn, what is said, what can be done."""

import csv
import math
import time

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from lmstudio import figures, messages
from lmstudio.files import write_json
from lmstudio.gui.panels.compare import run_rows
from lmstudio.gui.panels.compare.curves import CurvesPanel
from lmstudio.gui.panels.compare.run_series import MOST
from lmstudio.jobs import Job
from lmstudio.operations import evaluation, training
from lmstudio.operations.changes import Changes
from lmstudio.training.spec import RunSpec
from tests.gui.conftest import assert_fits
from tests.gui.panels import run_workspace

BROKEN = [5, math.nan, 3, math.inf, 2]


def row(panel, name):
    return next(row for row in panel.table.table.rows() if row.key == panel.ids[name])


def series(panel, name):
    return next(series for series in panel.plot.series() if series.key == panel.ids[name])


def test_every_run_has_its_curve_and_its_row(full):
    assert {one.key for one in full.plot.series()} == set(full.ids.values())
    assert len(series(full, "1").x) == 1
    assert len(series(full, "LSTM").x) == 60
    assert [series(full, name).dash for name in ("1", "ML", "LSTM", "stopped")] == [0, 0, 0, 1]


def test_a_leaking_part_is_told_beside_its_figures(full):
    told = row(full, "1").cells["test"].tip  # the sentences of this corpus come again and again
    assert "stand in the training part as well" in told


def test_the_figures_of_the_table_are_those_of_evaluate(full, app_state):
    for part in ("valid", "test"):
        figures = evaluation.evaluate(app_state.workspace, full.ids["1"], part, job=Job())
        assert row(full, "1").cells[part].value == figures["bits_per_character"]
    valid = evaluation.evaluate(app_state.workspace, full.ids["1"], "valid", job=Job())
    assert row(full, "1").cells["perplexity"].value == valid["perplexity"]
    assert series(full, "1").y[-1] == pytest.approx(valid["bits_per_character"])


def looked_at(panel, name, tokens):
    """Let a run have looked at so many tokens of the valid part while it was trained."""
    folder = panel.state.workspace.run_folder(panel.ids[name]) / "checkpoints" / "last"
    folder.mkdir(parents=True)
    write_json(folder / "meta.json", {"progress": {"plan": {"valid_tokens": tokens}}})


def test_a_curve_ends_with_the_figure_of_the_table(full, app_state):
    ws = app_state.workspace
    events = evaluation.evaluate(ws, full.ids["1"], "valid", job=Job())["events"]
    ws.set_evaluation(full.ids["LSTM"], "valid", {"bits_per_character": 1.9, "perplexity": 3.0})
    for name in ("LSTM", "stopped"):
        looked_at(full, name, events // 4)
    app_state.apply(Changes(runs=True))
    assert row(full, "LSTM").cells["valid"].value == series(full, "LSTM").end == 1.9
    assert series(full, "LSTM").y[-1] != 1.9  # of the sample
    drawn = next(one for one in full.plot._drawn if one.series.key == full.ids["LSTM"])
    assert drawn.label.toPlainText() == "1.90  LSTM 2×256"
    assert drawn.end[1] == drawn.leader.getData()[1][1] == 1.9
    assert series(full, "stopped").end is None  # nobody has evaluated it: table and label agree
    assert row(full, "stopped").cells["valid"].value == series(full, "stopped").y[-1]
    share = figures.percent(events // 4 / events)
    assert f"while training: {share} of the valid part" in full._card.row.note.full_text()
    full.part.segment("train").click()
    assert series(full, "LSTM").end is None
    assert "while training" not in full._card.row.note.full_text()


def test_the_note_tells_of_the_runs_that_are_drawn(full, app_state):
    assert "while training" not in full._card.row.note.full_text()
    looked_at(full, "LSTM", 0)  # all of it
    app_state.apply(Changes(runs=True))
    assert "while training" not in full._card.row.note.full_text()
    looked_at(full, "stopped", 10)
    app_state.workspace.update_run(full.ids["stopped"], state="interrupted")
    app_state.apply(Changes(runs=True))
    assert "of the valid part" in full._card.row.note.full_text()
    full.table.hidden.add(full.ids["stopped"])
    app_state.apply(Changes(runs=True))
    assert "of the valid part" not in full._card.row.note.full_text()


def test_the_context_is_that_of_all_runs_drawn_or_told_to_differ(full, app_state):
    note, table = full._card.row.note.full_text, full.table.table
    column = [c.key for c in run_rows.columns()].index("context")
    assert "context: sentence" in note()
    assert table.isColumnHidden(column)
    ws = app_state.workspace
    for name in ("LSTM", "stopped"):
        spec = ws.run(full.ids[name]).spec
        spec["config"]["context"] = "document"
        ws.update_run(full.ids[name], spec=spec)
    app_state.apply(Changes(runs=True))
    assert "contexts differ: sentence 2, document 2" in note()
    assert not table.isColumnHidden(column)
    assert row(full, "LSTM").cells["context"].value == "document"
    full.table.hidden |= {full.ids["1"], full.ids["ML"]}
    app_state.apply(Changes(runs=True))
    assert "context: document" in note()


def test_grey_is_explained_where_something_is_grey(full, app_state, cut):
    spec = RunSpec.from_json({"model": "bert", "preset": "small"}).to_json()
    bert = app_state.workspace.add_run(cut, "bert", "bert", spec).id
    app_state.apply(Changes(runs=True))
    assert "grey" not in full.table.row.note.full_text()
    figures = {"bits_per_character": 3.0, "perplexity": 9.0, "context": "sentence"}
    app_state.workspace.set_evaluation(bert, "valid", figures)
    app_state.apply(Changes(runs=True))
    assert "grey" in full.table.row.note.full_text()


def test_infinity_is_shown_with_its_events(full, app_state):
    figures = app_state.workspace.evaluation(full.ids["ML"], "valid")
    figures |= {"bits_per_character": math.inf, "perplexity": math.inf, "zero_probability": 12}
    app_state.workspace.set_evaluation(full.ids["ML"], "valid", figures)
    app_state.apply(Changes(runs=True))
    cells = row(full, "ML").cells
    assert "12" in cells["valid"].tip
    assert cells["zero"].value == 12
    assert cells["place"].draw == ()


def test_case_i3_gaps_are_gaps_and_are_said(full, app_state, cut):
    broken = run_workspace.made_up(app_state.workspace, cut, "broken", losses=BROKEN)
    full.ids["broken"] = broken
    for name in ("1", "ML", "LSTM", "stopped"):
        full.table.hidden.add(full.ids[name])
    app_state.apply(Changes(runs=True))
    assert full.plot.visible_points() == 3
    assert "broken" in full._card.row.note.full_text()
    assert math.isfinite(row(full, "broken").cells["valid"].value)


def test_a_curve_of_nothing_but_nan_gives_an_empty_chart_with_a_note(app_state, cut, shown):
    run_workspace.made_up(app_state.workspace, cut, "nan", losses=[math.nan, math.nan])
    app_state.apply(Changes(runs=True))
    panel = shown(CurvesPanel(app_state))
    assert panel.plot.visible_points() == 0
    assert panel.plot.value_range() is None


def test_case_c7_perplexities_of_other_segmentations_are_not_drawn(full, app_state, cut):
    other = run_workspace.segmented(app_state.workspace, "jieba")
    full.ids["jieba"] = run_workspace.counted(app_state.workspace, other, 2)
    app_state.apply(Changes(segmentations=True, runs=True))
    app_state.select_segmentation(cut)
    assert full.strip.text() == ""
    assert full.ids["jieba"] in {one.key for one in full.plot.series()}  # bits per character
    full.setFocus()
    full.measure.set_value("perplexity")
    assert full.ids["jieba"] not in {one.key for one in full.plot.series()}
    assert "characters" in full.strip.text()
    assert full.plot.axes().log_y
    full.measure.set_value("bits_per_character")
    assert full.strip.text() == ""


def test_x_and_part_can_be_changed(full):
    full.along.segment("step").click()
    assert series(full, "LSTM").x[-1] == 600
    assert series(full, "1").x[-1] == 1
    full.along.segment("tokens").click()
    assert series(full, "LSTM").x[-1] > 600
    full.part.segment("train").click()
    assert full.ids["1"] not in {one.key for one in full.plot.series()}  # counting has none


def test_the_oracle_is_drawn_where_it_is_known(full, app_state, monkeypatch):
    monkeypatch.setattr(evaluation, "oracle", lambda *_: 0.25)
    app_state.apply(Changes(runs=True))
    value, sentence = full.plot.oracle()
    assert value == 0.25
    assert "0.25" in sentence
    full.measure.set_value("perplexity")
    assert full.plot.oracle() is None


def test_keys_hide_and_choose_the_measure(full, app_state):
    full.table.table.setFocus()
    app_state.select_runs((full.ids["LSTM"],))
    assert series(full, "LSTM").bold
    QTest.keyClick(full.table.table, Qt.Key.Key_Space)
    assert full.ids["LSTM"] not in {one.key for one in full.plot.series()}
    QTest.keyClick(full.table.table, Qt.Key.Key_Space)
    assert full.ids["LSTM"] in {one.key for one in full.plot.series()}
    QTest.keyClick(full.table.table, Qt.Key.Key_M)
    assert full.view().measure == "perplexity"


def test_details_show_every_figure(full, app_state):
    assert not full.details.isVisible()
    app_state.select_runs((full.ids["1"],))
    full.table.table.opened.emit(full.ids["1"])
    assert full.details.isVisible()
    shown = {one.key: one.cells["valid"].value for one in full.details.table.rows()}
    known = app_state.workspace.evaluation(full.ids["1"], "valid")
    assert shown == {key: known[key] for key in shown}
    assert "backward_perplexity" not in shown
    assert "Modified Kneser-Ney" in full.details._text.text()
    assert "stand in the training part as well" in full.details._text.text()


def test_every_measure_that_some_run_has_can_be_chosen(full, app_state, cut):
    offered = [full.measure.itemData(n) for n in range(full.measure.count())]
    assert offered == ["bits_per_character", "perplexity", "loss"]
    ws = app_state.workspace
    ws.add_metrics(full.ids["LSTM"], [(610, 31, "learning_rate", 0.01), (610, 31, "memory", 2e9)])
    ws.update_run(full.ids["LSTM"], step=610)
    app_state.apply(Changes(runs=True))
    full.measure.set_value("memory")
    assert not full.part.isVisible()
    assert full.plot.axes().show_end(2e9) == "2.0 GB"
    assert [one.key for one in full.plot.series()] == [full.ids["LSTM"]]
    full.measure.set_value("loss")
    assert full.part.isVisible()
    known = ws.evaluation(full.ids["1"], "valid")
    assert series(full, "1").y[0] == pytest.approx(math.log(known["perplexity"]))
    assert full._card.row.title.full_text() == "Loss (nats)"


def test_pseudo_figures_are_in_the_table_only(full, app_state, cut):
    full.ids["bert"] = run_workspace.network(app_state.workspace, cut, "bert", layers=1, heads=2)
    app_state.apply(Changes(runs=True))
    assert full.ids["bert"] not in {one.key for one in full.plot.series()}
    for column in ("valid", "test", "perplexity"):
        cell = row(full, "bert").cells[column]
        assert cell.text.endswith("pseudo")
        assert cell.tone == "off"
        assert "pseudo log-likelihoods" in cell.tip
    assert row(full, "bert").cells["place"].draw == ()
    for measure in ("perplexity", "loss"):
        full.measure.set_value(measure)
        assert full.ids["bert"] not in {one.key for one in full.plot.series()}
    for measure in ("masked_accuracy", "masked_loss"):
        full.measure.set_value(measure)
        assert [one.key for one in full.plot.series()] == [full.ids["bert"]]
    full.measure.set_value("masked_accuracy")
    assert full.plot.axes().show_y(0.25) == "25.0 %"
    assert "higher is better" in full._card.row.note.full_text()
    app_state.select_runs((full.ids["bert"],))
    full._toggle_details()
    shown = {one.key: one.cells["valid"] for one in full.details.table.rows()}
    names = {one.key: one.cells["name"].value for one in full.details.table.rows()}
    assert names["perplexity"] == "pseudo: Perplexity per event"
    assert names["events"] == "Events"
    assert shown["perplexity"].tone == "off"
    stored = app_state.workspace.metrics(full.ids["bert"], "valid_masked_accuracy")
    assert shown["valid_masked_accuracy"].value == stored[-1][2]
    assert "pseudo log-likelihoods" in full.details._text.text()


def test_note_log_and_lineage_are_in_the_details(full, app_state, cut):
    ws = app_state.workspace
    first = run_workspace.network(ws, cut, "rnn")
    spec = RunSpec.from_json(ws.run(first).spec)
    child = training.queue_run(ws, cut, spec, name="child", warm_start=first)
    app_state.apply(Changes(runs=True))
    app_state.select_runs((child.id,))
    full._toggle_details()
    details = full.details
    assert f"Began with the weights of {ws.run(first).name}." in details._text.text()
    app_state.select_runs((first,))
    assert "Its weights are the beginning of child." in details._text.text()
    details.note.setPlainText("a good one")
    app_state.select_runs((child.id,))  # the run is left
    assert ws.run(first).note == "a good one"
    assert details.note.toPlainText() == ""
    app_state.select_runs((first,))
    assert details.note.toPlainText() == "a good one"
    details.view.segment("log").click()
    assert details.log.isVisible()
    assert "Training begins." in details.log.toPlainText()


def test_word_classes_are_a_page_of_the_details(full, app_state, cut, qtbot, tmp_path):
    spec = RunSpec.from_json({"model": "class-ngram", "config": {"order": 2, "classes": 4}})
    run = training.train(app_state.workspace, cut, spec, job=Job()).new_id
    app_state.apply(Changes(runs=True))
    assert next(one for one in full.plot.series() if one.key == run).dash == 1
    app_state.select_runs((full.ids["1"],))
    full._toggle_details()
    details = full.details
    assert not details.view.segment("classes").isVisible()
    app_state.select_runs((run,))
    assert details.table.isVisible()
    assert "mutual information" in details._text.text()
    details.view.segment("classes").click()
    qtbot.waitUntil(lambda: details.classes.rows() != [])
    shown = details.classes.rows()
    assert len(shown) == 4
    assert shown[0].cells["share"].value == max(one.cells["share"].value for one in shown)
    details.export.save(tmp_path / "classes.csv")
    assert len((tmp_path / "classes.csv").read_text(encoding="utf-8-sig").splitlines()) == 5
    app_state.select_runs((full.ids["1"],))
    assert details.table.isVisible()
    assert details.classes.rows() == []


def test_the_table_is_saved_as_csv(full, tmp_path):
    path = tmp_path / "runs.csv"
    full.table.save_to(path)
    with path.open(encoding="utf-8-sig") as file:
        lines = list(csv.reader(file))
    assert lines[0][0] == "Run"
    assert len(lines) == 5


def test_points_of_a_running_job_are_drawn_at_once(full, app_state, cut):
    live = run_workspace.made_up(app_state.workspace, cut, "live", losses=[3.0], state="running")
    job = Job("Train live")
    job.run_id, job.started, job.state = live, time.monotonic(), "running"
    full.ids["live"] = live
    app_state.apply(Changes(runs=True))
    app_state.jobs.progressed.emit(job, [(20, {"valid_loss": 2.5, "seconds": 1.0})])
    app_state.jobs.progressed.emit(job, [(30, {"valid_loss": 2.0, "seconds": 2.0})])
    assert list(series(full, "live").x) == [0.5, 1.0, 2.0]
    assert series(full, "live").bold


def test_reading_twenty_runs_again_is_quick(full, app_state, cut):
    for number in range(16):
        run_workspace.made_up(app_state.workspace, cut, f"more {number}", points=400)
    app_state.apply(Changes(runs=True))
    started = time.process_time()
    app_state.apply(Changes(runs=True))
    assert time.process_time() - started < 0.25  # a slow machine's share of the 100 ms


def test_without_runs_the_way_to_one_is_shown(app_state, shown, qtbot):
    panel = shown(CurvesPanel(app_state))
    assert panel.primary.text() == "Go to Corpora"
    with qtbot.waitSignal(app_state.panel_wanted) as wanted:
        panel.primary.click()
    assert wanted.args == ["corpora"]
    made = run_workspace.segmented(app_state.workspace)
    app_state.apply(Changes(corpora=True, segmentations=True, new_id=made))
    assert panel.primary.text() == "Train the first models (seconds)"


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_it_fits_the_smallest_screen(app_state, cut, language):
    messages.use(language)
    run_workspace.made_up(app_state.workspace, cut, "LSTM")
    panel = CurvesPanel(app_state)
    panel._toggle_details()
    assert_fits(panel)
    panel.deleteLater()


def test_a_crowd_of_runs_is_drawn_by_its_best(full, app_state, cut):
    ws = app_state.workspace
    for number in range(MOST + 6):
        run = run_workspace.made_up(ws, cut, f"more {number}", points=3)
        ws.set_evaluation(run, "valid", {"bits_per_character": 50.0 + number})
    app_state.select_runs((run,))  # the worst
    app_state.apply(Changes(runs=True))
    drawn = {one.key for one in full.plot.series()}
    assert len(drawn) == MOST
    assert {run, full.ids["1"]} <= drawn
    assert f"the best {MOST} of {MOST + 10}" in full._card.row.note.full_text()
    assert len(full.table.table.rows()) == MOST + 10
