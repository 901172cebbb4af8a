"""Polysemy: a word of the corpus in two really trained networks, drawn, marked and saved."""

import csv

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter

from lmstudio import messages
from lmstudio.data.layout import SPECIALS
from lmstudio.data.vocab import Vocabulary
from lmstudio.gui.panels.explore.polysemy import PolysemyPanel
from lmstudio.jobs import Job
from lmstudio.operations import findings, polysemy, training
from lmstudio.operations.changes import Changes
from lmstudio.training.spec import RunSpec
from tests.gui.conftest import assert_fits

WORD = "小河"
SIZES = {"bert": {"width": 8, "heads": 2, "layers": 2}, "lstm": {"width": 8}}


@pytest.fixture
def runs(app_state, cut):
    for model, config in SIZES.items():
        spec = {"model": model, "config": config, "training": {"max_steps": 2}}
        training.train(app_state.workspace, cut, RunSpec.from_json(spec), name=model, job=Job())
    app_state.apply(Changes(runs=True))
    return app_state.workspace


@pytest.fixture
def panel(app_state, runs, shown, qtbot):
    made = shown(PolysemyPanel(app_state))
    assert made.word.text() == polysemy.example(runs, 1, app_state.segmentation.id) != ""
    made.word.setText(WORD)
    qtbot.waitUntil(lambda: made.found is not None and made.found.word == WORD
                    and len(made.answers) == 2)  # fmt: skip
    return made


def test_it_begins_with_a_frequent_word_that_has_content(runs, cut, monkeypatch):
    types = [*SPECIALS, "我们", "，", "的", "河水", "山", "9"]
    counts = np.array([0, 0, 9, 90, 80, 70, 60, 50, 40])
    monkeypatch.setattr(Vocabulary, "load", lambda folder: Vocabulary(types, counts))
    assert polysemy.example(runs, 1, cut) == "河水"
    types[6] = "了"
    assert polysemy.example(runs, 1, cut) == "山"
    monkeypatch.setattr(polysemy, "known_words", lambda ws, corpus: ["杜鹃"])
    assert polysemy.example(runs, 1, cut) == "杜鹃"


def test_the_panel_shows_what_the_operation_finds(panel, runs):
    found = polysemy.occurrences(runs, 1, WORD, job=Job())
    assert len(found.occurrences) > 5
    told = polysemy.polysemy(runs, "bert", found.occurrences, job=Job())
    shown = panel.answers[runs.run("bert").id]
    assert [one.labels.tolist() for one in shown.layers] == [
        one.labels.tolist() for one in told.layers
    ]  # fmt: skip
    titles = [cell.title for cell in panel.answer.board.cells()]
    assert titles == ["Look-up table", "LSTM, layer 1", "BERT, layer 1", "BERT, layer 2"]
    assert panel.answer.board.cells()[0].single
    curve = {one.name: one.y.tolist() for one in panel.answer.plot.series()}
    assert panel.answer.board.cells()[0].brief == "—"
    assert np.isnan(curve["bert"][0])  # one point has no silhouette, neither here nor there
    assert curve["bert"][1:] == [pytest.approx(one.silhouette) for one in told.layers[1:]]
    assert len(panel.uses.table.rows()) == len(found.occurrences)


def test_another_layer_colours_the_occurrences(panel, runs):
    board, bert = panel.answer.board, panel.answers[runs.run("bert").id]
    board.chosen.emit(3)
    assert board.cell() == 3
    assert board.labels() == bert.layers[2].labels.tolist()
    marks = [row.cells["mark"].value for row in panel.uses.table.rows()]
    assert marks == (bert.layers[2].labels + 1).tolist()


def test_an_answer_of_a_run_that_is_no_longer_asked_is_not_shown(panel, runs):
    bert, lstm = runs.run("bert"), runs.run("lstm")
    panel.answer.show_answers(panel.found.occurrences, [lstm], panel.answers)
    assert list(panel.answer.answers) == [lstm.id] != [bert.id]
    assert {place.run for place in panel.answer._places} == {lstm.id}
    panel.answer.show_answers(panel.found.occurrences, [], panel.answers)
    assert not panel.answer._places


def test_a_point_and_a_row_are_the_same_occurrence(panel, qtbot):
    board = panel.answer.board
    cell = 3
    boxes = board._boxes(board.rect().toRectF())
    place = board._place(board.cells()[cell], boxes[cell], board.cells()[cell].points[2])
    found = board._at(place)
    assert found[0] == cell
    with qtbot.waitSignal(board.picked) as picked:
        qtbot.mouseClick(board, Qt.MouseButton.LeftButton, pos=place.toPoint())
    assert panel.uses.table.selected() == picked.args
    assert board.cells()[cell].points[picked.args[0]] == pytest.approx(
        board.cells()[cell].points[2], abs=0.2
    )
    panel.uses.table.chosen.emit([1])
    assert board._marked == 1
    panel.uses.table.pointed.emit(3)
    assert board._marked == 3
    panel.uses.table.pointed.emit(-1)
    assert board._marked == picked.args[0]  # the row that is chosen


def test_the_keys_move_from_layer_to_layer(panel, qtbot):
    board = panel.answer.board
    board.setFocus()
    qtbot.keyClick(board, Qt.Key.Key_Home)
    assert board.cell() == 0
    qtbot.keyClick(board, Qt.Key.Key_Right)
    assert board.cell() == 1


def test_marks_by_hand_are_held_against_the_groups(panel, qtbot):
    table = panel.uses.table
    assert panel.answer.measure.isHidden()
    table.select([0, 1])
    qtbot.keyClick(table, Qt.Key.Key_1)
    table.select([2, 3, 4])
    qtbot.keyClick(table, Qt.Key.Key_2)
    qtbot.waitUntil(
        lambda: len(panel.answers) == 2
        and all(one.layers[1].agreement == one.layers[1].agreement
                for one in panel.answers.values()),
    )  # fmt: skip
    assert [row.cells["sense"].value for row in table.rows()[:5]] == ["1", "1", "2", "2", "2"]
    assert not panel.answer.measure.isHidden()
    panel.answer.measure.setCurrentIndex(2)
    shown = {one.name: one.y[1] for one in panel.answer.plot.series()}
    told = {one.run: one.layers[1].agreement for one in panel.answers.values()}
    assert shown == told
    table.select([0])
    qtbot.keyClick(table, Qt.Key.Key_0)
    assert table.rows()[0].cells["sense"].value is None


def test_sentences_are_typed_and_taken_out(panel, qtbot):
    count = len(panel.found.occurrences)
    panel.uses.typed.setText("这里没有")
    qtbot.keyClick(panel.uses.typed, Qt.Key.Key_Return)
    assert "None of the sentences" in panel._strip.text()
    panel.uses.typed.setText("小河很长了")
    qtbot.keyClick(panel.uses.typed, Qt.Key.Key_Return)
    assert len(panel.found.occurrences) == count + 1
    qtbot.waitUntil(lambda: len(panel.answers) == 2)
    assert panel.uses.typed.text() == ""
    panel.uses.table.select(list(range(1, count + 1)))
    qtbot.keyClick(panel.uses.table, Qt.Key.Key_Delete)
    assert [one.text for one in panel.found.occurrences] == ["小河很长了"]
    assert panel.answer.board.cells() == ()


def test_the_number_of_groups_is_set(panel, qtbot):
    panel.groups.setCurrentIndex(panel.groups.findData(3))
    qtbot.waitUntil(lambda: all(
        one.layers[-1].groups == 3 for one in panel.answers.values()
    ) and not panel.busy)  # fmt: skip
    assert max(panel.answer.board.labels()) == 2


def test_every_value_is_saved_and_drawn(panel, app_state, tmp_path, qtbot):
    path = tmp_path / "p.csv"
    answers = list(panel.answers.values())
    panel.save.save(path, polysemy.save, panel.found.occurrences, answers)
    qtbot.waitUntil(lambda: not app_state.jobs.busy)
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    assert len(rows) == 1 + (2 + 3) * len(panel.found.occurrences)
    image = QImage(800, 500, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    panel.answer.board.draw(painter, image.rect().toRectF(), "light")
    painter.end()
    pixels = np.frombuffer(image.constBits(), np.uint8)
    assert (pixels != 255).any()


def test_it_is_kept_as_a_finding(panel, app_state):
    panel.answer.keep.click()
    kept = findings.findings(app_state.workspace)[0]
    assert kept.question["word"] == WORD
    assert set(kept.answers) == {"bert", "lstm"}


def test_a_word_that_is_nowhere_is_said(panel, qtbot):
    panel.word.setText("麒麟")
    qtbot.waitUntil(lambda: "0 occurrences" in panel._strip.text())
    assert panel.answer.board.cells() == ()
    panel.word.setText("")
    qtbot.waitUntil(lambda: panel.found is None)


def test_without_networks_it_leads_to_training(app_state, cut, shown, qtbot):
    panel = shown(PolysemyPanel(app_state))
    with qtbot.waitSignal(app_state.panel_wanted) as wanted:
        panel.primary.click()
    assert wanted.args == ["new_run"]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_it_fits_the_smallest_screen(app_state, runs, shown, language):
    messages.use(language)
    assert_fits(shown(PolysemyPanel(app_state)))
