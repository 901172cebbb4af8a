"""The top bar shows all tabs of every room on the smallest screen, in both languages."""

import pytest

from lmstudio import messages
from lmstudio.gui import theme
from lmstudio.gui.rooms import ROOMS
from lmstudio.gui.topbar import TopBar


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("room", [room for room in ROOMS if len(room.panels) > 1],
                         ids=lambda room: room.key)  # fmt: skip
def test_all_tabs_stand_beside_the_rest(app_state, qtbot, room, language):
    messages.use(language)
    bar = TopBar(app_state)
    qtbot.addWidget(bar)
    bar.resize(1366 - theme.px(72), theme.px(48))
    bar.show_panel(room, room.panels[-1].key)
    bar.show()
    assert bar.minimumSizeHint().width() <= 1366 - theme.px(72)
    assert bar._tabs.width() >= bar._tabs.sizeHint().width()
    assert bar._search.width() >= bar._search.minimumSizeHint().width()
    last = bar._others[-1]
    assert last.geometry().right() <= bar.width()


def test_a_long_name_is_shortened_in_the_middle(app_state, qtbot):
    bar = TopBar(app_state)
    qtbot.addWidget(bar)
    bar._source.set_text("一个很长的名字" * 9 + "尾", "  ▾")
    bar.resize(700, 48)
    bar.show()
    assert "…" in bar._source.text()
    assert bar._source.text().endswith("尾  ▾")
