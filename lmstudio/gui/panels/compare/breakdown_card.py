"""BreakdownCard: a Comparison in; its runs by frequency, by place or by document, as dots, out."""

import math
from collections import Counter

import numpy as np
from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from lmstudio import figures
from lmstudio.analysis.breakdown import Breakdown
from lmstudio.analysis.comparison import Comparison
from lmstudio.gui import theme
from lmstudio.gui.dialogs.export_plot import ExportDialog
from lmstudio.gui.save_as import SaveAs
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Card, Segmented, scrolled, tool
from lmstudio.gui.widgets.dot_plot import DotPlot, Dots
from lmstudio.gui.widgets.labels import WrappedLabel
from lmstudio.messages import msg, tr
from lmstudio.operations import comparison
from lmstudio.operations.comparison import BREAKDOWNS

KINDS = {"frequencies": msg("Frequency"), "positions": msg("Place"), "documents": msg("Document")}
MEASURES = {"bits": msg("bits"), "perplexity": msg("perplexity")}
PER = {"character": msg("per character"), "word": msg("per word")}
COUNTED = {"character": msg("At the right the characters"), "word": msg("At the right the words")}
SPREAD = 50
"""Values this many times apart are drawn over a logarithmic scale."""
POWERS_FROM = 1e6
"""Larger values are told by their power of ten."""
MOST = 60
"""Documents that are drawn: those in which the runs differ most."""

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class BreakdownCard(Card):
    """What is drawn is chosen in the title row; the CSV file has all groups in both measures."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(tr("Where"), parent=parent)
        self._state = state
        self.kind = Segmented([(v, tr(t)) for v, t in KINDS.items()], tr("Grouped by"), self)
        self.measure = Segmented([(v, tr(t)) for v, t in MEASURES.items()], tr("Measure"), self)
        self.per = Segmented([(v, tr(t)) for v, t in PER.items()], tr("Unit of the figures"), self)
        self.plot = DotPlot(tr("Runs by group"), self)
        self.save = SaveAs(state, self)
        self._said = WrappedLabel(size=12, tone="muted")
        self._found: Comparison | None = None
        self._families: list[str] = []
        export = tool("export", tr("Export the chart"), parent=self)
        csv = tool("table", tr("Save the figures as CSV"), parent=self)
        for widget in (self.measure, self.per, csv, export):
            self.row.add_tool(widget)
        self.body.addWidget(self.kind)
        area = scrolled(self.plot, self)
        area.setMinimumHeight(theme.px(96))
        self.body.addWidget(area, 1)
        self.body.addWidget(self._said)
        for choice in (self.kind, self.measure, self.per):
            choice.chosen.connect(self._draw)
        self.plot.export_wanted.connect(self.export)
        export.clicked.connect(self.export)
        csv.clicked.connect(self.save_csv)

    def show_comparison(self, found: Comparison | None, families: list[str]) -> None:
        """Draw it; `families` are those of its runs."""
        self._found, self._families = found, families
        self._draw()

    @Slot()
    def _draw(self) -> None:
        if self._found is None:
            self.plot.set_dots([], [], [])
            self._said.setText("")
            return
        kind, per = self.kind.value(), self.per.value()
        groups: Breakdown = getattr(self._found, kind)
        values = self.values(groups)
        counts = groups.characters if per == "character" else groups.words
        shown = np.flatnonzero(counts > 0)
        if len(shown) > MOST:
            apart = np.nan_to_num(np.ptp(values[:, shown], axis=0), posinf=math.inf)
            shown = np.sort(shown[np.argsort(-apart, kind="stable")[:MOST]])
        ws, corpus = self._state.workspace, comparison.corpus_of(self._state.workspace, self._found)
        names = comparison.group_names(ws, self._found, kind, corpus)
        ends = [figures.count(int(counts[number])) for number in shown]
        dots = _dots(self._found, self._families, values[:, shown])
        self.plot.set_dots([names[number] for number in shown], ends, dots, self._show,
                           log=_far_apart(values[:, shown]))  # fmt: skip
        self._said.setText(self._explained(len(shown), len(counts)))

    def values(self, groups: Breakdown) -> np.ndarray:
        """(R, K) in the measure chosen."""
        found = (groups.bits_per_character() if self.per.value() == "character"
                 else groups.bits_per_word())  # fmt: skip
        if self.measure.value() == "bits":
            return found
        with np.errstate(over="ignore"):
            return np.exp2(found)

    def _show(self, value: float) -> str:
        bits = self.measure.value() == "bits"
        if POWERS_FROM <= value < math.inf:
            return _power(value)
        return figures.decimal(value, 2 if bits or value < 10 else 0)

    def _explained(self, shown: int, groups: int) -> str:
        assert self._found is not None
        said = tr("{counted} · words of {words}", counted=tr(COUNTED[self.per.value()]),
                  words=self._found.words_of)  # fmt: skip
        if self.per.value() == "word":  # unlike the perplexity of an evaluation
            said += " · " + tr("the spelling of unknown words is counted in")
        if self.kind.value() == "frequencies":
            said += " · " + tr("frequency in the train part")
        if shown < groups and self.kind.value() == "documents":
            said += " · " + tr(
                "{shown} of {groups} documents, where they differ most",
                shown=figures.count(shown), groups=figures.count(groups),
            )  # fmt: skip
        return said

    def said(self) -> str:
        """The line below the plot."""
        return self._said.text()

    @Slot()
    def export(self) -> None:
        """Save the plot as a picture."""
        if self._found is not None:
            caption = f"{', '.join(self._found.runs)} · {tr(BREAKDOWNS[self.kind.value()])}"
            ExportDialog(self._state, self.plot, caption, self.window()).open()

    @Slot()
    def save_csv(self) -> None:
        """Save all groups of what is drawn."""
        if self._found is not None:
            kind = self.kind.value()
            self.save.ask(kind, comparison.save_breakdown, self._state.workspace, self._found, kind)


def _power(value: float) -> str:
    """ "10⁶", "2.5×10⁸"."""
    mantissa, exponent = f"{value:.1e}".split("e")
    power = "10" + str(int(exponent)).translate(_RAISED)
    return power if mantissa == "1.0" else f"{mantissa}×{power}"


def _far_apart(values: np.ndarray) -> bool:
    """The values are positive and of sizes that no even scale shows at once."""
    finite = values[np.isfinite(values)]
    return len(finite) > 0 and finite.min() > 0 and finite.max() / finite.min() > SPREAD


def _dots(found: Comparison, families: list[str], values: np.ndarray) -> list[Dots]:
    seen: Counter[str] = Counter()
    dots = []
    for name, family, row in zip(found.runs, families, values.tolist(), strict=True):
        marker = theme.FAMILIES[family].marker
        dots.append(Dots(name, family, row, seen[marker]))
        seen[marker] += 1
    return dots
