"""ScoreSources: what is the gold text, and which segmentations are scored beside it."""

from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QVBoxLayout,
    QWidget,
)

from lmstudio.gui import theme
from lmstudio.gui.captions import sentence_case
from lmstudio.gui.panels.corpora.split_bar import PART_TITLES
from lmstudio.gui.panels.segment.segmenter_choice import CHOICES
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import (
    Card,
    ElidedLabel,
    Segmented,
    button,
    disable,
    enable,
    label,
    scrolled,
)
from lmstudio.gui.widgets.file_field import FileField
from lmstudio.messages import tr
from lmstudio.operations import dictionaries
from lmstudio.operations.scoring import Candidate
from lmstudio.store.rows import Part, SegmentationRow

Entry = Candidate | SegmentationRow | Path
"""A segmenter, a segmentation of the corpus, or a file that was cut elsewhere."""

WIDTH = 288
_FIRST = ("accurate", "no_hmm", "full", "search")  # those checked at the beginning


class ScoreSources(Card):
    """Gold are the given words of the corpus, one of its segmentations, or a file of words."""

    changed = Signal()

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(tr("What is scored"), parent=parent)
        self.setFixedWidth(theme.px(WIDTH))
        self._state = state
        self._corpus_id = 0
        self._entries: dict[str, Entry] = {}  # what the items stand for, by text
        self.kind = Segmented(
            [("corpus", tr("Given words")), ("cut", tr("Segmented")), ("file", tr("File"))],
            tr("Gold text"), self,
        )  # fmt: skip
        self.reference = QComboBox(self)  # the segmentation that is taken for right
        self.reference.setAccessibleName(tr("Segmentation"))
        self.part = QComboBox(self)
        self.part.setAccessibleName(tr("Part"))
        for name in ("test", "valid", "train"):
            self.part.addItem(sentence_case(tr(PART_TITLES[name])), name)
        self.gold = FileField(tr("Gold file: words between spaces…"), parent=self)
        self.training = FileField(tr("Training words, for OOV…"), parent=self)
        self.boxes: dict[str, QCheckBox] = {}  # by text, as the entries
        self._list = QWidget(self)
        self._list.setAccessibleName(tr("Segmentations to score"))
        self._rows = QVBoxLayout(self._list)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(theme.px(8))
        self._rows.addStretch()
        self.more = button(tr("Add a segmented file…"), "link", icon_name="plus", parent=self)
        self._lay_out()
        self._connect()
        self.refresh()

    def _lay_out(self) -> None:
        self.body.addWidget(label(tr("Gold text"), tone="muted", size=12))
        self.body.addWidget(self.kind)
        self._corpus_row = QWidget(self)
        row = QHBoxLayout(self._corpus_row)
        row.setContentsMargins(0, 0, 0, 0)
        self._corpus_name = ElidedLabel()
        row.addWidget(self._corpus_name, 1)
        row.addWidget(self.reference, 1)
        row.addWidget(self.part)
        self._file_rows = QWidget(self)
        rows = QVBoxLayout(self._file_rows)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(theme.px(2))
        for field in (self.gold, self.training):
            rows.addWidget(field)
        for widget in (self._corpus_row, self._file_rows):
            self.body.addWidget(widget)
        self.body.addWidget(label(tr("Scored beside it"), tone="muted", size=12))
        self.body.addWidget(scrolled(self._list), 1)
        self.body.addWidget(self.more)

    def _connect(self) -> None:
        self.kind.chosen.connect(self._turn)
        self.part.currentIndexChanged.connect(self.changed)
        self.reference.currentIndexChanged.connect(self.changed)
        for field in (self.gold, self.training):
            field.changed.connect(self.changed)
        self.more.clicked.connect(self._ask_segmented)
        state = self._state
        for signal in (state.selection_changed, state.corpora_changed, state.segmentations_changed,
                       state.dictionaries_changed):  # fmt: skip
            signal.connect(self.refresh)

    # what is asked

    def by_corpus(self) -> bool:
        """Gold are words of the corpus, given or those of a segmentation."""
        return self.kind.value() != "file"

    def reference_id(self) -> int | None:
        """The segmentation that is gold; None where given words or a file are."""
        number: int | None = self.reference.currentData()
        return number if self.kind.value() == "cut" else None

    def part_name(self) -> Part:
        """Which part of the corpus."""
        part: Part = self.part.currentData()
        return part

    def candidates(self) -> list[Candidate]:
        """The segmenters that are checked."""
        return [entry for entry in self._checked() if isinstance(entry, tuple)]

    def segmentations(self) -> list[SegmentationRow]:
        """The segmentations of the corpus that are checked."""
        return [entry for entry in self._checked() if isinstance(entry, SegmentationRow)]

    def files(self) -> list[Path]:
        """The files cut elsewhere that are checked."""
        return [entry for entry in self._checked() if isinstance(entry, Path)]

    def _checked(self) -> list[Entry]:
        checks = self._checks()
        return [entry for name, entry in self._entries.items() if checks[name]]

    def missing(self) -> str:
        """What is needed before anything can be scored; "" if nothing is."""
        if not self.by_corpus() and self.gold.path is None:
            return tr("Choose a gold file: one sentence a line, words between spaces.")
        if not self._checked():
            return tr("Check what is to be scored.")
        return ""

    # what is offered

    @Slot()
    def refresh(self) -> None:
        """Offer what there is for the corpus selected; checks stay."""
        corpus = self._state.corpus
        given = bool(corpus and corpus.facts.get("given_words"))
        cuts = self._state.segmentations(corpus.id) if corpus else []
        self._allow("corpus", given, tr("This corpus came without words."))
        self._allow("cut", bool(cuts), tr("Segment the corpus first."))
        self._offer_references(cuts)
        usable = {"corpus": given, "cut": bool(cuts), "file": True}
        if (corpus and corpus.id != self._corpus_id) or not usable[self.kind.value()]:
            self._corpus_id = corpus.id if corpus else 0
            self.kind.set_value("corpus" if given else "cut" if len(cuts) > 1 else "file")
        self._corpus_name.setText(corpus.name if corpus else "")
        self._fill()

    def _allow(self, kind: str, usable: bool, reason: str) -> None:
        segment = self.kind.segment(kind)
        if usable:
            enable(segment)
        else:
            disable(segment, reason)

    def _offer_references(self, cuts: list[SegmentationRow]) -> None:
        before = self.reference.currentData()
        self.reference.blockSignals(True)
        self.reference.clear()
        for cut in cuts:
            self.reference.addItem(cut.name, cut.id)
        self.reference.setCurrentIndex(max(0, self.reference.findData(before)))
        self.reference.blockSignals(False)

    @Slot(str)
    def _turn(self, kind: str) -> None:
        self._fill()

    def _fill(self) -> None:
        by_corpus = self.by_corpus()
        self._corpus_row.setVisible(by_corpus)
        self.reference.setVisible(self.kind.value() == "cut")
        self._corpus_name.setVisible(self.kind.value() == "corpus")
        self._file_rows.setVisible(not by_corpus)
        checked = self._checks()
        offered = self._offered()
        for name in list(self.boxes):
            self._remove(name)
        self._entries.clear()
        for name, entry, first in offered:
            self._add(name, entry, checked.get(name, first))
        self.changed.emit()

    def _checks(self) -> dict[str, bool]:
        return {name: box.isChecked() for name, box in self.boxes.items()}

    def _offered(self) -> list[tuple[str, Entry, bool]]:
        """Name, what it is, and whether it is checked at first."""
        found: list[tuple[str, Entry, bool]] = []
        if not self._state.has_workspace:
            return found
        ws = self._state.workspace
        for key in (*_FIRST, "characters"):
            title, options = CHOICES[key]
            found.append((tr(title), (tr(title), options, None), key in _FIRST))
        for name in dictionaries.names(ws):
            title, options = CHOICES["accurate"]
            shown = f"{tr(title)} + {name}"
            found.append((shown, (shown, options, dictionaries.path(ws, name)), True))
        if self.by_corpus() and self._state.corpus:
            rows = self._state.segmentations(self._state.corpus.id)
            found += [(row.name, row, False) for row in rows]
        files = [entry for entry in self._entries.values() if isinstance(entry, Path)]
        return found + [(path.name, path, True) for path in files]

    def _add(self, name: str, entry: Entry, checked: bool) -> None:
        if name in self.boxes:
            self._remove(name)
        self._entries[name] = entry
        box = self.boxes[name] = QCheckBox(self._list)
        shown = box.fontMetrics().elidedText(
            sentence_case(name), Qt.TextElideMode.ElideMiddle, theme.px(WIDTH - 76)
        )
        box.setText(shown)
        box.setAccessibleName(name)
        box.setToolTip(name if shown != name else "")
        box.setChecked(checked)
        box.toggled.connect(self.changed)
        self._rows.insertWidget(self._rows.count() - 1, box)

    def _remove(self, name: str) -> None:
        box = self.boxes.pop(name)
        self._rows.removeWidget(box)
        box.hide()
        box.deleteLater()

    @Slot()
    def _ask_segmented(self) -> None:
        kinds = tr("Text (*.txt *.utf8);;All files (*)")
        title = tr("Add a segmented file…")
        names, _ = QFileDialog.getOpenFileNames(self, title, "", kinds)
        self.add_segmented([Path(name) for name in names])

    def add_segmented(self, paths: list[Path]) -> None:
        """Offer files that were cut elsewhere."""
        for path in paths:
            self._add(path.name, path, True)
        self.changed.emit()
