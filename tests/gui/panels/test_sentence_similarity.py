"""Sentence similarity: sentences to two really trained networks, drawn beside what is usual."""

import csv

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter

from lmstudio import messages
from lmstudio.gui.panels.explore.sentence_similarity import SIZES, SentenceSimilarityPanel
from lmstudio.jobs import Job
from lmstudio.operations import findings, sentences, training
from lmstudio.operations.changes import Changes
from lmstudio.training.spec import RunSpec
from tests.gui.conftest import assert_fits

NETWORKS = {"bert": {"width": 8, "heads": 2, "layers": 2}, "lstm": {"width": 8}}
LINES = ["山边有水。", "水边有小河，小河上有大树。", "白云。"]


@pytest.fixture
def runs(app_state, cut):
    for model, config in NETWORKS.items():
        spec = {"model": model, "config": config, "training": {"max_steps": 2}}
        training.train(app_state.workspace, cut, RunSpec.from_json(spec), name=model, job=Job())
    app_state.apply(Changes(runs=True))
    return app_state.workspace


def settled(panel, qtbot):
    qtbot.waitUntil(lambda: not panel.busy)


@pytest.fixture
def panel(app_state, runs, shown, qtbot):
    made = shown(SentenceSimilarityPanel(app_state))
    assert len(made.lines()) > 1  # some of the corpus, to begin with
    made.text.setPlainText("\n".join(LINES))
    settled(made, qtbot)
    return made


def test_the_panel_shows_what_the_operation_finds(panel, runs):
    for model in NETWORKS:
        told = sentences.similarity(runs, model, LINES, "mean", SIZES[0], nearest=20, job=Job())
        shown = panel.found[runs.run(model).id]
        np.testing.assert_allclose(shown.cosines, told.cosines, atol=1e-6)
        np.testing.assert_allclose(shown.random, told.random, atol=1e-6)
    square = panel.squares.squares()[-1]
    assert square.title == "bert"
    assert square.cosines[0][1] == pytest.approx(float(told.cosines[0, 1]), abs=0.2)
    assert "usual" in square.note
    rows = panel.table.rows()
    near = panel.found[panel.squares.selected()[0]].nearest[0]
    assert [row.cells["text"].value for row in rows] == near.texts


def test_a_run_that_cannot_answer_is_named_whoever_answers_later(panel, runs, qtbot):
    broken = runs.run("bert")
    for path in runs.run_folder(broken.id).rglob("*.safetensors"):
        path.write_bytes(b"damaged")
    panel.text.setPlainText("\n".join(LINES[:2]))
    settled(panel, qtbot)
    panel._take(runs.run("lstm").id, panel.found[runs.run("lstm").id])
    assert broken.id not in panel.found
    assert "bert: " in panel._strip.text()


def test_heat_is_the_rank_among_random_pairs(panel, runs):
    found = panel.found[runs.run("bert").id]
    square = next(one for one in panel.squares.squares() if one.title == "bert")
    value = float(found.cosines[0, 2])
    assert square.heat[0][2] == pytest.approx(2 * found.share_below(value) - 1)
    assert "of the random pairs" in panel.squares.told(panel.squares.squares().index(square), 0, 2)


def test_the_keys_choose_run_and_sentence(panel, qtbot):
    squares = panel.squares
    squares.setFocus()
    first = squares.selected()[0]
    qtbot.keyClick(squares, Qt.Key.Key_Down)
    assert squares.selected() == (first, 1)
    qtbot.keyClick(squares, Qt.Key.Key_Right)
    assert squares.selected()[0] != first
    found = panel.found[squares.selected()[0]]
    assert [row.cells["text"].value for row in panel.table.rows()] == found.nearest[1].texts
    box = squares._boxes(squares.rect().toRectF())[0]
    qtbot.mouseClick(squares, Qt.MouseButton.LeftButton, pos=box.topLeft().toPoint() * 1.02)
    assert squares.selected() == (first, 0)


def test_only_bert_is_asked_for_its_first_token(panel, runs, qtbot):
    panel.pooling.setCurrentIndex(panel.pooling.findData("cls"))
    settled(panel, qtbot)
    assert [one.title for one in panel.squares.squares()] == ["bert"]
    assert "Only BERT" in panel._strip.text()
    assert panel.found[runs.run("bert").id].pooling == "cls"


def test_whitened(panel, runs, qtbot):
    panel.whiten.setChecked(True)
    settled(panel, qtbot)
    found = panel.found[runs.run("bert").id]
    assert found.whitened > 0
    assert abs(found.baseline) < 0.2
    assert "dimensions" in panel.squares.squares()[0].note


def test_lines_are_added_and_nothing_is_said(panel, qtbot):
    panel.text.appendPlainText("红花。")
    settled(panel, qtbot)
    assert all(len(one.cosines) == 4 for one in panel.squares.squares())
    panel.text.setPlainText("\n".join(["山。"] * 65))
    settled(panel, qtbot)
    assert "1 to 64" in panel._strip.text()
    assert panel.squares.squares() == ()
    panel.text.setPlainText("")
    settled(panel, qtbot)
    assert panel._strip.text() == ""


def test_it_is_saved_drawn_and_kept(panel, app_state, tmp_path, qtbot):
    path = tmp_path / "s.csv"
    panel.save.save(path, sentences.save, list(panel.found.values()))
    qtbot.waitUntil(lambda: not app_state.jobs.busy)
    with path.open(encoding="utf-8-sig", newline="") as file:
        assert len(list(csv.reader(file))) == 1 + 2 * 3
    image = QImage(800, 500, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    panel.squares.draw(painter, image.rect().toRectF(), "light")
    painter.end()
    assert (np.frombuffer(image.constBits(), np.uint8) != 255).any()
    panel.keep_finding()
    kept = findings.findings(app_state.workspace)[0]
    assert kept.question["sentences"] == LINES
    run = app_state.workspace.run("bert")
    findings.ask_again(app_state.workspace, kept.id, run.id, job=Job())


def test_without_networks_it_leads_to_training(app_state, cut, shown, qtbot):
    panel = shown(SentenceSimilarityPanel(app_state))
    with qtbot.waitSignal(app_state.panel_wanted) as wanted:
        panel.primary.click()
    assert wanted.args == ["new_run"]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_it_fits_the_smallest_screen(app_state, runs, shown, language):
    messages.use(language)
    assert_fits(shown(SentenceSimilarityPanel(app_state)))
