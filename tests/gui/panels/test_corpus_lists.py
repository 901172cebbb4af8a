"""The lists of the corpora panel: documents searched for, files, segmentations; the report."""

import csv

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from lmstudio.gui.dialogs.ask import DeleteDialog, NameDialog
from lmstudio.gui.dialogs.import_report import ImportReportDialog
from lmstudio.gui.panels.corpora.documents import DocumentTable
from lmstudio.jobs import Job
from lmstudio.operations import corpora
from lmstudio.operations.changes import Changes
from tests.gui.panels import run_workspace
from tests.gui.panels.imports import write


@pytest.fixture
def poems(window, tmp_path):
    """The corpora panel with a corpus of a table and of a file that was refused."""
    rows = "".join(f"{n},山水之{n},山前有水，水上有人家第{n}户。,景{n % 2}\n" for n in range(30))
    table = write(tmp_path, "poems.csv", "id,title,text,label\n" + rows + "30,空,,景0\n")
    broken = write(tmp_path, "broken.pdf", "no pdf")
    made = corpora.import_files(window.state.workspace, [table, broken], job=Job())
    window.state.apply(made)
    window.show_panel("corpora")
    return window.panel("corpora")


def typed(panel, qtbot, words):
    """Type into the search field and wait for the answer."""
    panel.search()
    panel.lists.search.setText(words)
    qtbot.waitUntil(lambda: not panel.lists.search.busy)


def test_documents_are_found_by_name_title_and_label(poems, qtbot):
    table = poems.documents
    assert table.documents.columns == ["name", "title", "label", "characters", "part"]
    assert table.model().rowCount() == 30
    typed(poems, qtbot, "之29")
    assert [table.documents.document(n).title for n in range(table.model().rowCount())] == [
        "山水之29",
    ]  # fmt: skip
    assert poems.lists._found.full_text() == "1 found"
    assert "第29户" in poems.text.visible_text()
    typed(poems, qtbot, "景1")
    assert table.model().rowCount() == 15
    typed(poems, qtbot, "nothing of the kind")
    assert table.model().rowCount() == 0
    assert poems.text.visible_text() == ""
    qtbot.keyClick(poems.lists.search, Qt.Key.Key_Escape)
    assert table.model().rowCount() == 30
    assert "第0户" in poems.text.visible_text()


def test_the_search_ends_with_the_corpus(poems, qtbot, tmp_path):
    typed(poems, qtbot, "之29")
    state = poems.state
    other = corpora.import_text(state.workspace, "一句。\n两句。\n三句。\n", name="b", job=Job())
    state.apply(other)
    assert poems.lists.search.text() == ""
    assert poems.documents.model().rowCount() == 1


def test_the_files_of_the_corpus_are_listed(poems):
    poems.lists.which.segment("sources").click()
    (row,) = poems.lists.sources.rows()
    assert row.cells["name"].value == "poems.csv"
    assert row.cells["format"].value == "CSV"
    assert not poems.actions_.save.isVisible()


def test_segmentations_are_renamed_and_deleted(window, qtbot):
    state = window.state
    cuts = [run_workspace.segmented(state.workspace, name=name) for name in ("one", "two")]
    run_workspace.made_up(state.workspace, cuts[1], "r")
    state.apply(Changes(corpora=True, segmentations=True, new_id=cuts[1]))
    window.show_panel("corpora")
    panel = window.panel("corpora")
    panel.lists.which.segment("cuts").click()
    table = panel.lists.cuts
    assert [row.cells["name"].value for row in table.rows()] == ["two", "one"]
    table.selectRow(1)
    assert state.segmentation.id == cuts[0]
    table.rename_tool.click()
    dialog = window.findChild(NameDialog)
    dialog.field.setText("renamed")
    dialog.accept()
    assert state.segmentation.name == "renamed"
    window.activateWindow()
    table.setFocus()
    table.selectRow(0)
    qtbot.keyClick(table, Qt.Key.Key_Delete)
    asked = window.findChild(DeleteDialog)
    shown = " ".join(label.text() for label in asked.findChildren(QLabel))
    assert "its runs (1)" in shown
    assert f"go to the trash with it: {state.runs()[0].name}." in shown
    asked.accept()
    qtbot.waitUntil(lambda: [cut.name for cut in state.segmentations()] == ["renamed"])
    qtbot.waitUntil(lambda: not state.jobs.jobs())  # rows go first, then folders
    assert state.runs() == []
    assert not (state.workspace.folder / "segmentations" / str(cuts[1])).exists()


def test_a_name_that_is_taken_is_refused(window, qtbot):
    state = window.state
    cuts = [run_workspace.segmented(state.workspace, name=name) for name in ("one", "two")]
    state.apply(Changes(corpora=True, segmentations=True, new_id=cuts[1]))
    table = window.panel("corpora").lists.cuts
    table.rename()
    with qtbot.waitSignal(state.problem) as told:
        table.rename_to("one")
    assert "taken" in told.args[0]


def test_the_report_tells_what_was_taken_and_what_was_not(poems, qtbot, tmp_path):
    poems.actions_.report.click()
    qtbot.waitUntil(lambda: poems.window().findChild(ImportReportDialog) is not None)
    dialog = poems.window().findChild(ImportReportDialog)
    rows = {(row.cells["what"].value, row.cells["name"].value): row.cells for row in
            dialog.table.rows()}  # fmt: skip
    assert "pdf" in rows["left out", "broken.pdf"]["detail"].value
    assert rows["taken", "poems.csv"]["count"].value == 30
    assert "Rows without text" in rows["left out in part", "poems.csv"]["detail"].value
    file = tmp_path / "report.csv"
    poems.actions_.export_report_to(file)
    qtbot.waitUntil(lambda: not poems.state.jobs.jobs() and file.exists())
    with file.open(encoding="utf-8-sig", newline="") as opened:
        saved = list(csv.reader(opened))
    assert saved[0] == ["What", "Name", "Number", "Detail"]
    assert len(saved) == 1 + len(rows)
    dialog.accept()


def test_documents_are_saved_with_their_text_and_come_back(poems, qtbot, tmp_path):
    file = tmp_path / "texts.csv"
    poems.actions_.export_texts_to(file)
    qtbot.waitUntil(lambda: not poems.state.jobs.jobs() and file.exists())
    ws = poems.state.workspace
    before = poems.state.corpus
    made = corpora.import_files(ws, [file], name="back", job=Job())
    after = ws.corpus(made.new_id)
    assert (after.documents, after.characters) == (before.documents, before.characters)
    assert [one.title for one in ws.documents(after.id)] == [
        one.title for one in ws.documents(before.id)
    ]  # fmt: skip


def test_a_narrow_table_tells_documents_apart_by_one_column(poems):
    table = DocumentTable(poems.state, narrow=True)
    table.show_corpus(poems.state.corpus)
    assert table.documents.columns == ["title", "characters", "part"]
