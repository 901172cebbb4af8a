"""Gates by unit and token, or lengths by layer and token: a map, and a table of means below it."""

import numpy as np
from PySide6.QtCore import QSignalBlocker, Slot
from PySide6.QtWidgets import QComboBox, QVBoxLayout, QWidget

from lmstudio import figures
from lmstudio.analysis.inside import Inside
from lmstudio.gui import theme
from lmstudio.gui.captions import sentence_case
from lmstudio.gui.choices import fill
from lmstudio.gui.panels.explore.layers_view import LayerView, highest
from lmstudio.gui.state import AppState
from lmstudio.gui.tables import Cell, Column, Row, Table
from lmstudio.gui.widgets.heat_map import HeatGrid, HeatMap
from lmstudio.messages import msg, tr
from lmstudio.operations import inside
from lmstudio.operations.term_names import GATES, STAGES

FORMULAS = {
    "lstm": msg("c = forget · c + input · candidate,  h = output · tanh c: what stands after each "
                "token; a row for each unit"),
    "gru": msg("h = (1 − update) · candidate + update · h,  the candidate sees reset · h; a row "
               "for each unit"),
    "elmo": msg("A row for each unit: above those that read from the left, below those that read "
                "from the right"),
}  # fmt: skip
SIGNED = ("candidate", "cell")
"""What lies around zero; gates lie between 0 and 1."""


class InsideView(LayerView):
    """Units by tokens of a layer, or layers by tokens."""

    kind, operation, save = "inside", staticmethod(inside.inside), staticmethod(inside.save_inside)
    names: dict[str, str]
    begins = ""  # what is shown first, if not the first there is

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.name, self.number = QComboBox(self), QComboBox(self)
        self.map = HeatMap(tr("What goes on inside"), self)
        self.table = Table(columns(self.names), tr("Means by token"), self)
        for title, box in ((tr("What is shown"), self.name), (tr("Layer"), self.number)):
            box.setAccessibleName(title)
            box.hide()  # until there is something to choose
            self.add_tool(box)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(12))
        column.addWidget(self.map, 3)
        column.addWidget(self.table, 2)
        self.name.currentIndexChanged.connect(self._draw_other)
        self.number.currentIndexChanged.connect(self._choose_layer)
        self.map.chosen.connect(self._choose_place)
        self.table.chosen.connect(self._choose_row)

    def take(self, found: Inside) -> None:
        self.found = found
        first = self.name.count() == 0
        fill(self.name, [(sentence_case(tr(self.names[key])), key) for key in found.values])
        if first and self.begins:
            with QSignalBlocker(self.name):
                self.name.setCurrentIndex(self.name.findData(self.begins))
        entries = [(sentence_case(tr("layer {number}", number=n + 1)), n + 1)
                   for n in range(self._layers)]  # fmt: skip
        fill(self.number, entries)
        self.name.show()
        self.number.setVisible(self._layers > 1)
        self.choose(self.place, self.layer)
        self.redraw()

    @property
    def _layers(self) -> int:
        return len(next(iter(self.found.values.values())))

    def layers(self) -> tuple[int, int]:
        return 1, self._layers if self.found is not None else 10**6

    def redraw(self) -> None:
        with QSignalBlocker(self.number):
            self.number.setCurrentIndex(self.layer - 1)
        found: Inside = self.found
        self.map.show_grid(grid(found, self.name.currentData(), self.layer - 1))
        self.map.choose(self.place)
        self.table.set_rows(rows(found, self.layer - 1))
        self.table.select([self.place])
        for number, column in enumerate(columns(self.names)[2:], 2):
            self.table.setColumnHidden(number, column.key not in found.values)
        self.said.emit(self.line())

    @Slot()
    def _draw_other(self) -> None:
        if self.found is not None:
            self.redraw()

    @Slot()
    def _choose_layer(self) -> None:
        if self.number.currentData() is not None:
            self.choose(self.place, self.number.currentData())

    @Slot(int)
    def _choose_place(self, column: int) -> None:
        self.choose(column, self.layer)

    @Slot(list)
    def _choose_row(self, keys: list[int]) -> None:
        if keys:
            self.choose(keys[0], self.layer)

    def picture(self) -> HeatMap:
        return self.map

    def caption(self) -> str:
        if self.found is not None and self.found.kind == "gates":
            return f"{self.name.currentText()} · {self.number.currentText()}"
        return self.name.currentText()


class GatesView(InsideView):
    """Of LSTM, GRU and ELMo."""

    asks, title, names = "gates", msg("Gates"), GATES

    def line(self) -> str:
        return tr(FORMULAS.get(self.run.model if self.run else "", FORMULAS["lstm"]))


class NormsView(InsideView):
    """Of BERT and GPT."""

    asks, title, names = "norms", msg("Norms"), STAGES
    begins = "attention"  # lengths between the layers of BERT hardly differ

    def line(self) -> str:
        if self.run is not None and self.run.model == "bert":
            return tr("Lengths |x| by layer and token: out = LN(between + linear), between = "
                      "LN(in + attention)")  # fmt: skip
        return tr("Lengths |x| by layer and token: out = between + linear(LN between), between = "
                  "in + attention(LN in)")  # fmt: skip


def grid(found: Inside, name: str, layer: int) -> HeatGrid:
    """What the map shows: units by tokens of a layer, or layers by tokens."""
    tokens = tuple(found.tokens)
    if found.kind == "gates":
        values = found.values[name][layer].T  # (D, T)
        signed = name in SIGNED
        return HeatGrid(values, tokens, (), highest(values) if signed else 1.0, signed)
    values = found.values[name]  # (L, T)
    names = tuple(tr("layer {number}", number=n + 1) for n in range(len(values)))
    return HeatGrid(values, tokens, names, float(values.max(initial=0.0)))


def rows(found: Inside, layer: int) -> list[Row]:
    """By token: the mean of each gate over the units of a layer, or the length in it."""
    made = []
    for place, token in enumerate(found.tokens):
        cells = {"number": Cell(place), "token": Cell(token)}
        for name, values in found.values.items():
            one = np.mean(values[layer, place])
            cells[name] = Cell(float(one))
        made.append(Row(place, cells))
    return made


def columns(names: dict[str, str]) -> list[Column]:
    """The token and a figure for each name."""
    return [
        Column("number", "#", right=True, width=44),
        Column("token", tr("Token")),
        *(Column(key, tr(name), right=True, width=176, show=_three) for key, name in names.items()),
    ]


def _three(value: float) -> str:
    return figures.decimal(value, 3)
