"""ComparedCard: two segmenters and their settings in; their sentences side by side out."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.panels.segment.comparison import Comparison
from lmstudio.gui.panels.segment.segmenter_choice import Cut, SegmenterChoice
from lmstudio.gui.panels.segment.selection_bar import SelectionBar
from lmstudio.gui.panels.segment.shared_options import SharedOptions
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Card, Strip, button, tool
from lmstudio.messages import tr
from lmstudio.store.rows import CorpusRow
from lmstudio.text.segment_options import AXES, SegmentOptions


class ComparedCard(Card):
    """Owns what both sides are set to; the panel says which corpus is cut."""

    changed = Signal()  # a side is to be cut otherwise
    swap_wanted = Signal()
    failed = Signal(object)  # an AppError
    words_wanted = Signal()  # the user dictionary is to be seen
    word_selected = Signal(str)  # characters of the text, "" for none
    word_wanted = Signal(int, str)  # side; characters of the text that are to be a word

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(tr("Two ways to cut"), parent=parent)
        self.choices = (
            SegmenterChoice(state, tr("A"), self), SegmenterChoice(state, tr("B"), self)
        )  # fmt: skip
        self.shared = SharedOptions(self)
        self.comparison = Comparison(state, self)
        self.axis = Strip("warn", self)
        self.selection = SelectionBar(self)
        self._selected_side = 0
        self._corpus: CorpusRow | None = None
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        self.words = button(tr("Dictionary"), "link", parent=self)
        self.words.setToolTip(tr("Edit the user dictionary and look for new words"))
        self.more = button(tr("More settings"), "link", parent=self)
        self.more.setCheckable(True)
        following = tool("down", tr("Next difference  N"), parent=self)
        following.clicked.connect(self.comparison.next_difference)
        swap = tool("swap", tr("Swap the sides  S"), parent=self)
        swap.clicked.connect(self.swap_wanted)
        for widget in (self.words, self.more, following, swap):
            self.row.add_tool(widget)
        choosers = QHBoxLayout()
        choosers.setSpacing(theme.px(33))
        for choice in self.choices:
            choosers.addWidget(choice, 1)
        self.shared.hide()
        self.body.addWidget(self.shared)
        self.body.addLayout(choosers)
        self.body.addWidget(self.axis)
        self.body.addWidget(self.comparison, 1)
        self.body.addWidget(self.selection)

    def _connect(self) -> None:
        for choice in self.choices:
            choice.changed.connect(self._chosen)
            choice.dictionary.edit_wanted.connect(self.words_wanted)
        self.words.clicked.connect(self.words_wanted)
        self.more.toggled.connect(self.shared.setVisible)
        self.shared.changed.connect(self._chosen)
        self.comparison.moved.connect(self._say_place)
        self.comparison.failed.connect(self.failed)
        self.comparison.swap_wanted.connect(self.swap_wanted)
        self.comparison.selected.connect(self._select)
        self.comparison.taken.connect(self.selection.take)
        self.selection.wanted.connect(self._take)
        self.selection.dismissed.connect(self.comparison.select_nothing)

    # what is cut, and how

    def cuts(self) -> tuple[Cut, Cut]:
        """What both sides are set to."""
        shared, stop_words = self.shared.value(), self.shared.stop_file()
        one, two = (choice.cut(shared, stop_words) for choice in self.choices)
        return one, two

    def offer_given(self, there: bool) -> None:
        """Let given words be chosen, where the corpus has any."""
        for choice in self.choices:
            choice.offer_given(there)

    def show_cuts(self, corpus: CorpusRow, cuts: tuple[Cut, Cut]) -> None:
        """Cut the sentences in sight of a corpus."""
        self._corpus = corpus
        self.comparison.show_cuts(corpus.id, cuts)
        self.shared.show_only({name for choice in self.choices for name in choice.heeds()})
        count = self.shared.changed_count()
        self.more.setText(
            tr("More settings · {count} changed", count=count) if count else tr("More settings")
        )
        self.axis.say("\n".join(dict.fromkeys(filter(None, map(_axis_note, cuts)))))

    @Slot()
    def _chosen(self) -> None:
        self.changed.emit()

    @Slot()
    def _say_place(self) -> None:
        place, corpus = self.comparison.place(), self._corpus
        if place is None or corpus is None:
            self.row.set_note("")
            return
        first, last = (figures.count(line) for line in place)
        total = figures.count(corpus.lines)
        if first == last:
            note = tr("line {first} of {total} · underlined where the sides differ",
                      first=first, total=total)  # fmt: skip
        else:
            note = tr("lines {first}–{last} of {total} · underlined where the sides differ",
                      first=first, last=last, total=total)  # fmt: skip
        self.row.set_note(note)

    # what is selected

    @Slot(int, str)
    def _select(self, side: int, text: str) -> None:
        self._selected_side = side
        reason = ""
        if not any(choice.by_jieba() for choice in self.choices):
            reason = tr("Only jieba uses a dictionary.")
        self.selection.offer(text, reason)
        self.word_selected.emit(text)

    @Slot(str)
    def _take(self, word: str) -> None:
        self.word_wanted.emit(self._selected_side, word)


def _axis_note(cut: Cut) -> str:
    """Why runs on a side cannot be compared with others; "" if they can."""
    options: SegmentOptions = cut.options
    if options.overlapping:
        return tr(
            "Full and search mode count some characters more than once: runs on them are not "
            "comparable with runs on other segmentations."
        )
    if options.by == "byte-bpe":
        return tr(AXES["spaces"])
    return tr(AXES["folded"]) if options.folds else ""
