"""SentencesCard: a Comparison in; where two runs differ most, sentence by sentence, out."""

import math
from collections.abc import Sequence

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from lmstudio import figures
from lmstudio.analysis.comparison import Comparison, SentenceBits, TokenBits
from lmstudio.data.layout import EOS, SPECIALS
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.dialogs.export_plot import ExportDialog
from lmstudio.gui.drag_sources import drag_sentences
from lmstudio.gui.jobs import Asker
from lmstudio.gui.save_as import SaveAs
from lmstudio.gui.state import AppState
from lmstudio.gui.tables import Cell, Column, Row, Table
from lmstudio.gui.widgets import Card, ElidedLabel, Segmented, scrolled, tool
from lmstudio.gui.widgets.mirrored_tokens import MirroredTokens, Paid, Side
from lmstudio.gui.widgets.splitter import splitter
from lmstudio.messages import msg, tr
from lmstudio.operations import comparison

SIDES = {"both": msg("all"), "base": msg("base is better"), "other": msg("the other is better")}


class SentencesCard(Card):
    """A table with a filter, and both runs' surprisals of the sentence that is chosen in it."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(tr("Sentences that differ most"), parent=parent)
        self._state = state
        self._found: Comparison | None = None
        self._other = 1
        self.side = Segmented([(v, tr(t)) for v, t in SIDES.items()], tr("Which sentences"), self)
        self.filter = QLineEdit(self)
        self.table = Table(columns(), tr("Sentences that differ most"), self)
        drag_sentences(self.table, "text")
        self.tokens = MirroredTokens(tr("Bits of each token, of both runs"), self)
        self._said = ElidedLabel(size=12, tone="muted")
        self._families: list[str] = []
        self.save = SaveAs(state, self)
        self._asker = Asker(state, self)
        self._lay_out()
        self.side.chosen.connect(self._draw)
        self.filter.textChanged.connect(self._draw)
        self.table.chosen.connect(self._ask)
        self._asker.answered.connect(self._take)
        self._asker.failed.connect(self._fail)
        self.tokens.export_wanted.connect(self.export_tokens)

    def _lay_out(self) -> None:
        self.filter.setPlaceholderText(tr("Filter  Ctrl+F"))
        self.filter.setAccessibleName(tr("Only sentences with these words"))
        self.filter.setClearButtonEnabled(True)
        self.filter.setMaximumWidth(theme.px(200))
        csv = tool("table", tr("Save the sentences as CSV"), parent=self)
        csv.clicked.connect(self.save_csv)
        for widget in (self.side, self.filter, csv):
            self.row.add_tool(widget)
        detail = QWidget(self)
        column = QVBoxLayout(detail)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._said)
        column.addWidget(scrolled(self.tokens, self), 1)
        both = splitter("sentences", Qt.Orientation.Horizontal, self.table, detail,
                        sizes=(640, 560))  # fmt: skip
        self.table.setMinimumHeight(theme.px(110))
        self.table.horizontalHeader().setTextElideMode(Qt.TextElideMode.ElideRight)
        self.body.addWidget(both, 1)

    def show_comparison(
        self, found: Comparison | None, other: int = 1, families: Sequence[str] = ()
    ) -> None:
        """List where run `other` differs from the base; `families` are those of the runs."""
        self._found, self._other, self._families = found, other, list(families)
        if found is not None:
            self.table.retitle("base", found.runs[found.base])
            self.table.retitle("other", found.runs[other])
        self._draw()

    def pair(self) -> tuple[int, int]:
        """The base and the other, by their numbers among the runs."""
        assert self._found is not None
        return self._found.base, self._other

    def examples(self) -> list[tuple[int, SentenceBits, float]]:
        """(number, sentence, bits more than the base) that pass side and filter, largest first."""
        if self._found is None:
            return []
        base, other = self.pair()
        words, side, kept = self.filter.text().strip(), self.side.value(), []
        for number, sentence in enumerate(self._found.examples):
            apart = _apart(sentence.bits[other], sentence.bits[base])
            wanted = side == "both" or (apart > 0) == (side == "base")
            if apart and wanted and words in sentence.text:
                kept.append((number, sentence, apart))
        return sorted(kept, key=lambda entry: -abs(entry[2]))

    @Slot()
    def _draw(self) -> None:
        shown = self.examples()
        self.table.set_rows([self._table_row(*entry) for entry in shown])
        self.row.set_note(
            tr("{count} with the largest differences in bits", count=figures.count(len(shown)))
            if shown else ""
        )  # fmt: skip
        keys: list[int | str] = [number for number, _, _ in shown]
        chosen = self.table.selected()
        if keys and (not chosen or chosen[0] not in keys):
            self.table.select(keys[:1])
            chosen = keys[:1]
        if keys:
            self._ask(chosen)
        else:
            self._asker.cancel()
            self._clear()
            self._said.setText(self._why_none())

    def _why_none(self) -> str:
        """What keeps every sentence out of the table."""
        if self._found is None:
            return ""
        words = self.filter.text().strip()
        if not words or any(words in sentence.text for sentence in self._found.examples):
            return tr("No sentence here: choose another side.")
        return tr("No sentence with {words} among those that differ most.", words=words)

    def _table_row(self, number: int, sentence: SentenceBits, apart: float) -> Row:
        base, other = self.pair()
        cells = {
            "apart": Cell(apart, tone="accent" if apart > 0 else ""),
            "base": Cell(sentence.bits[base]), "other": Cell(sentence.bits[other]),
            "line": Cell(sentence.line + 1), "text": Cell(sentence.text, tip=sentence.text),
        }  # fmt: skip
        return Row(number, cells)

    @Slot(list)
    def _ask(self, keys: list[int | str]) -> None:
        """What each token of the sentence chosen cost both runs."""
        if self._found is None or not keys:
            return
        sentence = self._found.examples[int(keys[0])]
        runs = [self._found.runs[number] for number in self.pair()]
        self._asker.ask(comparison.sentence_tokens, self._state.workspace, runs, self._found.part,
                        sentence.first, sentence.end)  # fmt: skip

    @Slot(object)
    def _take(self, tokens: list[list[TokenBits]]) -> None:
        keys = self.table.selected()
        if self._found is None or not keys:
            return
        sentence = self._found.examples[int(keys[0])]
        cells, places = _cells(sentence)
        sides, told = [], []
        for number, row in zip(self.pair(), tokens, strict=True):
            run = self._found.runs[number]
            paid = [_paid(token, sentence.first, places) for token in row]
            sides.append(Side(run, self._families[number], paid))
            bits = sum(token.bits for token in row)
            told.append(tr("{run}: {bits} bits", run=run, bits=figures.decimal(bits, 1)))
        above, below = told
        self._said.setText(tr("above {above} · below {below}", above=above, below=below))
        self.tokens.set_sentence(cells, sides)

    @Slot(object)
    def _fail(self, error: AppError) -> None:
        self._clear()
        self._said.setText(str(error))

    def _clear(self) -> None:
        self._said.setText("")
        self.tokens.set_sentence([], [])

    def said(self) -> str:
        """The line above the tokens."""
        return self._said.full_text()

    @Slot()
    def export_tokens(self) -> None:
        """Save the sentence with its bars as a picture."""
        if self.tokens.sides():
            ExportDialog(self._state, self.tokens, self.said(), self.window()).open()

    @Slot()
    def save_csv(self) -> None:
        """Save the sentences with the bits of every run."""
        if self._found is not None:
            self.save.ask("sentences", comparison.save_sentences, self._found)


def columns() -> list[Column]:
    """A sentence, and what two runs needed for it."""

    def bits(value: float) -> str:
        return figures.decimal(value, 1)

    def signed(value: float) -> str:
        return f"{'+' if value > 0 else ''}{bits(value)}"

    return [
        Column("apart", tr("Bits more"), right=True, show=signed, width=82,
               note=tr("What the other run needs more than the base")),
        Column("base", tr("Base"), right=True, show=bits, width=128),
        Column("other", tr("Other"), right=True, show=bits, width=128),
        Column("line", tr("Line"), right=True, show=figures.count, width=64),
        Column("text", tr("Sentence")),
    ]  # fmt: skip


def _cells(sentence: SentenceBits) -> tuple[list[str], list[int]]:
    """The characters that are shown, and which of them each counted one is; the last ends it."""
    text = sentence.text
    counts_spaces = len(text) == sentence.end - sentence.first
    places = [i for i, c in enumerate(text) if counts_spaces or not c.isspace()]
    return [*text, SPECIALS[EOS]], [*places, len(text)]


def _paid(token: TokenBits, first: int, places: list[int]) -> Paid:
    """A token over the cells; where several share a character, over the same."""
    last = len(places) - 1
    start = places[min(token.first - first, last)]
    if token.first == token.end:  # the end of the sentence
        return Paid(places[last], places[last] + 1, token.bits, token.text)
    return Paid(start, places[min(token.end - first, last) - 1] + 1, token.bits, token.text)


def _apart(other: float, base: float) -> float:
    """0 where both find it impossible."""
    return 0.0 if math.isinf(other) and math.isinf(base) else other - base
