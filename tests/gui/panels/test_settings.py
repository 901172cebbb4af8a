"""Settings: how much jobs may take and how they treat the desktop, chosen in the panel."""

import os

import pytest

from lmstudio import limits, messages
from lmstudio.gui.panels.settings.settings import SettingsPanel
from lmstudio.store.settings import Settings
from tests.gui.conftest import assert_fits, clipped


@pytest.fixture
def chosen(monkeypatch):
    found = []
    monkeypatch.setattr(limits, "choose", lambda *what: found.append(what))
    return found


def pick(box, data):
    box.setCurrentIndex(box.findData(data))
    box.activated.emit(box.currentIndex())


def test_limits_and_habits_are_kept(app_state, qtbot, chosen, monkeypatch):
    renewed = []
    monkeypatch.setattr(app_state.queue, "renew_workers", lambda: renewed.append(1))
    panel = SettingsPanel(app_state)
    qtbot.addWidget(panel)
    cores = os.cpu_count() or 1
    assert panel.threads.count() == cores
    assert panel.memory.itemData(0) == 0.0
    pick(panel.memory, 1.0)
    panel.memory.activated.emit(panel.memory.currentIndex())  # the same again changes nothing
    panel.notify.click()
    panel.awake.click()
    assert chosen == [(0, 1.0)]
    assert renewed == [1]
    saved = Settings.load()
    assert (saved.memory, saved.notify, saved.keep_awake) == (1.0, False, False)


def test_a_choice_of_another_computer_is_shown(app_state, qtbot):
    app_state.settings.threads, app_state.settings.memory = 5000, 2.5
    panel = SettingsPanel(app_state)
    qtbot.addWidget(panel)
    assert (panel.threads.currentData(), panel.memory.currentData()) == (5000, 2.5)


@pytest.mark.parametrize("language", ["zh_CN", "en"])
def test_nothing_is_clipped(app_state, qtbot, language):
    messages.use(language)
    panel = SettingsPanel(app_state)
    qtbot.addWidget(panel)
    panel.resize(1294, 640)
    panel.show()
    assert_fits(panel)
    assert clipped(panel) == []
