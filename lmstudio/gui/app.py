"""The start of the window: settings, one paint, then all that takes time, then the workers.

Order: Qt only -> window painted -> workspace -> pyqtgraph -> worker processes -> all panels, one
a turn. torch stays in the workers. A start while a window is open only tells it what to open.
LMSTUDIO_TIMES=1 prints when each of these was reached.
"""

import logging
import os
import sys
import time
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import (
    QByteArray,
    QLibraryInfo,
    QMessageLogContext,
    QObject,
    Qt,
    QTimer,
    QtMsgType,
    QTranslator,
    Slot,
    qInstallMessageHandler,
)
from PySide6.QtWidgets import QApplication
from shiboken6 import delete

from lmstudio import limits, messages
from lmstudio.errors import AppError
from lmstudio.gui.application import Application
from lmstudio.gui.drop import workspace_among
from lmstudio.gui.first_window import FirstWindow, Wish, activation_token
from lmstudio.gui.hooks import Hooks
from lmstudio.gui.icons import app_icon
from lmstudio.gui.notices import Notices
from lmstudio.gui.signals import EndAsked
from lmstudio.gui.state import AppState
from lmstudio.gui.tours import TOURS
from lmstudio.gui.window import Window
from lmstudio.log import logged_to
from lmstudio.messages import tr
from lmstudio.store.settings import Settings, default_workspace, log_file, sample_workspace

_log = logging.getLogger(__name__)
_started = time.perf_counter()
_NOT_LOGGED = "This plugin does not support propagateSizeHints()"
SETTLE_MS = 2000  # after which a window that was replaced is gone


def main(
    workspace: Path | None = None, *, files: list[Path] | None = None, sample: bool = False,
    tour: bool = False,
) -> int:  # fmt: skip
    """Open the window; returns the exit code when it is closed, or at once if there is one already.

    `files` are imported, a workspace among them is opened; `sample` makes the sample corpus, `tour`
    begins the first tour, in a workspace of their own if none is named.
    """
    among, others = workspace_among([file.absolute() for file in files or ()])
    folder = workspace or among or (sample_workspace() if sample or tour else None)
    wish = Wish(folder and folder.absolute(), tuple(others), sample, tour, activation_token())
    with logged_to(log_file()):
        qInstallMessageHandler(_log_qt)
        try:
            return _run(wish)
        except BaseException:  # there may be no console for it
            _log.exception("the window ended")
            raise


def _run(wish: Wish) -> int:
    settings = Settings.load()
    messages.use(settings.language or messages.system_language())
    limits.choose(settings.threads, settings.memory)  # for workers: the window is held to nothing
    try:
        limits.check()
    except AppError as error:  # said once everything is there
        settings.trouble = settings.trouble or error.message
    app = QApplication.instance() or Application(sys.argv[:1])
    assert isinstance(app, QApplication)
    app.setApplicationName("lmstudio-workbench")
    app.setDesktopFileName("lmstudio-workbench")
    app.setApplicationDisplayName("LM Workbench")
    app.setWindowIcon(app_icon())
    app.setQuitOnLastWindowClosed(False)
    first = FirstWindow(app)
    if not first.take(wish):
        return 0
    program = Program(app, settings, wish.workspace or default_workspace())
    first.wished.connect(program.carry_out)
    if isinstance(app, Application):
        app.files_given.connect(program.open_paths)
    program.wants(wish)
    ends = EndAsked(app)
    ends.asked.connect(program.end)
    program.show()
    code = app.exec()
    first.leave()
    program.close()
    ends.remove()
    return code


def _log_qt(kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
    """What Qt has to say goes to the log too, but for what it says at every resize."""
    if _NOT_LOGGED in text:
        return
    grave = kind in (QtMsgType.QtCriticalMsg, QtMsgType.QtFatalMsg)
    _log.log(logging.ERROR if grave else logging.INFO, "Qt: %s", text)


class Program(QObject):
    """What outlives a window: the state, the hooks, the translator of Qt's own words."""

    def __init__(self, app: QApplication, settings: Settings, workspace: Path) -> None:
        super().__init__(app)
        self._app, self._folder = app, workspace
        self._wishes: list[Wish] = []  # that wait for everything to be there
        self._ready = False
        self.state = AppState(settings, parent=self)
        self.hooks = Hooks(self)
        self.hooks.problem.connect(self.state.problem)
        self._translator = QTranslator(self)
        self._translate()
        self.state.apply_theme()
        app.styleHints().colorSchemeChanged.connect(self._scheme_changed)
        # after the slot that asked for it has returned: it belongs to the old window
        self._rebuild = QTimer(self, interval=0, singleShot=True)
        self._rebuild.timeout.connect(self._replace_window)
        self.state.rebuild.connect(self._rebuild.start)
        self.window = self._new_window()
        self.notices = Notices(self.state, lambda: self.window, self)
        self.notices.clicked.connect(self._come_forward)

    def wants(self, wish: Wish) -> None:
        """What to do once everything is there; its workspace is open by then."""
        self._wishes.append(replace(wish, workspace=None))

    @Slot()
    def _come_forward(self) -> None:
        _bring_forward(self.window, "")

    @Slot(object)
    def carry_out(self, wish: Wish) -> None:
        """Show the window, and do what another start was asked for."""
        _bring_forward(self.window, wish.token)
        self._wishes.append(wish)
        self._do_wishes()

    @Slot(list)
    def open_paths(self, paths: list[Path]) -> None:
        """Open the workspace that paths lead to, and import the other files into it."""
        folder, files = workspace_among(paths)
        self.carry_out(Wish(folder, tuple(files)))

    def _do_wishes(self) -> None:
        """In the order they came; after another workspace was opened, the rest in its window."""
        while self._wishes and self._ready and not self._rebuild.isActive():
            wish = self._wishes.pop(0)
            if wish.workspace is None:
                self.window.open_files(list(wish.files))
                if wish.sample:
                    self.state.sample_wanted.emit()
                if wish.tour:
                    self.state.tour_wanted.emit(TOURS[0].key)
            elif self.state.open_workspace(wish.workspace):
                self._wishes.insert(0, replace(wish, workspace=None))

    def show(self) -> None:
        """Show the window; the rest follows its first paint."""
        self.window.painted.connect(self._first_painted)
        if not self.window.restoreGeometry(QByteArray(self.window.remembered.place())):
            self.window.resize(self.window.size().boundedTo(self.window.screen().availableSize()))
        self.window.show()

    def _new_window(self) -> Window:
        window = Window(self.state)
        window.closed.connect(self._app.quit)
        window.workspace_given.connect(self.open_paths)
        return window

    @Slot()
    def _first_painted(self) -> None:
        _tell_time("first paint")
        self.window.jobbar.say(tr("Starting…"))
        QTimer.singleShot(0, self, self._open)

    @Slot()
    def _open(self) -> None:
        self.state.open_workspace(self._folder)
        _tell_time("workspace")
        QTimer.singleShot(0, self, self._import_plots)

    @Slot()
    def _import_plots(self) -> None:
        import lmstudio.gui.plots  # noqa: F401 (0.6 s: now, not when the first chart is wanted)
        from lmstudio.gui.sample_maker import SampleMaker

        SampleMaker(self.state, self)
        _tell_time("plots")
        self.window.take_up(self.window.remembered.floating())
        self.state.queue.start_workers()
        self.state.look_at_machine()
        _tell_time("workers started")
        QTimer.singleShot(0, self, self._make_panels)

    @Slot()
    def _make_panels(self) -> None:
        """One panel a turn, so that the first look at each later costs nothing."""
        if self.window.make_next_panel():
            QTimer.singleShot(0, self, self._make_panels)
            return
        self.window.jobbar.say("")
        self.hooks.settle()
        self._ready = True
        if self.state.settings.trouble:
            self.state.problem.emit(str(self.state.settings.trouble), "")
            self.state.settings.trouble = None
        self._do_wishes()
        _tell_time("ready")

    @Slot()
    def _scheme_changed(self) -> None:
        if self.state.settings.theme == "system":
            self.state.apply_theme()

    @Slot()
    def _replace_window(self) -> None:
        self._translate()
        old = self.window
        old.remembered.save()
        old.floats.gather()
        if (inside := old.takeCentralWidget()) is not None:
            delete(inside)  # a style for all of it would take a second more
        self.state.apply_theme()
        self.window = self._new_window()
        self.window.restore(old)
        self.window.show()
        self.window.take_up(old.floats.gathered)
        old.hide()
        old.deleteLater()
        QTimer.singleShot(SETTLE_MS, self.hooks, self.hooks.settle)
        self._do_wishes()

    def _translate(self) -> None:
        """Qt's own words (OK, Cancel, Copy) in the language in use."""
        self._app.removeTranslator(self._translator)
        folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
        if self._translator.load(f"qtbase_{messages.language()}", folder):
            self._app.installTranslator(self._translator)

    @Slot()
    def end(self) -> None:
        """End as if the window had been closed."""
        self.window.close()
        self._app.quit()  # also where the window is not there at this moment

    def close(self) -> None:
        """Stop the jobs, close the workspace, leave nothing behind."""
        self.hooks.remove()
        self.notices.close()
        self._rebuild.stop()
        self.window.remembered.save()
        self.state.close()
        self.window.deleteLater()
        _tell_time("closed")


def _bring_forward(window: Window, token: str) -> None:
    """In front of other programs' windows; `token` is the desktop's leave to be there."""
    if token:
        os.environ["XDG_ACTIVATION_TOKEN"] = token  # Qt reads it as it activates a window
    window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
    window.show()
    window.raise_()
    window.activateWindow()


def _tell_time(what: str) -> None:
    if os.environ.get("LMSTUDIO_TIMES") and sys.stderr is not None:
        sys.stderr.write(f"{time.perf_counter() - _started:6.3f} s {what}\n")
