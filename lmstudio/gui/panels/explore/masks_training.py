"""TrainingView: a sentence as BERT meets it in training: tokens it is asked for, and pairs."""

from collections import Counter
from functools import partial

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QVBoxLayout, QWidget

from lmstudio import figures
from lmstudio.analysis.fill.lottery import Lottery
from lmstudio.analysis.fill.sentence_pair import SentencePair
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.jobs import Asker
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Card, button, label, scrolled, set_tone
from lmstudio.gui.widgets.lot_boxes import LotBox, LotBoxes
from lmstudio.messages import tr
from lmstudio.operations import fill

_CLS, _SEP = "[CLS]", "[SEP]"


class TrainingView(QWidget):
    """The lot of the sentence, drawn anew on demand, and a pair of the corpus with its label."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state, self._text = state, ""
        self.drawn: Lottery | None = None
        self.pair: SentencePair | None = None
        self._seed = self._pair_seed = 0
        self._tally: Counter[str] = Counter()
        self._draws = 0
        self._lots, self._pairs = Asker(state, self), Asker(state, self)
        self.boxes = LotBoxes(tr("The sentence in training"), self)
        self.again = button(tr("Draw again"), icon_name="swap", parent=self)
        self.other = button(tr("Another pair"), icon_name="swap", parent=self)
        self.whole = QCheckBox(tr("Whole words"), self)
        self.told = label(tone="muted", wrap=True)
        self.law = label(size=12, tone="muted", wrap=True)
        self.first, self.second = (label(size=15, wrap=True) for _ in range(2))
        self.label = label(bold=True)
        self._notice = label(size=12, tone="muted", wrap=True)
        self._lay_out()
        self._lots.answered.connect(self._take)
        self._lots.failed.connect(self._fail)
        self._pairs.answered.connect(self._take_pair)
        self._pairs.failed.connect(self._fail_pair)
        self.again.clicked.connect(self.draw)
        self.other.clicked.connect(self.draw_pair)
        self.whole.toggled.connect(self._begin)

    def _lay_out(self) -> None:
        lots = Card(tr("Masked tokens"), tr("15 % are asked for; of these 80 % hidden, 10 % "
                    "swapped, 10 % left as they are"), parent=self)  # fmt: skip
        lots.row.add_tool(self.whole)
        lots.row.add_tool(self.again)
        lots.body.addWidget(scrolled(self.boxes, self), 1)
        lots.body.addWidget(self.told)
        lots.body.addWidget(self.law)
        pairs = Card(tr("Next sentence"), tr("half of the pairs follow each other"), parent=self)
        pairs.row.add_tool(self.other)
        inner = QWidget(self)
        column = QVBoxLayout(inner)
        column.setContentsMargins(0, 0, 0, 0)
        for widget in (self.first, self.second, self.label, self._notice):
            column.addWidget(widget)
        column.addStretch(1)
        pairs.body.addWidget(scrolled(inner, self), 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(12))
        row.addWidget(lots, 3)
        row.addWidget(pairs, 2)

    # the lot

    def set_text(self, text: str) -> None:
        """Draw for another sentence."""
        if text != self._text or self.drawn is None:
            self._text = text
            self._begin()
        if self.pair is None:
            self.draw_pair()

    @Slot()
    def _begin(self) -> None:
        self._tally.clear()
        self._draws = 0
        self.draw()

    @Slot()
    def draw(self) -> None:
        """Ask for another lot."""
        cut = self._state.segmentation
        if cut is not None and self._text.strip():
            self._seed += 1
            drawing = partial(fill.lottery, whole_words=self.whole.isChecked())
            self._lots.ask(drawing, self._state.workspace, cut.id, self._text, self._seed)

    @Slot(object)
    def _take(self, drawn: Lottery) -> None:
        self.drawn = drawn
        self._draws += 1
        self._tally.update(token.fate for token in drawn.tokens)
        self.boxes.set_boxes([LotBox(t.text, t.shown, t.fate) for t in drawn.tokens])
        self.told.setText(
            tr("{chosen} of {tokens} tokens are asked for: {masked} hidden, {random} swapped, "
               "{kept} left.", chosen=drawn.chosen, tokens=len(drawn.tokens),
               masked=drawn.count("masked"), random=drawn.count("random"),
               kept=drawn.count("kept"))
        )  # fmt: skip
        self.law.setText(self._told_law())

    def _told_law(self) -> str:
        total = sum(self._tally.values())
        asked = total - self._tally["open"]
        shares = {fate: figures.percent(self._tally[fate] / asked if asked else 0)
                  for fate in ("masked", "random", "kept")}  # fmt: skip
        return tr("Draws: {draws}. Asked for: {share}; of these {masked} hidden, {random} swapped, "
                  "{kept} left.", draws=self._draws, share=figures.percent(asked / total),
                  **shares)  # fmt: skip

    @Slot(object)
    def _fail(self, error: AppError) -> None:
        self.boxes.set_boxes([])
        self.told.setText(str(error))
        self.law.setText("")

    # the pair

    @Slot()
    def draw_pair(self) -> None:
        """Ask for another pair."""
        cut = self._state.segmentation
        if cut is not None:
            self._pair_seed += 1
            self._pairs.ask(fill.sentence_pair, self._state.workspace, cut.id, self._pair_seed)

    @Slot(object)
    def _take_pair(self, pair: SentencePair) -> None:
        self.pair = pair
        self.first.setText(f"{_CLS} {pair.first} {_SEP}")
        self.second.setText(f"{pair.second} {_SEP}")
        self.label.setText(tr("Label 1: the second follows the first") if pair.follows
                           else tr("Label 0: the second comes from elsewhere"))  # fmt: skip
        set_tone(self.label, "ok" if pair.follows else "warn")
        self._notice.setText(str(pair.notice or ""))

    @Slot(object)
    def _fail_pair(self, error: AppError) -> None:
        for widget in (self.first, self.second, self._notice):
            widget.setText("")
        self.label.setText(str(error))
        set_tone(self.label, "muted")

    def forget(self) -> None:
        """Another segmentation is selected."""
        self.drawn = self.pair = None
        self._text = ""
