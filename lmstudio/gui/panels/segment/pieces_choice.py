"""PiecesChoice: how many pieces are learnt from the text, or the file that they are taken from."""

from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QWidget

from lmstudio import options
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.jobs import Asker
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import ElidedLabel, WholeBox, button, label, tool
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.text.segment import SegmentOptions


def kind_of_file(path: Path, *, job: Job) -> str:
    """The segmenter that a vocab.txt or tokenizer.json belongs to, as a job."""
    return job.call(_kind_of_file, path)


def _kind_of_file(path: Path, *, job: Job) -> str:
    """In the worker: reading one loads a library."""
    from lmstudio.text.subword import kind_of

    job.check()
    return kind_of(path)


class PiecesChoice(QWidget):
    """A number to be learnt, or a loaded file."""

    changed = Signal()
    loaded = Signal(str)  # a file was read: the segmenter it belongs to
    failed = Signal(str)  # why a file cannot be used

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.file: Path | None = None
        self.kind = ""  # the segmenter that the file belongs to
        self._reading: Path | None = None
        entry = options.options_of(SegmentOptions)["pieces"][1]
        self._caption = label(tr(entry.label), tone="muted")
        self.count = WholeBox(self)
        self.count.setRange(int(entry.low or 0), int(entry.high or 2**31 - 1))
        self.count.setValue(SegmentOptions().pieces)
        self.count.setFixedWidth(theme.px(80))
        self.count.setKeyboardTracking(False)
        self.count.setAccessibleName(tr(entry.label))
        self.count.setToolTip(tr(entry.help))
        self.load = button(tr("Load…"), "link", parent=self)
        self.load.setToolTip(tr("Take the pieces of a vocab.txt or tokenizer.json"))
        self._note = ElidedLabel(size=12, tone="muted")
        self._forget = tool("close", tr("Learn the pieces from the text"), parent=self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(6))
        for widget in (self._caption, self.count, self.load):
            row.addWidget(widget)
        row.addWidget(self._note, 1)
        row.addWidget(self._forget)
        self._reader = Asker(state, self)
        self._reader.answered.connect(self._read)
        self._reader.failed.connect(self._fail)
        self.count.valueChanged.connect(self.changed)
        self.load.clicked.connect(self._ask_file)
        self._forget.clicked.connect(self.forget)
        self._refresh()

    def use_file(self, path: Path) -> None:
        """Take the pieces of a file, once it is known what it holds."""
        self._reading = path
        self._reader.ask(kind_of_file, path)

    def kept(self) -> tuple[int, Path | None, str]:
        """What `keep` takes: for the other side, when both change places."""
        return self.count.value(), self.file, self.kind

    def keep(self, kept: tuple[int, Path | None, str]) -> None:
        """Show what another one has shown; emits nothing."""
        count, self.file, self.kind = kept
        with QSignalBlocker(self.count):
            self.count.setValue(count)
        self._refresh()

    def drop_file(self) -> None:
        """Learn the pieces from the text; emits nothing."""
        self._reader.cancel()
        self.file, self.kind = None, ""
        self._refresh()

    @Slot()
    def forget(self) -> None:
        """Learn the pieces from the text."""
        self.drop_file()
        self.changed.emit()

    @Slot(object)
    def _read(self, kind: str) -> None:
        self.file, self.kind = self._reading, kind
        self._refresh()
        self.loaded.emit(kind)

    @Slot(object)
    def _fail(self, error: AppError) -> None:
        self.failed.emit(str(error))

    def _refresh(self) -> None:
        for widget in (self._caption, self.count, self.load):
            widget.setVisible(self.file is None)
        self._note.setVisible(self.file is not None)
        self._forget.setVisible(self.file is not None)
        self._note.setText(tr("pieces of {name}", name=self.file.name) if self.file else "")

    @Slot()
    def _ask_file(self) -> None:
        kinds = tr("Pieces (vocab.txt tokenizer.json *.txt *.json);;All files (*)")
        title = tr("Load a vocab.txt or tokenizer.json")
        name, _ = QFileDialog.getOpenFileName(self, title, "", kinds)
        if name:
            self.use_file(Path(name))
