"""Fixtures for the window: a state over a workspace of its own; nothing may be left running."""

import gc

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QThread, QTimer
from PySide6.QtWidgets import QAbstractButton, QLabel, QSizePolicy, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from lmstudio.gui import theme
from lmstudio.gui.state import AppState
from lmstudio.gui.topbar import ShortenedButton
from lmstudio.gui.widgets import ElidedLabel
from lmstudio.gui.window import Window
from lmstudio.jobs import JobQueue
from lmstudio.store.settings import Settings
from lmstudio.training.machine import Machine

for wait in (QtBot.waitUntil, QtBot.waitSignal, QtBot.waitSignals, QtBot.waitExposed):
    wait.__kwdefaults__["timeout"] = 60_000  # ms: a busy machine may take long for what must come


@pytest.fixture(scope="session")
def qapp(qapp):
    theme.apply(qapp, "light", 1.0)
    return qapp


@pytest.fixture(autouse=True)
def _nothing_left(qapp, monkeypatch):
    """A timer or thread that outlives its test would strike in another one."""
    started = []

    def recorded(start):
        def wrapper(self, *args):
            started.append(self)
            return start(self, *args)

        return wrapper  # fmt: skip

    monkeypatch.setattr(QTimer, "start", recorded(QTimer.start))
    monkeypatch.setattr(QThread, "start", recorded(QThread.start))
    yield
    settle()
    left = [one for one in started if isValid(one) and (
        one.isActive() if isinstance(one, QTimer) else one.isRunning())]  # fmt: skip
    assert not left, left


def settle() -> None:
    """Carry out all deletions that were put off."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    QCoreApplication.processEvents()
    gc.collect()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def app_state(qapp, tmp_path):
    """A state with an empty workspace; its workers start when a job needs them."""
    state = AppState(Settings(theme="light"), JobQueue())
    state.machine = Machine(cores=2, memory_bytes=16_000_000_000)  # or each test would ask torch
    problems = []
    state.problem.connect(lambda *problem: problems.append(problem))
    assert state.open_workspace(tmp_path / "workspace"), problems
    yield state
    state.close()
    state.deleteLater()


@pytest.fixture
def window(app_state, qtbot):
    """The window at the size it was designed for, on screen."""
    window = Window(app_state)
    qtbot.addWidget(window)
    window.resize(1366, 768)
    window.show()
    qtbot.waitExposed(window)
    return window


def assert_fits(panel: QWidget) -> None:
    """On a 1366 x 768 screen the title bar and task bar leave 1366 x 700; the bars take theirs."""
    needed = panel.minimumSizeHint()
    rail, bars = theme.px(72), theme.px(48 + 40)
    assert needed.width() <= 1366 - rail, f"{panel.accessibleName()}: {needed}"
    assert needed.height() <= 700 - bars, f"{panel.accessibleName()}: {needed}"


def clipped(widget: QWidget) -> list[str]:
    """Texts on screen that have less room than they need and do not give way on purpose."""
    QCoreApplication.processEvents()
    labels = [one for one in widget.findChildren(QLabel)
              if not isinstance(one, ElidedLabel) and not one.wordWrap()]  # fmt: skip
    buttons = [one for one in widget.findChildren(QAbstractButton)
               if not isinstance(one, ShortenedButton)]  # fmt: skip
    texts = [*labels, *buttons]
    return [
        one.text() for one in texts
        if one.isVisible() and one.text() and one.width() < one.sizeHint().width() - 1
        and one.sizePolicy().horizontalPolicy() != QSizePolicy.Policy.Ignored
    ]  # fmt: skip
