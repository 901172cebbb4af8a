"""LikelihoodPage: the counts after a context in; why c / N is likeliest, derived on them, out."""

import math
from dataclasses import dataclass

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.state import AppState
from lmstudio.gui.tables import Cell, Column, Row, Table
from lmstudio.gui.widgets import Card, button, label, scrolled
from lmstudio.messages import tr
from lmstudio.operations import laboratory

_TERMS = 4  # of a sum that are written out
_KEPT = 0.1  # for words never seen, in the comparison


@dataclass(frozen=True)
class Counts:
    """What followed a context, and how often; `others` is what is not listed by name."""

    context: list[str]
    words: list[tuple[str, int]]
    others: int = 0

    @property
    def total(self) -> int:
        """N."""
        return sum(count for _, count in self.words) + self.others

    def rows(self) -> list[tuple[str, int]]:
        """With the others as one."""
        return [*self.words, (tr("others"), self.others)] if self.others else self.words

    @property
    def log_likelihood(self) -> float:
        """ln L where every p is c / N."""
        return sum(c * math.log(c / self.total) for _, c in self.rows() if c)


EXAMPLE = Counts(["我", "爱"], [("北京", 1), ("上海", 1), ("我", 1)])
"""Of 我 爱 北京 / 我 爱 上海 / 他 爱 我, for whoever has not asked about a context yet."""


def counts_of(table: laboratory.Table) -> Counts:
    """The words seen after the context of a table."""
    bars = table.bars
    seen = [(w, c) for w, c in zip(table.words, bars.counts, strict=True) if c]
    return Counts(table.context, seen, bars.occurrences - sum(c for _, c in seen))


class LikelihoodPage(QWidget):
    """The same steps on whatever counts the window was last asked to explain."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self.counts = EXAMPLE
        self.steps = Card(tr("Why maximum likelihood is c / N"), parent=self)
        self._texts = [(label(bold=True), label(wrap=True), label(size=15, wrap=True))
                       for _ in range(6)]  # fmt: skip
        self._table_card = Card(tr("Worked on these counts"), parent=self)
        columns = [
            Column("word", tr("Next word")),
            Column("count", "c", right=True, show=figures.count, width=70),
            Column("fraction", "c / N", right=True, width=110),
            Column("p", "p", right=True, width=90),
        ]  # fmt: skip
        self.table = Table(columns, tr("Worked on these counts"), self)
        self._sums = label(wrap=True, tone="muted")
        self.back = button(tr("Back to the smoothing"), "link", parent=self)
        self.back.clicked.connect(self._go_back)
        self._lay_out()
        state.worked_changed.connect(self.refresh)
        self.refresh()

    def _lay_out(self) -> None:
        for title, text, formula in self._texts:
            for one in (title, text, formula):
                self.steps.body.addWidget(one)
        self._table_card.body.addWidget(self.table, 1)
        self._table_card.body.addWidget(self._sums)
        self._table_card.body.addWidget(self.back)
        content = QWidget(self)
        row = QHBoxLayout(content)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(12))
        left = QVBoxLayout()
        left.addWidget(self.steps)
        left.addStretch()
        row.addLayout(left, 3)
        row.addWidget(self._table_card, 2)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(scrolled(content, self))

    @Slot()
    def refresh(self) -> None:
        """Work it out on the counts that are to be explained."""
        worked = self._state.worked
        self.counts = counts_of(worked) if worked is not None else EXAMPLE
        if not self.counts.total:  # nothing was seen after it: there is nothing to work on
            self.counts = EXAMPLE
        context = " ".join(self.counts.context) or tr("(no context)")
        own = worked is not None and self.counts is not EXAMPLE
        note = tr("after {context}, in your text", context=context)
        self._table_card.row.set_note(note if own else tr("an example of three sentences"))
        for (title, text, formula), words in zip(self._texts, steps(self.counts), strict=True):
            for one, said in zip((title, text, formula), words, strict=True):
                one.setText(said)
        self._show_table()

    def _show_table(self) -> None:
        counts = self.counts
        self.table.set_rows([
            Row(n, {"word": Cell(word), "count": Cell(count),
                    "fraction": Cell(f"{figures.count(count)} / {figures.count(counts.total)}"),
                    "p": Cell(count / counts.total, text=figures.decimal(count / counts.total, 4))})
            for n, (word, count) in enumerate(counts.rows())
        ])  # fmt: skip
        self._sums.setText(
            tr("N = {total}, and the p sum to 1.", total=figures.count(counts.total))
        )

    @Slot()
    def _go_back(self) -> None:
        self._state.panel_wanted.emit("smoothing")


def steps(counts: Counts) -> list[tuple[str, str, str]]:
    """(title, sentence, formula) of each step, with the numbers filled in."""
    total, first = counts.total, counts.rows()[0]
    kept = total * math.log(1 - _KEPT)
    return [
        (tr("1. What is to be made large"),
         tr("If each next word is drawn anew, the probability of all of them is the product of "
            "their p. Its logarithm is easier to handle."),
         f"ln L = Σ c(w) ln p(w) = {_sum(counts, '{c} ln p({w})')}"),
        (tr("2. The condition"),
         tr("The p of the whole vocabulary sum to 1. Lagrange puts the condition into the "
            "function, with a multiplier λ."),
         "Λ = Σ c(w) ln p(w) − λ (Σ p(w) − 1)"),
        (tr("3. Where nothing rises any more"),
         tr("At the highest point the derivative by every p(w) is 0."),
         f"c(w) / p(w) − λ = 0   ⇒   p(w) = c(w) / λ;   p({first[0]}) = {first[1]} / λ"),
        (tr("4. What λ is"),
         tr("Put these into the condition: λ is the number of all words that followed."),
         f"λ = Σ c(w) = {_sum(counts, '{c}')} = {total}"),
        (tr("5. The estimate"),
         tr("So the likeliest probabilities are the relative frequencies. The logarithm curves "
            "downwards, so it is the maximum."),
         f"p({first[0]}) = {first[1]} / {total} = {first[1] / total:.4f};   "
         f"ln L = {counts.log_likelihood:.3f}"),
        (tr("6. The price"),
         tr("A word that was not seen has c = 0 and gets p = 0: one such word makes the perplexity "
            "of any text infinite. Keeping a tenth for unseen words makes this text a little less "
            "likely, and others possible. How to keep it is what the smoothings differ in."),
         f"ln L = {counts.log_likelihood:.3f} + {total} × ln 0.9 = "
         f"{counts.log_likelihood + kept:.3f}"),
    ]  # fmt: skip


def _sum(counts: Counts, term: str) -> str:
    """The first terms of a sum over the words."""
    rows = counts.rows()
    shown = [term.format(c=count, w=word) for word, count in rows[:_TERMS]]
    if len(rows) > _TERMS:
        shown += ["…", term.format(c=rows[-1][1], w=rows[-1][0])]
    return " + ".join(shown)
