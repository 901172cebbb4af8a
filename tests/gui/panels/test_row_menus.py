"""The menu of a row does what the buttons of its panel do, by the same functions and keys."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QPushButton, QTableWidget

from lmstudio.gui.dialogs.ask import DeleteDialog, NameDialog
from lmstudio.gui.row_actions import RowAction
from lmstudio.gui.widgets import disable, enable
from lmstudio.operations import trash
from lmstudio.operations.changes import Changes
from tests.gui.panels import run_workspace


@pytest.fixture
def filled(window, qtbot):
    """A window over two runs of one segmentation; both finished."""
    ws = window.state.workspace
    cut = run_workspace.segmented(ws)
    runs = [run_workspace.made_up(ws, cut, name) for name in ("甲", "乙")]
    window.state.apply(Changes(corpora=True, segmentations=True, runs=True, new_id=cut))
    return window, runs


def menu_of(rows):
    """{title: key} of the actions of some rows."""
    return {action.text(): action.shortcut().toString() for action in rows.actions()
            if action.text()}  # fmt: skip


LISTS = {
    "corpora": (lambda panel: panel.card.list,
                {"Rename": "F2", "Delete…": "Del", "Segment": "Return"}),
    "cuts": (lambda panel: panel.lists.cuts,
             {"Rename the segmentation": "F2", "Delete the segmentation…": "Del"}),
    "curves": (lambda panel: panel.table.table,
               {"Details": "Return", "Rename…": "F2", "Delete…": "Del", "Tags…": "T"}),
    "tasks": (lambda panel: panel.table, {"Rename": "F2", "Delete…": "Del"}),
    "task_results": (lambda panel: panel.table, {"Try it": "Return", "See the mistakes": ""}),
    "findings": (lambda panel: panel.table,
                 {"Rename…": "F2", "Delete…": "Del", "Ask this model": ""}),
    "trash": (lambda panel: panel.table, {"Restore": "Return", "Delete for good…": "Del"}),
}  # fmt: skip


@pytest.mark.parametrize("key", LISTS)
def test_each_list_has_its_actions_with_their_keys(filled, key):
    window, _ = filled
    rows_of, wanted = LISTS[key]
    panel = window.panel("corpora" if key == "cuts" else key)
    found = menu_of(rows_of(panel))
    assert wanted.items() <= found.items(), found


def test_keys_act_on_the_row_with_the_focus(filled, qtbot):
    window, (first, _) = filled
    window.show_panel("curves")
    window.activateWindow()
    table = window.panel("curves").table.table
    window.state.select_runs((first,))
    table.setFocus()
    for keys, kind in (("F2", NameDialog), ("Del", DeleteDialog)):
        qtbot.keyClick(table, Qt.Key(QKeySequence(keys)[0].key()))
        dialog = window.findChild(kind)
        assert dialog is not None, keys
        dialog.reject()
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert window.panel("curves").details.isVisible()


def test_a_corpus_is_opened_renamed_and_deleted_by_keys(filled, qtbot):
    window, _ = filled
    window.show_panel("corpora")
    window.activateWindow()
    rows = window.panel("corpora").card.list
    rows.setFocus()
    qtbot.keyClick(rows, Qt.Key.Key_F2)
    window.findChild(NameDialog).reject()
    qtbot.keyClick(rows, Qt.Key.Key_Delete)
    window.findChild(DeleteDialog).reject()
    qtbot.keyClick(rows, Qt.Key.Key_Return)
    assert window.current_panel == "segment"


def test_enter_restores_from_the_trash(filled, qtbot):
    window, (first, _) = filled
    from lmstudio.operations import runs

    state = window.state
    state.apply(runs.delete(state.workspace, first))
    window.show_panel("trash")
    window.activateWindow()
    table = window.panel("trash").table
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not trash.deleted(state.workspace))
    assert {run.id for run in state.runs()} >= {first}


def test_an_action_is_off_with_its_button_for_the_same_reason(qtbot):
    rows, press = QTableWidget(), QPushButton("Do it  F2")
    for widget in (rows, press):
        qtbot.addWidget(widget)
    action = RowAction(rows, press, "F2")
    assert action.text() == "Do it"
    disable(press, "Nothing is there.")
    assert not action.isEnabled()
    assert action.toolTip() == "Nothing is there."
    enable(press)
    assert action.isEnabled()
