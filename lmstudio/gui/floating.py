"""Panels in windows of their own: taken out of the room, put back when such a window is closed.

What works in the main window works in these: they have its actions, and those that are about a
panel are about theirs.
"""

from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QObject, Qt, Signal, Slot
from PySide6.QtGui import QCloseEvent, QMoveEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from lmstudio.gui import reading_order, rooms, theme
from lmstudio.gui.panels.panel import Panel
from lmstudio.messages import tr

if TYPE_CHECKING:
    from lmstudio.gui.window import Window

HOME = "welcome"
"""The panel that stays in the window, so that there is always one."""


class FloatingWindow(QWidget):
    """One panel. It stays in front of the main window, and goes with it."""

    closed = Signal(str)  # the key of its panel
    moved = Signal()

    def __init__(self, key: str, panel: Panel, window: "Window") -> None:
        super().__init__(window, Qt.WindowType.Window)
        self.key, self.panel, self.state = key, panel, window.state
        self.setObjectName("floating")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setWindowTitle(tr(rooms.find(key)[1].title))
        self.addActions(window.actions())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(panel)
        panel.show()

    def focusNextPrevChild(self, forward: bool) -> bool:  # noqa: FBT001, N802
        return reading_order.step(self, forward=forward)

    def moveEvent(self, event: QMoveEvent) -> None:  # noqa: N802
        super().moveEvent(event)
        self.moved.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self.moved.emit()

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        event.accept()
        self.closed.emit(self.key)


class Floats(QObject):
    """Takes panels out of a window and puts them back."""

    changed = Signal()  # others float
    moved = Signal()  # one of their windows stands elsewhere

    def __init__(self, window: "Window") -> None:
        super().__init__(window)
        self._window = window
        self._open: dict[str, FloatingWindow] = {}
        self.settled = False  # those of the last time were taken out, or others by the user
        self.gathered: dict[str, bytes] = {}  # where those stood that `gather` has put back

    @property
    def keys(self) -> list[str]:
        """The panels that float."""
        return list(self._open)

    def window_of(self, key: str) -> FloatingWindow | None:
        """The window of a panel; None for one in its room."""
        return self._open.get(key)

    def active(self) -> str:
        """The panel whose window the user is at; "" for the main window."""
        at = QApplication.activeWindow()
        return next((key for key, one in self._open.items() if one is at), "")

    @Slot()
    def toggle(self) -> None:
        """Take out the panel that the user is at, or put it back."""
        if key := self.active():
            self._open[key].close()
        else:
            self.take_out(self._window.current_panel)

    @Slot(str)
    def take_out(self, key: str, place: bytes = b"") -> None:
        """Give a panel a window, at a `place` that `places` told; else beside the main one."""
        if key == HOME or key in self._open:
            if key == HOME:
                self._window.jobbar.say(tr("This panel stays in the main window."))
            return
        made = FloatingWindow(key, self._window.panel(key), self._window)
        self._open[key] = made
        if self._window.current_panel == key:
            self._window.show_panel(self._other(key))
        made.closed.connect(self.put_back)
        made.moved.connect(self.moved)
        if not made.restoreGeometry(QByteArray(place)):
            made.resize(theme.px(960), theme.px(640))
            corner = self._window.geometry().topLeft()
            away = theme.px(48) * len(self._open)
            made.move(corner.x() + away, corner.y() + away)
        self._window.drops.watch(made)
        made.installEventFilter(self._window.undo_bar)
        made.show()
        made.activateWindow()
        self.settled = True
        self.changed.emit()

    def _other(self, key: str) -> str:
        """What the main window shows instead: another panel of the room, or the start."""
        beside = [one.key for one in rooms.find(key)[0].panels if one.key not in self._open]
        return beside[0] if beside else HOME

    @Slot(str)
    def put_back(self, key: str) -> None:
        """Put a panel back into its room, and show it there."""
        self._give_back(key)
        self.changed.emit()
        self._window.show_panel(key)

    def _give_back(self, key: str) -> None:
        window = self._open.pop(key)
        self._window.stack.addWidget(window.panel)
        window.hide()
        window.deleteLater()

    def raise_window(self, key: str) -> bool:
        """Bring the window of a panel to the front; False where it has none."""
        if (window := self._open.get(key)) is None:
            return False
        window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
        window.show()
        window.raise_()
        window.activateWindow()
        return True

    def places(self) -> dict[str, bytes]:
        """Where the windows are, for `take_out`."""
        return {key: bytes(one.saveGeometry().data()) for key, one in self._open.items()}

    def gather(self) -> None:
        """Put all back without showing them: another main window comes, and takes them out."""
        self.gathered, self.settled = self.places(), False
        for key in self.keys:
            self._give_back(key)

    def hide(self) -> None:
        """With the main window."""
        for window in self._open.values():
            window.hide()
