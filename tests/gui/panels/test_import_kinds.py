"""Files of every kind, by every way into the window: drop, File menu, clipboard, start page."""

import json
import zipfile
from pathlib import Path

from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QLabel

from lmstudio.gui.drop import DropOverlay
from lmstudio.gui.panels.start.drop_area import DropArea
from lmstudio.text.read import SUFFIXES
from tests.gui.panels.imports import imported, looked, opened, write

STORY = "从前有座山，山上有座庙。\n庙里有个老和尚。\n"


def written(folder):
    """A file of every kind that is made without much ado, each with one document or more."""
    import docx
    import openpyxl

    folder.mkdir()
    write(folder, "a.txt", STORY, "gb18030")
    write(folder, "b.csv", "title,text\n一,春天来了。\n二,夏天很热。\n")
    write(
        folder, "c.jsonl", "".join(json.dumps({"text": f"第{n}个故事。"}) + "\n" for n in range(3))
    )
    write(
        folder,
        "d.html",
        "<html><head><title>页</title></head><body><p>网页上的话。</p></body></html>",
    )
    write(
        folder,
        "e.conllu",
        "# text = 我爱你。\n1\t我\t_\tPRON\t_\t_\t2\tnsubj\t_\tSpaceAfter=No\n\n",
    )
    document = docx.Document()
    document.add_paragraph("文档里的一段话。")
    document.save(folder / "f.docx")
    book = openpyxl.Workbook()
    for row in (["title", "text"], ["甲", "表格里的话。"]):
        book.active.append(row)
    book.save(folder / "g.xlsx")
    with zipfile.ZipFile(folder / "h.zip", "w") as archive:
        archive.writestr("里面.txt", "压缩包里的话。\n")
    return folder


def test_a_folder_with_files_of_every_kind_is_one_corpus(window, qtbot, tmp_path):
    dialog = opened(window, qtbot, written(tmp_path / "every"))
    found = {row.cells["name"].value: row.cells["found"].value for row in
             dialog.files.table.rows()}  # fmt: skip
    assert found["a.txt"] == "plain text · GB18030"
    assert found["b.csv"] == "CSV · UTF-8"
    assert found["f.docx"] == "DOCX"
    row = imported(window, qtbot, dialog)
    assert row.facts["skipped"] == []
    assert row.documents == 11
    formats = {one.name: one.format for one in window.state.workspace.sources(row.id)}
    assert (formats["g.xlsx"], formats["e.conllu"]) == ("xlsx", "conllu")
    window.panel("corpora").lists.which.segment("sources").click()
    assert len(window.panel("corpora").lists.sources.rows()) == 8


def test_the_file_menu_offers_all_kinds_and_opens_the_same_dialog(
    window, qtbot, tmp_path, monkeypatch
):
    file, asked = write(tmp_path, "a.csv", "text\n一句话。\n两句话。\n三句话。\n"), []

    def choose(parent, title, folder, kinds):
        asked.append(kinds)
        return [str(file)], ""

    monkeypatch.setattr(QFileDialog, "getOpenFileNames", choose)
    window.asking.choose_files()
    assert all(f"*{suffix} " in asked[0].replace(")", " ") for suffix in SUFFIXES)
    dialog = looked(window.panel("corpora").dialog, qtbot)
    assert imported(window, qtbot, dialog).documents == 3


def test_files_on_the_clipboard_are_pasted_into_the_same_dialog(window, qtbot, tmp_path):
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(write(tmp_path, "a.txt", STORY)))])
    QGuiApplication.clipboard().setMimeData(data)
    window.show_panel("corpora")
    window.panel("corpora").paste()
    dialog = looked(window.panel("corpora").dialog, qtbot)
    assert dialog.files.table.rows()[0].cells["name"].value == "a.txt"
    dialog.reject()


def test_the_overlay_and_the_empty_panels_name_all_kinds(window):
    overlay = window.findChild(DropOverlay)
    overlay.show_for([Path("a.txt"), Path("b.txt")])
    overlay.grab()
    assert overlay.accessibleDescription().split() == list(SUFFIXES)
    for place in (window.panel("welcome"), window.panel("corpora").findChild(DropArea)):
        texts = " ".join(label.text() for label in place.findChildren(QLabel))
        assert all(suffix in texts for suffix in SUFFIXES)
