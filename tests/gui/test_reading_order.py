"""Tab goes through a panel as it is read, whatever was made first and comes and goes."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import (
    QApplication,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QWidget,
)

from lmstudio.gui import reading_order
from lmstudio.gui.dialogs.dialog import Dialog
from lmstudio.operations.changes import Changes
from tests.gui.panels import run_workspace


@pytest.fixture
def cut(app_state):
    """Something to show in each panel."""
    made = run_workspace.segmented(app_state.workspace)
    app_state.apply(Changes(corpora=True, segmentations=True, new_id=made))


def names(widgets):
    return [widget.objectName() for widget in widgets]


def named(kind, name, parent):
    made = kind(parent)
    made.setObjectName(name)
    return made


def test_the_order_is_that_of_the_layouts(qtbot):
    page = QWidget()
    qtbot.addWidget(page)
    last, first, hidden, off = (named(QPushButton, n, page) for n in ("d", "a", "hidden", "off"))
    grid, row = QGridLayout(), QHBoxLayout()
    for name, place in (("c", (1, 0)), ("b", (0, 0))):
        grid.addWidget(named(QLineEdit, name, page), *place)
    whole = QHBoxLayout(page)
    row.addWidget(first)
    whole.addLayout(row)
    for widget in (hidden, off):
        whole.addWidget(widget)
    whole.addLayout(grid)
    whole.addWidget(last)
    hidden.hide()
    off.setEnabled(False)
    page.show()
    assert names(reading_order.stops(page)) == ["a", "b", "c", "d"]


def test_tab_and_shift_tab_go_round_a_dialog(qtbot):
    dialog = Dialog("?")
    dialog.add_cancel()
    field = named(QLineEdit, "field", dialog)
    dialog.body.addWidget(field)
    accept = dialog.add_primary("OK")
    dialog.show()
    qtbot.waitExposed(dialog)
    field.setFocus()
    qtbot.keyClick(field, Qt.Key.Key_Tab)
    qtbot.keyClick(dialog.focusWidget(), Qt.Key.Key_Tab)
    assert dialog.focusWidget() is accept
    qtbot.keyClick(accept, Qt.Key.Key_Tab)
    assert dialog.focusWidget() is field
    qtbot.keyClick(field, Qt.Key.Key_Backtab)
    assert dialog.focusWidget() is accept
    dialog.close()


@pytest.mark.parametrize("key", ["corpora", "segment", "scores", "concordance", "statistics"])
def test_tab_goes_down_each_column_of_a_panel(window, qtbot, cut, key):
    """What stands lower in the same column comes later."""
    window.show_panel(key)
    window.activateWindow()
    QApplication.processEvents()
    panel = window.panel(key)
    found = [stop for stop in reading_order.stops(window) if panel.isAncestorOf(stop)]
    assert len(found) > 5
    places = [(stop.mapTo(panel, QPoint()), stop.width()) for stop in found]
    for number, (place, _) in enumerate(places):
        for above, width in places[number + 1 :]:
            same = above.x() <= place.x() < above.x() + width
            assert not (same and above.y() + 20 < place.y()), names(found)
    found[0].setFocus()
    for stop in found[1:]:
        qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Tab)
        assert window.focusWidget() is stop


def test_the_rail_and_the_top_bar_come_before_the_panel(window):
    found = reading_order.stops(window)
    inside = [window.panel("welcome").isAncestorOf(stop) for stop in found]
    assert window._rail.isAncestorOf(found[0])
    assert window._bar.isAncestorOf(found[inside.index(True) - 1])
