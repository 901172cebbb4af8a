"""Attention: what a really trained transformer looks at, through the panel's own widgets."""

import csv

import numpy as np
import pytest
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtTest import QTest

from lmstudio import messages
from lmstudio.figures import decimal, signed
from lmstudio.gui import plot_export
from lmstudio.gui.panels.explore import attention_texts as texts
from lmstudio.gui.panels.explore.attention import AttentionPanel
from lmstudio.gui.widgets.head_grid import WHOLE
from lmstudio.jobs import Job
from lmstudio.operations import attention, findings, training
from lmstudio.operations.changes import Changes
from lmstudio.training.spec import RunSpec
from tests.gui.conftest import assert_fits, clipped

SIZES = {"layers": 2, "width": 8, "heads": 2, "window": 32}
SENTENCE = "小猫在门口睡觉"


BOTH = pytest.mark.parametrize("run", ["gpt", "bert"], indirect=True)


@pytest.fixture
def run(request, app_state, cut, jieba_home):
    """A transformer of a few steps over characters."""
    model = getattr(request, "param", "gpt")
    spec = {"model": model, "config": SIZES, "training": {"max_steps": 2, "batch": 4}}
    changes = training.train(app_state.workspace, cut, RunSpec.from_json(spec), job=Job())
    app_state.apply(Changes(runs=True))
    app_state.set_sentence(SENTENCE)
    return app_state.workspace.run(changes.new_id)


@pytest.fixture
def panel(app_state, run, shown, wait):
    made = shown(AttentionPanel(app_state))
    wait(made)
    return made


@pytest.fixture
def wait(qtbot):
    """Waits until all answers have come."""

    def wait(panel):
        qtbot.waitUntil(lambda: panel.found is not None and not panel.busy)

    return wait


def ask(app_state, run, question=attention.attention, *args, **settings):
    return question(app_state.workspace, run.id, SENTENCE, *args, **settings, job=Job())


def test_after_a_question_that_fails_nothing_is_awaited(app_state, run, shown, qtbot):
    for path in app_state.workspace.run_folder(run.id).rglob("*.safetensors"):
        path.write_bytes(b"damaged")
    made = shown(AttentionPanel(app_state))
    qtbot.waitUntil(lambda: bool(made._problem.text()))
    assert made.board.said.text() == ""
    assert not made.busy


@BOTH
def test_the_matrix_is_the_operations(panel, app_state, run, wait):
    known = ask(app_state, run, heads=["2.1"], words="auto")
    grid = panel.board.map.grid()
    np.testing.assert_array_equal(grid.values, known.weights)
    assert grid.rows == grid.columns == tuple(known.names)
    assert (grid.barred is not None) == (run.model == "gpt")
    assert panel.board.grid.pictures().weights.shape[:2] == (2, 2)
    panel.board.words.segment("tokens").click()
    wait(panel)
    assert panel.board.map.grid().columns[1:8] == tuple(SENTENCE)
    assert panel.found.weights.sum(1) == pytest.approx(np.ones(len(panel.found.names)), abs=1e-5)


def test_what_is_hidden_is_said(panel, app_state, run, wait):
    panel.hidden.click()
    wait(panel)
    known = ask(app_state, run, heads=["2.1"], words="auto", marks=False)
    np.testing.assert_array_equal(panel.board.map.grid().values, known.weights)
    assert "are hidden" in panel.board.said.text()
    assert f"{known.to_marks:.0%}".replace("%", " %") in panel.board.said.text()
    panel.shared.click()
    wait(panel)
    assert panel.found.weights.sum(1) == pytest.approx(np.ones(len(panel.found.names)), abs=1e-5)
    assert "shared out" in panel.board.said.text()


@BOTH
def test_rows_and_cells(panel, app_state, run, wait):
    panel.board.words.segment("tokens").click()
    wait(panel)
    panel.board.arcs.row_chosen.emit(3)
    wait(panel)
    weights = panel.found.weights[3]
    assert panel.board.map.cell() == (3, int(weights.argmax()))
    assert panel.board.arcs.shown().row == 3
    assert "在" in panel.board.cards["arcs"].row.title.full_text()
    QTest.keyClick(panel.board.map, Qt.Key.Key_Down)
    wait(panel)
    panel.board.map._pick(4, 2)
    wait(panel)
    known = ask(app_state, run, attention.cell, "2.1", 4, 2)
    assert panel.asking.cell.weight == known.weight
    shown = " ".join(line.told() for line in panel.board.cell.lines())
    assert f"q · k {texts.number(known.product)}" in shown
    assert "÷ √4" in shown
    worth = ask(app_state, run, attention.effect, 4, off=["2.1"])
    assert panel.asking.effect == worth
    assert f"{decimal(worth.p[0], 3)} → {decimal(worth.p[1], 3)}" in shown
    assert signed(worth.change) in shown
    known = ask(app_state, run, attention.head_changes)
    loss = f"loss {decimal(known.loss, 3)} nats a token with all"
    assert loss in panel.board.ranked.text()
    assert panel.board.ranked.wordWrap()
    assert sorted(panel.asking.changes, key=lambda one: -one.change) == known.sorted()
    assert [row.cells["change"].value for row in panel.board.changes.rows()] == [
        one.change for one in known.sorted()]  # fmt: skip


def test_heads_are_chosen_by_keys(panel, qtbot, wait):
    panel.board.map.setFocus()
    asked = panel.asking.asked
    for key, head in (("]", (1, 1)), ("{", (0, 1)), ("[", (0, 0)), ("}", (1, 0))):
        QTest.keyClicks(panel.board.map, key)
        assert asked.head == head
    QTest.keyClicks(panel.board.map, "0")
    assert asked.off == {(1, 0)}
    wait(panel)
    QTest.keyClicks(panel.board.map, "0")
    assert asked.off == set()
    panel.text.setFocus()
    QTest.keyClicks(panel.text, "0")  # a letter there
    assert asked.off == set()
    assert panel.text.text().endswith("0")
    wait(panel)


def test_a_head_is_switched_off(panel, app_state, run, wait):
    grid = panel.board.grid
    place = grid._box(QRectF(grid.rect()), 0, 1).center().toPoint()
    QTest.mouseClick(grid, Qt.MouseButton.RightButton, pos=place)
    wait(panel)
    known = ask(app_state, run, heads=["2.1"], words="auto", off=["1.2"])
    np.testing.assert_array_equal(panel.board.map.grid().values, known.weights)
    assert "switched off" in grid.told(0, 1)
    row = panel.asking.asked.row
    worth = ask(app_state, run, attention.effect, row, words="auto", off=["1.2"])
    told = panel.asking.effect
    assert (told.token, told.p, told.loss) == (worth.token, worth.p, worth.loss)
    assert {(one.layer, one.head) for one in panel.asking.changes} == {
        (0, 0), (0, WHOLE), (1, 0), (1, 1), (1, WHOLE)}  # fmt: skip
    panel.switch(0, WHOLE)  # the rest of the layer too
    assert panel.asking.asked.off == {(0, 0), (0, 1)}
    panel.switch(0, WHOLE)
    assert panel.asking.asked.off == set()
    wait(panel)


def test_means_and_rollout(panel, app_state, run, wait):
    panel.add_head(0, 0)
    wait(panel)
    assert panel.board.mode.value() == "mean"
    known = ask(app_state, run, heads=["1.1", "2.1"], words="auto")
    np.testing.assert_array_equal(panel.board.map.grid().values, known.weights)
    assert panel.asking.cell is None  # of several heads there is no arithmetic
    assert "choose one head" in panel.board.cards["cell"].row.note.full_text()
    panel.choose_head(1, WHOLE)
    wait(panel)
    assert panel.asking.asked.members == {(1, 0), (1, 1)}
    panel.board.mode.segment("rollout").click()
    wait(panel)
    known = ask(app_state, run, rollout=2, words="auto")
    np.testing.assert_array_equal(panel.board.map.grid().values, known.weights)
    panel.choose_head(0, 1)
    wait(panel)
    known = ask(app_state, run, rollout=1, words="auto")
    np.testing.assert_array_equal(panel.board.map.grid().values, known.weights)


def test_a_head_is_chosen_from_the_list(panel, wait):
    panel.board.changes.chosen.emit(["0.1"])
    wait(panel)
    assert panel.asking.asked.shown == ((0, 1),)


def test_another_sentence_keeps_the_heads(panel, app_state, run, wait):
    panel.choose_head(0, 1)
    app_state.set_sentence("小狗在门口")
    wait(panel)
    assert panel.text.text() == "小狗在门口"
    assert "小狗" in "".join(panel.found.names)
    assert panel.asking.asked.head == (0, 1)
    app_state.set_sentence(" ")
    panel.ask()
    wait(panel)
    assert "Type some words" in panel._problem.text()


@BOTH
def test_a_long_text_is_cut_and_that_is_said(panel, app_state, wait, run):
    app_state.set_sentence(SENTENCE * 20)
    panel.board.words.segment("tokens").click()
    wait(panel)
    read = 30 if run.model == "bert" else 31
    assert panel.found.read == read
    assert f"Only the first {read} tokens are read; {140 - read} do not fit" in (
        panel.board.said.text())  # fmt: skip


def test_pictures_and_numbers_are_saved(panel, app_state, tmp_path, qtbot):
    for key in panel.board.cards:
        for kind in ("png", "svg"):
            path = tmp_path / f"{key}.{kind}"
            caption = panel.export_of.caption(key)
            plot_export.export(panel.export_of.drawing(key), path, QSize(600, 400), caption)
            assert path.stat().st_size > 1000
    asking, save = panel.asking, panel.export_of.save
    path = tmp_path / "m.csv"
    save.save(path, attention.save_matrix, asking.found)
    qtbot.waitUntil(lambda: not app_state.jobs.busy)
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    assert len(rows) == 1 + len(asking.found.names)
    path = tmp_path / "r.csv"
    save.save(path, attention.save_row, asking.found, 2)
    qtbot.waitUntil(lambda: not app_state.jobs.busy)
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    weights = asking.found.weights[2].tolist()
    assert [float(row[3]) for row in rows[1:]] == pytest.approx(weights)


def test_the_question_is_kept(panel, app_state, run):
    panel.board.keep.click()
    (row,) = findings.findings(app_state.workspace)
    assert row.kind == "attention"
    known = attention.summary_of(panel.found)
    assert row.answers[run.name]["weights"] == known["weights"]
    again = attention.summary(app_state.workspace, run.id, **row.question, job=Job())
    assert again == known


def test_without_transformers_it_leads_to_training(app_state, cut, shown, qtbot):
    panel = shown(AttentionPanel(app_state))
    with qtbot.waitSignal(app_state.panel_wanted) as wanted:
        panel.primary.click()
    assert wanted.args == ["new_run"]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_it_fits_the_smallest_screen(app_state, cut, language, shown):
    messages.use(language)
    panel = shown(AttentionPanel(app_state))
    assert_fits(panel)
    assert not clipped(panel)
