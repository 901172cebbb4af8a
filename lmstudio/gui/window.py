"""Window: rail, top bar, the panels of the rooms, job bar. It shows and forwards; state is kept
in AppState, work is done by operations.
"""

from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction, QCloseEvent, QKeyEvent, QMoveEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMainWindow, QVBoxLayout, QWidget

from lmstudio.gui import actions, drop, reading_order, rooms
from lmstudio.gui.asking import Asking
from lmstudio.gui.dialogs.error import ErrorDialog
from lmstudio.gui.dropping import Dropping
from lmstudio.gui.floating import Floats
from lmstudio.gui.help_window import HelpWindow
from lmstudio.gui.jobbar import JobBar
from lmstudio.gui.model_import import ModelImport
from lmstudio.gui.packing import Packing
from lmstudio.gui.palette import Palette
from lmstudio.gui.palette_choices import choices
from lmstudio.gui.panel_stack import PanelStack
from lmstudio.gui.panels.panel import Panel
from lmstudio.gui.rail import Rail
from lmstudio.gui.remembered import Remembered
from lmstudio.gui.state import AppState
from lmstudio.gui.topbar import TopBar
from lmstudio.gui.tours.guide import Guide
from lmstudio.gui.undo_bar import UndoBar
from lmstudio.messages import tr

TITLE = "语言模型工作台 · LM Workbench"  # in both languages at once


class Window(QMainWindow):
    """One window over one state. Thrown away and made anew when language or scale change."""

    painted = Signal()  # once, after the first paint
    closed = Signal()
    workspace_given = Signal(list)  # paths, one of which leads to a workspace

    def __init__(self, state: AppState) -> None:
        super().__init__()
        self.state = state
        self._alt_alone = False
        self._has_painted = False
        self.setWindowTitle(TITLE)
        self._build()
        self.drops, self.floats, self.remembered = Dropping(self), Floats(self), Remembered(self)
        self.resize(1366, 768)
        self.asking, self.packing = Asking(self.state, self), Packing(self.state, self)
        self.models = ModelImport(self.state, self)
        self.help_window, self.guide = HelpWindow(self), Guide(self)
        self.actions_by_key = actions.build(self)
        self.menuBar().setVisible(self.menuBar().isNativeMenuBar())
        actions.places(self).triggered.connect(self._go)
        self._connect()
        self.show_panel("welcome")
        self.setFocus()  # not the first button of the rail

    def _build(self) -> None:
        self._rail, self._bar = Rail(self), TopBar(self.state, self)
        self.jobbar, self.stack = JobBar(self.state, self), PanelStack(self.state, self)
        self.undo_bar = UndoBar(self.state, self)
        upper = QVBoxLayout()
        upper.addWidget(self._bar)
        upper.addWidget(self.stack, 1)
        upper.addWidget(self.undo_bar)
        middle = QHBoxLayout()
        middle.addWidget(self._rail)
        middle.addLayout(upper, 1)
        central = QWidget(self)
        whole = QVBoxLayout(central)
        whole.addLayout(middle, 1)
        whole.addWidget(self.jobbar)
        for layout in (upper, middle, whole):
            layout.setContentsMargins(0, 0, 0, 0)
            layout.setSpacing(0)
        self.setCentralWidget(central)
        self.palette_box = Palette(self)

    def _connect(self) -> None:
        self._rail.chosen.connect(self.show_room)
        self._bar.panel_chosen.connect(self.show_panel)
        self._bar.float_wanted.connect(self.floats.take_out)
        self._bar.palette_wanted.connect(self.show_palette)
        self._bar.help_wanted.connect(self.show_help)
        self.jobbar.queue_wanted.connect(self._show_queue)
        self.state.panel_wanted.connect(self.show_panel)
        self.state.files_given.connect(self.open_files)
        self.state.problem.connect(self.show_problem)
        self.stack.made.connect(self._restore_sizes)
        self.floats.changed.connect(self._show_tabs)
        for signal in (self.floats.changed, self.floats.moved):
            signal.connect(self.remembered.change)

    def restore(self, old: "Window") -> None:
        """Stand where `old` stood and show what it showed."""
        self.setGeometry(old.geometry())
        self.stack.remember(old.stack)
        self.show_panel(old.current_panel)
        self.guide.follow(old.guide)

    def take_up(self, floating: dict[str, bytes]) -> None:
        """Give panels windows of their own, and show the panel last seen in this workspace."""
        for key, place in floating.items():
            self.floats.take_out(key, place)
        if (seen := self.remembered.seen()) and self.floats.window_of(seen) is None:
            self.show_panel(seen)
        if floating:
            self.activateWindow()
        self.floats.settled = True

    # rooms and panels

    @property
    def current_panel(self) -> str:
        """The key of the panel on screen."""
        return self.stack.current

    @property
    def panel_at(self) -> str:
        """The key of the panel that the user is at: one in a window of its own, if that is."""
        return self.floats.active() or self.stack.current

    def panel(self, key: str) -> Panel:
        """A panel, made at the first call."""
        return self.stack.panel(key)

    def make_next_panel(self) -> bool:
        """Make a panel that was not made yet; False if there is none left."""
        return self.stack.make_next()

    @Slot(str)
    def show_panel(self, key: str) -> None:
        """Bring a panel, and its room, on screen; or the window that it has to the front."""
        if self.floats.raise_window(key):
            self._show_tabs()
        else:
            self._rail.show_room(self.stack.show_panel(key))
            self._show_tabs()
            self._restore_sizes(key)
            self.remembered.saw(key)
            if self.floats.active():
                self.activateWindow()
        self.help_window.follow(key)

    @Slot(str)
    def _restore_sizes(self, key: str) -> None:
        self.remembered.attach(key, self.panel(key))

    @Slot()
    def _show_tabs(self) -> None:
        room, _ = rooms.find(self.current_panel)
        self._bar.show_panel(room, self.current_panel, self.floats.keys)

    @Slot(str)
    def show_room(self, key: str) -> None:
        """Bring a room on screen with the panel last seen in it."""
        room = next(room for room in rooms.ROOMS if room.key == key)
        keys = [self.stack.last_of(room), *(entry.key for entry in room.panels)]
        self.show_panel(next((key for key in keys if key not in self.floats.keys), keys[0]))

    @Slot(QAction)
    def _go(self, action: QAction) -> None:
        place = action.data()
        if isinstance(place, str):
            self.show_room(place)
        else:
            self._show_nth_panel(place)

    def _show_nth_panel(self, number: int) -> None:
        panels = rooms.find(self.current_panel)[0].panels
        if number < len(panels):
            self.show_panel(panels[number].key)

    @Slot()
    def next_panel(self) -> None:
        """Show the next panel of the room."""
        keys = [entry.key for entry in rooms.find(self.current_panel)[0].panels]
        self.show_panel(keys[(keys.index(self.current_panel) + 1) % len(keys)])

    @Slot()
    def next_region(self) -> None:
        """Move the focus: rail, top bar, panel, the card of a tour, job bar, and round again."""
        panel = self.panel(self.current_panel)
        regions = [self._rail, self._bar, panel, self.guide.card, self.jobbar]
        reading_order.next_region(regions, self.focusWidget())

    # actions

    @Slot()
    def press_primary(self) -> None:
        """Press the main button of the panel; if it is off, say why."""
        primary = self.panel(self.panel_at).primary
        if primary is None:
            self.jobbar.say(tr("This panel has no main action."))
        elif primary.isEnabled():
            primary.click()
        else:
            self.jobbar.say(primary.toolTip())

    @Slot()
    def stop(self) -> None:
        """Stop what the panel on screen is at, or else the running job."""
        if not self.panel(self.panel_at).stop():
            self.jobbar.stop()

    @Slot()
    def search(self) -> None:
        """Search in the panel."""
        self.panel(self.panel_at).search()

    @Slot()
    def export(self) -> None:
        """Save what the panel shows."""
        self.panel(self.panel_at).export()

    @Slot(list)
    def open_files(self, paths: list[Path]) -> None:
        """Import files, wherever they came from: a drop, the menu, the command line.

        In the room of fine-tuning they hold labelled examples, else text. A workspace is opened.
        """
        if drop.workspace_among(paths)[0]:
            self.workspace_given.emit(paths)
        elif paths := self.models.take(self.packing.take(paths)):
            room = rooms.find(self.current_panel)[0]
            key = room.panels[0].key if room.key == "tasks" else "corpora"
            self.show_panel(key)
            self.panel(key).open_files(paths)

    @Slot()
    def show_settings(self) -> None:
        """Show the settings."""
        self.show_panel("settings")

    @Slot()
    def show_help(self) -> None:
        """Show the page of this panel, or hide it again."""
        if not self.help_window.toggle(self.panel_at):
            self.show_panel("help")

    @Slot()
    def _show_queue(self) -> None:
        self.show_panel("queue")

    @Slot()
    def toggle_menus(self) -> None:
        """Show or hide the menus; where they are native they are always there."""
        if not self.menuBar().isNativeMenuBar():
            self.menuBar().setVisible(not self.menuBar().isVisible())

    @Slot()
    def show_palette(self) -> None:
        """Find panels, actions and runs by typing."""
        self.activateWindow()  # from the window of a panel
        go = self.show_panel, self.help_window.show_page
        self.palette_box.open_with(choices(self.state, self.actions_by_key.values(), *go))

    @Slot(str, str)
    def show_problem(self, sentence: str, details: str) -> None:
        """Show what went wrong."""
        ErrorDialog(sentence, details, self).open()

    # events

    def focusNextPrevChild(self, forward: bool) -> bool:  # noqa: FBT001, N802
        return reading_order.step(self, forward=forward)

    def moveEvent(self, event: QMoveEvent) -> None:  # noqa: N802
        super().moveEvent(event)
        self.remembered.change()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self.remembered.change()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        self._alt_alone = event.key() == Qt.Key.Key_Alt
        super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() == Qt.Key.Key_Alt and self._alt_alone:
            self.toggle_menus()
        self._alt_alone = False
        super().keyReleaseEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        super().paintEvent(event)
        if not self._has_painted:
            self._has_painted = True
            self.painted.emit()

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        event.accept()
        self.remembered.save()
        self.floats.hide()
        self.hide()
        self.closed.emit()
