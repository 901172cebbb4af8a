"""Readings of sentences in; the tables under the bars out: ranks, totals, tokens, words."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QStackedWidget, QToolButton, QWidget

from lmstudio import figures
from lmstudio.analysis.surprisal_figures import events, ranks, word_bits
from lmstudio.analysis.surprisal_figures import figures as figures_of
from lmstudio.gui.captions import sentence_case
from lmstudio.gui.drag_sources import drag_sentences
from lmstudio.gui.dragged import RUN, Dragged
from lmstudio.gui.panels.explore.sentence_texts import Reading, figures_of_p
from lmstudio.gui.rows_view import RowsView
from lmstudio.gui.tables import Cell, Column, Row, Table
from lmstudio.gui.widgets import Card, Segmented
from lmstudio.messages import msg, tr

SHOWN = 500
"""Rows that are listed; the CSV has them all."""
ORDERS = {
    "": msg("as typed"), "swapped": msg("swapped"), "shuffled": msg("shuffled"),
    "nonsense": msg("nonsense"),
}  # fmt: skip
VIEWS = (("totals", msg("Totals")), ("ranks", msg("Ranks")), ("tokens", msg("By token")),
         ("words", msg("By word")))  # fmt: skip
_DRAGGED = {"ranks": ("text",), "tokens": ("token",), "words": ("word",)}
"""Columns whose text a row is dragged as; one of the totals is its run."""
_COLUMN, _PSEUDO = 132, 220  # widths of the columns of readings


@dataclass(frozen=True)
class Sentences:
    """What was asked about."""

    texts: Sequence[str]
    orders: Mapping[str, str]  # by text: in which order it is
    line: int  # the one that is meant


class AnswerTables(Card):
    """One table at a time, of all sentences or of the one that is chosen."""

    line_chosen = Signal(int)  # a sentence
    lane_chosen = Signal(int)  # a reading
    bar_chosen = Signal(int)  # a token, or a word
    changed = Signal()  # another table is shown

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Totals"), parent=parent)
        self.view = Segmented([(key, tr(title)) for key, title in VIEWS], tr("Table"), self)
        self.row.add_tool(self.view)
        self._stack = QStackedWidget(self)
        self.body.addWidget(self._stack, 1)
        self._tables: dict[str, Table] = {}
        self._columns: dict[str, list[Column]] = {}
        self._readings: Sequence[Reading] = ()
        self.view.chosen.connect(self._choose_view)

    def add_tool(self, tool: QToolButton) -> None:
        """Put a tool into the title row."""
        self.row.add_tool(tool)

    def show_answers(
        self, readings: Sequence[Reading], asked: Sentences, lane: int, bar: int, unit: str
    ) -> None:
        """Fill the table on screen; `bar` of lane `lane` is chosen, of a `unit` of bars."""
        shown, line = self.view.value(), asked.line
        self._readings = readings
        if shown == "ranks":
            columns = [
                Column("number", "#", right=True, width=36), Column("text", tr("Sentence")),
                Column("order", tr("Word order"), width=92),
                *_reading_columns(readings, tr("Rank, and bits of the sentence")),
            ]  # fmt: skip
            self._show("ranks", columns, rank_rows(asked, readings), line)
        elif shown == "totals":
            self._show("totals", total_columns(), total_rows(readings, line), lane)
        elif shown == "tokens":
            reading = readings[lane] if lane < len(readings) else None
            counted = reading is not None and reading.found.model == "ngram"
            rows = token_rows(reading, line) if reading is not None else []
            self._show(
                "tokens", token_columns(counted=counted), rows, bar if unit == "token" else -1
            )
        else:
            columns = [
                Column("number", "#", right=True, width=44), Column("word", tr("Word"), width=120),
                Column("start", tr("Start"), right=True, width=64),
                *_reading_columns(readings, tr("Bits of the word")), Column("rest", ""),
            ]  # fmt: skip
            self._show("words", columns, word_rows(readings, line), bar if unit == "word" else -1)

    def _dragged_run(self, view: RowsView, row: int) -> Dragged | None:
        assert isinstance(view, Table)
        one = self._readings[int(view.rows()[row].key)]
        return Dragged(RUN, one.found.name, one.run_id)

    def table(self) -> Table:
        """The one on screen."""
        return self._tables[self.view.value()]

    def _show(self, key: str, columns: list[Column], rows: list[Row], chosen: int) -> None:
        if [(c.key, c.title) for c in self._columns.get(key, [])] != [
            (c.key, c.title) for c in columns
        ]:
            self._replace(key, columns)
        table = self._tables[key]
        table.set_rows(rows)
        table.select([chosen])
        self._stack.setCurrentWidget(table)

    def _replace(self, key: str, columns: list[Column]) -> None:
        """Columns are those of other models now."""
        if before := self._tables.get(key):
            self._stack.removeWidget(before)
            before.deleteLater()
        table = Table(columns, tr(dict(VIEWS)[key]), self)
        takers = {"ranks": self._take_line, "totals": self._take_lane}
        table.chosen.connect(takers.get(key, self._take_bar))
        if key == "totals":
            table.drag_rows(self._dragged_run)
        else:
            drag_sentences(table, *_DRAGGED[key])
        self._tables[key], self._columns[key] = table, columns
        self._stack.addWidget(table)

    @Slot(str)
    def _choose_view(self, key: str) -> None:
        self.row.set_title(tr(dict(VIEWS)[key]))
        self.changed.emit()

    @Slot(list)
    def _take_line(self, keys: list[int]) -> None:
        if keys:
            self.line_chosen.emit(keys[0])

    @Slot(list)
    def _take_lane(self, keys: list[int]) -> None:
        if keys:
            self.lane_chosen.emit(keys[0])

    @Slot(list)
    def _take_bar(self, keys: list[int]) -> None:
        if keys:
            self.bar_chosen.emit(keys[0])


def _reading_columns(readings: Sequence[Reading], note: str) -> list[Column]:
    return [
        Column(str(number), reading.title, right=True, note=note,
               width=_COLUMN if reading.group == "chain" else _PSEUDO)
        for number, reading in enumerate(readings)
    ]  # fmt: skip


def rank_rows(asked: Sentences, readings: Sequence[Reading]) -> list[Row]:
    """A row for each sentence."""
    columns = []
    for reading in readings:
        bits = [figures_of([one], reading.kind).text_bits for one in reading.found.sentences]
        columns.append(dict(enumerate(zip(bits, ranks(bits), strict=True))))
    made = []
    for line, text in enumerate(asked.texts[:SHOWN]):
        cells = {"number": Cell(line + 1), "text": Cell(text, tip=text),
                 "order": Cell(tr(ORDERS[asked.orders.get(text, "")]), tone="muted")}  # fmt: skip
        for number, column in enumerate(columns):
            bits_of, rank = column.get(line, (math.nan, 0))
            if rank:
                said = tr("{rank} · {bits} bits", rank=rank, bits=figures.decimal(bits_of, 1))
                cells[str(number)] = Cell(bits_of, said, tone="accent" if rank == 1 else "")
        made.append(Row(line, cells))
    return made


def total_columns() -> list[Column]:
    """Of the figures of one sentence."""

    def number(key: str, title: str, width: int, note: str = "") -> Column:
        return Column(key, title, right=True, width=width, note=note)

    no_end, no_unknown = sentence_case(tr("no </s>")), sentence_case(tr("no <unk>"))
    return [
        Column("model", tr("Model")),
        number("events", tr("Events"), 64), number("nats", "ln p", 84),
        number("bits", tr("Bits"), 76), number("perplexity", tr("Perplexity"), 96),
        number("without_end", no_end, 88, tr("Perplexity without the end of the sentence")),
        number("without_unknown", no_unknown, 88, tr("Perplexity without unknown tokens")),
        number("without_both", sentence_case(tr("neither")), 84, tr("Perplexity without either")),
        number("per_character", tr("Bits/char."), 88,
               tr("Bits per character; unknown tokens are spelled")),
        number("unknown", tr("Unknown"), 84), number("zero", tr("Zero events"), 90),
    ]  # fmt: skip


def total_rows(readings: Sequence[Reading], line: int) -> list[Row]:
    """A row for each reading."""
    made = []
    for number, reading in enumerate(readings):
        if (sentence := reading.sentence(line)) is None:
            continue
        one = figures_of([sentence], reading.kind)
        values = {
            "nats": -one.nats, "bits": one.bits, "perplexity": one.perplexity,
            "without_end": one.without_end, "without_unknown": one.without_unknown,
            "without_both": one.without_both, "per_character": one.bits_per_character,
        }  # fmt: skip
        tone = "muted" if reading.group != "chain" else ""
        cells = {
            key: Cell(None if math.isnan(value) else value, figures.decimal(value, 3), tone=tone)
            for key, value in values.items()
        }
        cells |= {"model": Cell(reading.title, draw=("mark", reading.found.model)),
                  "events": Cell(one.events), "unknown": Cell(one.unknown),
                  "zero": Cell(one.zero, tone="bad" if one.zero else "")}  # fmt: skip
        made.append(Row(number, cells))
    return made


def token_columns(*, counted: bool) -> list[Column]:
    """Of the events of one reading; of n-gram models where p came from too."""
    found = [
        Column("number", "#", right=True, width=44), Column("token", tr("Token"), width=130),
        Column("piece", tr("Piece"), width=110),
        Column("p", "p", right=True, width=104), Column("logprob", "ln p", right=True, width=84),
        Column("bits", tr("Bits"), right=True, width=80),
        Column("spelling", tr("Spelling, bits"), right=True, width=110),
    ]  # fmt: skip
    if counted:
        found += [Column("order", tr("Answered by"), right=True, width=110),
                  Column("paid", tr("Back-off paid"), right=True, width=110)]  # fmt: skip
    return [*found, Column("rest", "")]


def token_rows(reading: Reading, line: int) -> list[Row]:
    """A row for each event."""
    made: list[Row] = []
    if (sentence := reading.sentence(line)) is None:
        return made
    for number, event in enumerate(events(sentence, reading.kind, last=SHOWN)):
        tone = "bad" if event.probability == 0 else ""
        finite = math.isfinite(event.bits)
        cells = {
            "number": Cell(number + 1),
            "token": Cell(event.token), "piece": Cell(event.piece, tone="warn" * event.unknown),
            "p": Cell(event.probability, figures_of_p(event.probability), tone=tone),
            "logprob": Cell(event.logprob if finite else None, figures.decimal(event.logprob, 3)),
            "bits": Cell(event.bits if finite else None, figures.decimal(event.bits, 3), tone=tone),
        }  # fmt: skip
        if event.unknown:
            cells["spelling"] = Cell(event.spelling, figures.decimal(event.spelling, 2))
        if event.order is not None:
            order = tr("{order}-gram", order=event.order)
            cells["order"] = Cell(event.order, order)
            cells["paid"] = Cell(event.paid, "—" if event.paid == 1 else f"{event.paid:.4g}")
        made.append(Row(number, cells))
    return made


def word_rows(readings: Sequence[Reading], line: int) -> list[Row]:
    """A row for each word; readings that cut other words leave theirs out."""
    first = next((s for reading in readings if (s := reading.sentence(line))), None)
    if first is None:
        return []
    columns = []
    for reading in readings:
        one = reading.sentence(line)
        same = one is not None and one.words == first.words
        columns.append(word_bits(one, reading.kind).tolist() if one is not None and same else None)
    made = []
    for number, (start, end) in enumerate(first.words[:SHOWN]):
        cells = {"number": Cell(number + 1), "word": Cell(first.text[start:end]),
                 "start": Cell(start)}  # fmt: skip
        for place, bits in enumerate(columns):
            if bits is not None:
                cells[str(place)] = Cell(bits[number], figures.decimal(bits[number], 2))
        made.append(Row(number, cells))
    return made
