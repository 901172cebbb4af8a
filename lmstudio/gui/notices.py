"""Jobs that end while the window is not in front -> a notice of the desktop, a click on which
brings the window there; and no sleep of the computer while a job runs.
"""

import shutil
import sys
from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QObject, QProcess, Qt, QTimer, Signal, SignalInstance, Slot
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget

from lmstudio import figures
from lmstudio.awake import Awake
from lmstudio.gui.icons import app_icon
from lmstudio.gui.state import AppState
from lmstudio.jobs import Job
from lmstudio.messages import tr

SHOWN_MS = 15_000
LONGEST = 250  # characters of a text; desktops show less


class Teller(Protocol):
    """Shows notices."""

    @property
    def clicked(self) -> SignalInstance: ...

    def tell(self, title: str, text: str) -> None: ...

    def hide(self) -> None: ...


class Desktop(QObject):
    """The system's notices, by an icon in the tray that is there only as long as a notice is.

    A Linux desktop without a tray takes them from `notify-send`, if that is there.
    """

    clicked = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._icon: QSystemTrayIcon | None = None
        self._away = QTimer(self, interval=SHOWN_MS, singleShot=True)
        self._away.timeout.connect(self.hide)

    def tell(self, title: str, text: str) -> None:
        """Show a notice; nothing happens where the system has no place for it."""
        if QSystemTrayIcon.isSystemTrayAvailable():
            self._icon = self._icon or self._new_icon()
            self._icon.show()
            self._icon.showMessage(title, text, app_icon(), SHOWN_MS)
            self._away.start()
        elif sys.platform.startswith("linux") and (program := shutil.which("notify-send")):
            hint = "--hint=string:desktop-entry:lmstudio-workbench"  # a click leads to its window
            words = ["--app-name=LM Workbench", "--icon=lmstudio-workbench", hint, "--"]
            QProcess.startDetached(program, [*words, title, text])

    def _new_icon(self) -> QSystemTrayIcon:
        icon = QSystemTrayIcon(app_icon(), self)
        icon.setToolTip(QApplication.applicationDisplayName())
        icon.messageClicked.connect(self._chosen)
        icon.activated.connect(self._chosen)
        return icon

    @Slot()
    def _chosen(self) -> None:
        self.hide()
        self.clicked.emit()

    @Slot()
    def hide(self) -> None:
        """Leave no icon behind."""
        self._away.stop()
        if self._icon is not None:
            self._icon.hide()


class Notices(QObject):
    """Watches the jobs of the state for as long as the program runs."""

    clicked = Signal()  # the window is wanted in front

    def __init__(
        self, state: AppState, window: Callable[[], QWidget], parent: QObject,
        teller: Teller | None = None,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._state, self._window = state, window
        self._teller: Teller = teller or Desktop(self)
        self._teller.clicked.connect(self.clicked)
        self._awake = Awake()
        for signal in (state.jobs.added, state.jobs.finished, state.habits.changed):
            signal.connect(self._keep_awake)
        state.jobs.finished.connect(self._ended)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.applicationStateChanged.connect(self._came_forward)

    @Slot()
    def _keep_awake(self) -> None:
        if self._state.settings.keep_awake and self._state.jobs.jobs():
            self._awake.hold()
        else:
            self._awake.release()

    @property
    def keeps_awake(self) -> bool:
        """The computer is kept from sleeping now."""
        return self._awake.held

    @Slot(object)
    def _ended(self, job: Job) -> None:
        told = job.title and job.state in ("done", "failed")
        if not told or _in_front() or not self._state.settings.notify:
            return
        QApplication.alert(self._window())
        text = str(job.error) if job.state == "failed" else _took(job)
        self._teller.tell(job.title, text[:LONGEST])

    @Slot()
    def _came_forward(self) -> None:
        if _in_front():
            self._teller.hide()

    def close(self) -> None:
        """Leave neither an icon nor a computer that does not sleep."""
        self._teller.hide()
        self._awake.release()


def _took(job: Job) -> str:
    return tr("done in {time}", time=figures.duration((job.ended or 0.0) - (job.started or 0.0)))


def _in_front() -> bool:
    return QApplication.applicationState() == Qt.ApplicationState.ApplicationActive
