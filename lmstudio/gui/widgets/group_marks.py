"""Groups of points as drawn: a shape and a tone for each, never the colour of a family."""

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from lmstudio.gui import theme
from lmstudio.gui.widgets.marks import mark_path

_LOOKS: tuple[tuple[str, str, bool], ...] = (
    ("circle", "accent", True), ("up", "text", True), ("square", "muted", True),
    ("diamond", "accent", False), ("down", "text", False), ("star", "muted", False),
)  # fmt: skip
"""Of each group its shape, its colour token, and whether it is filled."""

GROUPS = len(_LOOKS)


def group_colour(group: int, mode: str = "") -> QColor:
    """The colour of a group from 0, in a theme; of -1, what is in none."""
    return theme.colour(_LOOKS[group % GROUPS][1] if group >= 0 else "edge", mode)


def draw_group(painter: QPainter, centre: QPointF, group: int, size: float, mode: str = "") -> None:
    """Paint the mark of a group; of -1, a small ring."""
    shape, _, filled = _LOOKS[group % GROUPS] if group >= 0 else ("circle", "", False)
    surface = theme.colour("surface", mode)
    colour = group_colour(group, mode)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(centre)
    painter.setBrush(colour if filled else surface)
    painter.setPen(QPen(surface, 0.75) if filled else QPen(colour, 1.5, Qt.PenStyle.SolidLine))
    painter.drawPath(mark_path(shape, size if group >= 0 else size * 0.6))
    painter.restore()
