"""Maps of words and squares of cosines as widgets: what is painted where, and what is not."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QImage, QPainter

from lmstudio.gui import theme
from lmstudio.gui.widgets.scatter_layers import MOST_LABELS, Points
from lmstudio.gui.widgets.scatter_map import ScatterMap
from lmstudio.gui.widgets.scatter_paint import (
    LEVELS,
    Room,
    View,
    coloured,
    fitting,
    inside,
    label_box,
    raster,
)
from lmstudio.gui.widgets.similarity_matrix import SimilarityMatrix, short

SIZE = (400.0, 300.0)
RNG = np.random.default_rng(1)


def points(count, **more):
    words = [f"词{number}" for number in range(count)]
    return Points(words, RNG.normal(size=(count, 2)).astype(np.float32), **more)


@pytest.fixture
def scatter(qtbot):
    made = ScatterMap("words")
    qtbot.addWidget(made)
    made.resize(400, 300)
    made.show()
    qtbot.waitExposed(made)
    return made


def painted(widget):
    image = QImage(widget.size(), QImage.Format.Format_RGB32)
    image.fill(theme.colour("surface"))
    widget.render(image)
    return image


@pytest.mark.parametrize("places", [
    np.zeros((1, 2)), np.zeros((3, 2)), RNG.normal(size=(50, 2)) * 1e-8,
    RNG.normal(size=(50, 2)) * 1e6,
], ids=["one", "same", "tiny", "huge"])  # fmt: skip
def test_all_places_fit_into_the_window(places):
    pixels = fitting(places, SIZE).pixels(places, SIZE)
    assert ((pixels >= 0) & (pixels <= SIZE)).all()


def test_what_is_under_a_pixel_goes_there_and_back():
    view = View((3.0, -2.0), 20.0)
    place = view.place(QPointF(70, 10), SIZE)
    np.testing.assert_allclose(view.pixels(np.array([place]), SIZE), [[70, 10]])
    moved = view.moved(QPointF(5, -7))
    np.testing.assert_allclose(moved.pixels(np.array([place]), SIZE), [[75, 3]])


def test_dots_are_stamped_where_they_stand():
    picture = raster(np.array([[10, 5], [10, 5], [-3, 2], [39.9, 29.9]]), None, (40, 30), 2.0)
    assert picture[5, 10] == LEVELS - 1
    assert picture[5, 8] > 0
    assert not picture[20:].any()  # one outside and one at the edge are left out
    groups = raster(np.array([[10, 5], [20, 5]]), np.array([1, 3]), (40, 30), 2.0)
    assert (groups[5, 10] // LEVELS, groups[5, 20] // LEVELS) == (1, 3)
    image = coloured(groups, [QColor("#888888"), QColor("#FF0000"), QColor(), QColor("#0000FF")])
    assert QColor(image.pixel(10, 5)).red() == 255
    assert QColor(image.pixel(20, 5)).blue() == 255
    assert image.pixelColor(30, 20).alpha() == 0


def test_what_a_line_goes_round_is_inside():
    square = np.array([[0, 0], [10, 0], [10, 10], [0, 10]])
    assert inside(square, np.array([[5, 5], [11, 5], [-1, 5], [5, 12]])).tolist() == [
        True, False, False, False,
    ]  # fmt: skip
    hollow = np.array([[0, 0], [10, 0], [10, 10], [5, 1], [0, 10]])
    assert not inside(hollow, np.array([[5, 5]]))[0]
    assert not inside(square[:2], np.array([[5, 0]]))[0]


def test_labels_never_overlap_and_are_sixty_at_most(scatter):
    scatter.show_points(points(3000, chosen=7, near=[8, 9, 10]))
    labels = scatter._labels()
    assert 5 < len(labels) <= MOST_LABELS
    pixels, metrics = scatter._pixels(), QFontMetrics(theme.font(13))
    boxes = [
        label_box(*pixels[one.point], scatter.points().words[one.point], metrics, theme.px(8),
                  left=one.left)
        for one in labels
    ]  # fmt: skip
    for number, box in enumerate(boxes):
        assert box.left() >= 0
        assert box.right() <= scatter.width()
        assert not any(box.intersects(other) for other in boxes[:number])
    assert 7 not in [one.point for one in labels]  # it has one of its own


def test_room_is_taken_once():
    room = Room()
    assert room.take(QRectF(0, 0, 10, 10))
    assert not room.take(QRectF(9, 9, 10, 10))
    assert room.take(QRectF(10, 0, 10, 10))


def test_the_map_is_pulled_without_painting_its_dots_anew(scatter, qtbot):
    scatter.show_points(points(50_000))
    painted(scatter)
    dots = scatter._layers._dots[2]
    centre = QPointF(200, 150).toPoint()
    before = scatter.view()
    qtbot.mousePress(scatter, Qt.MouseButton.LeftButton, pos=centre)
    qtbot.mouseMove(scatter, centre + QPointF(30, 0).toPoint())
    assert scatter.view().centre[0] == pytest.approx(before.centre[0] - 30 / before.scale)
    painted(scatter)
    assert scatter._layers._dots[2] is dots
    qtbot.mouseRelease(scatter, Qt.MouseButton.LeftButton, pos=centre + QPointF(30, 0).toPoint())
    qtbot.waitUntil(lambda: not scatter._settle.isActive())
    painted(scatter)
    assert scatter._layers._dots[2] is not dots  # set anew once it is still


def test_zooming_keeps_what_is_under_the_pointer(scatter):
    scatter.show_points(points(100))
    at = QPointF(90, 220)
    before = scatter.view().place(at, (400.0, 300.0))
    scatter.zoom(3.0, at)
    np.testing.assert_allclose(scatter.view().place(at, (400.0, 300.0)), before)
    scatter.fit()
    assert scatter.view() == fitting(scatter.points().places, (400.0, 300.0))


def test_a_line_is_drawn_round_words(scatter, qtbot):
    scatter.show_points(points(60))
    scatter.set_lasso(True)
    corners = [(5, 5), (395, 5), (395, 295), (5, 295)]
    with qtbot.waitSignal(scatter.lassoed) as found:
        scatter.take_inside(corners)
    assert len(found.args[0]) == 60
    qtbot.keyClick(scatter, Qt.Key.Key_Escape)
    assert not scatter._lasso


@pytest.mark.parametrize("made", [
    Points(), Points(places=np.zeros((5, 2), np.float32)),
    Points(["a"], np.zeros((1, 2), np.float32), chosen=0),
    Points(["a", "b"], np.zeros((2, 2), np.float32), np.array([3, 4]), np.array([0, -1]), ["g"], 0,
           [1]),
], ids=["none", "nameless", "one", "same place"])  # fmt: skip
def test_any_points_are_painted(scatter, made):
    scatter.show_points(made)
    painted(scatter)
    image = QImage(300, 200, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    scatter.draw(painter, QRectF(0, 0, 300, 200), "light")
    painter.end()
    assert scatter._at(QPointF(200, 150)) == (0 if made.words else -1)


def test_a_word_is_told_with_its_count_and_group(scatter):
    scatter.show_points(Points(["猫"], np.zeros((1, 2)), np.array([1200]), np.array([0]), ["动物"]))
    assert scatter.told(0) == "猫 · 1,200 times · 动物"


# --- the square of cosines -------------------------------------------------------------------


@pytest.mark.parametrize(("value", "text"), [
    (1.0, "1.0"), (0.73, ".7"), (-0.25, "−.2"), (0.0, ".0"), (-0.01, ".0"), (float("nan"), "–"),
])  # fmt: skip
def test_a_cosine_is_short(value, text):
    assert short(value) == text


@pytest.mark.parametrize("count", [0, 1, 7, 80])
def test_any_number_of_words_is_painted(qtbot, count):
    matrix = SimilarityMatrix("alike")
    qtbot.addWidget(matrix)
    matrix.resize(330, 260)
    values = RNG.uniform(-1, 1, (count, count)).astype(np.float32)
    if count > 1:
        values[0] = np.nan
    matrix.show_words([f"w{number}" for number in range(count)], values)
    painted(matrix)
    if count > 1:
        assert "undefined" in matrix.told(0, 1)


def test_arrows_choose_a_word_and_del_asks_to_take_it_out(qtbot):
    matrix = SimilarityMatrix("alike")
    qtbot.addWidget(matrix)
    matrix.show_words(["a", "b", "c"], np.eye(3, dtype=np.float32))
    with qtbot.waitSignal(matrix.chosen) as chosen:
        qtbot.keyClick(matrix, Qt.Key.Key_Home)
    assert chosen.args == ["a"]
    qtbot.keyClick(matrix, Qt.Key.Key_Down)
    with qtbot.waitSignal(matrix.removed) as removed:
        qtbot.keyClick(matrix, Qt.Key.Key_Delete)
    assert removed.args == ["b"]
    matrix.show_words(["a", "c"], np.eye(2, dtype=np.float32))
    assert matrix.word() == ""
