"""DifferenceCard: a Comparison in; how far each run is from the base, with its interval, out."""

import math

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QComboBox, QWidget

from lmstudio import figures
from lmstudio.analysis.bootstrap import LEVEL
from lmstudio.analysis.comparison import Comparison
from lmstudio.gui import theme
from lmstudio.gui.choices import fill
from lmstudio.gui.dialogs.export_plot import ExportDialog
from lmstudio.gui.panels.progress_row import ProgressRow
from lmstudio.gui.save_as import SaveAs
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Card, Segmented, label, scrolled, tool
from lmstudio.gui.widgets.interval_plot import Difference, IntervalPlot
from lmstudio.gui.widgets.labels import WrappedLabel
from lmstudio.messages import msg, tr
from lmstudio.operations import comparison

UNITS = {"sentence": msg("by sentence"), "document": msg("by document")}


class DifferenceCard(Card):
    """Choosing a row chooses the run that the sentences are listed for."""

    other_chosen = Signal(int)  # a number among the runs of the comparison
    changed = Signal()  # another base, or other draws

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(tr("How far apart"), parent=parent)
        self._state = state
        self.base = QComboBox(self)
        self.by = Segmented([(v, tr(t)) for v, t in UNITS.items()], tr("Draws"), self)
        self.plot = IntervalPlot(tr("Differences from the base, with intervals"), self)
        self.progress = ProgressRow(self)
        self.save = SaveAs(state, self)
        self._said = WrappedLabel(size=12, tone="muted")
        self._found: Comparison | None = None
        self.base.setAccessibleName(tr("Base"))
        self.base.setMinimumContentsLength(10)
        self.base.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        export = tool("export", tr("Export the chart"), parent=self)
        csv = tool("table", tr("Save the figures as CSV"), parent=self)
        for widget in (label(tr("Base"), tone="muted"), self.base, self.by, csv, export):
            self.row.add_tool(widget)
        area = scrolled(self.plot, self)
        area.setMinimumHeight(theme.px(110))
        self.body.addWidget(area, 1)
        self.body.addWidget(self.progress)
        self.body.addWidget(self._said)
        self.base.activated.connect(self.changed)
        self.by.chosen.connect(self.changed)
        self.plot.chosen.connect(self._choose)
        self.plot.export_wanted.connect(self.export)
        export.clicked.connect(self.export)
        csv.clicked.connect(self.save_csv)

    def offer(self, runs: list[tuple[str, int]]) -> None:
        """Let the user choose the base among runs: (name, id)."""
        fill(self.base, runs)

    def show_comparison(self, found: Comparison, families: list[str], other: int) -> None:
        """Draw it; `families` are those of its runs, `other` is the run whose row is marked."""
        self._found = found
        rows = [_difference(found, families, number) for number in range(len(found.runs))]
        self.plot.set_differences(rows, _signed)
        self.plot.choose(other)
        self._said.setText(_method(found))

    def say(self, text: str) -> None:
        """Why nothing is drawn."""
        self._said.setText(text)

    def clear(self) -> None:
        """Nothing to draw."""
        self._found = None
        self.plot.set_differences([])

    def said(self) -> str:
        """The line below the plot."""
        return self._said.text()

    @Slot(int)
    def _choose(self, number: int) -> None:
        if self._found is not None and number != self._found.base:
            self.other_chosen.emit(number)

    @Slot()
    def export(self) -> None:
        """Save the plot as a picture."""
        if self._found is not None:
            caption = tr("Bits per character more than {base}, on {part}",
                         base=self._found.runs[self._found.base],
                         part=tr(self._found.part))  # fmt: skip
            ExportDialog(self._state, self.plot, caption, self.window()).open()

    @Slot()
    def save_csv(self) -> None:
        """Save the figures."""
        if self._found is not None:
            self.save.ask("compared", comparison.save_differences, self._found)


def _difference(found: Comparison, families: list[str], number: int) -> Difference:
    apart, bits = found.differences[number], float(found.bits_per_character()[number])
    name, told = found.runs[number], figures.decimal(bits, 3)
    if number == found.base:
        return Difference(name, families[number], 0.0, end=told, tip=tr("The others are set "
                          "against this one"))  # fmt: skip
    interval = ""
    if math.isfinite(apart.low):
        interval = tr("from {low} to {high}, better in {share} of the draws",
                      low=_signed(apart.low, 4), high=_signed(apart.high, 4),
                      share=figures.percent(apart.better, 1))  # fmt: skip
    tip = f"{name}: {_signed(apart.difference, 4)}\n{interval}".strip()
    return Difference(name, families[number], apart.difference, apart.low, apart.high,
                      f"{_signed(apart.difference)}  →  {told}", tip)  # fmt: skip


def _method(found: Comparison) -> str:
    """How the interval was found, in one line."""
    unit = tr("sentences") if found.by == "sentence" else tr("documents")
    said = tr("Bits per character, left is better · whiskers: {level} of {samples} draws of "
              "{units} {unit} (paired bootstrap)",
              level=figures.percent(LEVEL), samples=figures.count(found.samples),
              units=figures.count(found.units), unit=unit)  # fmt: skip
    if found.pseudo:
        said += " · " + tr("pseudo figures, on an axis of their own")
    if found.share < 1:
        said += " · " + tr("{share} of the part was scored", share=figures.percent(found.share))
    return said


def _signed(value: float, places: int = 3) -> str:
    return f"{'+' if value > 0 else ''}{figures.decimal(value, places)}"
