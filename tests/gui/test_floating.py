"""Panels in windows of their own: taken out, several at once, put back, and all works in them."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTabBar

from lmstudio.gui.app import Program
from lmstudio.gui.widgets import disable
from lmstudio.store.settings import Settings
from lmstudio.training.machine import Machine
from tests.gui.conftest import clipped, settle

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def activate(window):
    window.activateWindow()
    QApplication.processEvents()


def float_(window, *keys):
    """Take panels out; the windows that they have."""
    for key in keys:
        window.floats.take_out(key)
    activate(window)
    return [window.floats.window_of(key) for key in keys]


def test_by_its_key_a_panel_is_taken_out_and_put_back(window, qtbot):
    window.show_panel("masks")
    panel = window.panel("masks")
    activate(window)
    qtbot.keyClick(window, Qt.Key.Key_Return, CTRL | SHIFT)
    made = window.floats.window_of("masks")
    assert made.isVisible()
    assert made.windowTitle() == "Masks"
    assert panel.window() is made
    assert panel.isVisible()
    assert window.current_panel != "masks"
    activate(made)
    qtbot.keyClick(made, Qt.Key.Key_Return, CTRL | SHIFT)
    assert window.floats.keys == []
    assert window.current_panel == "masks"
    assert panel.window() is window
    assert panel.isVisible()


def test_by_the_menu_of_its_tab_and_back_by_closing(window):
    window.show_panel("curves")
    menu = window._bar.tab_menu(1)
    menu.actions()[0].trigger()
    menu.close()
    assert window.floats.keys == ["head_to_head"]
    assert window.current_panel == "curves"
    tabs = window._bar.findChild(QTabBar)
    assert not tabs.tabIcon(1).isNull()
    assert tabs.tabToolTip(1)
    window.floats.window_of("head_to_head").close()
    assert tabs.tabIcon(1).isNull()
    assert window.current_panel == "head_to_head"


def test_several_float_and_the_room_goes_on(window):
    one, two, three = float_(window, "curves", "scaling", "masks")
    assert len({one.pos().x(), two.pos().x(), three.pos().x()}) == 3
    window.show_room("compare")
    assert window.current_panel in ("head_to_head", "reach", "replay")
    window.show_panel("scaling")
    QApplication.processEvents()
    assert QApplication.activeWindow() is two
    assert window.current_panel != "scaling", "it is in front, in its own window"
    assert window._bar._tabs.currentIndex() == 1


def test_the_start_stays_and_an_empty_room_shows_it(window):
    window.show_panel("welcome")
    window.floats.take_out("welcome")
    assert window.floats.keys == []
    float_(window, "new_run", "queue")
    assert window.current_panel == "welcome"
    window.show_room("train")
    QApplication.processEvents()
    assert window.floats.active() in ("new_run", "queue")


def test_keys_act_on_the_panel_whose_window_is_active(window, qtbot, monkeypatch):
    window.show_panel("disk")
    (made,) = float_(window, "trash")
    pressed = []
    for key in ("disk", "trash"):
        panel = window.panel(key)
        monkeypatch.setattr(panel, "export", lambda key=key: pressed.append(("export", key)))
        monkeypatch.setattr(panel, "search", lambda key=key: pressed.append(("search", key)))
        monkeypatch.setattr(panel, "stop", lambda key=key: pressed.append(("stop", key)) or True)
        panel.primary.clicked.connect(lambda *_, key=key: pressed.append(("primary", key)))
    for place, key in ((made, "trash"), (window, "disk")):
        activate(place)
        pressed.clear()
        for letter in (Qt.Key.Key_E, Qt.Key.Key_F, Qt.Key.Key_Period, Qt.Key.Key_Return):
            qtbot.keyClick(place, letter, CTRL)
        kinds = ["export", "search", "stop", "primary"]
        assert [one for one in pressed if one[0] in kinds] == [(kind, key) for kind in kinds]
        if key == "trash":
            window.show_panel("disk")


def test_f1_shows_the_page_of_the_floating_panel(window, qtbot):
    window.show_panel("corpora")
    (made,) = float_(window, "masks")
    activate(made)
    qtbot.keyClick(made, Qt.Key.Key_F1)
    assert window.help_window.pages.page.key == "masks"
    window.help_window.hide()


def test_a_disabled_main_action_says_why_from_there_too(window, qtbot):
    (made,) = float_(window, "corpora")
    panel = window.panel("corpora")
    disable(panel.primary, "Not yet.")
    said = []
    window.jobbar.say = said.append
    activate(made)
    qtbot.keyClick(made, Qt.Key.Key_Return, CTRL)
    assert said == ["Not yet."]


def test_tab_stays_in_the_window(window, qtbot):
    (made,) = float_(window, "corpora")
    activate(made)
    for _ in range(40):
        QTest.keyClick(made.focusWidget() or made, Qt.Key.Key_Tab)
        assert made.isAncestorOf(QApplication.focusWidget())


def test_the_palette_opens_over_the_main_window(window, qtbot):
    (made,) = float_(window, "corpora")
    activate(made)
    qtbot.keyClick(made, Qt.Key.Key_K, CTRL)
    QApplication.processEvents()
    assert window.palette_box.isVisible()
    assert QApplication.activeWindow() is window
    window.palette_box.hide()


@pytest.mark.parametrize("key", ["curves", "masks", "corpora", "tasks", "settings"])
def test_nothing_is_clipped_in_a_floating_window(window, key):
    (made,) = float_(window, key)
    assert not clipped(made)
    assert not made.grab().isNull()


@pytest.mark.parametrize("change", ["language", "scale"])
def test_they_survive_a_new_window(qapp, tmp_path, change):
    program = Program(qapp, Settings(theme="light"), tmp_path / "workspace")
    program.state.machine = Machine(cores=2, memory_bytes=0)
    program.state.open_workspace(tmp_path / "workspace")
    first = program.window
    first.show()
    first.show_panel("settings")
    made = float_(first, "masks", "curves")
    made[0].setGeometry(6, 7, 770, 640)
    if change == "language":
        program.state.set_language("zh_CN")
    else:
        program.state.set_scale(1.2)
    settle()
    assert program.window is not first
    assert program.window.floats.keys == ["masks", "curves"]
    assert program.window.current_panel == "settings"
    again = program.window.floats.window_of("masks")
    assert again.height() == 640
    assert again.isVisible()
    if change == "language":
        assert again.windowTitle() == "填空"
    program.state.set_scale(1.0)
    program.close()
    settle()


def test_they_are_there_after_a_restart(qapp, tmp_path):
    for _ in range(2):
        program = Program(qapp, Settings.load(), tmp_path / "workspace")
        program.state.machine = Machine(cores=2, memory_bytes=0)
        program.state.open_workspace(tmp_path / "workspace")
        program.window.show()
        program.window.take_up(program.window.remembered.floating())
        before = program.window.floats.keys
        if not before:
            float_(program.window, "disk")[0].resize(780, 600)
        window = program.window.floats.window_of("disk")
        assert window.height() == 600
        program.window.close()
        assert not window.isVisible()
        program.close()
        settle()
    assert before == ["disk"]
