"""What each layer would predict at each place: a table of best guesses, the chosen one in full."""

import math

import numpy as np
from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from lmstudio import figures
from lmstudio.analysis.logit_lens import Lens
from lmstudio.gui import theme
from lmstudio.gui.panels.explore.layers_view import LayerView
from lmstudio.gui.plots import Axes, Plot, Series
from lmstudio.gui.state import AppState
from lmstudio.gui.tables import Cell, Column, Row, Table
from lmstudio.gui.widgets import ElidedLabel, Segmented
from lmstudio.gui.widgets.guess_grid import GuessCell, GuessGrid
from lmstudio.messages import msg, tr
from lmstudio.models.capabilities import reason
from lmstudio.operations import layers
from lmstudio.operations.term_names import SIDES
from lmstudio.store.rows import Facts, RunRow
from lmstudio.training.spec import RunSpec

COLOURS = {"p": msg("p of the guess"), "rank": msg("rank of the token"), "bits": msg("entropy")}
FORMULAS = {
    "gpt": msg("p = softmax(W · LN(x)) of the vector x that each layer hands on; the column is the "
               "token that comes next"),
    "bert": msg("p = softmax(W · LN(gelu(D x)) + b) of the vector x that each layer hands on"),
    "elmo": msg("p = softmax(W x + b) of the state x that each layer hands on"),
    "": msg("p = softmax(W x + b) of the state x that each layer hands on; the column is the token "
            "that comes next"),
}  # fmt: skip


class LensView(LayerView):
    """Layers by places; the last layer is the model's own prediction."""

    asks, title, kind = "context", msg("Predictions"), "lens"
    operation, save = staticmethod(layers.lens), staticmethod(layers.save_lens)

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.side = Segmented([(s, tr(t)) for s, t in SIDES.items()], tr("Read"), self)
        self.hidden = Segmented(
            [("hidden", tr("hidden")), ("visible", tr("visible"))], tr("The token guessed"), self
        )
        self.colour = Segmented([(c, tr(t)) for c, t in COLOURS.items()], tr("Colour"), self)
        self.grid = GuessGrid(tr("What each layer would predict"), self)
        self.table = Table(columns(), tr("Best guesses"), self)
        self.plot = Plot(tr("p of the token by layer"), self)
        self._of = ElidedLabel(bold=True)
        self._lay_out()
        for choice in (self.side, self.hidden):
            choice.hide()
            choice.chosen.connect(self.asked)
        self.colour.chosen.connect(self._recolour)
        self.grid.chosen.connect(self._choose_cell)

    def _lay_out(self) -> None:
        for widget in (self.side, self.hidden, self.colour):
            self.add_tool(widget)
        self.plot.set_axes(Axes(decimals=3, end_values=False, whole=True, show_x=whole))
        beside = QWidget(self)
        beside.setFixedWidth(theme.px(300))
        column = QVBoxLayout(beside)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(8))
        column.addWidget(self._of)
        column.addWidget(self.table, 3)
        column.addWidget(ElidedLabel(tr("p of the token by layer"), size=12, tone="muted"))
        column.addWidget(self.plot, 2)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(16))
        row.addWidget(self.grid, 1)
        row.addWidget(beside)

    # what is asked

    def prepare(self, run: RunRow) -> None:
        super().prepare(run)
        config = RunSpec.from_json(run.spec).config
        self.side.setVisible(run.model == "elmo" and reason("elmo", "next", config) is None)
        self.hidden.setVisible(run.model == "bert")

    def question(self) -> Facts:
        return {"side": self.side.value(), "hidden": self.hidden.value() == "hidden"}

    # what is shown

    def redraw(self) -> None:
        found: Lens = self.found
        self.choose(self.place, self.layer)
        coloured = self.colour.value()
        cells = [
            [cell(found, layer, column, coloured) for column in range(len(found.columns))]
            for layer in range(len(found.ids))
        ]
        names = [tr("layer {number}", number=layer) for layer in range(len(found.ids))]
        self.grid.show_cells(names, found.columns, cells)
        self.redraw_choice()
        self.said.emit(self.line())

    def redraw_choice(self) -> None:
        found: Lens = self.found
        column = found.places.index(self.place)
        self.grid.choose(self.layer, column)
        self._of.setText(tr("Layer {layer}, where “{token}” stands", layer=self.layer,
                            token=found.columns[column]))  # fmt: skip
        self.table.set_rows(rows(found, self.layer, column))
        p = found.truth_probs[:, column]
        family = self.run.model if self.run else ""
        steps = np.arange(len(p), dtype=float)
        self.plot.set_series([Series(0, "", steps, p, family, dots=True)])

    def places(self) -> tuple[int, int]:
        found: Lens | None = self.found
        return (found.places[0], found.places[-1]) if found is not None else (0, 10**6)

    def layers(self) -> tuple[int, int]:
        return 0, len(self.found.ids) - 1 if self.found is not None else 10**6

    @Slot()
    def _recolour(self) -> None:
        if self.found is not None:
            self.redraw()

    @Slot(int, int)
    def _choose_cell(self, layer: int, column: int) -> None:
        self.choose(self.found.places[column], layer)

    def line(self) -> str:
        family = self.run.model if self.run else ""
        line = tr(FORMULAS.get(family, FORMULAS[""]))
        if family == "bert" and self.hidden.value() == "hidden":
            line += tr("; each token is hidden in its turn")
        return line

    def picture(self) -> GuessGrid:
        return self.grid


def cell(found: Lens, layer: int, column: int, coloured: str) -> GuessCell:
    """The best guess of a layer at a place; its colour by one of COLOURS."""
    guess, p = found.guesses(layer, column)[0]
    rank = int(found.truth_ranks[layer, column])
    bits = float(found.entropies[layer, column])
    share = {"p": p, "rank": 1 / (1 + math.log10(rank)) ** 2 if rank else 0.0,
             "bits": 2 ** (-bits / 4)}[coloured]  # fmt: skip
    note = {"p": figures.decimal(p, 3), "bits": tr("{bits} bits", bits=figures.decimal(bits, 2)),
            "rank": "#" + figures.count(rank) if rank else figures.DASH}[coloured]  # fmt: skip
    told = [tr("{guess}: p = {p}", guess=guess, p=figures.decimal(p, 4))]
    if rank:
        told.append(tr("“{token}”: p = {p}, rank {rank}", token=found.columns[column],
                       p=figures.decimal(float(found.truth_probs[layer, column]), 4),
                       rank=figures.count(rank)))  # fmt: skip
    told.append(tr("entropy {bits} bits", bits=figures.decimal(bits, 2)))
    more = tuple(other for other, _ in found.guesses(layer, column)[1:])
    return GuessCell(guess, note, share, rank == 1, "\n".join(told), more)


def rows(found: Lens, layer: int, column: int) -> list[Row]:
    """The best guesses, and what stands there as the last if it is none of them."""
    guesses, truth = found.guesses(layer, column), int(found.truth_ranks[layer, column])
    most = max((p for _, p in guesses), default=1.0) or 1.0
    made = []
    for rank, (guess, p) in enumerate(guesses, 1):
        made.append(_row(rank, guess, p, p / most, bold=rank == truth))
    if truth > len(guesses):
        p = float(found.truth_probs[layer, column])
        made.append(_row(truth, found.columns[column], p, p / most, bold=True))
    return made


def _row(rank: int, guess: str, p: float, share: float, *, bold: bool) -> Row:
    tone = "accent" if bold else "edge"
    return Row(rank, {"rank": Cell(rank), "guess": Cell(guess, tone="accent" if bold else ""),
                      "p": Cell(p, draw=("bar", share, tone))}, bold)  # fmt: skip


def columns() -> list[Column]:
    """Rank, guess, p."""
    return [
        Column("rank", "#", right=True, width=64, show=figures.count),
        Column("guess", tr("Guess")),
        Column("p", tr("p"), right=True, width=96, show=_four),
    ]


def _four(value: float) -> str:
    return figures.decimal(value, 4)


def whole(value: float) -> str:
    """A layer at an axis: nothing between two of them."""
    return str(round(value)) if abs(value - round(value)) < 1e-6 else ""
