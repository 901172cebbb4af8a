"""FigureCards: the surveys of both sides and of characters in; a table and a curve out."""

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QSize, Slot
from PySide6.QtWidgets import QHBoxLayout, QWidget

from lmstudio import figures
from lmstudio.data.survey import Survey
from lmstudio.gui import theme
from lmstudio.gui.dialogs.export_plot import ExportDialog
from lmstudio.gui.panels.segment.surveys import SIDES, Surveys
from lmstudio.gui.plot_curves import Series
from lmstudio.gui.plots import Axes, Plot
from lmstudio.gui.state import AppState
from lmstudio.gui.table_export import TableExport
from lmstudio.gui.tables import Cell, Column, Row, Table
from lmstudio.gui.widgets import Card, tool
from lmstudio.messages import msg, tr

_HEIGHT = 234  # shows all rows; where room is short they scroll
Show = Callable[[float | None], str]


def _percent(share: float | None) -> str:
    return figures.percent(share, 1)


FIGURES: tuple[tuple[str, str, Show], ...] = (
    ("tokens", msg("Tokens in all"), figures.count),
    ("types", msg("Types"), figures.count),
    ("vocabulary", msg("Vocabulary"), figures.count),
    ("average_length", msg("Mean length"), figures.decimal),
    ("oov_rate_valid", msg("Unknown in valid"), _percent),
)
"""Fields of a Survey: "types" are those of train, "vocabulary" what the models predict."""


class FigureCards(QWidget):
    """Figures that are not final are grey."""

    def __init__(self, state: AppState, surveys: Surveys, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state, self._surveys = state, surveys
        columns = [Column("what", " ")]
        columns += [Column(side, side, right=True, width=126) for side in SIDES[:2]]
        columns.append(Column("characters", tr("Chars"), right=True, width=68))
        self.table = Table(columns, tr("Statistics"), self, row_height=26)
        self.table.setSortingEnabled(False)
        self.table.setMinimumHeight(theme.px(84))
        self.export = TableExport(
            state, self.table, tr("Save the statistics as CSV"), "statistics", self
        )
        self.plot = Plot(tr("Coverage of the text by the vocabulary"), self)
        self.plot.setMinimumHeight(theme.px(90))
        self.plot.set_axes(
            Axes(log_x=True, decimals=0, end_values=False, show_y=_whole_percent)
        )  # fmt: skip
        self._lay_out()
        self.setMaximumHeight(theme.px(_HEIGHT))
        surveys.changed.connect(self.refresh)
        self.plot.export_wanted.connect(self.export_plot)

    def _lay_out(self) -> None:
        numbers = Card(tr("Statistics"), parent=self)
        numbers.row.add_tool(self.export.button())
        numbers.body.addWidget(self.table, 1)
        curve = Card(tr("Coverage"), tr("share of the text in the n most frequent types"),
                     parent=self)  # fmt: skip
        draw = tool("export", tr("Export the chart"), parent=self)
        draw.clicked.connect(self.export_plot)
        curve.row.add_tool(draw)
        curve.body.addWidget(self.plot, 1)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(12))
        layout.addWidget(numbers, 4)
        layout.addWidget(curve, 3)

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(800), theme.px(_HEIGHT))

    def set_titles(self, a: str, b: str) -> None:
        """What both sides are called."""
        self.table.retitle("a", f"{tr('A')}  {a}")
        self.table.retitle("b", f"{tr('B')}  {b}")

    @Slot()
    def refresh(self) -> None:
        """Show what is known now."""
        known = {side: self._surveys.survey(side) for side in SIDES}
        waiting = self._surveys.waiting()
        rows = []
        for key, title, show in FIGURES:
            cells = {side: _cell(known[side], key, show, side in waiting) for side in SIDES}
            rows.append(Row(key, {"what": Cell(tr(title)), **cells}))
        self.table.set_rows(rows)
        final = {side: s for side, s in known.items() if s is not None and side not in waiting}
        self.plot.set_series(_coverage(final))

    @Slot()
    def export_plot(self) -> None:
        """Ask how large and where to, and draw the curve there."""
        caption = tr("Coverage of the text by the vocabulary")
        ExportDialog(self._state, self.plot, caption, self.window()).open()


def _cell(survey: Survey | None, key: str, show: Show, waits: bool) -> Cell:
    if survey is None:
        return Cell(None, text="…" if waits else figures.DASH, tone="off")
    value = getattr(survey, key)
    return Cell(value, text=show(value), tone="off" if waits else "")


def _whole_percent(value: float) -> str:
    return f"{value:.0f} %"


def _coverage(surveys: dict[str, Survey]) -> list[Series]:
    """Curves in ink, told apart by their dashes."""
    names = {"a": tr("A"), "b": tr("B"), "characters": tr("Chars")}
    return [
        Series(
            side, names[side],
            np.array([rank for rank, _ in survey.coverage], float),
            np.array([100 * share for _, share in survey.coverage]),
            dash=SIDES.index(side),
        )
        for side, survey in surveys.items()
    ]  # fmt: skip
