"""Boxes and tools of the panels of tasks, made alike."""

from collections.abc import Callable

from PySide6.QtWidgets import QComboBox

from lmstudio.gui.widgets import Card, tool


def narrow(box: QComboBox, name: str) -> None:
    """A combo box that does not grow with its entries."""
    box.setAccessibleName(name)
    box.setToolTip(name)
    box.setMinimumContentsLength(13)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)


def add_tool(card: Card, icon: str, name: str, slot: Callable[[], None]) -> None:
    """A tool at the end of a card's title row, and what it does."""
    made = tool(icon, name, parent=card)
    made.clicked.connect(slot)
    card.row.add_tool(made)
