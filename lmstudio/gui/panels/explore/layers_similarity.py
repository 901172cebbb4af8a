"""How much each layer turns the vectors of the tokens: a map of cosines, and their means."""

import numpy as np
from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from lmstudio import figures
from lmstudio.analysis.layer_similarity import LayerSimilarity
from lmstudio.gui import theme
from lmstudio.gui.panels.explore.layers_lens import whole
from lmstudio.gui.panels.explore.layers_view import LayerView
from lmstudio.gui.plots import Axes, Plot, Series
from lmstudio.gui.state import AppState
from lmstudio.gui.tables import Cell, Column, Row, Table
from lmstudio.gui.widgets import ElidedLabel
from lmstudio.gui.widgets.heat_map import HeatGrid, HeatMap
from lmstudio.messages import msg, tr
from lmstudio.operations import layers


class SimilarityView(LayerView):
    """A row for each layer: the cosine between what it reads and what it hands on."""

    asks, title, kind = "context", msg("Similarity"), "layer-similarity"
    operation = staticmethod(layers.layer_similarity)
    save = staticmethod(layers.save_layer_similarity)

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.map = HeatMap(tr("Cosine with the layer before"), self)
        self.plot = Plot(tr("Cosine by layer"), self)
        self.table = Table(columns(), tr("Cosine by layer"), self)
        self._of = ElidedLabel(bold=True)
        self.plot.set_axes(Axes(decimals=2, end_values=False, whole=True, show_x=whole))
        beside = QWidget(self)
        beside.setFixedWidth(theme.px(400))
        column = QVBoxLayout(beside)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(8))
        column.addWidget(ElidedLabel(tr("Mean cosine, by layer"), size=12, tone="muted"))
        column.addWidget(self.plot, 1)
        column.addWidget(self._of)
        column.addWidget(self.table, 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(16))
        row.addWidget(self.map, 1)
        row.addWidget(beside)
        self.map.chosen.connect(self._choose_place)

    def layers(self) -> tuple[int, int]:
        return 1, len(self.found.cosines) if self.found is not None else 10**6

    def redraw(self) -> None:
        found: LayerSimilarity = self.found
        self.choose(self.place, self.layer)
        names = tuple(f"{n} → {n + 1}" for n in range(len(found.cosines)))
        signed = bool((found.cosines < 0).any())
        self.map.show_grid(HeatGrid(found.cosines, tuple(found.tokens), names, 1.0, signed))
        self.map.choose(self.place)
        self._draw_plot(found)
        token = found.tokens[self.place]
        self._of.setText(tr("“{token}”, from layer to layer", token=token))
        self.table.set_rows(rows(found, self.place))
        self.table.select([self.layer])
        self.said.emit(self.line())

    def _draw_plot(self, found: LayerSimilarity) -> None:
        family = self.run.model if self.run else ""
        steps = np.arange(1, len(found.means) + 1, dtype=float)
        apart = np.arange(len(found.apart), dtype=float)
        names = tr("adjacent layers"), tr("different tokens")
        self.plot.set_series([
            Series(0, names[0], steps, found.means, family, bold=True, dots=True),
            Series(1, names[1], apart, found.apart, dash=1, dots=True),
        ])  # fmt: skip

    @Slot(int)
    def _choose_place(self, column: int) -> None:
        self.choose(column, self.layer)

    def line(self) -> str:
        return tr("cos(x, y) of what a layer reads and what it hands on: 1 where it only made it "
                  "longer. Beside it the mean of different tokens in the same layer")  # fmt: skip

    def picture(self) -> HeatMap:
        return self.map


def rows(found: LayerSimilarity, place: int) -> list[Row]:
    """By layer: the cosine of a token, and the means."""
    means = found.means
    return [
        Row(layer + 1, {"layer": Cell(f"{layer} → {layer + 1}"),
                        "token": Cell(float(found.cosines[layer, place])),
                        "mean": Cell(float(means[layer])),
                        "apart": Cell(float(found.apart[layer + 1]))})
        for layer in range(len(found.cosines))
    ]  # fmt: skip


def columns() -> list[Column]:
    """Layer, the token's cosine, the means."""
    return [
        Column("layer", tr("Layer"), width=80),
        Column("token", tr("This token"), right=True, show=_three),
        Column("mean", tr("All tokens"), right=True, show=_three),
        Column("apart", tr("Different tokens"), right=True, show=_three,
               note=tr("The mean cosine of different tokens of what the layer hands on")),
    ]  # fmt: skip


def _three(value: float) -> str:
    return figures.decimal(value, 3)
