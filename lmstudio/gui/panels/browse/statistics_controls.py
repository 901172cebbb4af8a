"""StatisticsControls: what a view of the statistics can be told, in a row; a question out."""

from PySide6.QtCore import QSignalBlocker, QTimer, Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from lmstudio.data.browse.collocations import Window
from lmstudio.gui import theme
from lmstudio.gui.panels.browse.query_row import part_choice
from lmstudio.gui.panels.browse.statistics_question import VIEWS, StatisticsQuestion
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Segmented, WholeBox, label
from lmstudio.gui.widgets.file_field import FileField
from lmstudio.gui.widgets.flow_layout import FlowLayout
from lmstudio.messages import tr
from lmstudio.store.rows import SegmentationRow

DEBOUNCE_MS = 250
_LEAST = {"ngrams": 2, "collocations": 2, "keyness": 5}  # min count at first, as in `lmstudio`
_LONGEST_NAME = 40  # characters of a segmentation's name


class StatisticsControls(QWidget):
    """`changed` comes once, when the user has stopped turning things."""

    changed = Signal()

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._view = "words"
        views = [(view, tr(title)) for view, title in VIEWS.items()]
        self.view = Segmented(views, tr("What is counted"), self)
        self._least = dict(_LEAST)
        self._pause = QTimer(self, interval=DEBOUNCE_MS, singleShot=True)
        self.n = Segmented([(str(n), str(n)) for n in range(2, 6)], tr("Words in a sequence"), self)
        self.node = QLineEdit(self)
        self.left, self.right = self._number(0, 50, 5), self._number(0, 50, 5)
        self.reference = QComboBox(self)
        self.min_count = self._number(1, 1_000_000, 1)
        self.part = part_choice(self)
        self.letters_only = QCheckBox(tr("Without punctuation"), self)
        self.stop_words = FileField(tr("Stop-word file…"), parent=self)
        self._node = ""  # the word that Enter was pressed on
        self._lay_out()
        self._connect()
        self.show_view("words")

    def _number(self, low: int, high: int, value: int) -> WholeBox:
        made = WholeBox(self)
        made.setRange(low, high)
        made.setValue(value)
        made.setFixedSize(theme.px(56), theme.px(32))
        return made

    def _lay_out(self) -> None:
        self.node.setPlaceholderText(tr("A word, then Enter"))
        self.node.setFixedWidth(theme.px(160))
        self.reference.setMinimumWidth(theme.px(220))
        row = FlowLayout(gap=theme.px(14))
        row.addWidget(self.view)
        self._groups = {
            "n": _named(tr("Length"), self.n),
            "node": _named(tr("Node word"), self.node),
            "left": _named(tr("Tokens to the left"), self.left),
            "right": _named(tr("to the right"), self.right),
            "reference": _named(tr("Reference"), self.reference),
            "min_count": _named(tr("At least"), self.min_count, tr("times")),
        }
        for group in self._groups.values():
            row.addWidget(group)
        for widget in (self.part, self.letters_only, self.stop_words):
            row.addWidget(widget)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(row)

    def _connect(self) -> None:
        self._pause.timeout.connect(self.changed)
        self.node.returnPressed.connect(self._take_node)
        self.n.chosen.connect(self._touched)
        self.stop_words.changed.connect(self._touched)
        self.letters_only.toggled.connect(self._touched)
        for number in (self.left, self.right, self.min_count):
            number.valueChanged.connect(self._touched)
        for choice in (self.part, self.reference):
            choice.currentIndexChanged.connect(self._touched)

    @Slot()
    def _touched(self) -> None:
        self._pause.start()  # a signal's value would be taken for milliseconds

    @property
    def waiting(self) -> bool:
        """Something was changed just now."""
        return self._pause.isActive()

    def show_view(self, view: str) -> None:
        """Show what this view can be told."""
        if self._view in self._least:
            self._least[self._view] = self.min_count.value()
        self._view = view
        wanted = {
            "words": (), "ngrams": ("n", "min_count"), "keyness": ("reference", "min_count"),
            "collocations": ("node", "left", "right", "min_count"),
        }[view]  # fmt: skip
        for name, group in self._groups.items():
            group.setVisible(name in wanted)
        with QSignalBlocker(self.min_count):
            self.min_count.setValue(self._least.get(view, 1))

    def set_node(self, word: str) -> None:
        """Ask for the neighbours of `word`."""
        self.node.setText(word)
        self._take_node()

    @Slot()
    def _take_node(self) -> None:
        self._node = self.node.text().strip()
        self._pause.stop()
        self.changed.emit()

    def refresh(self) -> None:
        """Offer every other segmentation of the workspace as a reference, the likeliest first."""
        chosen, own = self.reference.currentData(), self._state.segmentation
        names = {corpus.id: corpus.name for corpus in self._state.corpora()}
        with QSignalBlocker(self.reference):
            self.reference.clear()
            for row in _references(self._state.segmentations(), own) if own is not None else []:
                self.reference.addItem(_shown_name(names[row.corpus_id], row.name), row.id)
            place = self.reference.findData(chosen)
            self.reference.setCurrentIndex(max(place, 0) if self.reference.count() else -1)

    def question(self) -> StatisticsQuestion | None:
        """What is asked of the segmentation selected; None where something is missing."""
        cut, view = self._state.segmentation, self._view
        reference = self.reference.currentData()
        if cut is None or (view == "collocations" and not self._node) or (
            view == "keyness" and reference is None
        ):  # fmt: skip
            return None
        near = view == "collocations"
        return StatisticsQuestion(
            view, cut.id, part=self.part.currentData(), stop_words=self.stop_words.path,
            letters_only=self.letters_only.isChecked(),
            min_count=self.min_count.value() if view in _LEAST else 1,
            n=int(self.n.value()) if view == "ngrams" else 2,
            node=self._node if near else "",
            window=Window(self.left.value(), self.right.value()) if near else Window(),
            reference=reference if view == "keyness" else 0,
        )  # fmt: skip


def _references(rows: list[SegmentationRow], own: SegmentationRow) -> list[SegmentationRow]:
    """Those that are cut in the same way, and of other corpora, come first."""
    others = [row for row in rows if row.id != own.id]
    return sorted(
        others, key=lambda row: (row.segmenter != own.segmenter, row.corpus_id == own.corpus_id)
    )


def _shown_name(corpus: str, name: str) -> str:
    """Both names; a segmentation named after its corpus is not said twice."""
    text = f"{corpus} · {name.removeprefix(corpus).strip(' ·') or name}"
    return text if len(text) <= _LONGEST_NAME else text[:_LONGEST_NAME] + "…"


def _named(text: str, control: QWidget, after: str = "") -> QWidget:
    """A control between its name and its unit."""
    control.setAccessibleName(text)
    made = QWidget()
    row = QHBoxLayout(made)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(theme.px(6))
    row.addWidget(label(text, tone="muted", size=12))
    row.addWidget(control)
    if after:
        row.addWidget(label(after, tone="muted", size=12))
    return made
