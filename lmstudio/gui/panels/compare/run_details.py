"""RunDetails: one run in; its figures or its word classes, its settings and notes out."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QStackedWidget, QWidget

from lmstudio import figures, options
from lmstudio.gui import theme
from lmstudio.gui.panels.compare.class_table import ClassTable
from lmstudio.gui.panels.compare.run_board import RunEntry
from lmstudio.gui.panels.settings.setting_names import value_name
from lmstudio.gui.state import AppState
from lmstudio.gui.table_export import TableExport
from lmstudio.gui.tables import Cell, Column, Row, Table
from lmstudio.gui.widgets import Card, Segmented, label, scrolled
from lmstudio.messages import Message, msg, tr
from lmstudio.models.registry import MODELS
from lmstudio.operations import runs, word_classes
from lmstudio.store.rows import Facts
from lmstudio.training.spec import RunSpec

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

CONTEXTS = {"sentence": msg("sentence"), "document": msg("document")}


class RunDetails(Card):
    """A card beside the run table; where a run has word classes, they can be looked at."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(tr("Details"), parent=parent)
        columns = [
            Column("name", tr("Figure")),
            Column("valid", tr("Valid"), right=True, width=76),
            Column("test", tr("Test"), right=True, width=76),
        ]
        self.table = Table(columns, tr("Figures of the run"), self, row_height=24)
        self.table.setSortingEnabled(False)
        self.classes = ClassTable(state, self)
        self.view = Segmented([("figures", tr("Figures")), ("classes", tr("Classes"))],
                              tr("What is shown"), self)  # fmt: skip
        self.export = TableExport(
            state, self.classes, tr("Save the word classes as CSV"), "classes", self
        )
        self._save = self.export.button()
        self._text = label(size=12, tone="muted", wrap=True)
        notes = scrolled(self._text, self)
        notes.setMaximumHeight(theme.px(120))
        self._pages = QStackedWidget(self)
        for page in (self.table, self.classes):
            self._pages.addWidget(page)
        self.row.add_tool(self.view)
        self.row.add_tool(self._save)
        self.body.addWidget(self._pages, 1)
        self.body.addWidget(notes)
        self.setMinimumWidth(theme.px(390))
        self.view.chosen.connect(self._show_page)
        self._entry: RunEntry | None = None
        self._show_page()

    def show_run(self, entry: RunEntry | None) -> None:
        """Show a run, or that none is selected."""
        self.row.set_title(tr("Details") if entry is None else entry.row.name)
        self._entry = entry
        self._show_page()
        if entry is None:
            self.table.set_rows([])
            self._text.setText(tr("Select a run to see its figures."))
            return
        self.table.set_rows([_row(key, name, show, entry) for key, name, show in FIGURES])
        self._text.setText("\n".join(facts(entry)))

    @Slot()
    def _show_page(self) -> None:
        """The classes are read when they are first looked at."""
        run = self._entry.row if self._entry is not None else None
        has_classes = run is not None and run.model == word_classes.MODEL and run.state == "done"
        looking = has_classes and self.view.value() == "classes"
        self.view.setVisible(has_classes)
        self._save.setVisible(looking)
        self._pages.setCurrentWidget(self.classes if looking else self.table)
        self.classes.show_run(run if looking else None)


def _row(key: str, name: str, show: Callable[[Any], str], entry: RunEntry) -> Row:
    return Row(key, {"name": Cell(tr(name), tip=tr(name)),
                     "valid": _cell(entry.valid, key, show),
                     "test": _cell(entry.test, key, show)})  # fmt: skip


def _cell(known: Facts | None, key: str, show: Callable[[Any], str]) -> Cell:
    value = None if known is None else known.get(key)
    return Cell(value, figures.DASH if value is None else show(value))


def facts(entry: RunEntry) -> list[str]:
    """Lines about a run: settings, where and how it ended, discounts, notes."""
    row = entry.row
    lines = [" · ".join(settings(RunSpec.read(row.spec)[0]))]
    evaluation = entry.valid or entry.test
    if evaluation and evaluation["context"] in CONTEXTS:
        context = tr(CONTEXTS[evaluation["context"]])
        lines.append(tr("Sees the words before it in the same {context}.", context=context))
    if row.facts.get("device"):
        lines.append(tr("Trained on {device}, {steps} steps.", device=row.facts["device"],
                        steps=figures.count(row.step)))  # fmt: skip
    if row.facts.get("why_ended"):
        lines.append(str(Message(*row.facts["why_ended"])))
    if row.facts.get("ngrams"):
        sizes = " · ".join(map(figures.count, row.facts["ngrams"]))
        lines.append(tr("n-grams by order: {sizes}", sizes=sizes))
    if row.facts.get("discounts"):
        lines.append(tr("Discounts by order: {values}", values=_discounts(row.facts["discounts"])))
    lines += map(str, entry.leaks.values())
    return [*lines, *map(str, runs.notes(row.facts)), runs.message(row)]


def settings(spec: RunSpec) -> list[str]:
    """What was set: the whole config, and of the training what differs from the default."""
    shown = [
        f"{tr(opt.label)} {value_name(getattr(spec.config, name))}"
        for name, (_, opt) in options.options_of(spec.config).items()
    ]
    if MODELS[spec.model].kind == "neural":
        shown += [
            f"{tr(opt.label)} {value_name(getattr(spec.training, name))}"
            for name, (field, opt) in options.options_of(spec.training).items()
            if getattr(spec.training, name) != field.default
        ]
    return shown


def _discounts(discounts: list[list[float]]) -> str:
    """D1, D2, D3+ of each order."""
    return "; ".join(" / ".join(f"{d:.3f}" for d in order) for order in discounts)
