"""Both directions of ELMo walk a sentence towards a place: what each has read, what it predicts."""

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSignalBlocker, Qt, QTimer, Slot
from PySide6.QtGui import QHideEvent, QKeyEvent, QPainter
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from lmstudio import figures
from lmstudio.analysis.logit_lens import Lens
from lmstudio.analysis.two_directions import TwoDirections
from lmstudio.gui import icons, theme
from lmstudio.gui.captions import sentence_case
from lmstudio.gui.choices import fill
from lmstudio.gui.panels.explore.layers_lens import whole
from lmstudio.gui.panels.explore.layers_view import LayerView, highest
from lmstudio.gui.plots import Axes, Plot, Series
from lmstudio.gui.state import AppState
from lmstudio.gui.tables import Cell, Column, Row, Table
from lmstudio.gui.widgets import ElidedLabel, tool
from lmstudio.gui.widgets.heat_map import HeatGrid, HeatMap
from lmstudio.messages import msg, tr
from lmstudio.operations import layers
from lmstudio.store.rows import RunRow

STEP_MS = 500


class DirectionsView(LayerView):
    """Two maps, one above the other; what was not read yet is empty."""

    asks, title, kind = "directions", msg("Both directions"), "directions"
    operation = staticmethod(layers.two_directions)
    save = staticmethod(layers.save_two_directions)

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.number = QComboBox(self)
        self.number.setAccessibleName(tr("Layer"))
        self.back = tool("left", tr("A step back  ,"), parent=self)
        self.play = tool("play", tr("Walk towards the place  Space"), parent=self)
        self.on = tool("right", tr("A step on  ."), parent=self)
        self.forward = HeatMap(tr("Read from the left"), self)
        self.backward = HeatMap(tr("Read from the right"), self)
        self.table = Table(columns(), tr("What each direction predicts"), self)
        self.steps = 10**6  # that were made towards the place: all of them
        self._fresh = True  # nothing of this run was shown yet: begin with what it says at last
        self._beat = QTimer(self, interval=STEP_MS)
        self._read = [ElidedLabel(size=12, tone="muted") for _ in range(2)]
        self._of = ElidedLabel(bold=True)
        self.plot = Plot(tr("Bits of each token"), self)
        self.plot.set_axes(Axes(decimals=2, end_values=False, whole=True, show_x=whole))
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        for widget in (self.number, self.back, self.play, self.on):
            self.add_tool(widget)
            widget.hide()  # until there is something to walk through
        maps = QVBoxLayout()
        maps.setSpacing(theme.px(4))
        for said, heat in zip(self._read, (self.forward, self.backward), strict=True):
            maps.addWidget(said)
            maps.addWidget(heat, 1)
        beside = QWidget(self)
        beside.setFixedWidth(theme.px(420))
        column = QVBoxLayout(beside)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(8))
        column.addWidget(self._of)
        column.addWidget(self.table, 5)
        bits = ElidedLabel(
            tr("Bits of each token of the sentence, by place"), size=12, tone="muted"
        )
        column.addWidget(bits)
        column.addWidget(self.plot, 4)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(16))
        row.addLayout(maps, 1)
        row.addWidget(beside)

    def _connect(self) -> None:
        self.number.currentIndexChanged.connect(self._choose_layer)
        self.back.clicked.connect(self._step_back)
        self.on.clicked.connect(self._step_on)
        self.play.clicked.connect(self.walk)
        self._beat.timeout.connect(self._step_on)
        for heat in (self.forward, self.backward):
            heat.chosen.connect(self._choose_place)

    # where they are

    def prepare(self, run: RunRow) -> None:
        super().prepare(run)
        self._fresh = True

    def take(self, found: TwoDirections) -> None:
        self.found = found
        self.steps = 10**6
        entries = [(sentence_case(tr("layer {number}", number=n)), n)
                   for n in range(1, len(found.forward))]  # fmt: skip
        fill(self.number, entries)
        for widget in (self.number, self.back, self.play, self.on):
            widget.show()
        self.choose(self.place, len(found.forward) - 1 if self._fresh else self.layer)
        self._fresh = False
        self.redraw()

    def places(self) -> tuple[int, int]:
        return 1, max(1, len(self.found.tokens) - 2) if self.found is not None else 10**6

    def layers(self) -> tuple[int, int]:
        return 1, len(self.found.forward) - 1 if self.found is not None else 10**6

    @property
    def needed(self) -> int:
        """Steps until both stand beside the place; with the first both have read their end mark."""
        return max(self.place, len(self.found.tokens) - 1 - self.place)

    def reached(self) -> tuple[int, int]:
        """The last token that was read from the left, and from the right."""
        last, steps = len(self.found.tokens) - 1, min(self.steps, self.needed)
        return min(steps, self.place) - 1, max(last - steps, self.place) + 1

    # walking

    @Slot()
    def walk(self) -> None:
        """From the ends of the sentence to the place, or stop where they are."""
        if self._beat.isActive():
            self._stop()
        elif self.found is not None:
            self.steps = 1
            self._beat.start()
            self.play.setIcon(icons.icon("pause"))
            self.redraw()

    def _stop(self) -> None:
        self._beat.stop()
        self.play.setIcon(icons.icon("play"))

    @Slot()
    def _step_on(self) -> None:
        self._go_to(min(self.steps, self.needed) + 1)

    @Slot()
    def _step_back(self) -> None:
        self._stop()
        self._go_to(min(self.steps, self.needed) - 1)

    def _go_to(self, steps: int) -> None:
        if self.found is not None:
            self.steps = min(max(steps, 1), self.needed)
            if self.steps == self.needed:
                self._stop()
            self.redraw()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        super().hideEvent(event)
        self._stop()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        actions = {Qt.Key.Key_Space: self.walk, Qt.Key.Key_Period: self._step_on,
                   Qt.Key.Key_Comma: self._step_back}  # fmt: skip
        if event.key() in actions:
            actions[Qt.Key(event.key())]()
        else:
            super().keyPressEvent(event)

    @Slot(int)
    def _choose_place(self, column: int) -> None:
        self.choose(column, self.layer)

    @Slot()
    def _choose_layer(self) -> None:
        if self.number.currentData() is not None:
            self.choose(self.place, self.number.currentData())

    # what is shown

    def redraw(self) -> None:
        found: TwoDirections = self.found
        with QSignalBlocker(self.number):
            self.number.setCurrentIndex(self.layer - 1)
        left, right = self.reached()
        size = np.arange(len(found.tokens))
        self._draw_map(self.forward, found.forward, size > left)
        self._draw_map(self.backward, found.backward, size < right)
        arrows = (tr("From the left, has read {count}: {tokens} →", count=left + 1,
                     tokens=" ".join(found.tokens[: left + 1])),
                  tr("From the right, has read {count}: ← {tokens}", count=len(size) - right,
                     tokens=" ".join(found.tokens[right:])))  # fmt: skip
        for said, text in zip(self._read, arrows, strict=True):
            said.setText(text)
        self._draw_guesses(left, right)
        self._draw_plot()
        self.said.emit(self.line())

    def _draw_map(self, heat: HeatMap, states: np.ndarray, unread: np.ndarray) -> None:
        values = states[self.layer].T  # (W, T)
        barred = np.broadcast_to(unread, values.shape)
        tokens = tuple(self.found.tokens)
        heat.show_grid(HeatGrid(values, tokens, (), highest(values), True, barred))
        heat.choose(self.place)

    def _draw_guesses(self, left: int, right: int) -> None:
        """Of each direction at the token it comes to next, which at last is the place."""
        found: TwoDirections = self.found
        arrived = left + 1 == right - 1 == self.place
        columns = {
            "before": (found.before, left + 1), "behind": (found.behind, right - 1),
            "both": (found.both if arrived else None, self.place),
        }  # fmt: skip
        self.table.set_rows(rows(columns, self.layer))
        self.table.retitle("before", f"→ “{found.tokens[left + 1]}”")
        self.table.retitle("behind", f"“{found.tokens[right - 1]}” ←")
        token = found.tokens[self.place]
        if arrived:
            self._of.setText(tr("Layer {layer}: both stand beside “{token}”", layer=self.layer,
                                token=token))  # fmt: skip
        else:
            self._of.setText(tr("Layer {layer}, on their way to “{token}”: step {step} of {steps}",
                                layer=self.layer, token=token,
                                step=min(self.steps, self.needed), steps=self.needed))  # fmt: skip

    def _draw_plot(self) -> None:
        """What every token costs each direction, and both together."""
        found: TwoDirections = self.found
        shown = ((found.before, tr("from the left")), (found.behind, tr("from the right")),
                 (found.both, tr("both")))  # fmt: skip
        curves = []
        for number, (lens, name) in enumerate(shown):
            if lens is not None:
                with np.errstate(divide="ignore"):  # an unknown word may have p = 0
                    bits = -np.log2(lens.truth_probs[self.layer])
                x = np.array(lens.places, float)
                family = "elmo" if lens is found.both else ""
                dash = 2 if number == 1 else 1 if number == 0 else 0
                curves.append(Series(number, name, x, bits, family, dash, bold=lens is found.both))
        self.plot.set_series(curves)

    def line(self) -> str:
        if self.found is not None and self.found.before is None:
            return tr("p = softmax(W (left, right) + b): only both states together predict; a row "
                      "for each of their numbers")  # fmt: skip
        return tr("→ p(w | left) and ← p(w | right) by themselves; both: p(w | left) p(w | right) "
                  "/ p(w), scaled; a row for each number of a state")  # fmt: skip

    def picture(self) -> "DirectionsView":
        return self

    def caption(self) -> str:
        return self.number.currentText()

    def draw(self, painter: QPainter, target: QRectF, mode: str) -> None:
        """Both maps, one above the other."""
        half = target.height() / 2
        for number, heat in enumerate((self.forward, self.backward)):
            box = QRectF(target.topLeft() + QPointF(0, number * half), target.size())
            box.setHeight(half)
            heat.draw(painter, box, mode)


def rows(columns: dict[str, tuple[Lens | None, int]], layer: int) -> list[Row]:
    """The best guesses of each side, by rank."""
    made: list[Row] = []
    for key, (lens, place) in columns.items():
        if lens is None:
            continue
        column = lens.places.index(place)
        truth = int(lens.truth_ranks[layer, column])
        for rank, (guess, p) in enumerate(lens.guesses(layer, column), 1):
            if rank > len(made):
                made.append(Row(rank, {"rank": Cell(rank)}))
            text = f"{guess}  {figures.decimal(p, 3)}"
            made[rank - 1].cells[key] = Cell(guess, text, tone="accent" if rank == truth else "")
    return [*made, _truth(columns, layer)] if made else []


def _truth(columns: dict[str, tuple[Lens | None, int]], layer: int) -> Row:
    """What stands there, with its rank and p of each side."""
    cells = {"rank": Cell(figures.DASH)}
    for key, (lens, place) in columns.items():
        if lens is not None:
            column = lens.places.index(place)
            rank = figures.count(int(lens.truth_ranks[layer, column]))
            p = figures.decimal(float(lens.truth_probs[layer, column]), 3)
            text = f"#{rank}  {p}  {lens.columns[column]}"  # the token may be cut, it stands above
            cells[key] = Cell(lens.columns[column], text, tone="accent", tip=text)
    return Row("truth", cells, bold=True)


def columns() -> list[Column]:
    """Rank, then each side."""
    return [
        Column("rank", "#", right=True, width=36),
        Column("before", tr("From the left")),
        Column("behind", tr("From the right")),
        Column("both", tr("Both")),
    ]
