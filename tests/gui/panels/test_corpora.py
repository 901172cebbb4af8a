"""From a dropped file to a corpus in the list: the dialog, the import, the documents, the text."""

import json
import os
import time

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication, QInputMethodEvent
from PySide6.QtWidgets import QApplication, QLabel

from lmstudio import cli
from lmstudio.data.split import SplitRule
from lmstudio.gui.dialogs.encoding_choice import EncodingChoice, is_doubtful
from lmstudio.gui.dialogs.import_files import ImportDialog
from lmstudio.gui.dialogs.paste_text import SHOWN, PasteDialog
from lmstudio.gui.panels.corpora import CorporaPanel
from lmstudio.gui.panels.document_model import PAGE
from lmstudio.gui.panels.documents import DocumentTable
from lmstudio.gui.widgets.line_view import LONGEST, LineView
from lmstudio.jobs import Job
from lmstudio.operations import corpora
from lmstudio.operations.changes import Changes
from lmstudio.store.rows import CorpusRow, DocumentRow
from lmstudio.text.preview import Candidate, Preview
from tests.gui.panels import run_workspace

ODD_NAME = "语料 测试#1 100%25.txt"
WAIT = 30_000  # a worker process starts, on a busy machine
WRAPPED = "从前有座山山上有座庙庙里有个老和尚在讲故事讲的是什么呢讲的是从前有座山\n" * 40


def drop(window, *files):
    """Let files fall on the window as Qt does."""
    let_fall(window, [QUrl.fromLocalFile(str(file)) for file in files])


def let_fall(window, urls):
    """The two events of a drop."""
    data = QMimeData()
    data.setUrls(urls)
    how = (Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton,
           Qt.KeyboardModifier.NoModifier)  # fmt: skip
    QApplication.sendEvent(window, QDragEnterEvent(QPoint(400, 300), *how))
    QApplication.sendEvent(window, QDropEvent(QPointF(400, 300), *how))


def opened(window, qtbot, *files) -> ImportDialog:
    """The import dialog after a drop, when it has looked at the files."""
    drop(window, *files)
    dialog = window.panel("corpora").dialog
    qtbot.waitUntil(lambda: not dialog._asker.busy, timeout=WAIT)
    return dialog


def imported(window, qtbot, dialog) -> CorpusRow:
    """The corpus, after Enter."""
    panel = window.panel("corpora")
    with qtbot.waitSignal(panel.imports.done, timeout=WAIT):
        qtbot.keyClick(dialog, Qt.Key.Key_Return)
    return window.state.corpus


def write(folder, name, text, encoding="utf-8"):
    """A text file."""
    file = folder / name
    file.write_bytes(text.encode(encoding))
    return file


def cli_corpus(folder, capsys, *words) -> dict:
    """The row of a corpus that the command line imports into a workspace of its own."""
    workspace = ["--workspace", str(folder / "cli")]
    assert cli.main([*workspace, "import", *map(str, words)]) == 0
    capsys.readouterr()
    assert cli.main([*workspace, "corpora", "--json"]) == 0
    return json.loads(capsys.readouterr().out)[0]


def test_case_a8_a_dropped_file_is_a_corpus_after_enter(window, qtbot, tmp_path, capsys):
    """Case A-8, and the same figures as from the command line."""
    file = write(tmp_path, ODD_NAME, run_workspace.text(60), "gb18030")
    dialog = opened(window, qtbot, file)
    assert dialog.files.table.rows()[0].cells["name"].value == ODD_NAME
    assert "GB18030" in dialog.encoding.currentText()
    assert dialog.text.toPlainText().startswith("山边有")
    row = imported(window, qtbot, dialog)
    panel = window.panel("corpora")
    assert panel.card.list.currentItem().text() == row.name == ODD_NAME.removesuffix(".txt")
    assert panel.result.isVisible()
    assert panel.facts.text() == "Nothing was skipped or changed at the import."
    assert QApplication.focusWidget() is panel.segment or not window.isActiveWindow()
    theirs = cli_corpus(tmp_path, capsys, file)
    for fact in ("name", "encoding", "lines_rule", "documents", "lines", "characters", "facts"):
        assert theirs[fact] == getattr(row, fact), fact
    panel.segment.click()
    assert window.current_panel == "segment"


def test_the_main_line_is_a_drop_and_three_keys(window, qtbot, tmp_path):
    """Drop, Enter, Ctrl+Enter, Ctrl+Enter: ready to train."""
    words = "the cat sat on the mat .\na dog sat on the cat .\nthe mat is old .\n"
    imported(window, qtbot, opened(window, qtbot, write(tmp_path, "cats.txt", words * 20)))
    window.activateWindow()  # a window manager does so when a dialog closes
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.keyClick(window, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert window.current_panel == "segment"
    segment = window.panel("segment")
    assert segment.choices[0].key() == "whitespace"
    qtbot.waitUntil(lambda: not segment.surveys.waiting(), timeout=WAIT)
    survey = segment.surveys.survey("a")
    qtbot.keyClick(window, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: window.current_panel == "new_run", timeout=WAIT)
    row = window.state.segmentation
    assert row.segmenter == "whitespace"
    assert (row.facts["tokens"], row.vocabulary) == (survey.tokens, survey.vocabulary)
    qtbot.waitUntil(lambda: not window.state.jobs.jobs(), timeout=WAIT)


def test_names_that_are_no_text_make_no_traceback(window, qtbot, tmp_path):
    path = os.fsencode(tmp_path) + b"/\xf0.txt"
    with open(path, "wb") as file:
        file.write(b"text")
    url = QUrl.fromEncoded(b"file://" + os.fsencode(tmp_path) + b"/%F0.txt")
    with qtbot.waitSignal(window.state.problem) as told:
        let_fall(window, [url])
    assert told.args[1] == ""


def test_refused_files_say_why_and_the_others_are_imported(window, qtbot, tmp_path):
    good, bad = write(tmp_path, "a.txt", "好的。\n" * 9), write(tmp_path, "b.pdf", "x")
    blank = write(tmp_path, "c.txt", " \t\u3000\r\n")
    dialog = opened(window, qtbot, bad, good, blank)
    reasons = {r.cells["name"].value: r.cells["found"].value for r in dialog.files.table.rows()}
    assert ".txt" in reasons["b.pdf"]
    assert "usable" in reasons["c.txt"]
    assert "2 left out" in dialog.files.text()
    imported(window, qtbot, dialog)
    assert "b.pdf was left out" in window.panel("corpora").result.text()
    assert "c.txt was left out" in window.panel("corpora").facts.text()


def test_nothing_usable_cannot_be_imported(window, qtbot, tmp_path):
    dialog = opened(window, qtbot, write(tmp_path, "empty.txt", ""))
    assert not dialog.accept_button.isEnabled()
    assert "None of the files" in dialog.accept_button.toolTip()
    dialog.reject()
    assert window.panel("corpora").dialog is None


def test_the_encoding_can_be_chosen(window, qtbot, tmp_path):
    file = write(tmp_path, "a.txt", "今天天氣很好，我們出去走走。\n" * 9, "big5")
    dialog = opened(window, qtbot, file)
    dialog.encoding.setCurrentIndex(dialog.encoding.findData("gb18030"))
    qtbot.waitUntil(lambda: not dialog._asker.busy, timeout=WAIT)
    wrong = dialog.text.toPlainText()
    assert "今天" not in wrong
    dialog._choose_encoding("big5")
    qtbot.waitUntil(lambda: not dialog._asker.busy, timeout=WAIT)
    assert dialog.text.toPlainText().startswith("今天天氣")
    assert imported(window, qtbot, dialog).encoding == "big5"


def test_a_doubtful_encoding_is_asked_about(qtbot):
    strip = EncodingChoice()
    qtbot.addWidget(strip)
    sure = Preview(candidates=[Candidate("utf-8", 1.0, ["好"])])
    guesses = (("gb18030", 0.4, "凝恁"), ("big5", 0.3, "今天"), ("utf-16-le", 0.0, "뼱"))
    doubt = Preview(candidates=[Candidate(name, share, [line]) for name, share, line in guesses])
    strip.show_candidates(sure)
    assert strip.isHidden()
    strip.show_candidates(doubt)
    assert is_doubtful(doubt)
    assert [button.text().split("\n")[0] for button in strip.buttons()] == [
        "GB18030", "BIG5", "UTF-16-LE",
    ]  # fmt: skip
    with qtbot.waitSignal(strip.chosen) as chosen:
        strip.buttons()[1].click()
    assert chosen.args == ["big5"]


def test_wrapped_lines_are_joined_unless_they_are_kept(window, qtbot, tmp_path):
    dialog = opened(window, qtbot, write(tmp_path, "a.txt", WRAPPED))
    assert "100 % of the lines" in dialog.wrapped.text()
    dialog.wrapped.choice.segment("paragraph").click()
    assert dialog.order().lines == "paragraph"
    dialog.wrapped.choice.segment("wrapped").click()
    row = imported(window, qtbot, dialog)
    assert row.lines_rule == "wrapped"
    assert "joined" in window.panel("corpora").result.text()


def test_files_named_as_parts_are_kept_as_parts(window, qtbot, tmp_path):
    files = [write(tmp_path, f"x.{part}.txt", f"{part} one\n{part} two\n")
             for part in ("train", "valid", "test")]  # fmt: skip
    dialog = opened(window, qtbot, *files)
    assert dialog.given.isVisible()
    assert not dialog.split.valid.isEnabled()
    assert dialog.split.valid.toolTip()
    row = imported(window, qtbot, dialog)
    assert {part: facts["lines"] for part, facts in row.facts["parts"].items()} == {
        "train": 2, "valid": 2, "test": 2,
    }  # fmt: skip
    assert corpora.parts_by_name(files[:1]) is None
    assert corpora.parts_by_name([*files, tmp_path / "other.txt"]) is None


def test_the_dialog_fits_a_small_screen_with_all_it_can_say(window, qtbot, tmp_path, monkeypatch):
    files = [write(tmp_path, f"x.{part}.txt", WRAPPED) for part in ("train", "test")]
    monkeypatch.setattr("lmstudio.gui.dialogs.encoding_choice.is_doubtful", bool)
    dialog = opened(window, qtbot, *files)
    dialog.name.setText(" " + "长" * 40)
    assert dialog.encodings.isVisible()
    assert dialog.given.isVisible()
    assert dialog.wrapped.isVisible()
    assert dialog.minimumSizeHint().height() <= 700
    assert dialog.minimumSizeHint().width() <= 1366
    assert dialog.height() <= 700
    dialog.reject()


def test_a_split_can_be_chosen(window, qtbot, tmp_path):
    dialog = opened(window, qtbot, write(tmp_path, "a.txt", run_workspace.text(100)))
    dialog.split.valid.setValue(20)
    dialog.split.seed.setValue(7)
    dialog.name.setText("半")
    assert dialog.order().split == SplitRule(20, 5, 7)
    row = imported(window, qtbot, dialog)
    assert (row.name, row.split_rule) == ("半", "blocks 75/20/5 seed 7")
    again = opened(window, qtbot, tmp_path / "a.txt")
    again.name.setText("半")
    assert not again.accept_button.isEnabled()
    assert "taken" in again.accept_button.toolTip()
    again.reject()


def test_case_i4_chinese_can_be_typed_into_the_name(window, qtbot, tmp_path):
    dialog = opened(window, qtbot, write(tmp_path, "a.txt", "好。\n好。\n好。\n"))
    QApplication.sendEvent(dialog.name, QInputMethodEvent("yu", []))
    assert dialog.name.text() == ""
    event = QInputMethodEvent("", [])
    event.setCommitString("语料")
    QApplication.sendEvent(dialog.name, event)
    assert dialog.order().name == "语料"
    dialog.reject()


def test_an_import_that_is_stopped_leaves_nothing(window, qtbot, tmp_path):
    file = write(tmp_path, "a.txt", run_workspace.text(40) * 3000)
    dialog = opened(window, qtbot, file)
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    (job,) = window.state.jobs.jobs()
    qtbot.waitUntil(lambda: job.done > 0 or job.state in ("done", "failed"), timeout=WAIT)
    window.stop_job()
    qtbot.waitUntil(lambda: not window.panel("corpora").imports.busy, timeout=WAIT)
    assert job.state == "cancelled"
    assert window.state.corpora() == []
    assert list((window.state.workspace.folder / "corpora").iterdir()) == []


def test_more_files_come_into_the_open_dialog(window, qtbot, tmp_path):
    one, two = write(tmp_path, "a.txt", "一。\n" * 5), write(tmp_path, "b.txt", "二。\n" * 5)
    dialog = opened(window, qtbot, one)
    let_fall(dialog, [QUrl.fromLocalFile(str(two))])
    qtbot.waitUntil(lambda: not dialog._asker.busy, timeout=WAIT)
    assert imported(window, qtbot, dialog).documents == 2


def test_text_is_pasted(window, qtbot):
    panel = window.panel("corpora")
    window.show_panel("corpora")
    QGuiApplication.clipboard().setText("第一句。\n第二句。\n第三句。\n第四句。")
    panel.paste()
    assert isinstance(panel.dialog, PasteDialog)
    with qtbot.waitSignal(panel.imports.done, timeout=WAIT):
        panel.dialog.accept_button.click()
    assert (window.state.corpus.name, window.state.corpus.lines) == ("Pasted text", 4)


def test_a_long_paste_is_not_laid_out(app_state, qtbot):
    text = "长" * (SHOWN + 1_000_000)
    dialog = PasteDialog(app_state, text)
    orders = []
    dialog.ordered.connect(orders.append)
    assert dialog.field.document().characterCount() < 1000
    dialog.accept()
    assert orders[0].text == text


# what is there


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
    qtbot.waitUntil((tmp_path / "documents.csv").exists, timeout=WAIT)
    qtbot.waitUntil(lambda: not state.jobs.jobs(), timeout=WAIT)
    lines = (tmp_path / "documents.csv").read_text(encoding="utf-8-sig").splitlines()
    assert lines[0].startswith("Document,Encoding")
    assert len(lines) == 2
    panel.actions_.delete()
    dialog = next(d for d in window.findChildren(object) if type(d).__name__ == "DeleteDialog")
    shown = " ".join(label.text() for label in dialog.findChildren(QLabel))
    assert "segmentations (1) and its runs (1)" in shown
    dialog.accept()
    qtbot.waitUntil(lambda: not state.corpora(), timeout=WAIT)
    qtbot.waitUntil(lambda: not state.jobs.jobs(), timeout=WAIT)
    assert panel.primary is panel._empty.choose
    assert not (state.workspace.folder / "corpora" / "1").exists()


def test_a_corpus_is_not_deleted_while_a_job_runs_whatever_window_shows_it(app_state, cut, qtbot):
    job = app_state.run("bulk", Job("Train"), _until_stopped)
    made_later = CorporaPanel(app_state)  # as after a change of language or scale
    qtbot.addWidget(made_later)
    assert not made_later.actions_.remove.isEnabled()
    assert "A job is running" in made_later.actions_.remove.toolTip()
    job.cancel()
    qtbot.waitUntil(made_later.actions_.remove.isEnabled, timeout=WAIT)


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
