"""Where the card of a tour lies: in the room, beside the control, and off the main button."""

import pytest
from PySide6.QtCore import QPoint, QRect, QSize

from lmstudio.gui.tours.placing import place

ROOM, SIZE, GAP = QRect(80, 56, 1278, 664), QSize(376, 170), 14
CONTROLS = {
    "button at the foot": QRect(1172, 680, 186, 32), "button at the top": QRect(1132, 168, 176, 48),
    "card at the left": QRect(88, 64, 288, 640), "card at the right": QRect(1100, 64, 250, 640),
    "wide plot": QRect(88, 64, 1260, 400), "board at the foot": QRect(88, 300, 1260, 400),
    "middle": QRect(600, 300, 100, 100),
}  # fmt: skip


@pytest.mark.parametrize("control", CONTROLS.values(), ids=CONTROLS)
def test_the_card_is_beside_the_control(control):
    card = QRect(place(SIZE, ROOM, control, GAP), SIZE)
    assert ROOM.contains(card)
    assert not card.intersects(control.adjusted(-GAP, -GAP, GAP, GAP))


def test_it_keeps_off_the_main_button_where_it_can():
    control, primary = QRect(700, 300, 200, 100), QRect(600, 380, 200, 200)
    assert QRect(place(SIZE, ROOM, control, GAP), SIZE).intersects(primary)
    card = QRect(place(SIZE, ROOM, control, GAP, [primary]), SIZE)
    assert not card.intersects(primary)
    assert not card.intersects(control)


def test_a_control_that_fills_the_room_is_covered_as_little_as_can_be():
    card = QRect(place(SIZE, ROOM, ROOM.adjusted(0, 100, 0, 0), GAP), SIZE)
    assert ROOM.contains(card)
    assert card.top() == ROOM.top()


def test_without_a_control_it_lies_in_the_corner():
    at = place(SIZE, ROOM, None, GAP)
    assert at + QPoint(SIZE.width(), SIZE.height()) == ROOM.bottomRight() + QPoint(1, 1)
