"""PredictionView: a prediction, and what is right where that is known -> bars or marked text."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from lmstudio import figures
from lmstudio.analysis.tasks.prediction import Prediction, TaggedToken
from lmstudio.data.labelled.example import Example
from lmstudio.gui import theme
from lmstudio.gui.bar_plot import Bar, BarPlot
from lmstudio.gui.captions import sentence_case
from lmstudio.gui.widgets import label, scrolled
from lmstudio.gui.widgets.labelled_layout import Label, Lane
from lmstudio.gui.widgets.labelled_text import LabelledText
from lmstudio.messages import tr

MOST_BARS = 12
_BAR, _SCALE = 22, 24  # heights of a bar at least, and of the scale below
_TEXT = 96  # of the text at most before bars give way: a line, and what is said of it twice


class PredictionView(QWidget):
    """Bars of classes; or the text with what was found in it marked, and bars of answers below.

    Of a tagging the bars are the tags of the token that was clicked.
    """

    picked = Signal(int)  # a character of the text

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.said = label(size=15, bold=True, wrap=True)
        self.note = label(size=12, tone="muted", wrap=True)
        self.text = LabelledText(tr("Text"), self)
        self.bars = BarPlot(tr("Probabilities"), self)
        self._said: Prediction | None = None
        self.text.picked.connect(self._pick)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(8))
        column.addWidget(self.said)
        self._area, self._bars_area = scrolled(self.text), scrolled(self.bars)
        column.addWidget(self._area, 1)
        column.addWidget(self.note)
        column.addWidget(self._bars_area, 1)
        column.addStretch()

    def show_prediction(
        self, said: Prediction | None, labels: tuple[str, ...], gold: Example | None = None
    ) -> None:
        """Show what was said of a text; None shows nothing. `gold` is of the same text."""
        self._said = said
        if said is None:
            self.said.setText("")
            self.text.show_text("")
            self._bars_area.hide()
            self.note.setText("")
            return
        self.said.setText(_headline(said, gold))
        self._area.setVisible(not said.probabilities)  # nothing of it would be marked
        self.text.show_text(said.text, *lanes(said, gold))
        self._fit_text()
        self._draw(bars_of(said, labels))
        self.note.setText(_note(said))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._fit_text()

    def _fit_text(self) -> None:
        """As high as the text is, and where there is little room not below `_TEXT`.

        An area that scrolls would keep the size that its first content asked for.
        """
        height = self.text.minimumHeight()
        self._area.setMinimumHeight(min(height, theme.px(_TEXT)))
        self._area.setMaximumHeight(height)

    def _draw(self, bars: list[Bar]) -> None:
        for widget in (self.bars, self._bars_area):
            widget.setVisible(bool(bars))  # first: an area that is hidden learns of no new height
        self.bars.set_bars(bars, 0.0, 1.0, _percent)
        self.bars.setMinimumHeight(theme.px(_BAR * len(bars) + _SCALE))

    @Slot(int)
    def _pick(self, place: int) -> None:
        """A character was clicked: tell the tags of its token, if it has any."""
        self.text.pick(place)
        tokens = self._said.tokens if self._said else ()
        token = next((one for one in tokens if one.start <= place < one.end), None)
        if token is not None and self._said is not None:
            self._draw(tag_bars(token))
            words = self._said.text[token.start : token.end]
            self.note.setText(tr("Tags of {token}", token=words))
        self.picked.emit(place)


def lanes(said: Prediction, gold: Example | None) -> list[Lane]:
    """What was found in the text, below what is right in it."""
    spans = gold.spans if gold else ()
    right = {(one.start, one.end, one.type) for one in spans}
    found = [(one.start, one.end, one.type, one.p) for one in said.spans]
    if said.answers and said.answer:
        best = said.answers[0]
        found = [(best.start, best.end, "", best.p)]
    guess = tuple(
        Label(start, end, name or tr("answer"), _tone((start, end, name) in right, gold),
              tip=f"{name or tr('answer')}  p = {p:.3f}")
        for start, end, name, p in found
    )  # fmt: skip
    if gold is None or gold.label:
        return [Lane(guess)] if guess else [Lane()]
    known = _apart([Label(one.start, one.end, one.type or tr("answer")) for one in spans])
    return [Lane(known, sentence_case(tr("right"))), Lane(guess, sentence_case(tr("guessed")))]


def bars_of(said: Prediction, labels: tuple[str, ...]) -> list[Bar]:
    """Classes or answers, the likeliest first."""
    if said.probabilities:
        both = sorted(zip(labels, said.probabilities, strict=True), key=lambda pair: -pair[1])
        return [Bar(name, p, bold=name == said.label) for name, p in both[:MOST_BARS]]
    return [Bar(one.text or tr("no answer"), one.p, bold=number == 0)
            for number, one in enumerate(said.answers[:MOST_BARS])]  # fmt: skip


def tag_bars(token: TaggedToken) -> list[Bar]:
    """The tag of a token, and the likeliest others."""
    return [Bar(token.tag, token.p, bold=True), *(Bar(tag, p) for tag, p in token.others)]


def _apart(labels: list[Label]) -> tuple[Label, ...]:
    """Answers that people gave may overlap: of those that do, the first."""
    kept: list[Label] = []
    for one in sorted(labels, key=lambda one: (one.start, -one.end)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return tuple(kept)


def _tone(right: bool, gold: Example | None) -> str:
    if gold is None or gold.label:
        return "accent"
    return "ok" if right else "bad"


def _headline(said: Prediction, gold: Example | None) -> str:
    if said.label:
        told = f"{said.label}  {figures.percent(said.confidence, 1)}"
        if gold is None or not gold.label:
            return told
        if gold.label == said.label:
            return tr("{guess} · right", guess=told)
        return tr("{guess} · right would be {gold}", guess=told, gold=gold.label)
    if said.answers:
        return said.answer or tr("The passage does not say.")
    if len(said.spans) == 1:
        return tr("1 span found")
    return tr("{count} spans found", count=len(said.spans))


def _note(said: Prediction) -> str:
    if said.cut:
        return tr("{count} tokens were read; the text is longer.", count=figures.count(said.read))
    return tr("Click a character to see the tags that its token may have.") if said.tokens else ""


def _percent(share: float) -> str:
    return figures.percent(share)
