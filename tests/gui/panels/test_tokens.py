"""A typed sentence: pieces, ids, what is unknown, and the numbers that a run looks up."""

import csv

import numpy as np
import pytest
from PySide6.QtCore import Qt
from safetensors.numpy import load_file

from lmstudio.gui.dragged import SENTENCE, Dragged
from lmstudio.gui.panels.tokens.tokens import TokensPanel
from lmstudio.jobs import Job
from lmstudio.operations import segmentations, training
from lmstudio.operations.changes import Changes
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.spec import RunSpec
from tests.gui.conftest import assert_fits, clipped
from tests.gui.panels import segment_workspace
from tests.gui.panels.segment_workspace import add_text

TEXT = "我爱北京天安门。\n他爱上海的春天。\n北京的春天很短，上海的春天很长。\n" * 40


@pytest.fixture
def state(qapp, tmp_path):
    with segment_workspace.opened(tmp_path / "workspace") as state:
        add_text(state, TEXT)
        yield state


def cut(state, **options):
    """Segment the corpus and select that."""
    options = SegmentOptions(**options)
    made = segmentations.create(state.workspace, state.corpus.id, options, job=Job()).new_id
    state.apply(Changes(segmentations=True, new_id=made))
    return made


@pytest.fixture
def panel(state, shown, qtbot):
    """The panel over characters."""
    cut(state)
    panel = shown(TokensPanel(state))
    answered(panel, qtbot)
    return panel


def answered(panel, qtbot):
    qtbot.waitUntil(lambda: not panel.busy)


def type_in(panel, qtbot, text):
    panel.text.setText(text)  # keys that a test can press are Latin
    answered(panel, qtbot)


def train(state, cut_id):
    """A small network of 8 numbers a token."""
    data = {"model": "lstm", "config": {"width": 8}, "training": {"epochs": 1, "batch": 16}}
    made = training.train(state.workspace, cut_id, RunSpec.from_json(data), job=Job()).new_id
    state.apply(Changes(runs=True))
    return made


def test_it_begins_with_a_sentence_of_the_corpus(panel):
    assert panel.text.text() == "我爱北京天安门。"
    assert [box.text for box in panel.boxes.boxes()] == list("我爱北京天安门。")
    assert panel.primary is None


def test_a_piece_is_dragged_as_it_was_typed(panel, qtbot):
    type_in(panel, qtbot, "爱𠮷北")
    panel.table.setCurrentIndex(panel.table.model().index(1, 0))
    assert panel.table.dragEnabled()
    assert panel.table.dragged() == Dragged(SENTENCE, "𠮷")


def test_what_is_unknown_keeps_its_text(panel, qtbot):
    """Also outside the basic plane, and the places count code points."""
    type_in(panel, qtbot, "爱𠮷北")
    pieces = panel.preview.pieces
    assert [(p.text, p.piece, p.unknown, p.start) for p in pieces] == [
        ("爱", "爱", False, 0), ("𠮷", "<unk>", True, 1), ("北", "北", False, 2)
    ]  # fmt: skip
    assert "1 of them unknown" in panel._pieces.row.note.full_text()
    rows = panel.table.rows()
    assert [row.cells["id"].value for row in rows] == [p.id for p in pieces]
    assert rows[1].cells["piece"].tone == "warn"
    assert not panel.boxes.grab().isNull()


def test_bytes_of_a_character_show_it_once(state, shown, qtbot):
    cut(state, by="byte-bpe", pieces=280)
    panel = shown(TokensPanel(state))
    type_in(panel, qtbot, "北 𠮷")
    boxes = panel.boxes.boxes()
    assert "".join(box.text for box in boxes if not box.again).replace(" ", "") == "北𠮷"
    assert sum(box.again for box in boxes) >= 3
    assert not panel.preview.unknown


def test_another_segmentation_is_chosen_in_the_panel(panel, state, qtbot):
    other = cut(state, by="jieba")
    panel.cut.setCurrentIndex(panel.cut.findData(other))
    answered(panel, qtbot)
    assert state.segmentation.id == other
    assert [box.text for box in panel.boxes.boxes()][:3] == ["我", "爱", "北京"]


@pytest.mark.slow
def test_the_numbers_are_those_of_the_run(panel, state, qtbot):
    """One-hot row times matrix is the row of the weights' file."""
    assert "Train a neural model" in panel.lookup.said.text()
    wanted = []
    state.panel_wanted.connect(wanted.append)
    panel.lookup.train.click()
    assert wanted == ["new_run"]
    run = train(state, state.segmentation.id)
    answered(panel, qtbot)
    folder = state.workspace.run_folder(run)
    weights = next(table["embedding.weight"] for path in folder.rglob("*.safetensors")
                   if "embedding.weight" in (table := load_file(path)))  # fmt: skip
    for number in (0, 3):
        panel.boxes.setFocus()
        qtbot.keyClick(panel.boxes, Qt.Key.Key_Home)
        for _ in range(number):
            qtbot.keyClick(panel.boxes, Qt.Key.Key_Right)
        answered(panel, qtbot)
        shown = panel.lookup.picture.shown()
        token = panel.preview.pieces[number].id
        assert shown.chosen == token
        assert shown.vocabulary == len(weights) == state.segmentation.vocabulary + 1
        assert np.array_equal(shown.row, weights[token])
        assert np.array_equal(shown.rows, weights[list(shown.ids)])
        assert shown.names[shown.ids.index(token)] == panel.preview.pieces[number].piece
        assert panel.table.selected() == [number] or number == 0
    assert "number for number" in panel.lookup.said.text()
    assert f"{shown.row[0]:.3f}" in panel.lookup.picture.accessibleName()
    assert not panel.grab().isNull()


def test_a_counting_run_is_not_offered(panel, state, qtbot):
    spec = RunSpec.from_json({"model": "ngram", "config": {"order": 2}})
    training.train(state.workspace, state.segmentation.id, spec, job=Job())
    state.apply(Changes(runs=True))
    answered(panel, qtbot)
    assert panel.lookup.run.count() == 0


def test_pieces_are_saved(panel, qtbot, tmp_path):
    type_in(panel, qtbot, "爱𠮷")
    panel.export_table.save(tmp_path / "pieces.csv")
    with (tmp_path / "pieces.csv").open(encoding="utf-8-sig") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["#", "Original", "Token", "Id", "Place"]
    assert rows[2] == ["2", "𠮷", "<unk>", "0", "1"]


def test_nothing_typed_and_nothing_cut(panel, state, shown, qtbot):
    type_in(panel, qtbot, "")
    assert panel.boxes.boxes() == []
    assert panel.lookup.picture.shown() is None
    state.apply(segmentations.delete(state.workspace, state.segmentation.id))
    qtbot.waitUntil(lambda: panel.text.isHidden())
    wanted = []
    state.panel_wanted.connect(wanted.append)
    panel.primary.click()
    assert wanted == ["segment"]


@pytest.mark.slow
def test_it_fits(panel, state, qtbot):
    train(state, state.segmentation.id)
    type_in(panel, qtbot, "我爱北京天安门。" * 30)
    assert_fits(panel)
    assert not clipped(panel)
