"""Application: Qt's own, which also tells of the files that the Mac's Finder hands to it."""

from pathlib import Path

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication


class Application(QApplication):
    """Elsewhere the paths come on the command line, and this is never asked for any."""

    files_given = Signal(list)  # paths

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QFileOpenEvent):
            self.files_given.emit([Path(event.file())])
            return True
        return super().event(event)
