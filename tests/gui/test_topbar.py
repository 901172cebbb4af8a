"""The top bar shows all tabs of every room on the smallest screen; the palette finds the rest."""

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication

from lmstudio import messages
from lmstudio.gui import theme
from lmstudio.gui.rooms import ROOMS
from lmstudio.gui.topbar import TopBar
from lmstudio.operations import tags
from lmstudio.operations.changes import Changes
from tests.gui.panels import run_workspace


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("room", [room for room in ROOMS if len(room.panels) > 1],
                         ids=lambda room: room.key)  # fmt: skip
def test_all_tabs_stand_beside_the_rest(app_state, qtbot, room, language):
    messages.use(language)
    bar = TopBar(app_state)
    qtbot.addWidget(bar)
    bar.resize(1366 - theme.px(72), theme.px(48))
    bar.show()
    bar._source.set_text("示例语料 200 kB · jieba", arrow=True)
    for panel in room.panels:  # the tab that is shown is bold, and so wider
        bar.show_panel(room, panel.key)
        QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        assert bar.minimumSizeHint().width() <= 1366 - theme.px(72)
        assert bar._tabs.width() >= bar._tabs.sizeHint().width()
        assert bar._search.width() >= bar._search.minimumSizeHint().width()
        last = bar._others[-1]
        assert last.geometry().right() <= bar.width()
        assert bar._source.text() == "示例语料 200 kB · jieba"


def test_a_long_name_is_shortened_in_the_middle(app_state, qtbot):
    bar = TopBar(app_state)
    qtbot.addWidget(bar)
    bar._source.set_text("一个很长的名字" * 9 + "尾", arrow=True)
    bar.resize(700, 48)
    bar.show()
    assert "…" in bar._source.text()
    assert bar._source.text().endswith("尾")
    bar._source.set_text("示例语料 200 kB · jieba", arrow=True)
    bar.resize(1200, 48)
    assert bar._source.text() == "示例语料 200 kB · jieba"


def test_the_palette_finds_runs_corpora_and_findings_by_their_tags(window, app_state, qtbot):
    corpus = run_workspace.segmented(app_state.workspace)
    tags.set_tags(app_state.workspace, "corpus", app_state.corpora()[0].id, ["课堂"])
    run = run_workspace.counted(app_state.workspace, corpus, 1)
    tags.set_tags(app_state.workspace, "run", run, ["课堂"])
    app_state.save_finding("compare", "谁好", {}, {})
    app_state.apply(Changes(corpora=True, segmentations=True, runs=True))
    window.show_palette()
    window.palette_box.field.setText("课堂")
    shown = window.palette_box._shown
    assert [choice.title for choice in shown] == ["1-gram mod. KN  #课堂", "山水  #课堂"]
    shown[0].go()
    assert window.current_panel == "curves"
    assert app_state.run_ids == (run,)
    shown[1].go()
    assert window.current_panel == "corpora"
    window.show_palette()
    window.palette_box.field.setText("谁好")
    window.palette_box._take()
    assert window.current_panel == "findings"
    assert window.panel("findings").finding().title == "谁好"
