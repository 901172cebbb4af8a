"""How alike the positions of a transformer are: its own vectors' cosines beside sinusoidal ones."""

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Slot
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from lmstudio import figures
from lmstudio.analysis.position_vectors import PositionVectors
from lmstudio.gui import theme
from lmstudio.gui.panels.explore.layers_view import LayerView
from lmstudio.gui.plots import Axes, Plot, Series
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import ElidedLabel
from lmstudio.gui.widgets.heat_map import HeatGrid, HeatMap
from lmstudio.messages import msg, tr
from lmstudio.operations import layers
from lmstudio.operations.term_names import POSITIONS as KINDS


class PositionsView(LayerView):
    """Two maps of positions by positions, and the mean cosine by distance."""

    asks, title, kind = "norms", msg("Positions"), "positions"
    operation, save = staticmethod(layers.positions), staticmethod(layers.save_positions)
    needs_text = False

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.own = HeatMap(tr("Cosines of the model's positions"), self)
        self.waves = HeatMap(tr("Cosines of sinusoidal positions"), self)
        self.plot = Plot(tr("Mean cosine by distance"), self)
        self.plot.set_axes(Axes(decimals=2, end_values=False, whole=True, show_x=figures.short))
        self._kind = ElidedLabel(bold=True)
        self._agree = ElidedLabel(size=12, tone="muted")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(16))
        for title, widget in (
            (self._kind, self.own),
            (ElidedLabel(tr("Sinusoids"), bold=True), self.waves),
            (ElidedLabel(tr("Mean cosine by distance"), bold=True), self.plot),
        ):
            column = QVBoxLayout()
            column.setSpacing(theme.px(4))
            column.addWidget(title)
            column.addWidget(widget, 1)
            if widget is self.plot:
                column.addWidget(self._agree)
            row.addLayout(column, 1)
        for heat in (self.own, self.waves):
            heat.chosen.connect(self._choose_place)

    def places(self) -> tuple[int, int]:
        return 0, len(self.found.waves) - 1 if self.found is not None else 10**6

    def redraw(self) -> None:
        found: PositionVectors = self.found
        self.choose(self.place, self.layer)
        self._kind.setText(tr(KINDS[found.kind]))
        self.own.setVisible(found.own is not None)
        if found.own is not None:
            self.own.show_grid(_grid(found.own))
            self.own.choose(self.place)
        self.waves.show_grid(_grid(found.waves))
        self.waves.choose(self.place)
        self._draw_plot(found)
        self.said.emit(self.line())

    def _draw_plot(self, found: PositionVectors) -> None:
        distances = found.distances.astype(float)
        series = [Series(1, tr("sinusoids"), distances, found.by_distance(found.waves), dash=1)]
        if found.own is not None:
            family = self.run.model if self.run else ""
            own = found.by_distance(found.own)
            series.insert(0, Series(0, tr("this model"), distances, own, family, bold=True))
        self.plot.set_series(series)
        r = figures.decimal(found.agreement(), 3)
        self._agree.setText(
            "" if found.own is None
            else tr("r of both cosines over all pairs of positions: {r}", r=r)
        )  # fmt: skip

    @Slot(int)
    def _choose_place(self, column: int) -> None:
        self.choose(column, self.layer)

    def line(self) -> str:
        return tr("cos of the vectors of two positions. Sinusoids: sin and cos of p / 10000^(2i/D)."
                  " What no text of the training reached was never learned")  # fmt: skip

    def picture(self) -> "PositionsView":
        return self

    def caption(self) -> str:
        kind = tr(KINDS[self.found.kind]) if self.found is not None else ""
        return f"{kind} | {tr('Sinusoids')}"

    def draw(self, painter: QPainter, target: QRectF, mode: str) -> None:
        """Both maps side by side."""
        shown = [heat for heat in (self.own, self.waves) if heat.grid().values.size]
        width = target.width() / max(len(shown), 1)
        for number, heat in enumerate(shown):
            box = QRectF(target.topLeft() + QPointF(number * width, 0), target.size())
            box.setWidth(width)
            heat.draw(painter, box, mode)


def _grid(cosines: np.ndarray) -> HeatGrid:
    names = tuple(map(str, range(len(cosines))))
    return HeatGrid(cosines, names, names, 1.0, signed=True, numbered=True)
