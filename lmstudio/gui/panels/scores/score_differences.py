"""ScoreDifferences: lines that a segmentation cuts otherwise than the gold text, side by side."""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.widgets import Card, hairline, label, tool
from lmstudio.gui.widgets.token_flow import FlowSentence, TokenFlow
from lmstudio.messages import tr
from lmstudio.operations.scoring import ScoreRow
from lmstudio.text.scoring import Difference


class ScoreDifferences(Card):
    """What differs is underlined; keys, wheel and buttons move both sides."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Differences"), parent=parent)
        self.flows = (TokenFlow(tr("Gold"), self), TokenFlow(tr("Segmentation"), self))
        self.flows[0].pair_with(self.flows[1])
        self._row: ScoreRow | None = None
        self._top = 0
        self._name = label(tone="muted", size=12)
        for icon, name, slot in (("up", tr("Line before"), self.back),
                                 ("down", tr("Next line"), self.forward)):  # fmt: skip
            control = tool(icon, name, parent=self)
            control.clicked.connect(slot)
            self.row.add_tool(control)
        self._lay_out()
        for flow in self.flows:
            flow.lit.connect(self._light)
            flow.stepped.connect(self.step)
            flow.paged.connect(self._page)

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(theme.px(16))
        for flow, name in zip(self.flows, (label(tr("Gold"), tone="muted", size=12), self._name),
                              strict=True):  # fmt: skip
            side = QVBoxLayout()
            side.setSpacing(theme.px(4))
            name.setFixedHeight(theme.px(18))  # in either script
            side.addWidget(name)
            side.addWidget(flow, 1)
            row.addLayout(side, 1)
        row.insertWidget(1, hairline(self, vertical=True))
        self.body.addLayout(row, 1)

    def show_row(self, row: ScoreRow | None) -> None:
        """Show what this segmentation does otherwise; None shows nothing."""
        self._row, self._top = row, 0
        shown = row.differences if row else ()
        for side, flow in enumerate(self.flows):
            flow.set_sentences([_sentence(one, side) for one in shown])
        self._name.setText(row.name if row else "")
        self._say_place()

    @Slot()
    def forward(self) -> None:
        """Move one line on."""
        self.step(1)

    @Slot()
    def back(self) -> None:
        """Move one line back."""
        self.step(-1)

    @Slot(int)
    def step(self, count: int) -> None:
        """Move so many lines on, or back."""
        last = len(self._row.differences) - 1 if self._row else 0
        self._top = min(max(self._top + count, 0), max(last, 0))
        for flow in self.flows:
            flow.set_top(self._top)
        self._say_place()

    @Slot(int)
    def _page(self, direction: int) -> None:
        self.step(direction * max(self.flows[0].shown() - 1, 1))

    @Slot(int, int, int)
    def _light(self, line: int, start: int, end: int) -> None:
        for flow in self.flows:
            flow.light(line, start, end)

    def _say_place(self) -> None:
        if self._row is None:
            self.row.set_note("")
        elif not self._row.differences:
            self.row.set_note(tr("No line is cut otherwise than the gold text."))
        else:
            line = self._row.differences[self._top].line
            self.row.set_note(
                tr("line {line} of the text · {number} of the first {count} that differ",
                   line=figures.count(line), number=self._top + 1,
                   count=len(self._row.differences))
            )  # fmt: skip


def _sentence(difference: Difference, side: int) -> FlowSentence:
    """The words of one side, those underlined that the other side has not."""
    text, spans, differing = "", [], set()
    for chunk in difference.chunks:
        for word in chunk[side]:
            if text[-1:].isascii() and text[-1:].isalnum() and word[:1].isascii():
                text += " "  # between Latin words
            span = (len(text), len(text) + len(word))
            text += word
            spans.append(span)
            if chunk[0] != chunk[1]:
                differing.add(span)
    return FlowSentence(text, spans, frozenset(differing))
