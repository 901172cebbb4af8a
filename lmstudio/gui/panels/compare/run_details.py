"""RunDetails: one run in; its figures, log or word classes, the user's note, its settings out."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.panels.compare.class_table import ClassTable
from lmstudio.gui.panels.compare.measures import ALWAYS, MEASURES, metric
from lmstudio.gui.panels.compare.run_board import RunBoard, RunEntry
from lmstudio.gui.panels.compare.run_facts import facts
from lmstudio.gui.panels.compare.run_log import RunLogView
from lmstudio.gui.panels.compare.run_note import NoteField
from lmstudio.gui.state import AppState
from lmstudio.gui.table_export import TableExport
from lmstudio.gui.tables import Cell, Column, Row, Table
from lmstudio.gui.widgets import Card, Segmented, label, scrolled
from lmstudio.messages import msg, tr
from lmstudio.operations import word_classes

FIGURES: tuple[tuple[str, str, Callable[[Any], str]], ...] = (
    ("bits_per_character", msg("Bits per character"), lambda v: figures.decimal(v, 4)),
    ("perplexity", msg("Perplexity per event"), figures.decimal),
    ("perplexity_per_word", msg("Perplexity per word"), figures.decimal),
    ("perplexity_without_unknown", msg("Perplexity without unknown words"), figures.decimal),
    (
        "perplexity_ppl1",
        msg("The same over words: ends in the sum, not in the count (SRILM: ppl1)"),
        figures.decimal,
    ),
    ("backward_perplexity", msg("Perplexity read from the end"), figures.decimal),
    ("events", msg("Events"), figures.count),
    ("tokens", msg("Tokens"), figures.count),
    ("sentences", msg("Sentences"), figures.count),
    ("characters", msg("Characters"), figures.count),
    ("unknown", msg("Unknown"), figures.count),
    ("zero_probability", msg("Zero events"), figures.count),
    ("spelling_bits", msg("Bits to spell unknown words"), figures.count),
    ("log10_probability", msg("log10 of the probability"), lambda v: figures.decimal(v, 1)),
)
"""Key in an Evaluation, what it is called, and how it reads."""

_PSEUDO = frozenset({"bits_per_character", "log10_probability"}
                    | {key for key, _, _ in FIGURES if key.startswith("perplexity")})  # fmt: skip


class RunDetails(Card):
    """A card beside the run table; where a run has word classes, they can be looked at."""

    def __init__(self, state: AppState, board: RunBoard, parent: QWidget | None = None) -> None:
        super().__init__(tr("Details"), parent=parent)
        self._board = board
        columns = [
            Column("name", tr("Figure")),
            Column("valid", tr("Valid"), right=True, width=76),
            Column("test", tr("Test"), right=True, width=76),
        ]
        self.table = Table(columns, tr("Figures of the run"), self, row_height=24)
        self.table.setSortingEnabled(False)
        self.classes = ClassTable(state, self)
        self.log = RunLogView(state, self)
        views = [("figures", tr("Figures")), ("log", tr("Log")), ("classes", tr("Classes"))]
        self.view = Segmented(views, tr("What is shown"), self)
        self.note = NoteField(state, self)
        self.export = TableExport(
            state, self.classes, tr("Save the word classes as CSV"), "classes", self
        )
        self._save = self.export.button()
        self._text = label(size=12, tone="muted", wrap=True)
        notes = scrolled(self._text, self)
        notes.setFixedHeight(theme.px(104))
        self._pages = QStackedWidget(self)
        for page in (self.table, self.log, self.classes):
            self._pages.addWidget(page)
        choice = QHBoxLayout()
        choice.addWidget(self.view)
        choice.addStretch()
        choice.addWidget(self._save)
        self.body.addLayout(choice)
        self.body.addWidget(self._pages, 1)
        self.body.addWidget(self.note)
        self.body.addWidget(notes)
        self.setMinimumWidth(theme.px(390))
        self.view.chosen.connect(self._show_page)
        self._entry: RunEntry | None = None
        self._show_page()

    def show_run(self, entry: RunEntry | None) -> None:
        """Show a run, or that none is selected."""
        self.row.set_title(tr("Details") if entry is None else entry.row.name)
        self._entry = entry
        self.note.show_run(None if entry is None else entry.row)
        self._show_page()
        if entry is None:
            self.table.set_rows([])
            self._text.setText(tr("Select a run to see its figures."))
            return
        self.table.set_rows([*_figures(entry), *_named(self._board, entry)])
        self._text.setText("\n".join(facts(self._board, entry)))

    @Slot()
    def _show_page(self) -> None:
        """Log and classes are read when they are looked at."""
        run = self._entry.row if self._entry is not None else None
        has_classes = run is not None and run.model == word_classes.MODEL and run.state == "done"
        self.view.setVisible(run is not None)
        self.view.segment("classes").setVisible(has_classes)
        view = self.view.value()
        if view == "classes" and not has_classes:
            view = "figures"
        self._save.setVisible(view == "classes")
        pages = {"figures": self.table, "log": self.log, "classes": self.classes}
        self._pages.setCurrentWidget(pages[view])
        self.log.show_run(run if view == "log" else None)
        self.classes.show_run(run if view == "classes" else None)


def _figures(entry: RunEntry) -> list[Row]:
    """Those of its evaluations; what not every model has, only where it is there."""
    return [
        Row(key, {"name": _name(entry, key, tr(name)),
                  "valid": _cell(entry, "valid", key, show),
                  "test": _cell(entry, "test", key, show)})
        for key, name, show in FIGURES
        if key != "backward_perplexity" or entry.figure(key) or entry.figure(key, "test")
    ]  # fmt: skip


def _cell(entry: RunEntry, part: str, key: str, show: Callable[[Any], str]) -> Cell:
    value = entry.figure(key, part)
    if value is None:
        return Cell(None, figures.DASH)
    if entry.pseudo and key in _PSEUDO:
        return Cell(value, show(value), tone="off", tip=tr(entry.own_axis))
    return Cell(value, show(value))


def _name(entry: RunEntry, key: str, name: str) -> Cell:
    if not entry.pseudo or key not in _PSEUDO:
        return Cell(name, tip=name)
    return Cell(tr("pseudo: {figure}", figure=name), tone="off", tip=tr(entry.own_axis))


def _named(board: RunBoard, entry: RunEntry) -> list[Row]:
    """The losses and accuracies of the last validation, by their names."""
    made = []
    for name, measure in MEASURES.items():
        key = metric(entry.row, name, "valid")
        of_others = measure.in_training or name in (*ALWAYS, "loss")
        if of_others or key not in board.metrics(entry.row.id):
            continue
        value = board.points(entry.row.id, key).last_finite()
        text = figures.decimal(value, 4)
        if measure.show is not None and value is not None:
            text = measure.show(value)
        tip = tr("{figure}, at the last validation", figure=tr(measure.title))
        cells = {"name": Cell(tr(measure.title), tip=tip), "valid": Cell(value, text),
                 "test": Cell(None, figures.DASH)}  # fmt: skip
        made.append(Row(key, cells))
    return made
