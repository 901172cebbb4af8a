"""Names and tags are changed back by Ctrl+Z, as what was deleted is brought back."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from lmstudio.gui import renaming
from lmstudio.operations import corpora, runs, tags
from lmstudio.operations.changes import Changes
from tests.gui.panels import run_workspace


def test_a_new_name_is_taken_back(window, qtbot):
    state = window.state
    run_workspace.segmented(state.workspace)
    state.apply(Changes(corpora=True))
    (corpus,) = state.corpora()
    state.select_corpus(corpus.id)
    actions = window.panel("corpora").actions_
    actions.rename()
    actions.rename_to("新名")
    assert [row.name for row in state.corpora()] == ["新名"]
    assert window.undo_bar.isVisible()
    assert "新名" in window.undo_bar._text.full_text()
    assert not window.undo_bar._show.isVisible(), "nothing of it is in the trash"
    window.setFocus()
    qtbot.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert [row.name for row in state.corpora()] == ["山水"]
    assert not window.undo_bar.isVisible()


def test_a_name_that_is_refused_offers_nothing(window, qtbot):
    state = window.state
    cut = run_workspace.segmented(state.workspace)
    one, _ = (run_workspace.made_up(state.workspace, cut, name) for name in ("甲", "乙"))
    with qtbot.waitSignal(state.problem):
        renaming.rename(state, runs.rename, one, "甲", "乙")
    assert not window.undo_bar.isVisible()


def test_tags_are_taken_back_and_a_deletion_goes_before(window, qtbot):
    state = window.state
    ws = state.workspace
    cut = run_workspace.segmented(ws)
    run = run_workspace.made_up(ws, cut, "甲")
    tags.set_tags(ws, "run", run, ["旧"])
    renaming.set_tags(state, "run", run, "甲", ["旧"])
    assert not window.undo_bar.isVisible(), "the same tags are no change"
    renaming.set_tags(state, "run", run, "甲", ["新", "好"])
    window.undo_bar.undo.click()
    assert tags.tags(ws, "run") == {run: ("旧",)}
    renaming.set_tags(state, "run", run, "甲", [])
    state.apply(runs.delete(ws, run))
    assert window.undo_bar._show.isVisible()
    window.undo_bar.undo.click()
    qtbot.waitUntil(lambda: [row.id for row in state.runs()] == [run])
    assert tags.tags(ws, "run") == {}
    QApplication.processEvents()


def test_closing_the_note_changes_nothing_back(window):
    state = window.state
    run_workspace.segmented(state.workspace)
    renaming.rename(state, corpora.rename, 1, "山水", "新名")
    state.deletions.forget()
    state.deletions.undo()
    assert [row.name for row in state.corpora()] == ["新名"]
