"""Tables in the import dialog: columns are chosen, remembered, and split by; more settings."""

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QTextCursor

from lmstudio.gui.dialogs.import_files import ImportDialog
from lmstudio.store.settings import Settings
from lmstudio.text.normalize import NormaliseOptions
from tests.gui.conftest import clipped
from tests.gui.panels.imports import imported, looked, opened, write

TABLE = (
    "id,headline,body,kind,split\n"
    '1,春,"春天来了，\n花开了。",景,train\n'
    "2,夏,夏天很热。ＡＢ,景,valid\n"
    "3,秋,秋天叶落。１２,事,test\n"
    "4,冬,冬天下雪，很冷。,事,train\n"
)
PLAIN = "从前有座山，山上有座庙。\n庙里有个老和尚，在讲故事。\n"


def choose(box, value):
    """Choose an item by its value."""
    box.setCurrentIndex(box.findData(value))


def test_the_columns_of_a_table_are_shown_with_what_they_are_taken_for(window, qtbot, tmp_path):
    dialog = opened(window, qtbot, write(tmp_path, "a.csv", TABLE))
    columns = dialog.sample.columns
    assert columns.isVisible()
    assert not dialog.sample.text.isVisible()
    assert columns.roles() == {"title": "headline", "text": "body", "part": "split"}
    assert columns.header.isChecked()
    assert "part column" in dialog.fields.split.valid.toolTip()
    assert columns.table.item(1, 2).text() == "春天来了， 花开了。"
    row = imported(window, qtbot, dialog)
    assert (row.documents, row.split_rule) == (4, "column")
    documents = window.state.workspace.documents(row.id)
    assert [one.title for one in documents] == ["春", "夏", "秋", "冬"]
    assert [one.part for one in documents] == ["train", "valid", "test", "train"]
    assert window.panel("corpora").documents.documents.columns == [
        "name", "title", "characters", "part",
    ]  # fmt: skip


def test_chosen_columns_are_used_and_remembered_by_the_names_in_the_header(window, qtbot, tmp_path):
    dialog = opened(window, qtbot, write(tmp_path, "a.csv", TABLE))
    choose(dialog.sample.columns.box("kind"), "label")
    choose(dialog.sample.columns.box("split"), "")
    looked(dialog, qtbot)
    assert dialog.fields.split.valid.isEnabled()
    by = dialog.more.split.control("by")
    assert not by.model().item(by.findData("column")).isEnabled()
    row = imported(window, qtbot, dialog)
    documents = window.state.workspace.documents(row.id)
    assert [one.label for one in documents] == ["景", "景", "事", "事"]
    assert row.split_rule != "column"
    again = opened(window, qtbot, write(tmp_path, "b.csv", TABLE + "5,春,又一春。,景,train\n"))
    roles = {"title": "headline", "text": "body", "label": "kind"}
    assert again.sample.columns.roles() == roles
    assert Settings.load().columns_of(["id", "headline", "body", "kind", "split"]) == roles
    again.reject()


def test_a_role_is_one_columns_and_there_must_be_a_text(window, qtbot, tmp_path):
    dialog = opened(window, qtbot, write(tmp_path, "a.csv", TABLE))
    choose(dialog.sample.columns.box("headline"), "text")
    looked(dialog, qtbot)
    assert dialog.sample.columns.roles() == {"text": "headline", "part": "split"}
    assert dialog.order().options.reading.text_column == "headline"
    choose(dialog.sample.columns.box("headline"), "")
    assert not dialog.accept_button.isEnabled()
    assert "which column is the text" in dialog.accept_button.toolTip()
    dialog.reject()


def test_a_first_row_is_no_header_if_it_is_said_so(window, qtbot, tmp_path):
    dialog = opened(
        window, qtbot, write(tmp_path, "a.csv", "第一句话在这里。,1\n第二句话在那里。,2\n")
    )
    assert not dialog.sample.columns.header.isChecked()
    assert dialog.sample.columns.roles() == {"text": "1"}
    dialog.sample.columns.header.click()
    looked(dialog, qtbot)
    assert dialog.sample.columns.roles() == {"text": "第一句话在这里。"}
    assert dialog.order().options.reading.header == "yes"
    dialog.reject()


def test_words_and_tags_are_found_and_can_be_overridden(window, qtbot, tmp_path):
    text = "我/r 爱/v 北京/ns 。/w\n他/r 爱/v 上海/ns 。/w\n你/r 好/a 。/w\n"
    dialog = opened(window, qtbot, write(tmp_path, "a.txt", text))
    assert "word/tag" in dialog.fields.format.currentText()
    choose(dialog.fields.format, "text")
    looked(dialog, qtbot)
    assert dialog.order().options.reading.format == "text"
    choose(dialog.fields.format, "auto")
    looked(dialog, qtbot)
    row = imported(window, qtbot, dialog)
    assert row.facts["given_words"] == 11
    view = window.panel("corpora").text
    view.grab()
    assert view.visible_text().startswith("我爱北京。")
    assert [tag for _, _, tag in view._words(0)] == ["r", "v", "ns", "w"]
    middle = view.fontMetrics().height() / 2
    assert view.tag_at(QPointF(view._left + 13 * 2.5, middle)) == "ns"
    assert view.tag_at(QPointF(view._left + 13 * 40, middle)) == ""


# more settings


def opened_more(window, qtbot, *files) -> ImportDialog:
    """The dialog with all its settings."""
    dialog = opened(window, qtbot, *files)
    assert not dialog.more.isVisible()
    dialog.fold.click()
    return looked(dialog, qtbot)


def test_each_step_says_what_it_would_change_before_it_is_chosen(window, qtbot, tmp_path):
    dialog = opened_more(window, qtbot, write(tmp_path, "a.txt", "漢字ＡＢ😀。\n好。\n好，好。\n"))
    notes = {name: dialog.more.steps._notes[name].text() for name in dialog.more.steps.names()}
    assert notes["width"] == "would change 2"
    assert notes["script"] == "would change 1"
    assert notes["invisible"] == "nothing to change"
    choose(dialog.more.steps.control("width"), "half")
    looked(dialog, qtbot)
    assert dialog.more.steps._notes["width"].text() == "2 changed"
    shown = dialog.sample.text.toPlainText().split("\n")
    assert shown[:3] == ["漢字ＡＢ😀。", "→ 漢字AB😀。", "好。"]
    assert "1 changed" in dialog.fold.text()
    assert marked(dialog.sample.text) == ["ＡＢ", "AB"]
    row = imported(window, qtbot, dialog)
    assert row.facts["normalise"]["width"]["changed"] == 2
    assert "Full width: 2 characters changed." in window.panel("corpora").facts.text()


def marked(view) -> list[str]:
    """The stretches with a ground of their own."""
    cursor, found = QTextCursor(view.document()), []
    block = view.document().begin()
    while block.isValid():
        for fragment in block.begin():
            part = fragment.fragment()
            if part.charFormat().background().style() != Qt.BrushStyle.NoBrush:
                found.append(part.text())
        block = block.next()
    assert cursor.atStart()
    return found


def test_steps_of_a_table_are_shown_on_its_text_column(window, qtbot, tmp_path):
    dialog = opened_more(window, qtbot, write(tmp_path, "a.csv", TABLE))
    choose(dialog.more.steps.control("digits"), "class")
    looked(dialog, qtbot)
    assert dialog.sample.text.isVisible()
    assert "→ 秋天叶落。00" in dialog.sample.text.toPlainText()
    assert dialog.height() <= 700
    choose(dialog.more.steps.control("digits"), "keep")
    looked(dialog, qtbot)
    assert not dialog.sample.text.isVisible()
    assert dialog.order().options.normalise == NormaliseOptions()
    dialog.reject()


def test_the_dialog_fits_a_small_screen_with_a_table_and_all_it_can_say(
    window, qtbot, tmp_path, monkeypatch
):
    monkeypatch.setattr("lmstudio.gui.dialogs.encoding_choice.is_doubtful", bool)
    files = [write(tmp_path, f"x.{part}.csv", TABLE) for part in ("train", "test")]
    dialog = opened_more(window, qtbot, *files)
    choose(dialog.more.steps.control("width"), "half")
    looked(dialog, qtbot)
    dialog.fields.name.setText("长" * 300)
    for part in (dialog.sample.encodings, dialog.sample.text, dialog.fields.given):
        assert part.isVisible()
    assert dialog.minimumSizeHint().height() <= 700
    assert dialog.minimumSizeHint().width() <= 1366
    assert dialog.height() <= 700
    assert clipped(dialog) == []
    dialog.reject()


def test_copies_are_dropped_and_the_same_file_is_taken_once(window, qtbot, tmp_path):
    files = [write(tmp_path, f"{n}.txt", PLAIN + f"第{n // 2}个故事。\n") for n in range(4)]
    files.append(write(tmp_path, "same.txt", files[0].read_text(encoding="utf-8")))
    dialog = opened_more(window, qtbot, *files)
    choose(dialog.more.policy.control("duplicates"), "drop-exact")
    row = imported(window, qtbot, dialog)
    skipped = {name for name, _, _ in row.facts["skipped"]}
    assert "same.txt" in skipped
    assert row.documents == 2
    again = opened(window, qtbot, files[0])
    imported(window, qtbot, again)
    assert "imported before" in window.panel("corpora").result.text()


def test_the_corpus_is_imported_again_with_other_settings(window, qtbot, tmp_path):
    file = write(tmp_path, "a.csv", TABLE)
    dialog = opened_more(window, qtbot, file)
    choose(dialog.more.steps.control("width"), "half")
    looked(dialog, qtbot)
    first = imported(window, qtbot, dialog)
    file.unlink()  # the corpus has its own copy
    panel = window.panel("corpora")
    panel.actions_.again.click()
    again = looked(panel.dialog, qtbot)
    assert again.windowTitle() == f"Import {first.name} again"
    assert again.more.normalise() == NormaliseOptions(width="half")
    choose(again.more.split.control("by"), "line-blocks")
    looked(again, qtbot)
    second = imported(window, qtbot, again)
    assert (second.name, second.documents) == (f"{first.name} 2", first.documents)
    assert second.split_rule.startswith("blocks")
