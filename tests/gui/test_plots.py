"""Plots: values that cannot be drawn, the crosshair, exports of the size that was asked for."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QGuiApplication, QImage

from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.plot_export import export
from lmstudio.gui.plots import Axes, Plot, Series


@pytest.fixture
def plot(qtbot):
    plot = Plot("curves")
    qtbot.addWidget(plot)
    plot.resize(700, 320)
    plot.show()
    qtbot.waitExposed(plot)
    return plot


def curve(y, x=None, **how) -> Series:
    y = np.array(y, float)
    return Series(1, "LSTM", np.arange(1.0, len(y) + 1) if x is None else np.array(x), y, "lstm",
                  **how)  # fmt: skip


def two() -> list[Series]:
    x = np.linspace(1, 100, 500)
    return [
        Series(1, "五元", np.array([2.0]), np.array([3.58]), "ngram"),
        Series(2, "LSTM 2×256", x, 3.3 + 3 * np.exp(-x / 20), "lstm", bold=True),
    ]


def test_case_i3_nan_and_infinity_are_gaps(plot):
    plot.set_series([curve([5, np.nan, 3, np.inf, 2])])
    assert plot.visible_points() == 3
    assert plot.value_range() == (2, 5)


def test_case_i3_a_log_axis_leaves_out_zero_and_can_be_switched_back(plot):
    plot.set_series([curve([10, 0, 1000, 100])])
    assert plot.visible_points() == 4
    plot.set_axes(Axes(log_y=True))
    assert plot.visible_points() == 3
    assert plot.value_range() == pytest.approx((10, 1000))
    plot.set_axes(Axes(log_y=False))
    assert plot.visible_points() == 4


def test_case_i3_nothing_to_draw_says_so(plot):
    plot.set_series([curve([np.nan, np.nan])])
    assert plot.value_range() is None
    assert plot._empty.isVisible()
    assert plot._empty.toPlainText() == "Nothing to draw: no finite value."
    plot.set_series([curve([1, 2])])
    assert not plot._empty.isVisible()


def test_the_crosshair_reads_the_selected_run_first(plot, qtbot):
    plot.set_axes(Axes(time=True))
    plot.set_series([curve([4, 4, 4]), *two()])
    with qtbot.waitSignal(plot.hovered) as told:
        plot._moved(plot._box.mapViewToScene(QPointF(2.0, 4)))
    assert told.args[0].startswith("2 s   LSTM 2×256 ")
    plot.copy()
    assert QGuiApplication.clipboard().text() == told.args[0]
    plot._moved(QPointF(-5, -5))
    plot.copy()
    assert "五元\t3.58" in QGuiApplication.clipboard().text()


def test_a_long_name_gives_way_to_the_figure_before_it(plot):
    name = "a name that is far too long for its label, 随机种子 2"
    plot.set_series([Series(1, name, np.array([1.0, 2.0]), np.array([3.0, 2.5]), "bert")])
    text = plot._drawn[0].label.textItem.toPlainText()
    assert text.startswith("2.50  a")
    assert text.endswith("2")
    assert "…" in text


def test_a_curve_is_told_of_at_the_point_that_was_chosen(plot):
    x, y = np.array([10.0, 20.0, 30.0]), np.array([0.5, 0.7, 0.6])
    for at, told in ((20.0, (20.0, 0.7)), (None, (30.0, 0.6)), (25.0, (30.0, 0.6))):
        plot.set_series([Series(1, "f2", x, y, "bert", at=at)])
        (drawn,) = plot._drawn
        assert drawn.tip == told
        assert drawn.mark.getData()[0].tolist() == [told[0]]
        assert drawn.mark.getData()[1].tolist() == [told[1]]
        assert plot._label_of(drawn).startswith(f"{told[1]:.2f}")


def test_a_level_curve_is_named_at_the_axis(plot):
    plot.set_series([curve([2.5, 2.5, 2.5])])
    assert [text for _, text in plot._left._tickLevels[0]] == ["2.5"]


def test_steps_that_are_counted_have_whole_ticks(plot):
    plot.set_series([curve(range(12))])
    places = [place for place, _ in plot._bottom._tickLevels[0]]
    assert places == [int(place) for place in places]


def test_labels_stand_apart(plot):
    many = [Series(n, f"run {n}", np.array([1.0, 2.0]), np.array([5.0, 3 + n / 1000]), "lstm")
            for n in range(6)]  # fmt: skip
    plot.set_series(many)
    (_, (bottom, top)) = plot._box.viewRange()
    pixel = (top - bottom) / plot._box.height()
    places = sorted(drawn.label.pos().y() for drawn in plot._drawn)
    assert min(np.diff(places)) >= 15 * pixel


def test_dashes_survive(plot):
    plot.set_series([curve([3, 2, 1], dash=1)])
    pen = plot._drawn[0].line.opts["pen"]
    assert pen.style() == Qt.PenStyle.DashLine
    assert plot._drawn[0].line.opts["segmentedLineMode"] == "off"


def test_the_theme_reaches_pens(plot, qapp):
    plot.set_series(two())
    theme.apply(qapp, "dark")
    try:
        assert plot._drawn[1].line.opts["pen"].color() == theme.family_colour("lstm")
        assert plot._drawn[1].line.opts["pen"].color().name().upper() == "#47BA8A"
    finally:
        theme.apply(qapp, "light")


def test_a_live_chart_takes_no_focus(plot):
    assert plot.view.focusPolicy() == Qt.FocusPolicy.NoFocus


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_exports(plot, tmp_path, kind):
    plot.set_series(two())
    plot.set_oracle(2.71, "语言的下限")
    export(plot, tmp_path / f"chart.{kind}", QSize(800, 400), "比特/字")
    written = (tmp_path / f"chart.{kind}").read_bytes()
    assert len(written) > 3000
    if kind == "png":
        image = QImage(str(tmp_path / "chart.png"))
        assert (image.width(), image.height()) == (800, 400)
        assert image.pixelColor(1, 200) == theme.colour("surface", "light")
        colours = {image.pixelColor(x, y).name() for x in range(0, 800) for y in range(60, 390, 7)}
        assert "#4b826a" in colours
    if kind == "svg":
        assert "语言的下限" in written.decode("utf-8")


def test_an_export_of_another_kind_is_refused(plot, tmp_path):
    with pytest.raises(AppError, match="must end in"):
        export(plot, tmp_path / "chart.gif", QSize(800, 400))
    (tmp_path / "file").write_text("")
    with pytest.raises(AppError, match="cannot be written"):
        export(plot, tmp_path / "file" / "chart.png", QSize(800, 400))
