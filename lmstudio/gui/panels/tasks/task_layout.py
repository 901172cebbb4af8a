"""Boxes, splitters and tools of the panels of tasks, made alike."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QSplitter, QWidget

from lmstudio.gui import theme
from lmstudio.gui.widgets import Card, tool


def narrow(box: QComboBox, name: str) -> None:
    """A combo box that does not grow with its entries."""
    box.setAccessibleName(name)
    box.setToolTip(name)
    box.setMinimumContentsLength(13)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)


def splitter(name: str, orientation: Qt.Orientation, *parts: QWidget) -> QSplitter:
    """Parts beside or below one another, none of which can be pushed away.

    `name` tells it apart in its panel: by that its sizes are remembered.
    """
    made = QSplitter(orientation)
    made.setObjectName(name)
    made.setHandleWidth(theme.px(12))
    made.setChildrenCollapsible(False)
    for widget in parts:
        made.addWidget(widget)
    return made


def add_tool(card: Card, icon: str, name: str, slot: Callable[[], None]) -> None:
    """A tool at the end of a card's title row, and what it does."""
    made = tool(icon, name, parent=card)
    made.clicked.connect(slot)
    card.row.add_tool(made)
