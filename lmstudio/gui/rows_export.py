"""A table on screen in; a file of it where the user wants it out, and a word about it."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QWidget

from lmstudio.errors import AppError
from lmstudio.gui.save_as import chosen_path
from lmstudio.gui.state import AppState
from lmstudio.messages import tr


def ask(table: QWidget, save: Callable[[Path], None]) -> None:
    """Ask for a file, proposing the table's name, and `save` there."""
    if path := chosen_path(table, tr("Save the table as CSV"), table.accessibleName()):
        write(table, save, path)


def write(table: QWidget, save: Callable[[Path], None], path: Path) -> None:
    """Save the table and tell the user, who looks at the window that it stands in."""
    state = _state(table)
    try:
        save(path)
    except AppError as error:
        if state is None:
            raise
        state.report(error)
    else:
        if state is not None:
            state.told.emit(tr("Saved {path}", path=path))


def _state(widget: QWidget | None) -> AppState | None:
    """Of the panel or window around a widget; None in a dialog over none."""
    while widget is not None:
        if isinstance(state := getattr(widget, "state", None), AppState):
            return state
        widget = widget.parentWidget()
    return None
