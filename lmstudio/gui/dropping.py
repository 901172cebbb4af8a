"""What is dragged over a window in: files, to be imported; runs and sentences, for its panel."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QWidget

from lmstudio.errors import AppError
from lmstudio.gui import drop, rooms
from lmstudio.gui.dragged import RUN, Dragged
from lmstudio.gui.floating import FloatingWindow
from lmstudio.gui.panels.panel import Panel
from lmstudio.messages import tr

if TYPE_CHECKING:
    from lmstudio.gui.window import Window


class Dropping(QObject):
    """Watches the main window and those of panels; what a field in them takes never comes here."""

    def __init__(self, window: "Window") -> None:
        super().__init__(window)
        self._window = window
        self.overlay = drop.DropOverlay(window)
        self.watch(window)

    def watch(self, window: QWidget) -> None:
        """Take what is dropped on a window."""
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """The four events of dragging."""
        if not isinstance(watched, QWidget):
            return False
        match event.type():
            case QEvent.Type.DragEnter:
                self._enter(watched, event)
            case QEvent.Type.DragMove:
                event.accept()
            case QEvent.Type.DragLeave:
                self.overlay.hide()
            case QEvent.Type.Drop:
                self._drop(watched, event)
            case _:
                return False
        return True

    def _panel(self, window: QWidget) -> Panel:
        if isinstance(window, FloatingWindow):
            return window.panel
        return self._window.panel(self._window.current_panel)

    def _enter(self, window: QWidget, event: QEvent) -> None:
        assert isinstance(event, QDragEnterEvent)
        if (carried := Dragged.of(event.mimeData())) is not None:
            event.acceptProposedAction()  # over a tab it may yet come to a panel that takes it
            self._tell(self._why_not(self._panel(window), carried))
            return
        urls = [url for url in event.mimeData().urls() if url.isLocalFile()]
        if not urls:
            return
        event.acceptProposedAction()
        if window is self._window:
            labelled = rooms.find(self._window.current_panel)[0].key == "tasks"
            paths = [Path(url.toLocalFile()) for url in urls]
            self.overlay.show_for(paths, labelled=labelled)

    def _drop(self, window: QWidget, event: QEvent) -> None:
        assert isinstance(event, QDropEvent)
        self.overlay.hide()
        event.acceptProposedAction()
        try:
            if (carried := Dragged.of(event.mimeData())) is not None:
                self._take(self._panel(window), carried)
            else:
                self._window.open_files(drop.paths(event.mimeData()))
        except AppError as error:
            self._window.state.report(error)

    def _take(self, panel: Panel, carried: Dragged) -> None:
        if why := self._why_not(panel, carried):
            self._tell(why)
        else:
            panel.take_dropped(carried)

    def _why_not(self, panel: Panel, carried: Dragged) -> str:
        """The reason of the panel, or that the run is of another workspace, or was deleted."""
        if carried.kind == RUN:
            run = self._window.state.run_row(carried.number)
            if run is None or run.name != carried.text:
                return tr("This run is not here any more.")
        return panel.why_not_drop(carried)

    def _tell(self, sentence: str) -> None:
        if sentence:
            self._window.state.told.emit(sentence)
