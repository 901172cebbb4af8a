"""Entries of a combo box in; the same box with those, and what was chosen still chosen, out."""

from collections.abc import Iterable

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QComboBox


def fill(box: QComboBox, entries: Iterable[tuple[str, object]]) -> None:
    """(title, key) each; the first is chosen where the key chosen before is gone. Emits nothing."""
    chosen = box.currentData()
    with QSignalBlocker(box):
        box.clear()
        for title, key in entries:
            box.addItem(title, key)
        box.setCurrentIndex(max(0, box.findData(chosen)))
