"""PanelStack: keys of panels in; the panels out, made when they are first wanted, one on screen."""

from collections.abc import Iterator

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from lmstudio.gui import rooms
from lmstudio.gui.panels.panel import Panel
from lmstudio.gui.rooms import Room
from lmstudio.gui.state import AppState
from lmstudio.messages import tr


class PanelStack(QStackedWidget):
    """Panels that float are made here too, and come back here."""

    made = Signal(str)  # a panel is there for the first time

    def __init__(self, state: AppState, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("room")
        self._state = state
        self._panels: dict[str, Panel] = {}
        self._last: dict[str, str] = {}  # room -> the panel last seen there
        self.current = ""

    def panel(self, key: str) -> Panel:
        """A panel, made at the first call."""
        if key not in self._panels:
            _, entry = rooms.find(key)
            made = entry.panel_class()(self._state, self)
            made.setAccessibleName(tr(entry.title))
            self._panels[key] = made
            self.addWidget(made)
            self.made.emit(key)
        return self._panels[key]

    def panels(self) -> Iterator[tuple[str, Panel]]:
        """Those that were made, with their keys."""
        yield from self._panels.items()

    def make_next(self) -> bool:
        """Make a panel that was not made yet; False if there is none left."""
        keys = (entry.key for room in rooms.ROOMS for entry in room.panels)
        key = next((key for key in keys if key not in self._panels), "")
        if key:
            self.panel(key)
        return bool(key)

    def show_panel(self, key: str) -> Room:
        """Bring a panel on screen; returns its room."""
        room, _ = rooms.find(key)
        self.setCurrentWidget(self.panel(key))
        self.current, self._last[room.key] = key, key
        return room

    def last_of(self, room: Room) -> str:
        """The panel of a room that was seen last, or its first."""
        return self._last.get(room.key, room.panels[0].key)

    def remember(self, other: "PanelStack") -> None:
        """What was seen last in the rooms of another window."""
        self._last |= other._last
