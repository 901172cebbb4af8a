"""FilesDialog: files dropped on a dialog in; their paths handed to it, or why not, out."""

from pathlib import Path

from PySide6.QtGui import QDragEnterEvent, QDropEvent

from lmstudio.errors import AppError
from lmstudio.gui import drop
from lmstudio.gui.dialogs.dialog import Dialog


class FilesDialog(Dialog):
    """Set `setAcceptDrops`; say what `add` and `refuse` do."""

    def add(self, paths: list[Path]) -> None:
        """Take more files."""
        raise NotImplementedError

    def refuse(self, error: AppError) -> None:
        """Say why they cannot be taken."""
        raise NotImplementedError

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802
        event.acceptProposedAction()
        try:
            self.add(drop.paths(event.mimeData()))
        except AppError as error:
            self.refuse(error)
