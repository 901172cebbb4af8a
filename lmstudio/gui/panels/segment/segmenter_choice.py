"""SegmenterChoice: a segmenter and what it needs, for one side of the comparison."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from lmstudio.gui import theme
from lmstudio.gui.captions import sentence_case
from lmstudio.gui.panels.segment.dictionary_choice import DictionaryChoice
from lmstudio.gui.panels.segment.pieces_choice import PiecesChoice
from lmstudio.gui.panels.segment.shared_options import heeded
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Strip, label
from lmstudio.messages import msg, tr
from lmstudio.text.segment_options import SUBWORD, SegmentOptions, applies

CHOICES: dict[str, tuple[str, SegmentOptions]] = {
    "characters": (msg("characters"), SegmentOptions()),
    "accurate": (msg("jieba · accurate"), SegmentOptions(by="jieba")),
    "no_hmm": (msg("jieba · no HMM"), SegmentOptions(by="jieba", hmm=False)),
    "full": (msg("jieba · full"), SegmentOptions(by="jieba", mode="full")),
    "search": (msg("jieba · search"), SegmentOptions(by="jieba", mode="search")),
    "whitespace": (msg("whitespace"), SegmentOptions(by="whitespace")),
    "given": (msg("given words"), SegmentOptions(by="given")),
    "wordpiece": ("WordPiece", SegmentOptions(by="wordpiece")),
    "bpe": ("BPE", SegmentOptions(by="bpe")),
    "byte-bpe": (msg("byte BPE"), SegmentOptions(by="byte-bpe")),
    "unigram": ("Unigram", SegmentOptions(by="unigram")),
}


@dataclass(frozen=True)
class Cut:
    """How one side is cut. A file that was edited is another one: `stamps` tell."""

    options: SegmentOptions
    dictionary: Path | None = None
    tokenizer: Path | None = None
    stop_words: Path | None = None
    stamps: tuple[int, ...] = ()


class SegmenterChoice(QWidget):
    """Emits `changed` when the user chooses; warnings of a file stand below at once."""

    changed = Signal()

    def __init__(self, state: AppState, side: str, parent: QWidget | None = None) -> None:
        """`side` is its letter."""
        super().__init__(parent)
        self.segmenter = QComboBox(self)
        self.segmenter.setAccessibleName(tr("Segmenter {side}", side=side))
        for key, (title, _) in CHOICES.items():
            self.segmenter.addItem(sentence_case(tr(title)), key)
        self.segmenter.setMinimumWidth(theme.px(150))
        self.segmenter.setMaxVisibleItems(len(CHOICES))
        self.dictionary = DictionaryChoice(state, self)
        self.pieces = PiecesChoice(state, self)
        self.strip = Strip("warn", self)
        self._lay_out(side)
        self.segmenter.currentIndexChanged.connect(self._chosen)
        self.dictionary.changed.connect(self.changed)
        self.dictionary.warned.connect(self.strip.say)
        self.pieces.changed.connect(self.changed)
        self.pieces.failed.connect(self.strip.say)
        self.pieces.loaded.connect(self._loaded)
        self._refresh()

    def _lay_out(self, side: str) -> None:
        row = QHBoxLayout()
        row.setSpacing(theme.px(8))
        row.addWidget(label(side, size=15, bold=True))
        row.addWidget(self.segmenter)
        row.addWidget(self.dictionary)
        row.addWidget(self.pieces)
        row.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(6))
        layout.addLayout(row)
        layout.addWidget(self.strip)

    def cut(self, shared: SegmentOptions, stop_words: Path | None = None) -> Cut:
        """What is chosen, with the options that both sides share."""
        own = CHOICES[self.key()][1]
        chosen = replace(
            shared, by=own.by, mode=own.mode, hmm=own.hmm, pieces=self.pieces.count.value()
        )
        dictionary = self.dictionary.path if own.by == "jieba" else None
        tokenizer = self.pieces.file if own.by in SUBWORD else None
        name = tokenizer.name if tokenizer else ""
        files = (dictionary, tokenizer, stop_words)
        return Cut(heeded(chosen, name), *files, tuple(_stamp(file) for file in files))

    def heeds(self) -> tuple[str, ...]:
        """Names of the options that make a difference here."""
        by, file = CHOICES[self.key()][1].by, self.pieces.file
        return applies(by, file.name if file and by in SUBWORD else "")

    def key(self) -> str:
        """The segmenter chosen, a key of CHOICES."""
        return str(self.segmenter.currentData())

    def by_jieba(self) -> bool:
        """Jieba is chosen, in any mode."""
        return CHOICES[self.key()][1].by == "jieba"

    def title(self) -> str:
        """The segmenter chosen, as it is called."""
        return self.segmenter.currentText()

    def offer_given(self, there: bool) -> None:
        """Let given words be chosen, where the corpus has any."""
        number = self.segmenter.findData("given")
        item = cast(QStandardItemModel, self.segmenter.model()).item(number)
        item.setEnabled(there)
        reason = "" if there else tr("This corpus came without words.")
        self.segmenter.setItemData(number, reason, Qt.ItemDataRole.ToolTipRole)
        if not there and self.key() == "given":
            self.choose("whitespace")

    def choose(self, key: str) -> None:
        """Show a segmenter; emits nothing."""
        with QSignalBlocker(self.segmenter):
            self.segmenter.setCurrentIndex(self.segmenter.findData(key))
        self._refresh()

    def swap(self, other: "SegmenterChoice") -> None:
        """Change places with the other side; neither emits."""
        words, theirs = self.dictionary.kept(), other.dictionary.kept()
        self.dictionary.keep(theirs)
        other.dictionary.keep(words)
        pieces, their_pieces = self.pieces.kept(), other.pieces.kept()
        self.pieces.keep(their_pieces)
        other.pieces.keep(pieces)
        keys, warnings = (self.key(), other.key()), (self.strip.text(), other.strip.text())
        self.choose(keys[1])
        other.choose(keys[0])
        self.strip.say(warnings[1])
        other.strip.say(warnings[0])

    @Slot()
    def _chosen(self) -> None:
        if self.pieces.kind != self.key():
            self.pieces.drop_file()
        self._refresh()
        self.changed.emit()

    @Slot(str)
    def _loaded(self, kind: str) -> None:
        self.strip.say("")
        self.choose(kind)
        self.changed.emit()

    def _refresh(self) -> None:
        self.dictionary.setVisible(self.by_jieba())
        self.pieces.setVisible(CHOICES[self.key()][1].by in SUBWORD)


def _stamp(path: Path | None) -> int:
    """Tells versions of a file apart."""
    try:
        return path.stat().st_mtime_ns if path else 0
    except OSError:
        return 0


def proposed(text: str) -> tuple[str, str]:
    """The segmenters that both sides begin with, by what script a text is in."""
    letters = [letter for letter in text if letter.isalpha()]
    chinese = sum(
        "\u3400" <= character <= "\u9fff" or character > "\uffff" for character in letters
    )
    if letters and chinese < len(letters) / 4:
        return "whitespace", "characters"
    return "accurate", "no_hmm"
