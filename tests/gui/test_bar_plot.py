"""Bars: what is drawn on screen is what is exported."""

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QImage

from lmstudio.gui import theme
from lmstudio.gui.bar_plot import Bar, BarPlot
from lmstudio.gui.plot_export import export

BARS = [Bar("精确", 0.95, bold=True), Bar("全模式", 0.61), Bar("无", None)]


@pytest.fixture
def plot(qtbot):
    plot = BarPlot("F")
    qtbot.addWidget(plot)
    plot.resize(400, 140)
    plot.set_bars(BARS, 0, 1, lambda share: f"{share:.2f}")
    plot.show()
    qtbot.waitExposed(plot)
    return plot


def columns_of(image: QImage, token: str, mode: str = "") -> int:
    """How many columns of pixels hold the colour somewhere."""
    wanted = theme.colour(token, mode).rgb()
    width, height = image.width(), image.height()
    return sum(any(image.pixelColor(x, y).rgb() == wanted for y in range(height))
               for x in range(width))  # fmt: skip


def test_a_bar_is_as_long_as_its_value(plot):
    long = columns_of(plot.grab().toImage(), "accent")
    plot.set_bars([Bar("精确", 0.475, bold=True), *BARS[1:]], 0, 1, lambda share: f"{share:.2f}")
    assert abs(columns_of(plot.grab().toImage(), "accent") - long / 2) <= 2
    assert "精确 0.47" in plot.accessibleDescription()
    assert "无 —" in plot.accessibleDescription()


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_it_is_exported_in_the_light_theme(plot, tmp_path, kind):
    file = tmp_path / f"bars.{kind}"
    export(plot, file, QSize(800, 450), "切分评测")
    assert file.stat().st_size > 500
    if kind == "png":
        image = QImage(str(file))
        assert image.size() == QSize(800, 450)
        assert columns_of(image, "accent", "light") > 200


def test_nothing_is_drawn_without_bars(plot):
    plot.set_bars([], 0, 1, str)
    assert not plot.grab().isNull()
