"""What is drawn in cells beside their text."""

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter

from lmstudio.gui import cells, theme


def test_a_bar_is_clear_of_the_number_above_it(qapp):
    height = theme.px(28)  # a row of a table
    image = QImage(60, height, QImage.Format.Format_ARGB32)
    image.fill(QColor("transparent"))
    painter = QPainter(image)
    cells._bar(painter, QRectF(0, 1, 60, height - 2), False, 0.5, "accent")
    painter.end()
    first = min(y for y in range(height) if image.pixelColor(5, y).alpha())
    metrics = QFontMetricsF(theme.font(13))
    baseline = (height + metrics.ascent() - metrics.descent()) / 2
    assert first - baseline >= theme.px(4)
