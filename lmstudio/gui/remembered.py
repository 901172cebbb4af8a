"""Remembered: a window in; what its user arranged, kept in the settings and there again next time.

Splitters and tables of a panel are found by their object names, the panel by its key; sizes are
kept at scale 1 or as shares. It is written a moment after the last change, in one small file.
What makes no sense (a file of another version, or edited by hand) is left out.
"""

import base64
import binascii
import json
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtWidgets import QSplitter

from lmstudio.gui import rooms
from lmstudio.gui.panels.panel import Panel
from lmstudio.gui.rows_view import RowsView

if TYPE_CHECKING:
    from lmstudio.gui.window import Window

QUIET_MS = 800
_WORKSPACES = 20  # whose last panel is known
_FINE = 10_000  # parts of a splitter's length


class Remembered(QObject):
    """Follows what is arranged in one window."""

    def __init__(self, window: "Window") -> None:
        super().__init__(window)
        self._window, self._settings = window, window.state.settings
        self._splitters, self._tables = self._read("splitters"), self._read("tables")
        self._timer = QTimer(self, interval=QUIET_MS, singleShot=True)
        self._timer.timeout.connect(self.save)

    # splitters and tables

    def attach(self, key: str, panel: Panel) -> None:
        """Arrange a panel as it was, and follow it. Again when it is shown: parts may be new."""
        parts: list[QSplitter | RowsView] = [*panel.findChildren(QSplitter)]
        for part in [*parts, *panel.findChildren(RowsView)]:
            if part.property("place") or not part.objectName():
                continue
            part.setProperty("place", f"{key}/{part.objectName()}")
            if isinstance(part, QSplitter):
                _divide(part, self._splitters.get(part.property("place")))
                part.splitterMoved.connect(self._divided)
            else:
                facts = self._tables.get(part.property("place"))
                part.arrange(facts if isinstance(facts, dict) else {})
                part.arranged.connect(self._arranged)

    @Slot()
    def _divided(self) -> None:
        splitter = self.sender()
        if isinstance(splitter, QSplitter) and any(splitter.sizes()):
            self._splitters[splitter.property("place")] = _shares(splitter)
            self._timer.start()

    @Slot()
    def _arranged(self) -> None:
        table = self.sender()
        if isinstance(table, RowsView):
            self._tables[table.property("place")] = table.arrangement()
            self._timer.start()

    # panels

    def saw(self, key: str) -> None:
        """A panel is on screen, in the workspace that is open."""
        if folder := self._workspace():
            seen = self._read("seen")
            seen.pop(folder, None)
            seen[folder] = key
            self._write("seen", dict([*seen.items()][-_WORKSPACES:]))
            self._timer.start()

    def seen(self) -> str:
        """The panel last seen in this workspace; "" for none."""
        return _known(self._read("seen").get(self._workspace()))

    def floating(self) -> dict[str, bytes]:
        """The panels that had windows of their own, and where these stood."""
        found = {}
        for key, place in self._read("floating").items():
            if _known(key) and isinstance(place, str):
                found[key] = _decoded(place)
        return found

    @Slot()
    def change(self) -> None:
        """Something was arranged: it will be written in a moment."""
        self._timer.start()

    @Slot()
    def save(self) -> None:
        """Write it now."""
        self._timer.stop()
        if self._window.floats.settled:
            places = self._window.floats.places()
            self._write("floating", {key: _encoded(place) for key, place in places.items()})
        self._write("splitters", self._splitters)
        self._write("tables", self._tables)
        self._settings.layout["window"] = _encoded(bytes(self._window.saveGeometry().data()))
        self._settings.save()

    def place(self) -> bytes:
        """Where the window stood, for `restoreGeometry`; b"" where it is not known."""
        return _decoded(self._settings.layout.get("window", ""))

    def _workspace(self) -> str:
        state = self._window.state
        return str(state.workspace.folder) if state.has_workspace else ""

    def _read(self, name: str) -> dict[str, Any]:
        try:
            found = json.loads(self._settings.layout.get(name) or "{}")
        except (ValueError, TypeError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}

    def _write(self, name: str, facts: dict[str, Any]) -> None:
        self._settings.layout[name] = json.dumps(facts)


def _shares(splitter: QSplitter) -> list[float | None]:
    """Of each part; None for one that is hidden now."""
    sizes, parts = splitter.sizes(), map(splitter.widget, range(splitter.count()))
    return [None if part is None or part.isHidden() else round(size / sum(sizes), 4)
            for size, part in zip(sizes, parts, strict=True)]  # fmt: skip


def _divide(splitter: QSplitter, shares: object) -> None:
    """Give each part its share; one of which nothing is known keeps what it has."""
    if not isinstance(shares, list) or len(shares) != splitter.count():
        return
    known = [share for share in shares if type(share) is float and 1 / _FINE <= share <= 1]
    if not known or len(known) + shares.count(None) != len(shares):
        return
    sizes = splitter.sizes()
    whole = sum(size for size, share in zip(sizes, shares, strict=True) if share is not None)
    unit = (whole or _FINE) / sum(known)
    splitter.setSizes([
        size if share is None else max(round(share * unit), 1)
        for size, share in zip(sizes, shares, strict=True)
    ])  # fmt: skip


def _known(key: object) -> str:
    keys = [entry.key for room in rooms.ROOMS for entry in room.panels]
    return str(key) if key in keys else ""


def _encoded(place: bytes) -> str:
    return base64.b64encode(place).decode("ascii")


def _decoded(place: str) -> bytes:
    try:
        return base64.b64decode(place, validate=True)
    except (ValueError, binascii.Error):
        return b""
