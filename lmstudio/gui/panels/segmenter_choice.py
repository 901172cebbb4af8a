"""SegmenterChoice: a segmenter and a user dictionary for one side of the comparison."""

from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Signal, Slot
from PySide6.QtWidgets import QComboBox, QFileDialog, QHBoxLayout, QVBoxLayout, QWidget

from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.jobs import Asker
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import ElidedLabel, Strip, button, disable, enable, label, tool
from lmstudio.jobs import Job
from lmstudio.messages import msg, tr
from lmstudio.text.segment import SegmentOptions
from lmstudio.text.userdict import UserDictionary, read_dictionary

CHOICES: dict[str, tuple[str, SegmentOptions]] = {
    "characters": (msg("characters"), SegmentOptions()),
    "accurate": (msg("jieba · accurate"), SegmentOptions(by="jieba")),
    "no_hmm": (msg("jieba · no HMM"), SegmentOptions(by="jieba", hmm=False)),
    "full": (msg("jieba · full"), SegmentOptions(by="jieba", mode="full")),
    "search": (msg("jieba · search"), SegmentOptions(by="jieba", mode="search")),
    "whitespace": (msg("whitespace"), SegmentOptions(by="whitespace")),
}
_WARNED = 3  # warnings of a dictionary that are spelled out


@dataclass(frozen=True)
class Cut:
    """How one side is cut."""

    options: SegmentOptions
    dictionary: Path | None = None


def read_words(path: Path, *, job: Job) -> UserDictionary:
    """A user dictionary, as a job."""
    job.check()
    return read_dictionary(path)


class SegmenterChoice(QWidget):
    """Emits `changed` when the user chooses; warnings of a dictionary stand below at once."""

    changed = Signal()

    def __init__(self, state: AppState, side: str, parent: QWidget | None = None) -> None:
        """`side` is its letter."""
        super().__init__(parent)
        self._dictionary: Path | None = None
        self._reader = Asker(state, self)
        self.segmenter = QComboBox(self)
        self.segmenter.setAccessibleName(tr("Segmenter {side}", side=side))
        for key, (title, _) in CHOICES.items():
            self.segmenter.addItem(tr(title), key)
        self.segmenter.setMinimumWidth(theme.px(150))
        self.words = button(tr("User dictionary…"), "link", parent=self)
        self.words.clicked.connect(self._choose_dictionary)
        self.forget = tool("close", tr("Without the user dictionary"), parent=self)
        self.forget.clicked.connect(self._forget)
        self._note = ElidedLabel(size=12, tone="muted")
        self.strip = Strip("warn", self)
        self._lay_out(side)
        self.segmenter.currentIndexChanged.connect(self._chosen)
        self._reader.answered.connect(self._dictionary_read)
        self._reader.failed.connect(self._dictionary_failed)
        self._refresh()

    def _lay_out(self, side: str) -> None:
        row = QHBoxLayout()
        row.setSpacing(theme.px(8))
        row.addWidget(label(side, size=15, bold=True))
        row.addWidget(self.segmenter)
        row.addWidget(self.words)
        row.addWidget(self._note)
        row.addWidget(self.forget)
        row.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(6))
        layout.addLayout(row)
        layout.addWidget(self.strip)

    def cut(self, shared: SegmentOptions) -> Cut:
        """What is chosen, with the options that both sides share."""
        own = CHOICES[self.key()][1]
        options = replace(shared, by=own.by, mode=own.mode, hmm=own.hmm)
        return Cut(options, self._dictionary if own.by == "jieba" else None)

    def key(self) -> str:
        """The segmenter chosen, a key of CHOICES."""
        return str(self.segmenter.currentData())

    def title(self) -> str:
        """The segmenter chosen, as it is called."""
        return self.segmenter.currentText()

    def choose(self, key: str) -> None:
        """Show a segmenter; emits nothing."""
        with QSignalBlocker(self.segmenter):
            self.segmenter.setCurrentIndex(self.segmenter.findData(key))
        self._refresh()

    def swap(self, other: "SegmenterChoice") -> None:
        """Change places with the other side; neither emits."""
        mine, theirs = self._kept(), other._kept()
        self._keep(theirs)
        other._keep(mine)

    def _kept(self) -> tuple[str, Path | None, str, str]:
        return self.key(), self._dictionary, self._note.full_text(), self.strip.text()

    def _keep(self, kept: tuple[str, Path | None, str, str]) -> None:
        key, self._dictionary, note, warning = kept
        self._note.setText(note)
        self.strip.say(warning)
        self.choose(key)

    @Slot()
    def _chosen(self) -> None:
        self._refresh()
        self.changed.emit()

    def _refresh(self) -> None:
        jieba = CHOICES[self.key()][1].by == "jieba"
        if jieba:
            enable(self.words)
        else:
            disable(self.words, tr("Only jieba uses a dictionary."))
        self.words.setVisible(self._dictionary is None)
        self._note.setVisible(self._dictionary is not None)
        self.forget.setVisible(self._dictionary is not None)

    # the user dictionary

    @Slot()
    def _choose_dictionary(self) -> None:
        kinds = tr("Text (*.txt *.dict);;All files (*)")
        name, _ = QFileDialog.getOpenFileName(self, tr("User dictionary for jieba"), "", kinds)
        if name:
            self.use_dictionary(Path(name))

    def use_dictionary(self, path: Path) -> None:
        """Read a user dictionary and cut with it."""
        self._dictionary = path
        self._note.setText(tr("user dictionary {name}", name=path.name))
        self._refresh()
        self._reader.ask(read_words, path)

    @Slot(object)
    def _dictionary_read(self, found: UserDictionary) -> None:
        assert self._dictionary is not None
        count = len(found.words)
        name = self._dictionary.name
        self._note.setText(tr("user dictionary {name}: {count} words", name=name, count=count))
        told = [str(warning) for warning in found.warnings[:_WARNED]]
        if len(found.warnings) > _WARNED:
            told.append(tr("and {count} more", count=len(found.warnings) - _WARNED))
        self.strip.say("\n".join(told))
        self.changed.emit()

    @Slot(object)
    def _dictionary_failed(self, error: AppError) -> None:
        self._forget()
        self.strip.say(str(error))

    @Slot()
    def _forget(self) -> None:
        self._reader.cancel()
        self._dictionary = None
        self.strip.say("")
        self._refresh()
        self.changed.emit()


def proposed(text: str) -> tuple[str, str]:
    """The segmenters that both sides begin with, by what script a text is in."""
    letters = [letter for letter in text if letter.isalpha()]
    chinese = sum(
        "\u3400" <= character <= "\u9fff" or character > "\uffff" for character in letters
    )
    if letters and chinese < len(letters) / 4:
        return "whitespace", "characters"
    return "accurate", "no_hmm"
