"""Tokens in rows, lit up by code points; what differs is underlined; keys and pointer."""

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from lmstudio.gui import theme
from lmstudio.gui.widgets.token_flow import FlowSentence, TokenFlow
from lmstudio.gui.widgets.token_layout import Measures, lay_out

TEN = Measures(width=100, row=34, padding=0, gap=0, advance=lambda text: 10.0 * len(text))
EMOJI = "😀我爱北京"


def spans(*words: str) -> list[tuple[int, int]]:
    """The spans of words that follow one another."""
    ends, at = [], 0
    for word in words:
        ends.append((at, at + len(word)))
        at += len(word)
    return ends


def rows(text: str, tokens: list[tuple[int, int]], measures: Measures = TEN) -> list[str]:
    """The text of each row."""
    laid = lay_out(text, tokens, measures)
    found = [""] * laid.rows
    for piece in laid.pieces:
        found[piece.row] += text[piece.start : piece.end]
    return found


def test_tokens_fill_rows_in_order():
    assert rows("一二三四五六七八九十甲乙", spans("一二三四", "五六七八", "九十甲", "乙")) == [
        "一二三四五六七八", "九十甲乙",
    ]  # fmt: skip


def test_punctuation_starts_no_row():
    words = ("一二三四五", "六七八九十", "。", "甲")
    assert rows("".join(words), spans(*words)) == ["一二三四五", "六七八九十。甲"]
    words = ("一二三四五六七八", "九", "“", "甲乙", "”")
    assert rows("".join(words), spans(*words)) == ["一二三四五六七八九", "“甲乙”"]


def test_tints_take_turns_and_punctuation_has_none():
    words = ("我", "，", "爱", "你")
    laid = lay_out("我，爱你", spans(*words), TEN)
    assert [piece.shade for piece in laid.pieces] == [0, -1, 1, 0]


@pytest.mark.parametrize("length", [10, 11, 25, 400])
def test_a_token_wider_than_a_row_is_broken(length):
    text = "字" * length
    laid = lay_out(text, [(0, length)], TEN)
    assert "".join(rows(text, [(0, length)])) == text
    assert all(piece.x + piece.width <= TEN.width for piece in laid.pieces)
    assert laid.rows == -(-length // 10)


def test_overlapping_tokens_are_all_shown():
    assert rows("清华大学", [(0, 2), (0, 4), (2, 4)]) == ["清华清华大学大学"]


@pytest.fixture
def flows(qtbot):
    """Two paired flows over 😀我爱北京: characters, and a segmenter that knows 北京."""
    one, two = TokenFlow("A"), TokenFlow("B")
    one.pair_with(two)
    for flow, words in ((one, list(EMOJI)), (two, ["😀", "我", "爱", "北京"])):
        flow.set_sentences([FlowSentence(EMOJI, spans(*words)), FlowSentence("好", [(0, 1)])])
        qtbot.addWidget(flow)
        flow.resize(400, 200)
        flow.show()
    return one, two


def test_the_highlight_is_the_word_after_an_emoji(flows, qtbot):
    """Case B-4: 北京 is code points 3 to 5."""
    one, two = flows
    box = two._box(two._lay(0).pieces[3], 0)
    two.lit.connect(one.light)
    two.lit.connect(two.light)
    here = QPointF(box.center())
    with qtbot.waitSignal(two.lit) as pointed:
        two.mouseMoveEvent(
            QMouseEvent(QMouseEvent.Type.MouseMove, here, two.mapToGlobal(here),
                        Qt.MouseButton.NoButton, Qt.MouseButton.NoButton,
                        Qt.KeyboardModifier.NoModifier)
        )  # fmt: skip
    assert pointed.args == [0, 3, 5]
    assert (one.lit_text(), two.lit_text()) == ("北京", "北京")
    accent = theme.colour("accent").rgb()
    picture = two.grab().toImage()
    corner = QPointF(box.left() + 6, box.top() + 2).toPoint()
    assert picture.pixelColor(corner).rgb() == accent
    before = two._box(two._lay(0).pieces[2], 0)
    corner = QPointF(before.left() + 6, before.top() + 2).toPoint()
    assert picture.pixelColor(corner).rgb() != accent


def test_only_a_part_of_a_token_can_be_lit(flows):
    flows[1].light(0, 4, 5)
    assert flows[1].lit_text() == "京"
    assert not flows[1].grab().isNull()


def test_arrows_move_through_tokens_and_sentences(flows, qtbot):
    one, _ = flows
    one.lit.connect(one.light)
    for expected in ("😀", "我", "爱"):
        qtbot.keyClick(one, Qt.Key.Key_Right)
        assert one.lit_text() == expected
    qtbot.keyClick(one, Qt.Key.Key_Left)
    assert one.lit_text() == "我"
    with qtbot.waitSignal(one.stepped) as stepped:
        qtbot.keyClick(one, Qt.Key.Key_Down)
    assert stepped.args == [1]


def test_a_screen_reader_hears_the_tokens(flows):
    assert flows[1].accessibleName() == "B: 😀 | 我 | 爱 | 北京"
    flows[1].set_top(1)
    assert flows[1].accessibleName() == "B: 好"


def test_paired_sentences_stand_at_one_height(flows):
    one, two = flows
    text = "长" * 20
    one.set_sentences([FlowSentence(text, [(0, 20)]), FlowSentence("好", [(0, 1)])])
    two.set_sentences(one.sentences())
    one.resize(600, 200)
    two.resize(160, 200)
    assert one._height_of(0) == two._height_of(0) > one._height_of(1)


def test_a_flow_without_sentences_paints(qtbot):
    flow = TokenFlow("A")
    qtbot.addWidget(flow)
    flow.light(3, 0, 2)
    assert flow.lit_text() == ""
    assert not flow.grab().isNull()


def press(flow, qtbot, number: int, end: float, what=QEvent.Type.MouseButtonPress):
    """A mouse event at the left (0) ... right (1) of the box of token `number`."""
    box = flow._box(flow._lay(0).pieces[number], 0)
    here = QPointF(box.left() + end * box.width(), box.center().y())
    moves = what == QEvent.Type.MouseMove
    left, none = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
    event = QMouseEvent(what, here, flow.mapToGlobal(here), none if moves else left, left,
                        Qt.KeyboardModifier.NoModifier)  # fmt: skip
    QApplication.sendEvent(flow, event)


def test_characters_are_selected_across_tokens_by_dragging(flows, qtbot):
    """Also after an emoji, and from the right to the left."""
    one, two = flows
    heard = []
    two.selected.connect(heard.append)
    press(two, qtbot, 1, 0)
    press(two, qtbot, 3, 0.45, QEvent.Type.MouseMove)
    assert two.selected_text() == "我爱北"
    assert heard[-1] == "我爱北"
    assert not two.grab().isNull()
    press(two, qtbot, 3, 1)
    assert two.selected_text() == ""
    press(two, qtbot, 2, 0, QEvent.Type.MouseMove)
    assert two.selected_text() == "爱北京"
    press(one, qtbot, 3, 0.5, QEvent.Type.MouseButtonDblClick)
    assert one.selected_text() == "北"


def test_characters_are_selected_with_the_keys(flows, qtbot):
    one, _ = flows
    one.lit.connect(one.light)
    shift = Qt.KeyboardModifier.ShiftModifier
    for _ in range(4):
        qtbot.keyClick(one, Qt.Key.Key_Right)
    qtbot.keyClick(one, Qt.Key.Key_Right, shift)
    assert one.selected_text() == "北"
    qtbot.keyClick(one, Qt.Key.Key_Right, shift)
    qtbot.keyClick(one, Qt.Key.Key_Right, shift)
    assert one.selected_text() == "北京"
    with qtbot.waitSignal(one.taken):
        qtbot.keyClick(one, Qt.Key.Key_Return)
    qtbot.keyClick(one, Qt.Key.Key_Left, shift)
    assert one.selected_text() == "北"
    qtbot.keyClick(one, Qt.Key.Key_Escape)
    assert one.selected_text() == ""


def test_a_selection_ends_with_its_text_and_outlives_another_cut(flows):
    one, _ = flows
    one.select(0, 3, 5)
    one.set_sentences([FlowSentence(EMOJI, spans("😀", "我爱北京"))])
    assert one.selected_text() == "北京"
    one.set_sentences([FlowSentence("好", [(0, 1)])])
    assert one.selected_text() == ""
