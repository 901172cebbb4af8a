"""Sentences through several models: lanes, keys, words, orders, and what is typed meanwhile."""

import math

import pytest
from PySide6.QtCore import Qt

from lmstudio.gui.panels.explore.sentence import SentencePanel
from lmstudio.jobs import Job
from lmstudio.operations import segmentations, surprisal
from lmstudio.operations.changes import Changes
from lmstudio.text.segment import SegmentOptions
from tests.gui.panels import explore_workspace, segment_workspace
from tests.gui.panels.sentence_panel import answered, ask, bars, count, table, trained
from tests.operations.families import network


@pytest.fixture
def state(qapp, tmp_path):
    with segment_workspace.opened(tmp_path / "workspace") as state:
        explore_workspace.add_tiny(state, tmp_path)
        yield state


@pytest.fixture
def panel(state, shown, qtbot):
    """The panel over an add-one bigram, whose words are those between spaces."""
    count(state, order=2, smoothing="add-one")
    panel = shown(SentencePanel(state))
    answered(panel, qtbot)
    return panel


@pytest.fixture
def many(panel, state, qtbot):
    """An n-gram, an LSTM and BERT."""
    runs = [count(state, order=2), trained(state, network("lstm")), trained(state, network("bert"))]
    panel.question.words.setCurrentIndex(panel.question.words.findData("spaces"))
    ask(panel, qtbot, "我 爱 上海", runs)
    return runs


def test_each_model_has_a_lane_and_pseudo_figures_an_axis_of_their_own(panel, state, many):
    lanes = panel.view.lanes()
    assert [lane.family for lane in lanes] == ["ngram", "lstm", "bert"]
    assert [lane.group for lane in lanes] == ["chain", "chain", "pseudo"]
    assert lanes[2].note == "pseudo, original"
    assert [len(lane.bars) for lane in lanes] == [4, 4, 3]  # BERT predicts no end
    assert [bar.text for bar in lanes[2].bars] == ["我", "爱", "上海"]
    both = [bar.bits for lane in lanes[:2] for bar in lane.bars]
    assert panel.view.scale("chain") == max(both)
    assert panel.view.scale("pseudo") == max(bar.bits for bar in lanes[2].bars)
    assert "Ranks" not in panel.tables.row.title.text()
    for lane, run in zip(lanes, many, strict=True):  # what the command line says
        told = surprisal.score(state.workspace, run, "我 爱 上海", words="spaces", job=Job())
        bits = -told.sentences[0].logprobs[told.kinds[0]] / math.log(2)
        assert [bar.bits for bar in lane.bars] == pytest.approx(bits.tolist(), abs=1e-5)


def test_a_model_that_cannot_answer_has_a_lane_that_says_why(panel, state, many, qtbot):
    """Before others have answered and after; a lane nobody can go to."""
    for path in state.workspace.run_folder(many[1]).rglob("*.safetensors"):
        path.write_bytes(b"damaged")
    ask(panel, qtbot, "我 爱 北京")
    lanes = panel.view.lanes()
    assert [lane.family for lane in lanes] == ["ngram", "bert", "lstm"]
    name = state.workspace.run(many[1]).name
    assert lanes[2].name == name
    assert not lanes[2].bars
    assert "damaged" in lanes[2].problem
    assert f"{name}: {lanes[2].problem}" == panel.view.accessibleDescription()
    assert panel.view.lanes()[0].bars
    panel.view.setFocus()
    for _ in range(3):
        qtbot.keyClick(panel.view, Qt.Key.Key_Down)
    assert panel.view.chosen_bar()[0] == 1
    assert not panel.view.grab().isNull()
    state.asked.show([many[1]])  # alone
    answered(panel, qtbot)
    assert [lane.problem for lane in panel.view.lanes()] == [lanes[2].problem]


def test_keys_walk_along_the_text_and_from_model_to_model(panel, many, qtbot):
    view = panel.view
    view.setFocus()
    for key, at in ((Qt.Key.Key_End, (0, 3)), (Qt.Key.Key_Left, (0, 2)), (Qt.Key.Key_Down, (1, 2)),
                    (Qt.Key.Key_Down, (2, 2)), (Qt.Key.Key_Home, (2, 0))):  # fmt: skip
        qtbot.keyClick(view, key)
        assert view.chosen_bar() == at
    assert "BERT" in view.accessibleName()
    assert "Pseudo-perplexity" in panel._said.text()
    assert panel.step.lines()["Context"] == "<s>  ▢  爱 上海"
    assert panel.step.formula.text().startswith("p(我 | <s>  ▢")
    assert table(panel, "totals").selected() == [2]


def test_a_model_that_is_added_does_not_ask_the_others_again(panel, state, many, qtbot):
    before = dict(panel.answers)
    run = trained(state, network("gpt"))
    panel.answers.update(before)  # what a new run makes the panel forget
    state.asked.show([*many, run])
    answered(panel, qtbot)
    assert set(panel.answers) >= {*many, run}
    state.asked.switch(many[0], on=False)
    assert [lane.family for lane in panel.view.lanes()] == ["lstm", "gpt", "bert"]


def test_pieces_of_a_word_are_hidden_together(panel, state, qtbot):
    made = segmentations.create(state.workspace, state.corpus.id, SegmentOptions(by="characters"),
                                job=Job())  # fmt: skip
    state.apply(Changes(segmentations=True, new_id=made.new_id))
    run = trained(state, network("bert"))
    panel.question.words.setCurrentIndex(panel.question.words.findData("spaces"))
    ask(panel, qtbot, "我 爱 北京", [run])
    assert [lane.note for lane in panel.view.lanes()] == ["pseudo, original",
                                                          "pseudo, within words"]  # fmt: skip
    panel.view._take(1, 2)
    assert panel.step.lines()["Context"] == "<s> 我 爱  ▢ "
    panel.view._take(0, 2)
    assert panel.step.lines()["Context"] == "<s> 我 爱  ▢ 京"
    panel.unit.segment("word").click()
    assert [bar.text for bar in bars(panel)] == ["我", "爱", "北京"]
    words = table(panel, "words").rows()
    assert words[2].cells["word"].value == "北京"
    assert words[2].cells["1"].value == pytest.approx(bars(panel, 1)[2].bits)


def test_words_are_the_same_for_models_that_cut_differently(panel, state, qtbot):
    """Those of the first model whose tokens are words."""
    words = count(state, order=2)
    made = segmentations.create(state.workspace, state.corpus.id, SegmentOptions(by="characters"),
                                job=Job())  # fmt: skip
    state.apply(Changes(segmentations=True, new_id=made.new_id))
    characters = count(state, order=2)
    ask(panel, qtbot, "我 爱 北京", [characters, words])
    lanes = panel.view.lanes()
    assert sorted(len(lane.bars) for lane in lanes) == [4, 5]
    rows = table(panel, "words").rows()
    assert [row.cells["word"].value for row in rows] == ["我", "爱", "北京"]
    by_character = next(n for n, lane in enumerate(lanes) if len(lane.bars) == 5)
    assert rows[2].cells[str(by_character)].value == pytest.approx(
        sum(bar.bits for bar in lanes[by_character].bars[2:4])
    )


def test_orders_are_put_below_and_ranked(panel, qtbot):
    ask(panel, qtbot, "我 爱 上海")
    panel.question.words.setCurrentIndex(panel.question.words.findData("spaces"))
    panel.question.orders.click()
    answered(panel, qtbot)
    lines = panel.field.sentences()
    assert lines[:2] == ["我 爱 上海", "上海 爱 我"]
    assert panel.tables.view.value() == "ranks"
    rows = panel.tables.table().rows()
    assert [row.cells["order"].value for row in rows][:2] == ["as typed", "swapped"]
    assert rows[0].cells["0"].text.startswith("1 · ")
    assert rows[0].cells["0"].tone == "accent"
    assert rows[1].cells["0"].value > rows[0].cells["0"].value
    panel.tables.table().chosen.emit([1])
    assert panel.field.line() == 1
    assert panel.view.text() == "上海 爱 我"
    assert panel.state.sentence == "上海 爱 我"
    panel.question.orders.click()  # of the second: the first is one of them, and stays once
    answered(panel, qtbot)
    assert panel.field.sentences().count("我 爱 上海") == 1


def test_the_sentence_is_that_of_the_other_panels(panel, state, qtbot):
    state.set_sentence("他 爱 我")
    answered(panel, qtbot)
    assert panel.field.text() == panel.view.text() == "他 爱 我"


def test_an_answer_does_not_take_back_what_was_typed_since(panel, qtbot):
    ask(panel, qtbot, "我 爱")
    panel.field.setPlainText("我 爱 我")
    panel._draw()  # as an answer to what stood there before would
    assert panel.field.text() == "我 爱 我"
    assert panel.state.sentence == "我 爱"
    answered(panel, qtbot)
    assert panel.state.sentence == panel.view.text() == "我 爱 我"
