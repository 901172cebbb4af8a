"""The parts of the attention panel by themselves: what is drawn, chosen and told."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QTest

from lmstudio.gui.widgets.arcs import LONGEST, STRONGEST, ArcRow, Arcs
from lmstudio.gui.widgets.cell_picture import CellLine, CellPicture
from lmstudio.gui.widgets.head_grid import WHOLE, HeadGrid, HeadPictures
from lmstudio.gui.widgets.head_map import HeadMap
from lmstudio.gui.widgets.heat_map import HeatGrid, heat_image


@pytest.fixture
def on_screen(qtbot):
    def show(widget, width=400, height=240):
        qtbot.addWidget(widget)
        widget.resize(width, height)
        widget.show()
        qtbot.waitExposed(widget)
        return widget

    return show


def drawn(widget) -> QImage:
    """What it paints on paper."""
    image = QImage(600, 400, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    widget.draw(painter, QRectF(0, 0, 600, 400), "light")
    painter.end()
    return image


def test_an_image_has_a_pixel_for_each_number():
    values = np.array([[0.0, 0.5, 1.0], [1.0, 0.0, 0.25]], np.float32)
    barred = np.zeros((2, 3), bool)
    barred[1, 2] = True
    image = heat_image(HeatGrid(values, barred=barred), "light")
    assert (image.width(), image.height()) == (3, 2)
    tones = [[image.pixelColor(x, y).lightness() for x in range(3)] for y in range(2)]
    assert tones[0][0] == 255 == tones[1][1]
    assert tones[0][0] > tones[0][1] > tones[0][2] == tones[1][0]
    assert tones[1][2] not in (tones[0][0], tones[0][1])
    signed = heat_image(HeatGrid(np.array([[-1.0, 1.0]]), signed=True), "light")
    assert signed.pixelColor(0, 0).red() > signed.pixelColor(0, 0).blue()
    assert signed.pixelColor(1, 0).red() < signed.pixelColor(1, 0).blue()


def test_rows_and_cells_of_a_matrix(on_screen, qtbot):
    widget = on_screen(HeadMap("matrix"), 400, 300)
    names = ("我", "爱", "北京")
    widget.show_grid(HeatGrid(np.eye(3, dtype=np.float32), names, names))
    heard = []
    widget.picked.connect(lambda row, column: heard.append((row, column)))
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_End, Qt.Key.Key_Up, Qt.Key.Key_Home):
        QTest.keyClick(widget, key)
    assert heard == [(1, 0), (1, 1), (2, 1), (1, 1), (0, 1)]
    body = widget._body(QRectF(widget.rect()))
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton, pos=body.center().toPoint())
    assert widget.cell() == (1, 1)
    assert widget.told(0, 2) == "我 → 北京: 0.000"
    widget.grab()


def test_heads_are_chosen_added_and_switched(on_screen):
    grid = on_screen(HeadGrid("heads"))
    random = np.random.default_rng(1)
    grid.show_heads(HeadPictures(random.random((2, 3, 8, 8)).astype(np.float32)))
    grid.mark((0, 0), frozenset({(0, 0), (1, 1)}), frozenset({(1, 2)}))
    heard = []
    grid.chosen.connect(lambda *head: heard.append(("chosen", *head)))
    grid.added.connect(lambda *head: heard.append(("added", *head)))
    grid.switched.connect(lambda *head: heard.append(("switched", *head)))
    place = grid._box(QRectF(grid.rect()), 1, 2).center().toPoint()
    QTest.mouseClick(grid, Qt.MouseButton.LeftButton, pos=place)
    QTest.mouseClick(grid, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier, place)
    QTest.mouseClick(grid, Qt.MouseButton.RightButton, pos=QPoint(4, place.y()))
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_Space,
                Qt.Key.Key_Delete):  # fmt: skip
        QTest.keyClick(grid, key)
    assert heard == [
        ("chosen", 1, 2), ("added", 1, 2), ("switched", 1, WHOLE), ("chosen", 0, 1),
        ("chosen", 1, 0), ("chosen", 0, 0), ("added", 0, 0), ("switched", 0, 0),
    ]  # fmt: skip
    assert grid.told(1, 2) == "Layer 2, head 3, switched off"
    assert grid.told(1, WHOLE) == "Layer 2"
    assert grid.head_at(QPointF(0, 0)) is None
    grid.grab()
    assert drawn(grid) != drawn(HeadGrid("none", grid))


def test_arcs_of_a_sentence(on_screen):
    arcs = on_screen(Arcs("arcs"), 500, 160)
    weights = np.array([0.7, 0.1, 0.2, 0.0], np.float32)
    barred = np.array([False, False, False, True])
    arcs.show_row(ArcRow(("我", "爱", "北京", "。"), 2, weights, barred, "gpt"))
    rows, columns = [], []
    arcs.row_chosen.connect(rows.append)
    arcs.column_chosen.connect(columns.append)
    QTest.keyClick(arcs, Qt.Key.Key_Right)
    QTest.keyClick(arcs, Qt.Key.Key_Home)
    QTest.mouseClick(arcs, Qt.MouseButton.LeftButton, pos=QPoint(arcs.place_of(1), 10))
    QTest.mouseClick(arcs, Qt.MouseButton.LeftButton, pos=QPoint(arcs.place_of(0), 150))
    assert rows == [3, 0, 1]
    assert columns == [0]
    assert arcs.accessibleDescription().startswith("我 0.70")
    arcs.grab()
    drawn(arcs)


def test_of_a_long_text_the_strongest_are_drawn():
    number = LONGEST + 1
    weights = np.zeros(number, np.float32)
    weights[::5] = 0.03
    row = ArcRow(("字",) * number, 7, weights, np.zeros(number, bool))
    shown = row.drawn()
    assert len(shown) == STRONGEST + 1
    assert 7 in shown
    assert shown == sorted(shown)
    assert set(shown) - {7} <= set(range(0, number, 5))
    assert ArcRow(("字",) * LONGEST, 0, weights, row.barred).drawn() == list(range(LONGEST))


def test_a_cell_is_told_line_by_line(on_screen):
    cell = on_screen(CellPicture("cell"))
    vector = np.linspace(-1, 1, 12).astype(np.float32)
    cell.show_lines([CellLine("q", vector=vector), CellLine("q · k", "1.5", strong=True)])
    first, second = (line.told() for line in cell.lines())
    assert first.startswith("q = (-1.000, ")
    assert first.endswith(", …)")
    assert second == "q · k 1.5"
    assert "q · k 1.5" in cell.accessibleDescription()
    cell.grab()
    drawn(cell)
