"""The user dictionary beside the text: a string becomes a word, and the text is cut anew."""

import csv

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from lmstudio.gui.panels.segment.segment import SegmentPanel
from lmstudio.operations import dictionaries
from tests.gui.conftest import assert_fits, clipped
from tests.gui.panels import segment_workspace
from tests.gui.panels.segment_workspace import add_text, choose, counted, words

TEXT = "他看见云天明。\n他来到了石头村，石头村很远。\n" * 12
NEW_WORD = "".join(
    [f"{a}沙瑞金{b}。\n" for a in "他我你她它见和对给说" for b in "家里园中处旁边上下"] * 3
    + [f"{a}边有{b}树。\n" for a in "山水河江湖海" for b in "大小老新"] * 24
)


@pytest.fixture
def state(qapp, tmp_path, jieba_home):
    with segment_workspace.opened(tmp_path / "workspace") as state:
        add_text(state, TEXT)
        yield state


@pytest.fixture
def panel(state, shown, qtbot):
    """jieba with and without HMM, all answered."""
    panel = shown(SegmentPanel(state))
    counted(panel, qtbot)
    return panel


def drag(flow, first, last):
    """Select the characters first...last (left out) of the top sentence with the pointer."""
    ends = []
    for border, right in ((first, False), (last, True)):
        character = border - 1 if right else border
        piece = next(p for p in flow._lay(0).pieces if p.start <= character < p.end)
        box = flow._box(piece, 0)
        text = flow.sentences()[0].text[piece.start : border]
        ends.append(QPointF(box.left() + 5 + flow._advance(text), box.center().y()))
    kinds = (QEvent.Type.MouseButtonPress, QEvent.Type.MouseMove)
    for kind, here in zip(kinds, ends, strict=True):
        event = QMouseEvent(kind, here, flow.mapToGlobal(here), Qt.MouseButton.LeftButton,
                            Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)  # fmt: skip
        QApplication.sendEvent(flow, event)


def test_a_dragged_string_becomes_a_word_at_once(panel, qtbot):
    one, two = panel.comparison.flows
    assert "云天明" not in words(panel)
    drag(one, 3, 6)
    assert one.selected_text() == "云天明"
    assert "云天明" in panel.compared.selection._said.full_text()
    panel.compared.selection.add.click()
    counted(panel, qtbot)
    assert words(panel) == ["他", "看见", "云天明", "。"]
    assert "云天明" not in words(panel, side=1)
    assert [word.word for word in panel.dictionary.editor.words] == ["云天明"]
    assert panel.dictionary.isVisible()
    assert not panel.card.isVisible()
    assert one.sentences()[0].differing
    assert panel.cuts()[0].dictionary.parent.name == "dictionaries"


def test_with_the_keys_alone_and_undone(panel, qtbot):
    one = panel.comparison.flows[0]
    one.setFocus()
    before = words(panel)
    for _ in range(before.index("云") + 1):
        qtbot.keyClick(one, Qt.Key.Key_Right)
    while one.selected_text() != "云天明":
        qtbot.keyClick(one, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
        assert len(one.selected_text()) <= 3
    qtbot.keyClick(one, Qt.Key.Key_Return)
    counted(panel, qtbot)
    assert "云天明" in words(panel)
    qtbot.keyClick(one, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    counted(panel, qtbot)
    assert words(panel) == before
    assert panel.dictionary.editor.words == []
    panel.dictionary.undo.trigger()
    counted(panel, qtbot)
    assert "nothing to undo" in panel.dictionary.strip.text()


def test_a_word_is_typed_with_its_frequency_and_judged(panel, qtbot):
    card = panel.dictionary
    panel.compared.words.click()
    card.word.setText("北京")
    card.frequency.setText("many")
    assert "whole number" in card.strip.text()
    card.frequency.setText("1")
    qtbot.keyClick(card.frequency, Qt.Key.Key_Return)
    counted(panel, qtbot)
    assert card.editor.words[0].frequency == 1
    assert "jieba has 北京 already" in card.strip.text()
    assert card.words.table.rows()[0].cells["word"].tone == "warn"
    card.word.setText("石头村")
    qtbot.keyClick(card.word, Qt.Key.Key_Return)
    counted(panel, qtbot)
    assert card.editor.words[1].frequency is None
    assert "石头村" in words(panel, sentence=1)
    card.word.setText("a<unk>b")
    assert not card.add.isEnabled()
    assert "cannot match" in card.strip.text()


def test_words_are_removed_imported_and_saved(panel, qtbot, tmp_path):
    card = panel.dictionary
    panel.compared.words.click()
    file = tmp_path / "names.txt"
    file.write_text("云天明 100 nr\n石头村\n坏 -3\n", encoding="utf-8")
    card.editor.import_file(file)
    counted(panel, qtbot)
    assert "Line 3" in card.strip.text()
    assert "石头村" in words(panel, sentence=1)
    card.words.export.save(tmp_path / "words.csv")
    with (tmp_path / "words.csv").open(encoding="utf-8-sig") as out:
        rows = list(csv.reader(out))
    assert rows == [["Word", "Frequency", "Tag"], ["石头村", "", ""], ["云天明", "100", "nr"]]
    card.words.table.selectRow(0)
    card.words.table.setFocus()
    qtbot.keyClick(card.words.table, Qt.Key.Key_Delete)
    counted(panel, qtbot)
    assert [word.word for word in card.editor.words] == ["云天明"]
    assert "石头村" not in words(panel, sentence=1)


def test_new_words_are_accepted_and_rejected(state, shown, qtbot):
    add_text(state, NEW_WORD, name="新词")
    panel = shown(SegmentPanel(state))
    counted(panel, qtbot)
    panel.compared.words.click()
    card, found = panel.dictionary, panel.dictionary.suggestions
    card.view.segment("new").click()
    counted(panel, qtbot)
    by_word = {row.key: row.cells for row in found.table.rows()}
    assert "沙瑞金" in by_word
    assert by_word["沙瑞金"]["count"].value >= 100
    assert by_word["沙瑞金"]["right"].value > 2
    found.table.select(["沙瑞金"])
    found.accept_selected()
    counted(panel, qtbot)
    assert [word.word for word in card.editor.words] == ["沙瑞金"]
    assert "沙瑞金" not in {row.key for row in found.table.rows()}
    assert "沙瑞金" in words(panel)
    left = [row.key for row in found.table.rows()]
    if left:
        found.table.select(left[:1])
        found.reject_selected()
        assert left[0] not in {row.key for row in found.table.rows()}


def test_new_words_are_those_of_the_corpus_that_is_seen(panel, qtbot, state):
    """The other corpus is chosen in another panel."""
    found = panel.dictionary.suggestions
    panel.compared.words.click()
    panel.dictionary.view.segment("new").click()
    counted(panel, qtbot)
    panel.hide()
    other = add_text(state, NEW_WORD, name="新词")
    panel.show()
    counted(panel, qtbot)
    assert found._corpus_id == other.id
    assert "沙瑞金" in {row.key for row in found.table.rows()}


def test_nothing_waits_for_new_words_that_nobody_sees(panel, qtbot, state, monkeypatch):
    found, asked = panel.dictionary.suggestions, []
    panel.compared.words.click()
    counted(panel, qtbot)
    monkeypatch.setattr(state.queue, "submit", lambda lane, job, *_: asked.append(job) or job)
    panel.dictionary.view.segment("new").click()
    assert found.busy
    panel.hide()
    assert not found.busy
    for job in asked:
        assert job.cancelling
        job.state = "cancelled"
    qtbot.waitUntil(lambda: not state.jobs.busy)


def test_another_dictionary_is_made_and_chosen(panel, qtbot, state):
    card = panel.dictionary
    panel.compared.words.click()
    card._choose("人名")
    card.word.setText("云天明")
    card.add.click()
    counted(panel, qtbot)
    card._choose("地名")
    card.word.setText("石头村")
    card.add.click()
    counted(panel, qtbot)
    assert dictionaries.names(state.workspace) == ["人名", "地名"]
    assert panel.cuts()[0].dictionary.stem == "地名"
    assert "云天明" not in words(panel)
    card.choice.setCurrentText("人名")
    counted(panel, qtbot)
    assert "云天明" in words(panel)
    card._choose("a/b")
    assert "cannot be called" in card.strip.text()


def test_without_jieba_a_selection_cannot_become_a_word(panel, qtbot):
    for side in (0, 1):
        choose(panel, side, "characters")
    counted(panel, qtbot)
    drag(panel.comparison.flows[0], 3, 6)
    assert not panel.compared.selection.add.isEnabled()
    assert panel.compared.selection.add.toolTip() == "Only jieba uses a dictionary."


def test_it_fits_with_the_dictionary_open(panel, qtbot):
    panel.compared.words.click()
    panel.compared.more.setChecked(True)
    drag(panel.comparison.flows[0], 3, 6)
    counted(panel, qtbot)
    assert_fits(panel)
    assert not clipped(panel)
