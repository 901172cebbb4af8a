"""What a transformer reads of a token, as the sum it is: token + position + segment, normed."""

import math

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QWidget

from lmstudio import figures
from lmstudio.analysis.input_terms import ADDED, MADE, InputTerms
from lmstudio.gui import theme
from lmstudio.gui.panels.explore.layers_view import LayerView
from lmstudio.gui.state import AppState
from lmstudio.gui.tables import Cell, Column, Row, Table
from lmstudio.gui.widgets.sum_picture import SumPicture, SumTerm
from lmstudio.messages import msg, tr
from lmstudio.operations import layers
from lmstudio.operations.term_names import TERMS as NAMES


class TermsView(LayerView):
    """Tokens to choose from at the left, the sum of the chosen one at the right."""

    asks, title, kind = "norms", msg("Input"), "input-sum"
    operation, save = staticmethod(layers.input_terms), staticmethod(layers.save_input_terms)

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.table = Table(columns(), tr("Lengths by token"), self)
        self.table.setFixedWidth(theme.px(480))
        self.sum = SumPicture(tr("What the first layer reads"), self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(16))
        row.addWidget(self.table)
        row.addWidget(self.sum, 1)
        self.table.chosen.connect(self._choose_row)

    def redraw(self) -> None:
        found: InputTerms = self.found
        self.choose(self.place, self.layer)
        self.table.set_rows(rows(found))
        for number, column in enumerate(columns()[2:], 2):
            self.table.setColumnHidden(number, column.key not in found.values)
        self.table.select([self.place])
        self.sum.show_terms(terms(found, self.place))
        self.said.emit(self.line())

    @Slot(list)
    def _choose_row(self, keys: list[int]) -> None:
        if keys:
            self.choose(keys[0], self.layer)

    def step(self, right: int, down: int) -> None:
        """Tokens stand below each other here."""
        self.choose(self.place + right + down, self.layer)

    def line(self) -> str:
        share = tr("share of a term: its part in the direction of the sum, x · s / s · s")
        if self.run is not None and self.run.model == "bert":
            formula = tr("in = LN(s), LN(s) = γ (s − mean) / deviation + β; s = token + position + "
                         "segment")  # fmt: skip
            if self.found is not None and "projected" in self.found.values:
                formula = formula.replace("LN(s),", "W LN(s) + b,", 1)
        else:
            formula = tr("in = token + position")
        return f"{formula}; {share}"

    def picture(self) -> SumPicture:
        return self.sum

    def caption(self) -> str:
        return f"“{self.found.tokens[self.place]}”" if self.found is not None else ""


def terms(found: InputTerms, place: int) -> list[SumTerm]:
    """The rows of the picture for a token."""
    shares, made = found.shares(), list[SumTerm]()
    for name, values in found.values.items():
        share = float(shares[name][place]) if name in shares else math.nan
        title = tr(NAMES[name])
        if name == "token":
            title = f"{title} “{found.tokens[place]}”"
        elif name == "position":
            title = f"{title} {place}"
        sign = "=" if name == "sum" else "→" if name in MADE else "+" if made else ""
        made.append(SumTerm(title, values[place], sign, None if math.isnan(share) else share,
                            result=name not in ADDED, apart=name in MADE))  # fmt: skip
    return made


def rows(found: InputTerms) -> list[Row]:
    """The length of each term by token."""
    lengths, made = found.lengths(), []
    for place, token in enumerate(found.tokens):
        cells = {"number": Cell(place), "text": Cell(token)}
        cells |= {name: Cell(float(values[place])) for name, values in lengths.items()}
        made.append(Row(place, cells))
    return made


def columns() -> list[Column]:
    """The token, and the length of each term."""
    return [
        Column("number", "#", right=True, width=40),
        Column("text", tr("Token text")),
        *(
            Column(key, tr(name), right=True, width=96 if key == "token" else 64, show=_two)
            for key, name in NAMES.items()
        ),
    ]


def _two(value: float) -> str:
    return figures.decimal(value, 2)
