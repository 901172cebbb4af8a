"""Parts of a panel in; a splitter between them, whose sizes are remembered by its name, out."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QWidget

from lmstudio.gui import theme


def splitter(
    name: str, orientation: Qt.Orientation, *parts: QWidget, sizes: Sequence[int] = ()
) -> QSplitter:
    """Parts beside or below one another, none of which can be pushed away.

    `name` tells it apart in its panel; `sizes` are those of the parts at scale 1.
    """
    made = QSplitter(orientation)
    made.setObjectName(name)
    made.setHandleWidth(theme.px(12))
    made.setChildrenCollapsible(False)
    for widget in parts:
        made.addWidget(widget)
    if sizes:
        made.setSizes([theme.px(size) for size in sizes])
    return made
