"""ACTIONS: the one table of what the menus, the shortcuts and the command palette offer."""

from dataclasses import dataclass
from operator import attrgetter

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu

from lmstudio.gui.rooms import ROOMS
from lmstudio.gui.tours import TOURS
from lmstudio.messages import msg, tr


@dataclass(frozen=True)
class Entry:
    """`slot` is a method of the window, or of what it holds; `key` is unique."""

    key: str
    menu: str  # a catalogue sentence
    title: str  # a catalogue sentence
    slot: str
    shortcut: str = ""  # several have spaces between
    after_line: bool = False  # a separator stands before it


FILE, EDIT, VIEW, RUN, HELP = msg("File"), msg("Edit"), msg("View"), msg("Run"), msg("Help")

ACTIONS: tuple[Entry, ...] = (
    Entry("import", FILE, msg("Import files…"), "asking.choose_files", "Ctrl+O"),
    Entry("import_folder", FILE, msg("Import a folder…"), "asking.choose_folder"),
    Entry("import_run", FILE, msg("Import runs…"), "packing.choose_runs"),
    Entry("import_model", FILE, msg("Import a model…"), "models.choose"),
    Entry("new", FILE, msg("New workspace…"), "asking.new_workspace", after_line=True),
    Entry("open", FILE, msg("Open a workspace…"), "asking.open_workspace", "Ctrl+Shift+O"),
    Entry("pack", FILE, msg("Pack this workspace…"), "packing.pack"),
    Entry("unpack", FILE, msg("Open a packed workspace…"), "packing.choose_packed"),
    Entry("export", FILE, msg("Export…"), "export", "Ctrl+E", after_line=True),
    Entry("quit", FILE, msg("Quit"), "close", "Ctrl+Q", after_line=True),
    Entry("find", EDIT, msg("Find in this panel"), "search", "Ctrl+F"),
    Entry("palette", EDIT, msg("Find anything…"), "show_palette", "Ctrl+K"),
    Entry("settings", EDIT, msg("Settings"), "show_settings", "Ctrl+,", after_line=True),
    Entry("next", VIEW, msg("Next panel"), "next_panel", "Ctrl+Tab"),
    Entry(
        "float", VIEW, msg("In a window of its own, or back"), "floats.toggle", "Ctrl+Shift+Return"
    ),
    Entry("region", VIEW, msg("Next region"), "next_region", "F6"),
    Entry("larger", VIEW, msg("Larger"), "state.larger", "Ctrl++ Ctrl+=", after_line=True),
    Entry("smaller", VIEW, msg("Smaller"), "state.smaller", "Ctrl+-"),
    Entry("normal", VIEW, msg("Normal size"), "state.normal_size", "Ctrl+0"),
    Entry("menus", VIEW, msg("Show or hide the menus"), "toggle_menus", "F10", after_line=True),
    Entry("primary", RUN, msg("Main action of this panel"), "press_primary", "Ctrl+Return"),
    Entry(
        "pause", RUN, msg("Pause the running job, or let it go on"), "jobbar.pause", "Ctrl+Shift+."
    ),
    Entry("stop", RUN, msg("Stop the running job"), "stop", "Ctrl+."),
    Entry("help", HELP, msg("Help"), "show_help", "F1"),
    Entry("log", HELP, msg("Open the log file"), "asking.open_log"),
    Entry("report", HELP, msg("Report a problem…"), "asking.report_problem"),
)


def build(window: QMainWindow) -> dict[str, QAction]:
    """The actions, connected and on the menus of `window`, by key."""
    made: dict[str, QAction] = {}
    menus = {title: window.menuBar().addMenu(tr(title)) for title in (FILE, EDIT, VIEW, RUN, HELP)}
    for entry in ACTIONS:
        action = QAction(tr(entry.title), window)
        action.setObjectName(entry.key)
        if entry.shortcut:
            action.setShortcuts([QKeySequence(keys) for keys in entry.shortcut.split()])
            action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        action.triggered.connect(attrgetter(entry.slot)(window))
        window.addAction(action)  # so that the shortcut works while the menus are hidden
        if entry.after_line:
            menus[entry.menu].addSeparator()
        menus[entry.menu].addAction(action)
        made[entry.key] = action
    menus[HELP].addSeparator()
    return made | _tours(window, menus[HELP])


def _tours(window: QMainWindow, menu: QMenu) -> dict[str, QAction]:
    """The guided tours, by "tour_" and their keys; the data of an action is the key."""
    group, made = QActionGroup(window), {}
    for tour in TOURS:
        action = menu.addAction(tr("Tour: {title}", title=tr(tour.title)))
        action.setData(tour.key)
        action.setObjectName(f"tour_{tour.key}")
        made[f"tour_{tour.key}"] = group.addAction(action)
    group.triggered.connect(attrgetter("guide.take")(window))
    return made


def places(window: QMainWindow) -> QActionGroup:
    """Alt+n for the rooms, also in the View menu, and Ctrl+n for the panels of a room.

    The data of an action is the key of its room, or the number of its panel.
    """
    group = QActionGroup(window)
    view = window.menuBar().actions()[2].menu()
    for number, room in enumerate(ROOMS, 1):
        action = _place(group, tr(room.title), f"Alt+{number}", room.key)
        view.insertAction(view.actions()[number - 1], action)  # type: ignore[attr-defined]
    for number in range(1, 10):
        _place(group, tr("Panel {number}", number=number), f"Ctrl+{number}", number - 1)
    window.addActions(group.actions())
    return group


def _place(group: QActionGroup, title: str, keys: str, data: str | int) -> QAction:
    action = QAction(title, group)
    action.setShortcut(QKeySequence(keys))
    action.setData(data)
    return action
