"""Files into the window as a user brings them: dropped, looked at in the dialog, imported."""

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication

from lmstudio.gui.dialogs.import_files import ImportDialog
from lmstudio.store.rows import CorpusRow

ODD_NAME = "语料 测试#1 100%25.txt"


def drop(window, *files):
    """Let files fall on the window as Qt does."""
    let_fall(window, [QUrl.fromLocalFile(str(file)) for file in files])


def let_fall(window, urls):
    """The two events of a drop."""
    data = QMimeData()
    data.setUrls(urls)
    how = (Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton,
           Qt.KeyboardModifier.NoModifier)  # fmt: skip
    QApplication.sendEvent(window, QDragEnterEvent(QPoint(400, 300), *how))
    QApplication.sendEvent(window, QDropEvent(QPointF(400, 300), *how))


def looked(dialog, qtbot) -> ImportDialog:
    """The dialog when it has seen all it asked for."""
    qtbot.waitUntil(lambda: not dialog.busy)
    return dialog


def opened(window, qtbot, *files) -> ImportDialog:
    """The import dialog after a drop, when it has looked at the files."""
    drop(window, *files)
    return looked(window.panel("corpora").dialog, qtbot)


def imported(window, qtbot, dialog) -> CorpusRow:
    """The corpus, after Enter."""
    panel = window.panel("corpora")
    with qtbot.waitSignal(panel.imports.done):
        qtbot.keyClick(dialog, Qt.Key.Key_Return)
    return window.state.corpus


def write(folder, name, text, encoding="utf-8"):
    """A text file."""
    file = folder / name
    file.write_bytes(text.encode(encoding))
    return file
