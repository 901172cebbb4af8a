"""Walks over all panels and dialogs: names for screen readers, reasons, Tab, and input methods."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QScrollBar,
    QTabBar,
    QTableView,
    QTextEdit,
    QWidget,
)

from lmstudio import messages
from lmstudio.gui import reading_order, rooms
from lmstudio.gui.rows_view import RowsView
from lmstudio.gui.window import Window
from lmstudio.operations.changes import Changes
from tests.gui.panels import run_workspace

PANELS = [entry.key for room in rooms.ROOMS for entry in room.panels]
CONTROLS = (QAbstractButton, QLineEdit, QComboBox, QAbstractSpinBox, QAbstractSlider,
            QAbstractItemView, QPlainTextEdit, QTextEdit, QTabBar)  # fmt: skip
DECORATIONS = ("ContextStrip", "Mark", "Swatch", "Picture", "Spark", "ProgressLine")
"""Painted beside the words that say the same."""

FIELDS = (QLineEdit, QPlainTextEdit, QTextEdit)


@pytest.fixture
def filled(app_state):
    """Something to show in most panels."""
    ws = app_state.workspace
    cut = run_workspace.segmented(ws)
    run_workspace.counted(ws, cut, 2)
    run_workspace.made_up(ws, cut, "lstm")
    app_state.apply(Changes(corpora=True, segmentations=True, runs=True, new_id=cut))
    return app_state


def windowed(state, qtbot):
    window = Window(state)
    qtbot.addWidget(window)
    window.resize(1366, 768)
    window.show()
    return window


def parts_of_qt(widget: QWidget) -> bool:
    """What Qt has made inside of a control of ours: its line edit, its list, its arrows."""
    inside = widget.objectName().startswith("qt_") or isinstance(widget, QScrollBar)
    above = widget.parentWidget()
    while above is not None and not inside:
        inside = isinstance(above, (QComboBox, QAbstractSpinBox, QTabBar, QLineEdit)) or (
            isinstance(above, QAbstractItemView) and not isinstance(widget, (QLineEdit, QComboBox))
        )
        above = above.parentWidget()
    return inside


def controls(root: QWidget) -> list[QWidget]:
    """Ours, shown or not."""
    found = [one for one in root.findChildren(QWidget) if not parts_of_qt(one)]
    focusable = [
        one
        for one in found
        if one.focusPolicy() & Qt.FocusPolicy.TabFocus and one.focusProxy() is None
    ]
    return [one for one in found if isinstance(one, CONTROLS)] + [
        one for one in focusable if not isinstance(one, CONTROLS)
    ]  # fmt: skip


def is_named(widget: QWidget) -> bool:
    if widget.accessibleName().strip():
        return True
    if isinstance(widget, QAbstractButton) and widget.text().strip():
        return True
    if isinstance(widget, QAbstractButton) and not widget.isVisible():
        return True  # it gets its text when there is something to press it for
    return any(one.buddy() is widget for one in widget.window().findChildren(QLabel))


def is_picture(widget: QWidget) -> bool:
    """Something that we paint and that tells more than a word beside it."""
    ours = (one for one in type(widget).__mro__ if one.__module__.startswith("lmstudio"))
    paints = any("paintEvent" in vars(one) for one in ours)
    return paints and not isinstance(widget, (*CONTROLS, QLabel)) and (
        type(widget).__name__ not in DECORATIONS
    )  # fmt: skip


def nameless(root: QWidget) -> list[str]:
    return [f"{type(one).__name__} in {type(one.parentWidget()).__name__}"
            for one in [*controls(root), *filter(is_picture, root.findChildren(QWidget))]
            if not is_named(one)]  # fmt: skip


@pytest.mark.parametrize("language", messages.LANGUAGES)
def test_every_control_of_every_panel_has_a_name(filled, qtbot, language):
    messages.use(language)
    window = windowed(filled, qtbot)
    wrong = {}
    for key in PANELS:
        window.show_panel(key)
        if found := nameless(window.panel(key)):
            wrong[key] = found
    for one in (window._rail, window._bar, window.jobbar, window.undo_bar, window.palette_box):
        if found := nameless(one):
            wrong[type(one).__name__] = found
    assert not wrong, "\n".join(f"{key}: {found}" for key, found in wrong.items())


def test_a_control_that_is_off_says_why(filled, qtbot):
    window = windowed(filled, qtbot)
    wrong = {}
    for key in PANELS:
        window.show_panel(key)
        panel = window.panel(key)
        off = [one for one in panel.findChildren(QWidget)
               if isinstance(one, (QAbstractButton, QComboBox, QLineEdit, QAbstractSpinBox))
               and one.isVisible() and not one.isEnabled() and not parts_of_qt(one)]  # fmt: skip
        found = [f"{type(one).__name__} {one.accessibleName()}" for one in off
                 if not (one.toolTip() or one.accessibleDescription())]  # fmt: skip
        if found:
            wrong[key] = found
    assert not wrong, "\n".join(f"{key}: {found}" for key, found in wrong.items())


@pytest.mark.parametrize("key", PANELS)
def test_tab_reaches_each_stop_of_a_panel_once_and_leaves_it(filled, qtbot, key):
    window = windowed(filled, qtbot)
    window.show_panel(key)
    window.activateWindow()
    QApplication.processEvents()
    panel = window.panel(key)
    stops = [stop for stop in reading_order.stops(window) if panel.isAncestorOf(stop)]
    assert len({id(stop) for stop in stops}) == len(stops)
    if not stops:
        return
    stops[0].setFocus(Qt.FocusReason.TabFocusReason)
    reached = [stops[0]]
    for _ in range(len(stops) + 2):
        QTest.keyClick(window.focusWidget(), Qt.Key.Key_Tab)
        if not panel.isAncestorOf(window.focusWidget()):
            break
        reached.append(window.focusWidget())
    assert not panel.isAncestorOf(window.focusWidget()), "Tab does not leave the panel"
    assert reached == stops
    inputs = [one for one in panel.findChildren(QWidget)
              if isinstance(one, (QLineEdit, QComboBox, QAbstractSpinBox, QTableView))
              and one.isVisible() and one.isEnabled() and not parts_of_qt(one)
              and one.focusPolicy() & Qt.FocusPolicy.TabFocus]  # fmt: skip
    missed = [f"{type(one).__name__} {one.accessibleName()}" for one in inputs
              if not any(stop is one or stop.isAncestorOf(one) for stop in stops)]  # fmt: skip
    assert not missed


def test_every_table_of_every_panel_can_be_copied_and_saved(filled, qtbot):
    window = windowed(filled, qtbot)
    for key in PANELS:
        window.show_panel(key)
        for table in window.panel(key).findChildren(QTableView):
            assert isinstance(table, RowsView), f"{key}: {table.accessibleName()}"
            menu = table.menu()
            titles = [action.text().partition("\t")[0] for action in menu.actions()]
            assert titles[-5:-2] == ["Copy", "Copy with header", "Copy all"], key
            assert titles[-1] == "Export the table…", key
            menu.close()
            header = table.copied([], header=True).split("\t")
            shown = [n for n in range(table.model().columnCount()) if not table.isColumnHidden(n)]
            assert len(header) == max(len(shown), 1), key
            assert table.receivers("2export_wanted()"), f"{key}: {table.accessibleName()}"


def test_text_fields_take_what_an_input_method_commits(filled, qtbot):
    """Case I-4: two characters at once, and none of the fields in a pop-up."""
    window = windowed(filled, qtbot)
    for key in PANELS:
        window.show_panel(key)
        for field in window.panel(key).findChildren(QWidget):
            if not isinstance(field, FIELDS) or parts_of_qt(field):
                continue
            assert field.window().windowType() != Qt.WindowType.Popup, key
            if not field.isVisible() or not field.isEnabled() or field.isReadOnly():
                continue
            text = QLineEdit.text if isinstance(field, QLineEdit) else type(field).toPlainText
            if isinstance(field, QLineEdit) and (field.validator() or field.inputMask()):
                continue
            field.clear()
            field.setFocus()
            QApplication.sendEvent(field, QInputMethodEvent("ni", []))
            assert text(field) == "", f"{key}: {field.accessibleName()}"
            commit = QInputMethodEvent("", [])
            commit.setCommitString("你好")
            QApplication.sendEvent(field, commit)
            assert text(field) == "你好", f"{key}: {field.accessibleName()}"
            field.clear()
