"""From a dropped file to a corpus in the list: the dialog and the import."""

import json
import os

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QGuiApplication, QInputMethodEvent
from PySide6.QtWidgets import QApplication

from lmstudio import cli
from lmstudio.data.split import SplitRule
from lmstudio.gui.dialogs.encoding_choice import EncodingChoice, is_doubtful
from lmstudio.gui.dialogs.paste_text import SHOWN, PasteDialog
from lmstudio.operations import corpora
from lmstudio.text.preview import Candidate, Preview
from tests.gui.panels import run_workspace
from tests.gui.panels.imports import ODD_NAME, imported, let_fall, looked, opened, write

WRAPPED = "从前有座山山上有座庙庙里有个老和尚在讲故事讲的是什么呢讲的是从前有座山\n" * 40


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
    assert "GB18030" in dialog.fields.encoding.currentText()
    assert dialog.sample.text.toPlainText().startswith("山边有")
    row = imported(window, qtbot, dialog)
    panel = window.panel("corpora")
    assert panel.card.list.currentItem().text() == row.name == ODD_NAME.removesuffix(".txt")
    assert panel.result.isVisible()
    assert "stand in the training part as well" in panel.facts.text()
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
    qtbot.waitUntil(lambda: not segment.surveys.waiting())
    survey = segment.surveys.survey("a")
    qtbot.keyClick(window, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: window.current_panel == "new_run")
    row = window.state.segmentation
    assert row.segmenter == "whitespace"
    assert (row.facts["tokens"], row.vocabulary) == (survey.tokens, survey.vocabulary)
    qtbot.waitUntil(lambda: not window.state.jobs.jobs())


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
    other = tmp_path / "d.doc"
    other.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    dialog = opened(window, qtbot, bad, good, blank, other)
    reasons = {r.cells["name"].value: r.cells["found"].value for r in dialog.files.table.rows()}
    assert "damaged" in reasons["b.pdf"]
    assert ".docx" in reasons["d.doc"]
    assert "usable" in reasons["c.txt"]
    assert "3 left out" in dialog.files.text()
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
    dialog.fields.encoding.setCurrentIndex(dialog.fields.encoding.findData("gb18030"))
    looked(dialog, qtbot)
    wrong = dialog.sample.text.toPlainText()
    assert "今天" not in wrong
    dialog.fields.set_encoding("big5")
    looked(dialog, qtbot)
    assert dialog.sample.text.toPlainText().startswith("今天天氣")
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
    assert "100 % of the lines" in dialog.sample.wrapped.text()
    dialog.sample.wrapped.choice.segment("paragraph").click()
    assert dialog.order().options.reading.lines == "paragraph"
    dialog.sample.wrapped.choice.segment("wrapped").click()
    row = imported(window, qtbot, dialog)
    assert row.lines_rule == "wrapped"
    assert "joined" in window.panel("corpora").result.text()


def test_files_named_as_parts_are_kept_as_parts(window, qtbot, tmp_path):
    files = [write(tmp_path, f"x.{part}.txt", f"{part} one\n{part} two\n")
             for part in ("train", "valid", "test")]  # fmt: skip
    dialog = opened(window, qtbot, *files)
    assert dialog.fields.given.isVisible()
    assert not dialog.fields.split.valid.isEnabled()
    assert dialog.fields.split.valid.toolTip()
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
    dialog.fields.name.setText(" " + "长" * 40)
    assert dialog.sample.encodings.isVisible()
    assert dialog.fields.given.isVisible()
    assert dialog.sample.wrapped.isVisible()
    assert dialog.minimumSizeHint().height() <= 700
    assert dialog.minimumSizeHint().width() <= 1366
    assert dialog.height() <= 700
    dialog.reject()


def test_a_split_can_be_chosen(window, qtbot, tmp_path):
    dialog = opened(window, qtbot, write(tmp_path, "a.txt", run_workspace.text(100)))
    dialog.fields.split.valid.setValue(20)
    dialog.fields.split.seed.setValue(7)
    dialog.fields.name.setText("半")
    assert dialog.order().options.split == SplitRule(20, 5, 7)
    row = imported(window, qtbot, dialog)
    assert (row.name, row.split_rule) == ("半", "blocks 75/20/5 seed 7")
    again = opened(window, qtbot, tmp_path / "a.txt")
    again.fields.name.setText("半")
    assert not again.accept_button.isEnabled()
    assert "taken" in again.accept_button.toolTip()
    again.reject()


def test_case_i4_chinese_can_be_typed_into_the_name(window, qtbot, tmp_path):
    dialog = opened(window, qtbot, write(tmp_path, "a.txt", "好。\n好。\n好。\n"))
    QApplication.sendEvent(dialog.fields.name, QInputMethodEvent("yu", []))
    assert dialog.fields.name.text() == ""
    event = QInputMethodEvent("", [])
    event.setCommitString("语料")
    QApplication.sendEvent(dialog.fields.name, event)
    assert dialog.order().name == "语料"
    dialog.reject()


def test_an_import_that_is_stopped_leaves_nothing(window, qtbot, tmp_path):
    file = write(tmp_path, "a.txt", run_workspace.text(40) * 3000)
    dialog = opened(window, qtbot, file)
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    (job,) = window.state.jobs.jobs()
    qtbot.waitUntil(lambda: job.done > 0 or job.state in ("done", "failed"))
    window.jobbar.stop()
    qtbot.waitUntil(lambda: not window.panel("corpora").imports.busy)
    assert job.state == "cancelled"
    assert window.state.corpora() == []
    assert list((window.state.workspace.folder / "corpora").iterdir()) == []


def test_more_files_come_into_the_open_dialog(window, qtbot, tmp_path):
    one, two = write(tmp_path, "a.txt", "一。\n" * 5), write(tmp_path, "b.txt", "二。\n" * 5)
    dialog = opened(window, qtbot, one)
    let_fall(dialog, [QUrl.fromLocalFile(str(two))])
    looked(dialog, qtbot)
    assert imported(window, qtbot, dialog).documents == 2


def test_text_is_pasted(window, qtbot):
    panel = window.panel("corpora")
    window.show_panel("corpora")
    QGuiApplication.clipboard().setText("第一句。\n第二句。\n第三句。\n第四句。")
    panel.paste()
    assert isinstance(panel.dialog, PasteDialog)
    with qtbot.waitSignal(panel.imports.done):
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
