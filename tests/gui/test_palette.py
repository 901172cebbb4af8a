"""The palette finds everything, in either language, by initials of pinyin, and typed roughly."""

import pytest
from PySide6.QtWidgets import QApplication

from lmstudio import help_pages, messages
from lmstudio.gui import rooms
from lmstudio.gui.actions import ACTIONS
from lmstudio.gui.initials import initials
from lmstudio.gui.palette_search import Choice, search
from lmstudio.gui.tours import TOURS
from lmstudio.gui.window import Window
from lmstudio.operations.changes import Changes
from tests.gui.panels import run_workspace

PANELS = [entry for room in rooms.ROOMS for entry in room.panels]


def found(window, text):
    """The titles that the palette shows for what is typed."""
    window.palette_box.field.setText(text)
    return [choice.title for choice in window.palette_box._shown]


def in_chinese(sentence):
    return messages._read("zh_CN").gettext(sentence)


@pytest.mark.parametrize("language", messages.LANGUAGES)
def test_everything_is_found_in_both_languages(app_state, qtbot, language):
    messages.use(language)
    ws = app_state.workspace
    cut = run_workspace.segmented(ws)
    run_workspace.made_up(ws, cut, "我的运行")
    app_state.apply(Changes(corpora=True, segmentations=True, runs=True, new_id=cut))
    window = Window(app_state)
    qtbot.addWidget(window)
    window.show()
    window.show_palette()
    for entry in [*PANELS, *ACTIONS, *TOURS]:
        for name in (entry.title, in_chinese(entry.title)):
            titles = found(window, name)
            assert any(messages.tr(entry.title) in title for title in titles), (name, titles)
    for key in help_pages.names():
        entry = next(entry for entry in PANELS if entry.key == key)
        for name in (f"Help {entry.title}", f"帮助 {in_chinese(entry.title)}"):
            wanted = messages.tr("Help: {title}", title=messages.tr(entry.title))
            assert wanted in found(window, name), name
    assert "我的运行" in found(window, "我的")
    assert "山水" in found(window, "ss")
    window.palette_box.hide()


def test_a_help_page_is_opened_from_it(window):
    window.show_palette()
    found(window, "help: masks")
    window.palette_box._take()
    assert window.help_window.pages.page.key == "masks"
    window.help_window.hide()
    QApplication.processEvents()


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("填空", "tk"),
        ("词向量", "cxl"),
        ("注意力 BERT", "zyl bert"),
        ("啊座", "az"),
        ("é１", "é１"),
    ],
)
def test_initials_of_pinyin(text, letters):
    assert initials(text) == letters


def test_chinese_panels_are_found_by_initials(window):
    window.show_palette()
    for letters, title in (("tk", "Masks"), ("cxl", "Embeddings"), ("qx", "Curves")):
        assert title in found(window, letters)
    window.palette_box.hide()


def test_the_best_comes_first_and_what_is_typed_roughly_is_found():
    titles = ("Reset masks", "Masks", "Head to head", "Embeddings")
    choices = [Choice("Panel", title, "", print) for title in titles]
    assert [choice.title for choice in search("masks", choices)] == ["Masks", "Reset masks"]
    assert [choice.title for choice in search("embdngs", choices)] == ["Embeddings"]
    assert [choice.title for choice in search("hth", choices)] == ["Head to head"]
    assert search("xyz", choices) == []
    assert search("", choices) == choices
