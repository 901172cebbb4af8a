"""Every panel stands in a window in which no workspace is open."""

import pytest

from lmstudio.gui.rooms import ROOMS
from lmstudio.gui.state import AppState
from lmstudio.jobs import JobQueue
from lmstudio.store.settings import Settings

PANELS = [entry for room in ROOMS for entry in room.panels]


@pytest.mark.parametrize("entry", PANELS, ids=lambda entry: entry.key)
def test_it_is_shown(entry, qapp, shown):
    state = AppState(Settings(theme="light"), JobQueue())
    panel = shown(entry.panel_class()(state))
    assert panel.isVisible()
    state.close()
