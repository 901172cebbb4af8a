"""The window: rooms and tabs, shortcuts, drops, the palette, languages, errors, the way out."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QInputMethodEvent, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QTableView

from lmstudio import messages
from lmstudio.gui import rooms, theme
from lmstudio.gui.app import Program
from lmstudio.gui.dialogs.error import ErrorDialog
from lmstudio.gui.hooks import Hooks
from lmstudio.gui.window import Window
from lmstudio.jobs import Job
from lmstudio.operations import corpora
from lmstudio.operations.changes import Changes
from lmstudio.store.settings import Settings
from lmstudio.store.workspace import Workspace
from lmstudio.training.machine import Machine
from tests.gui.conftest import assert_fits, clipped, settle
from tests.gui.panels import run_workspace

PANELS = [entry.key for room in rooms.ROOMS for entry in room.panels]
COPY = Qt.DropAction.CopyAction
NONE = Qt.KeyboardModifier.NoModifier
LEFT = Qt.MouseButton.LeftButton


def drop(window: Window, *urls: QUrl) -> list[list[Path]]:
    """Drop files as Qt delivers it; what the corpora panel was given."""
    given, data = [], QMimeData()
    data.setUrls(list(urls))
    window.panel("corpora").open_files = given.append
    enter = QDragEnterEvent(QPoint(300, 300), COPY, data, LEFT, NONE)
    QApplication.sendEvent(window, enter)
    assert window.drops.overlay.isVisible() == enter.isAccepted()
    QApplication.sendEvent(window, QDropEvent(QPointF(300, 300), COPY, data, LEFT, NONE))
    assert not window.drops.overlay.isVisible()
    return given


def test_importing_the_window_imports_nothing_heavy():
    code = (
        "import sys, lmstudio.gui.app; "
        "print([m for m in ('torch', 'pyqtgraph', 'jieba', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_rooms_and_panels_by_keyboard(window, qtbot):
    assert window.current_panel == "welcome"
    qtbot.keyClick(window, Qt.Key.Key_7, Qt.KeyboardModifier.AltModifier)
    assert window.current_panel == "settings"
    qtbot.keyClick(window, Qt.Key.Key_4, Qt.KeyboardModifier.ControlModifier)
    assert window.current_panel == "help"
    window.next_panel()
    assert window.current_panel == "settings"
    window.show_panel("disk")
    qtbot.keyClick(window, Qt.Key.Key_1, Qt.KeyboardModifier.AltModifier)
    qtbot.keyClick(window, Qt.Key.Key_7, Qt.KeyboardModifier.AltModifier)
    assert window.current_panel == "disk", "a room opens at the panel last seen in it"


def test_f1_shows_the_page_of_the_panel_and_hides_it(window, qtbot):
    window.show_panel("masks")
    qtbot.keyClick(window, Qt.Key.Key_F1)
    assert window.current_panel == "masks"
    assert window.help_window.pages.page.key == "masks"
    window.show_panel("curves")
    assert window.help_window.pages.page.key == "curves"
    window.show_help()
    assert not window.help_window.isVisible()
    window.show_panel("help")
    qtbot.keyClick(window, Qt.Key.Key_F1)
    assert not window.help_window.isVisible(), "the help has no page of its own"


def test_no_two_actions_share_a_shortcut(window):
    keys = [action.shortcut() for action in window.actions() if not action.shortcut().isEmpty()]
    assert len(keys) == len({key.toString() for key in keys})
    assert QKeySequence("Ctrl+K") in keys


def test_menus_come_with_f10_or_alt(window, qtbot):
    assert not window.menuBar().isVisible()
    qtbot.keyClick(window, Qt.Key.Key_F10)
    assert window.menuBar().isVisible()
    qtbot.keyPress(window, Qt.Key.Key_Alt)
    qtbot.keyRelease(window, Qt.Key.Key_Alt)
    assert not window.menuBar().isVisible()


def test_f6_goes_round_the_regions(window):
    visited = set()
    for _ in range(3):
        window.next_region()
        visited.add(window.focusWidget().objectName() or type(window.focusWidget()).__name__)
    assert len(visited) > 1


@pytest.mark.parametrize("name", ["语料 测试#1 100%25.txt", "a b.txt", "plain.txt"])
def test_a_dropped_file_keeps_its_name(window, tmp_path, name):
    file = tmp_path / name
    file.write_text("你好", encoding="utf-8")
    for room in ("settings", "welcome"):
        window.show_panel(room)
        assert drop(window, QUrl.fromLocalFile(str(file))) == [[file]]
        assert window.current_panel == "corpora"


def test_a_name_that_is_no_text_is_refused_politely(window, qtbot):
    with qtbot.waitSignal(window.state.problem) as told:
        assert drop(window, QUrl.fromEncoded(b"file:///tmp/bad%F0.txt")) == []
    assert "not valid UTF-8" in told.args[0]
    assert told.args[1] == ""


def test_what_is_not_a_file_is_not_taken(window):
    assert drop(window, QUrl("https://example.org/a.txt")) == []


def test_the_palette_finds_panels_and_goes_there(window, qtbot):
    window.show_palette()
    box = window.palette_box
    assert box.isVisible()
    qtbot.keyClicks(box.field, "sett")
    assert box.found.item(0).text().startswith("Settings")
    qtbot.keyClick(box.field, Qt.Key.Key_Return)
    assert window.current_panel == "settings"
    assert not box.isVisible()


def test_chinese_is_searched_once_it_is_committed(window):
    window.show_palette()
    box, searches = window.palette_box, []
    box.searched.connect(searches.append)
    QApplication.sendEvent(box.field, QInputMethodEvent("ni", []))
    assert box.field.text() == ""
    assert searches == []
    event = QInputMethodEvent("", [])
    event.setCommitString("你好")
    QApplication.sendEvent(box.field, event)
    assert searches == ["你好"]
    assert box.field.window() is window, "an input method does not work in a pop-up"
    box.hide()


@pytest.mark.parametrize("language", messages.LANGUAGES)
def test_every_panel_fits_a_small_screen(app_state, qtbot, language):
    messages.use(language)
    window = Window(app_state)
    qtbot.addWidget(window)
    window.resize(1366, 700)
    window.show()
    for key in PANELS:
        window.show_panel(key)
        assert_fits(window.panel(key))
        assert not clipped(window), f"{key}: {clipped(window)}"
    needed = window.minimumSizeHint()
    assert (needed.width(), needed.height()) <= (1366, 700)


def test_long_names_give_way(window):
    state, name = window.state, "语" * 100
    ws = state.workspace
    cut = run_workspace.segmented(ws, name=name)
    ws.rename("corpus", 1, name)
    run = run_workspace.made_up(ws, cut, name)
    state.apply(Changes(corpora=True, segmentations=True, runs=True, new_id=cut))
    state.select_runs((run,))
    for key in PANELS:
        window.show_panel(key)
    window.show_panel("curves")
    window.panel("curves").table.details_wanted.emit()
    QApplication.processEvents()
    needed = window.minimumSizeHint()
    assert needed.width() <= 1366, needed
    assert needed.height() <= 700, needed
    assert window.width() == 1366
    assert window.panel("curves").details.row.title.full_text() == name


def test_a_disabled_button_says_why(window):
    for key in PANELS:
        for button in window.panel(key).findChildren(QAbstractButton):
            if not button.isEnabled() and button.isVisibleTo(window.panel(key)):
                assert button.toolTip(), f"{key}: {button.text()}"


@pytest.mark.parametrize("key", [Qt.Key.Key_F, Qt.Key.Key_E])
def test_a_key_that_does_nothing_here_says_so(window, qtbot, key):
    window.show_panel("welcome")
    with qtbot.waitSignal(window.state.told) as told:
        qtbot.keyClick(window, key, Qt.KeyboardModifier.ControlModifier)
    assert "this panel" in told.args[0]


def test_icon_buttons_have_names(window):
    for key in PANELS:
        window.show_panel(key)
        for button in window.panel(key).findChildren(QAbstractButton):
            if button.objectName().startswith("qt_") or not button.isVisible():  # Qt's own
                continue
            assert button.text() or button.accessibleName() or button.toolTip(), f"{key}: {button}"


def test_a_problem_is_shown_with_details_to_copy(window):
    window.show_problem("The disk is full.", "Traceback: ...")
    dialog = window.findChild(ErrorDialog)
    dialog.copy()
    assert QApplication.clipboard().text() == "The disk is full.\n\nTraceback: ..."
    dialog.close()


def test_what_nobody_caught_reaches_the_main_thread(qapp, qtbot, caplog):
    hooks, where = Hooks(qapp), []
    hooks.problem.connect(lambda *_: where.append(threading.current_thread()))

    def break_down():
        raise ZeroDivisionError("in a thread")

    try:
        with qtbot.waitSignal(hooks.problem) as told:
            thread = threading.Thread(target=break_down)
            thread.start()
            thread.join()
    finally:
        hooks.remove()
        hooks.deleteLater()
    assert where == [threading.main_thread()]
    assert "in a thread" in told.args[1]
    caplog.clear()


def test_language_and_theme_change_while_it_runs(qapp, tmp_path):
    program = Program(qapp, Settings(theme="light"), tmp_path / "workspace")
    program.state.machine = Machine(cores=2, memory_bytes=0)
    first = program.window
    first.show_panel("settings")
    program.state.set_language("zh_CN")
    settle()
    assert program.window is not first
    assert program.window.current_panel == "settings"
    assert program.window.panel("settings").findChildren(QAbstractButton)
    program.state.set_theme("dark")
    program.state.set_scale(1.2)
    settle()
    assert not program.window.grab().isNull()
    program.state.set_scale(1.0)
    program.state.set_theme("light")
    program.close()
    assert Settings.load().layout["window"]
    settle()


@pytest.mark.parametrize(
    ("keys", "scale"), [("Ctrl+=", 1.1), ("Ctrl++", 1.1), ("Ctrl+-", 0.9), ("Ctrl+0", 1.0)]
)
def test_keys_change_the_scale(window, app_state, keys, scale, monkeypatch):
    """Ctrl and the key with + on it, with Shift or without."""
    monkeypatch.setattr(app_state.settings, "save", lambda: None)
    app_state.settings.scale = 1.0 if keys != "Ctrl+0" else 1.3
    QTest.keySequence(window, QKeySequence(keys))
    assert app_state.settings.scale == scale


@pytest.mark.slow
def test_every_panel_grows_with_the_scale(qapp, app_state, qtbot):
    """For the lecture hall: fonts and rows are larger everywhere, and nothing breaks."""
    theme.apply(qapp, "light", 1.5)
    try:
        window = Window(app_state)
        qtbot.addWidget(window)
        window.resize(1920, 1080)
        window.show()
        for key in PANELS:
            window.show_panel(key)
            panel = window.panel(key)
            assert not window.grab().isNull(), key
            sizes = {one.font().pixelSize() for one in panel.findChildren(QLabel) if one.text()}
            assert min(sizes, default=18) >= 18, key  # 12 at scale 1
            for table in panel.findChildren(QTableView):
                assert table.verticalHeader().defaultSectionSize() >= 36, key  # 24 at scale 1
    finally:
        theme.apply(qapp, "light", 1.0)


def test_a_window_that_is_replaced_is_not_styled_anew(qapp, tmp_path, monkeypatch):
    program = Program(qapp, Settings(theme="light"), tmp_path / "workspace")
    program.state.machine = Machine(cores=2, memory_bytes=0)
    while program.window.make_next_panel():
        pass
    styled = []
    monkeypatch.setattr(theme, "apply", lambda *_: styled.append(len(qapp.allWidgets())))
    before = len(qapp.allWidgets())
    program.state.set_language("zh_CN")
    settle()
    assert styled[0] < before / 4
    program.close()
    settle()


def test_nothing_of_a_window_that_was_replaced_hears_of_anything(qapp, tmp_path):
    program = Program(qapp, Settings(theme="light"), tmp_path / "workspace")
    program.state.machine = Machine(cores=2, memory_bytes=0)
    while program.window.make_next_panel():
        pass
    told = []
    program.state.problem.connect(lambda *words: told.append(words))
    old = list(dict(program.window.stack.panels()).values())  # their Python halves outlive them
    program.state.set_language("zh_CN")
    settle()
    theme.apply(qapp, "dark", 1.0)
    theme.apply(qapp, "light", 1.0)
    state = program.state
    names = ("workspace_changed", "corpora_changed", "runs_changed", "selection_changed")
    for signal in (*(getattr(state, name) for name in names), state.tuned.changed):
        signal.emit()
    settle()
    assert not told
    assert old
    program.close()
    settle()


def test_another_workspace_is_another_window(qapp, tmp_path):
    """Both have a corpus 1 and a segmentation 1: nothing kept of one is shown of the other."""
    for name in ("甲", "乙"):
        with Workspace(tmp_path / name) as ws:
            corpora.import_text(ws, f"{name}的话。\n" * 9, name=name, job=Job())
    program = Program(qapp, Settings(theme="light"), tmp_path / "甲")
    program.state.machine = Machine(cores=2, memory_bytes=0)
    program.state.open_workspace(tmp_path / "甲")
    program.window.show_panel("corpora")
    assert program.window.panel("corpora").text.visible_text().startswith("甲")
    program.state.open_workspace(tmp_path / "乙")
    settle()
    assert program.window.current_panel == "corpora"
    assert program.window.panel("corpora").text.visible_text().startswith("乙")
    program.close()
    settle()
