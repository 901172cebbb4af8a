"""Notices of jobs that end behind the user's back, and a computer that stays awake for them."""

import time

import pytest
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget

from lmstudio.errors import AppError
from lmstudio.gui import notices
from lmstudio.gui.notices import Desktop, Notices
from lmstudio.jobs import Job

STATES = Qt.ApplicationState


class Teller(QObject):
    clicked = Signal()

    def __init__(self):
        super().__init__()
        self.told, self.hidden = [], 0

    def tell(self, title, text):
        self.told.append((title, text))

    def hide(self):
        self.hidden += 1


@pytest.fixture
def teller():
    return Teller()


@pytest.fixture
def alerted(monkeypatch):
    found = []
    monkeypatch.setattr(QApplication, "alert", found.append)
    return found


@pytest.fixture
def behind(monkeypatch):
    monkeypatch.setattr(notices, "_in_front", lambda: False)


@pytest.fixture
def watching(app_state, qtbot, teller, monkeypatch):
    monkeypatch.setattr("lmstudio.awake.command", list)
    window = QWidget()
    qtbot.addWidget(window)
    made = Notices(app_state, lambda: window, app_state, teller)
    yield made
    made.close()


def good(*, job):
    job.tick(1, 1)


def bad(*, job):
    raise AppError("Open a workspace first.")


def endless(*, job):
    while True:
        job.tick(0, 1)
        time.sleep(0.01)


def carry_out(app_state, qtbot, function, title="Train 小说"):
    with qtbot.waitSignal(app_state.jobs.finished):
        return app_state.run("bulk", Job(title), function, quiet=True)


@pytest.mark.usefixtures("watching", "behind")
def test_a_job_that_ends_or_fails_is_told(app_state, qtbot, teller, alerted):
    carry_out(app_state, qtbot, good)
    carry_out(app_state, qtbot, bad)
    assert [title for title, _ in teller.told] == ["Train 小说"] * 2
    assert teller.told[0][1].startswith("done in")
    assert teller.told[1][1] == "Open a workspace first."
    assert len(alerted) == 2


@pytest.mark.usefixtures("watching")
def test_none_while_the_window_is_in_front_or_they_are_switched_off(
    app_state, qtbot, teller, alerted, monkeypatch
):
    monkeypatch.setattr(notices, "_in_front", lambda: True)
    carry_out(app_state, qtbot, good)
    monkeypatch.setattr(notices, "_in_front", lambda: False)
    app_state.habits.set_notify(False)
    carry_out(app_state, qtbot, good)
    app_state.habits.set_notify(True)
    carry_out(app_state, qtbot, good, title="")  # a question of a panel
    assert (teller.told, alerted) == ([], [])


@pytest.mark.usefixtures("behind")
def test_a_job_that_the_user_stopped_is_not_told(app_state, qtbot, teller, watching):
    job = app_state.run("bulk", Job("x"), endless)
    qtbot.waitUntil(lambda: job.ticked)
    assert watching.keeps_awake
    with qtbot.waitSignal(app_state.jobs.finished):
        job.cancel()
    assert teller.told == []
    assert not watching.keeps_awake


def test_the_computer_may_sleep_where_that_is_chosen(app_state, qtbot, watching):
    job = app_state.run("bulk", Job("x"), endless)
    assert watching.keeps_awake
    app_state.habits.set_keep_awake(False)
    assert not watching.keeps_awake
    app_state.habits.set_keep_awake(True)
    assert watching.keeps_awake
    watching.close()
    assert not watching.keeps_awake
    with qtbot.waitSignal(app_state.jobs.finished):
        job.cancel()


def test_a_click_wants_the_window_and_coming_forward_clears_the_notice(
    qapp, qtbot, watching, teller, monkeypatch
):
    with qtbot.waitSignal(watching.clicked):
        teller.clicked.emit()
    before = teller.hidden
    monkeypatch.setattr(notices, "_in_front", lambda: True)
    qapp.applicationStateChanged.emit(STATES.ApplicationActive)
    assert teller.hidden == before + 1


def test_the_icon_in_the_tray_goes_with_the_notice(qapp, qtbot, monkeypatch):
    shown, said = [], []  # the real one asks the screen, which is none here
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: True)
    monkeypatch.setattr(QSystemTrayIcon, "show", lambda icon: shown.append(True))
    monkeypatch.setattr(QSystemTrayIcon, "hide", lambda icon: shown.append(False))
    monkeypatch.setattr(QSystemTrayIcon, "showMessage", lambda icon, *words: said.append(words[:2]))
    desktop = Desktop(qapp)
    desktop.tell("Train", "done")
    with qtbot.waitSignal(desktop.clicked):
        desktop.findChild(QSystemTrayIcon).messageClicked.emit()
    assert (said, shown) == ([("Train", "done")], [True, False])
    desktop.tell("Train", "done")
    desktop._away.timeout.emit()
    assert shown == [True, False] * 2
    desktop.deleteLater()
