"""What is dragged over the window: data in, paths of files out, and where they would go."""

from pathlib import Path
from urllib.parse import unquote_to_bytes

from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from lmstudio.errors import AppError
from lmstudio.files import DATABASE
from lmstudio.gui import file_kinds, theme
from lmstudio.messages import tr


def paths(data: QMimeData) -> list[Path]:
    """The files that were dropped. Raises AppError where a name cannot be read as text.

    Only Qt takes the URLs apart: a name may hold spaces, "#" and "%" signs.
    """
    found = []
    for url in data.urls():
        local = url.toLocalFile()
        if not local:
            continue
        if not _is_text(bytes(url.toEncoded().data())):
            raise AppError(
                "The name of {name} is not valid UTF-8. Rename the file, then drop it again.",
                name=Path(local).name,
            )
        found.append(Path(local))
    return found


def workspace_among(paths: list[Path]) -> tuple[Path | None, list[Path]]:
    """The workspace that paths lead to, by its folder or its database, and the other paths."""
    folder: Path | None = None
    others = []
    for path in paths:
        if path.name == DATABASE and path.is_file():
            folder = path.parent
        elif (path / DATABASE).is_file():
            folder = path
        else:
            others.append(path)
    return folder, others


def _is_text(encoded: bytes) -> bool:
    """The percent-encoded URL stands for valid UTF-8 (a file's name on Linux may be any bytes)."""
    try:
        return "\ufffd" not in unquote_to_bytes(encoded).decode("utf-8")
    except UnicodeDecodeError:
        return False


class DropOverlay(QWidget):
    """Lies over the window while files hover and says what dropping them will do."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._text = ""
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def show_for(self, paths: list[Path], *, labelled: bool = False) -> None:
        """Cover the window: a workspace hovers over it, or files of text or labelled examples."""
        count = len(paths)
        if workspace_among(paths)[0]:
            self._text = tr("Drop to open this workspace")
        elif all(path.suffix.lower() == ".lmrun" for path in paths):
            self._text = tr("Drop to import {count} runs", count=count)
        elif labelled:
            self._text = tr("Drop to import {count} files of labelled examples", count=count)
        else:
            self._text = tr("Drop to import {count} files into Corpora", count=count)
        self.setAccessibleName(self._text)
        self.setAccessibleDescription(file_kinds.named())
        parent = self.parentWidget()
        if parent is not None:
            self.setGeometry(parent.rect())
        self.raise_()
        self.show()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = theme.colour("tint")
        ground.setAlpha(242)
        painter.fillRect(self.rect(), ground)
        painter.setPen(QPen(theme.colour("accent"), 2, Qt.PenStyle.DashLine))
        inset = theme.px(12)
        painter.drawRoundedRect(self.rect().adjusted(inset, inset, -inset, -inset), 8, 8)
        painter.setPen(theme.colour("text"))
        painter.setFont(theme.font(20, bold=True))
        centre = Qt.AlignmentFlag.AlignCenter
        painter.drawText(self.rect(), int(centre), self._text)
        painter.setPen(theme.colour("muted"))
        painter.setFont(theme.font(13))
        room = self.rect().adjusted(4 * inset, theme.px(40), -4 * inset, theme.px(40))
        painter.drawText(room, int(centre | Qt.TextFlag.TextWordWrap), file_kinds.named())
        painter.end()
