"""What is deleted in the window can be had back at once, or from the trash."""

import csv

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from lmstudio import messages
from lmstudio.gui.dialogs.ask import DeleteDialog
from lmstudio.gui.panels.settings.trash import TrashPanel
from lmstudio.gui.undo_bar import UndoBar
from lmstudio.jobs import Job
from lmstudio.operations import corpora, findings, generation, runs, segmentations, trash
from lmstudio.operations.changes import Changes
from tests.gui.conftest import assert_fits, clipped
from tests.gui.panels import run_workspace

UNDO = Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def idle(app_state, qtbot):
    """Waits until nothing is under way."""
    return lambda: qtbot.waitUntil(lambda: not app_state.jobs.busy)


@pytest.fixture
def trained(app_state, cut):
    """Ids of two counted runs and a network on `cut`."""
    ws = app_state.workspace
    ids = [run_workspace.counted(ws, cut, order) for order in (1, 2)]
    ids.append(run_workspace.network(ws, cut, "lstm"))
    app_state.apply(Changes(runs=True))
    return ids


def bar_of(window):
    return window.findChild(UndoBar)


def names(state):
    return {run.id for run in state.runs()}


def test_runs_are_had_back_by_ctrl_z(window, app_state, trained, idle):
    window.show_panel("curves")
    table = window.panel("curves").table
    before = generation.next_table(app_state.workspace, trained[2], "山", job=Job())
    app_state.select_runs(tuple(trained[1:]))
    table.actions_.delete.trigger()
    dialog = window.findChild(DeleteDialog)
    shown = " ".join(one.text() for one in dialog.findChildren(QLabel))
    assert "go to the trash" in shown
    dialog.accept()
    idle()
    assert names(app_state) == {trained[0]}
    bar = bar_of(window)
    assert bar.isVisible()
    assert "2 things are in the trash" in bar._text.full_text()
    table.table.setFocus()
    QTest.keyClick(table.table, *UNDO)
    idle()
    assert names(app_state) == set(trained)
    assert not bar.isVisible()
    assert {row.key for row in table.table.rows()} >= set(trained)
    assert generation.next_table(app_state.workspace, trained[2], "山", job=Job()) == before


def test_the_button_undoes_and_a_later_deletion_is_offered_instead(
    window, app_state, trained, idle
):
    bar = bar_of(window)
    assert not bar.isVisible()
    app_state.deletions.delete(runs.delete, trained[0])
    idle()
    app_state.deletions.delete(runs.delete, trained[1])
    idle()
    bar.undo.click()
    idle()
    assert names(app_state) == set(trained[1:])
    QTest.keyClick(window, *UNDO)  # there is nothing more to undo
    idle()
    assert names(app_state) == set(trained[1:])
    assert len(trash.deleted(app_state.workspace)) == 1


def test_a_field_keeps_its_own_undo(window, app_state, trained, idle, qtbot):
    app_state.deletions.delete(runs.delete, trained[0])
    idle()
    window.show_palette()
    box = window.palette_box.field
    qtbot.keyClicks(box, "abc")
    QTest.keyClick(box, *UNDO)
    idle()
    assert box.text() == ""
    assert trained[0] not in names(app_state)


@pytest.mark.parametrize("noun", ["corpus", "segmentation", "finding"])
def test_everything_deleted_is_offered(window, app_state, trained, cut, idle, noun):
    ws = app_state.workspace
    kept = findings.save(ws, "fill", "题", {"text": "x"}, {}).new_id
    if noun == "corpus":
        window.panel("corpora").actions_._asked = ws.corpus(1)
        window.panel("corpora").actions_.delete_asked()
    elif noun == "segmentation":
        app_state.deletions.delete(segmentations.delete, cut)
    else:
        app_state.deletions.delete(findings.delete, kept)
    idle()
    bar = bar_of(window)
    assert bar.isVisible()
    gone = {"corpus": "山水", "segmentation": "characters", "finding": "题"}[noun]
    assert bar._text.full_text() == f"{gone} is in the trash."
    bar.undo.click()
    idle()
    assert len(ws.corpora()) == len(ws.segmentations()) == len(findings.findings(ws)) == 1
    assert names(app_state) == set(trained)
    assert app_state.segmentation.id == cut


@pytest.fixture
def panel(app_state, trained, idle, shown):
    """The list over a run and a corpus that went later, with all that stood on it."""
    app_state.deletions.delete(runs.delete, trained[0])
    idle()
    app_state.apply(corpora.delete(app_state.workspace, 1, job=Job()))
    made = shown(TrashPanel(app_state))
    idle()
    return made


def cells(panel):
    columns = ("kind", "name", "with")
    return [tuple(row.cells[key].value for key in columns) for row in panel.table.rows()]


def test_the_list_tells_what_and_how_much(panel):
    assert cells(panel)[0] == ("Corpus", "山水", "segmentations: 1 · runs: 2")
    assert cells(panel)[1][0] == "Run"
    sizes = [row.cells["size"].value for row in panel.table.rows()]
    assert sizes[0] > sizes[1] > 1000
    assert panel.note.full_text().endswith("in all")


def test_what_stood_on_something_else_waits_for_it(panel, app_state, trained, idle, qtbot):
    run, corpus = (row.key for row in reversed(panel.table.rows()))
    panel.table.select([run])
    with qtbot.waitSignal(app_state.problem) as told:
        panel.restore.click()
    assert "which is deleted too. Restore that first" in told.args[0]
    panel.table.select([run, corpus])
    panel.restore.click()
    idle()
    assert names(app_state) == set(trained)
    assert panel.pages.currentIndex() == 1
    with qtbot.waitSignal(app_state.panel_wanted) as wanted:
        panel.primary.click()
    assert wanted.args == ["disk"]


def test_it_is_emptied_in_part_and_wholly_after_a_question(panel, app_state, idle):
    run = panel.table.rows()[1].key
    panel.table.select([run])
    panel.remove.click()
    dialog = panel.window().findChild(DeleteDialog)
    shown = " ".join(one.text() for one in dialog.findChildren(QLabel))
    assert "cannot be brought back" in shown
    dialog.reject()
    idle()
    assert len(panel.table.rows()) == 2
    panel.remove.click()
    panel.window().findChildren(DeleteDialog)[-1].accept()
    idle()
    assert [row[0] for row in cells(panel)] == ["Corpus"]
    panel.empty.click()
    panel.window().findChildren(DeleteDialog)[-1].accept()
    idle()
    assert trash.deleted(app_state.workspace) == []
    assert not list((app_state.workspace.folder / "trash").iterdir())


def test_the_list_is_saved(panel, tmp_path):
    panel.csv.save(tmp_path / "t.csv")
    with (tmp_path / "t.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0][:2] == ["Kind", "Name"]
    assert [row[1] for row in rows[1:]] == [row[1] for row in cells(panel)]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_it_fits(app_state, trained, idle, shown, language):
    messages.use(language)
    app_state.deletions.delete(runs.delete, trained[0])
    idle()
    panel = shown(TrashPanel(app_state))
    idle()
    assert_fits(panel)
    assert clipped(panel) == []
