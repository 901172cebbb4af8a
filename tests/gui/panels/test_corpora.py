"""The corpora panel: documents, files, segmentations, the text, the report of an import."""

import time

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QLabel

from lmstudio.gui.panels.corpora.corpora import CorporaPanel
from lmstudio.gui.panels.corpora.document_model import PAGE
from lmstudio.gui.panels.corpora.documents import DocumentTable
from lmstudio.gui.widgets.line_view import LONGEST, LineView
from lmstudio.jobs import Job
from lmstudio.operations.changes import Changes
from lmstudio.store.rows import CorpusRow, DocumentRow
from tests.gui.panels import run_workspace


@pytest.fixture
def many(app_state):
    """A corpus of 450 documents, selected."""
    ws = app_state.workspace
    row = CorpusRow(99, "many", "", "utf-8", "sentence", "files", 450, 450, 9000, 9000)
    rows = [DocumentRow(99, n, f"第 {n} 篇", "utf-8", 20, 1, 20 + n, n, "train")
            for n in range(450)]  # fmt: skip
    return ws.add_corpus(row, rows)


def test_documents_are_read_as_they_come_into_sight(app_state, many, qtbot):
    table = DocumentTable(app_state)
    qtbot.addWidget(table)
    table.resize(300, 300)
    table.show()
    table.show_corpus(many)
    assert table.model().rowCount() == 450
    assert table.model().index(0, 0).data() == "第 0 篇"
    assert table.documents.pages_read() == 1
    with qtbot.waitSignal(table.chosen) as chosen:
        table.selectRow(449)
    assert chosen.args[0].name == "第 449 篇"
    assert table.model().index(449, 1).data() == "469"
    assert table.documents.pages_read() <= 450 // PAGE + 1


def test_a_giant_line_is_cut_before_it_is_laid_out(qtbot):
    """Case A-6: what is read is one line, what is drawn a thousand characters of it."""
    view, asked = LineView("text"), []

    def line(number):
        asked.append(number)
        return "中文语料没有换行" * 208_334 if number == 0 else f"第 {number} 行"

    qtbot.addWidget(view)
    view.resize(400, 300)
    view.set_lines(line, 0, 1_000_000)
    view.show()
    view.grab()
    assert len(view.visible_text().split("\n")[0]) == LONGEST + 2
    assert max(asked) < 40
    qtbot.keyClick(view, Qt.Key.Key_End)
    assert view.visible_text() == "第 999999 行"
    view.clear()
    assert view.visible_text() == ""


def test_case_b4_words_stand_where_they_are_behind_emoji(qtbot):
    view = LineView("text")
    qtbot.addWidget(view)
    view.resize(400, 200)
    view.set_lines(lambda _: "😀我爱北京", 0, 1, words=lambda _: [(0, 1, "e"), (3, 5, "ns")])
    view.show()
    view.grab()
    (laid,) = view._laid
    formats = [(one.start, one.length) for one in laid.layout.formats()]
    assert formats == [(0, 2), (4, 2)]
    row = laid.layout.lineAt(0)
    for position, tag in ((0, "e"), (2, ""), (4, "ns"), (5, "ns")):
        x = row.cursorToX(position)[0] + 2
        assert view.tag_at(QPointF(view._left + x, row.height() / 2)) == tag


def test_rename_export_and_delete(window, qtbot, tmp_path):
    state = window.state
    cut = run_workspace.segmented(state.workspace)
    run_workspace.made_up(state.workspace, cut, "r")
    state.apply(Changes(corpora=True, segmentations=True, new_id=cut))
    panel = window.panel("corpora")
    window.show_panel("corpora")
    panel.actions_.rename()
    panel.actions_.rename_to("新名")
    assert panel.card.list.currentItem().text() == "新名"
    panel.actions_.export_to(tmp_path / "documents.csv")
    qtbot.waitUntil((tmp_path / "documents.csv").exists)
    qtbot.waitUntil(lambda: not state.jobs.jobs())
    lines = (tmp_path / "documents.csv").read_text(encoding="utf-8-sig").splitlines()
    assert lines[0].startswith("Document,Encoding")
    assert len(lines) == 2
    panel.actions_.delete()
    dialog = next(d for d in window.findChildren(object) if type(d).__name__ == "DeleteDialog")
    shown = " ".join(label.text() for label in dialog.findChildren(QLabel))
    assert "segmentations (1) and its runs (1)" in shown
    dialog.accept()
    qtbot.waitUntil(lambda: not state.corpora())
    qtbot.waitUntil(lambda: not state.jobs.jobs())
    assert panel.primary is panel._empty.choose
    assert not (state.workspace.folder / "corpora" / "1").exists()


def test_a_corpus_is_not_deleted_while_a_job_runs_whatever_window_shows_it(app_state, cut, qtbot):
    job = app_state.run("bulk", Job("Train"), _until_stopped)
    made_later = CorporaPanel(app_state)  # as after a change of language or scale
    qtbot.addWidget(made_later)
    assert not made_later.actions_.remove.isEnabled()
    assert "A job is running" in made_later.actions_.remove.toolTip()
    job.cancel()
    qtbot.waitUntil(made_later.actions_.remove.isEnabled)


def _until_stopped(*, job):
    while True:
        job.check()
        time.sleep(0.01)


def test_a_corpus_whose_text_is_gone_says_so(app_state, cut, qtbot):
    folder = app_state.workspace.corpus_folder(app_state.corpus.id)
    (folder / "text.utf8").unlink()
    panel = CorporaPanel(app_state)
    qtbot.addWidget(panel)
    assert "text.utf8" in panel.trouble.text()
    assert panel.text.visible_text() == ""
