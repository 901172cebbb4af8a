"""Every panel that asks shows that it does within 100 ms, before the first process has started.

No question is answered here: that is how it looks while the process of the answers comes up.
"""

import shutil
import time

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QProgressBar, QWidget

from lmstudio.gui.jobs import Asker
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import ElidedLabel, ProgressLine
from lmstudio.gui.window import Window
from lmstudio.jobs import JobQueue
from lmstudio.store.settings import Settings
from lmstudio.store.workspace import Workspace
from tests.gui.panels import run_workspace, tuned_workspace

MOST_MS = 100
ASKING = (
    "statistics", "tokens", "sentence", "smoothing", "masks",
    "embeddings", "polysemy", "sentence_similarity", "attention", "layers", "task_errors", "try_it",
)  # fmt: skip


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A workspace with a run of each kind that is asked."""
    folder = tmp_path_factory.mktemp("signs") / "workspace"
    with Workspace(folder) as ws:
        cut = run_workspace.segmented(ws)
        run_workspace.counted(ws, cut, 2)
        for model in ("lstm", "bert"):
            run_workspace.network(ws, cut, model)
        tuned_workspace.trained(ws, "classify")
    return folder


@pytest.fixture
def stalled(trained, tmp_path, qtbot, monkeypatch):
    """A window on it whose questions wait for ever."""
    shutil.copytree(trained, tmp_path / "workspace")
    state = AppState(Settings(), JobQueue())
    assert state.open_workspace(tmp_path / "workspace")
    monkeypatch.setattr(state.queue, "submit", lambda *_: None)
    window = Window(state)
    qtbot.addWidget(window)
    window.resize(1366, 768)
    window.show()
    yield window
    state.jobs._jobs.clear()
    for timer in (state.jobs._timer, state.jobs._quick, *window.findChildren(QTimer)):
        timer.stop()
    window.close()
    state.close()


def signs(panel: QWidget) -> list[str]:
    """What on screen tells that something is at work: a word, a bar, an old answer faded."""
    words = [one.full_text() if isinstance(one, ElidedLabel) else one.text()
             for one in panel.findChildren(QLabel) if one.isVisible()]  # fmt: skip
    shown = [one for one in panel.findChildren(QWidget) if one.isVisible()]
    others = [type(one).__name__ for one in shown
              if isinstance(one, QProgressBar | ProgressLine) or one.graphicsEffect()]  # fmt: skip
    return [word for word in words if word.endswith("…")] + others


def waits(panel: QWidget) -> bool:
    return any(asker.busy for asker in panel.findChildren(Asker))


def longest_turn(milliseconds: int) -> float:
    """Let events come for a while; the most of the processor's time that a turn of them took."""
    longest, end = 0.0, time.monotonic() + milliseconds / 1000
    while time.monotonic() < end:
        began = time.thread_time()
        QApplication.processEvents()
        longest = max(longest, time.thread_time() - began)
        QTest.qSleep(5)
    QApplication.processEvents()
    return longest


@pytest.mark.parametrize("key", ASKING)
def test_a_panel_that_asks_shows_a_sign_at_once(stalled, qtbot, key):
    stalled.state.set_sentence("山水")
    stalled.show_panel(key)
    panel = stalled.panel(key)
    qtbot.waitUntil(lambda: waits(panel))  # some let typing come to an end
    turn = longest_turn(MOST_MS)
    assert signs(panel)
    assert turn * 1000 <= MOST_MS
