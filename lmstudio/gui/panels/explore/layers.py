"""Layers and gates: a sentence through a network in; what each gate or layer does with it out."""

import numpy as np
from PySide6.QtCore import QSignalBlocker, QTimer, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from lmstudio import figures
from lmstudio.analysis.inside import Inside
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.choices import fill
from lmstudio.gui.dialogs.export_plot import ExportDialog
from lmstudio.gui.jobs import Asker
from lmstudio.gui.panels.explore.first_sentence import first_sentence
from lmstudio.gui.panels.panel import Panel
from lmstudio.gui.save_as import SaveAs
from lmstudio.gui.state import AppState
from lmstudio.gui.tables import Cell, Column, Row, Table
from lmstudio.gui.widgets import Card, EmptyState, button, label, tool
from lmstudio.gui.widgets.fading import fade
from lmstudio.gui.widgets.heat_map import HeatGrid, HeatMap
from lmstudio.messages import msg, tr
from lmstudio.operations import inside
from lmstudio.store.rows import RunRow

DEBOUNCE_MS = 150
LOOKED_INTO = ("lstm", "gru", "elmo", "gpt", "bert")
NAMES = {
    "input": msg("Input gate"), "forget": msg("Forget gate"), "output": msg("Output gate"),
    "candidate": msg("Candidate"), "cell": msg("Cell"), "reset": msg("Reset gate"),
    "update": msg("Update gate"),
}  # fmt: skip
STAGES = {
    "input": msg("Into the layer"), "attention": msg("Added by attention"),
    "middle": msg("Between"), "mlp": msg("Added by the linear layers"),
    "output": msg("Out of the layer"),
}  # fmt: skip
"""What is measured of a transformer's layer, in the order it happens."""
SIGNED = ("candidate", "cell")
"""What lies around zero; gates lie between 0 and 1."""


class LayersPanel(Panel):
    """Gates: units by tokens, a layer at a time. Transformers: lengths, layers by tokens."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.run, self.text = QComboBox(self), QLineEdit(self)
        self.name, self.layer = QComboBox(self), QComboBox(self)
        self.map = HeatMap(tr("What goes on inside"), self)
        self.table = Table(_columns(), tr("Means by token"), self)
        self.save = SaveAs(state, self)
        self.found: Inside | None = None
        self._asker = Asker(state, self)
        self._pause = QTimer(self, interval=DEBOUNCE_MS, singleShot=True)
        self._proposed = 0  # the corpus whose first sentence stands there
        self._said = label(size=12, tone="muted", wrap=True)
        self._lead = button(tr("Train a model"), "primary")
        self._lay_out()
        for box in (self.name, self.layer):
            box.hide()  # until there is something to choose
        self._connect()
        self._show_columns()
        self.refresh()

    def _lay_out(self) -> None:
        self.text.setPlaceholderText(tr("Type a sentence"))
        self.text.setAccessibleName(tr("Sentence"))
        self.text.setFont(theme.font(15))
        for name, box in ((tr("Run"), self.run), (tr("What is shown"), self.name),
                          (tr("Layer"), self.layer)):  # fmt: skip
            box.setAccessibleName(name)
        self.run.setMinimumWidth(theme.px(200))
        asked = QHBoxLayout()
        asked.setSpacing(theme.px(8))
        asked.addWidget(self.text, 1)
        asked.addWidget(label(tr("Model"), tone="muted"))
        asked.addWidget(self.run)
        self._card = Card(tr("Layers and gates"), parent=self)
        picture = tool("export", tr("Export the chart"), parent=self)
        picture.clicked.connect(self.export_picture)
        for widget in (self.name, self.layer, picture):
            self._card.row.add_tool(widget)
        self._card.body.addWidget(self.map, 1)
        self._card.body.addWidget(self._said)
        below = Card(tr("Means by token"), parent=self)
        csv = tool("table", tr("Save every value as CSV  Ctrl+E"), parent=self)
        csv.clicked.connect(self.export)
        below.row.add_tool(csv)
        below.body.addWidget(self.table, 1)
        work = QWidget(self)
        column = QVBoxLayout(work)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(12))
        column.addLayout(asked)
        column.addWidget(self._card, 3)
        column.addWidget(below, 2)
        empty = EmptyState(
            tr("No network to look into yet"),
            tr("LSTM, GRU and ELMo show their gates; GPT and BERT what passes through the layers."),
            [self._lead], family="lstm",
        )  # fmt: skip
        self._pages = QStackedWidget(self)
        for page in (work, empty):
            self._pages.addWidget(page)
        self.page().addWidget(self._pages, 1)

    def _connect(self) -> None:
        self.text.textChanged.connect(self._changed)
        self.run.currentIndexChanged.connect(self.ask)
        self.name.currentIndexChanged.connect(self._draw)
        self.layer.currentIndexChanged.connect(self._draw)
        self._pause.timeout.connect(self.ask)
        self.map.export_wanted.connect(self.export_picture)
        self.map.chosen.connect(self._choose)
        self.table.chosen.connect(self._choose_row)
        self._asker.answered.connect(self._take)
        self._asker.failed.connect(self._fail)
        self._lead.clicked.connect(self._go_to_training)
        for signal in (self.state.selection_changed, self.state.runs_changed):
            signal.connect(self.refresh)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self.refresh()

    # what is asked

    def _runs(self) -> list[RunRow]:
        cut = self.state.segmentation
        runs = self.state.runs(cut.id) if cut else []
        return [run for run in runs if run.model in LOOKED_INTO and run.state == "done"]

    @Slot()
    def refresh(self) -> None:
        """Offer the networks of the segmentation selected."""
        runs, before = self._runs(), self.run.currentData()
        with QSignalBlocker(self.run):
            self.run.clear()
            for run in runs:
                self.run.addItem(run.name, run.id)
            known = self.run.findData(before)
            self.run.setCurrentIndex(known if known >= 0 else len(runs) - 1)
        self._pages.setCurrentIndex(0 if runs else 1)
        self.primary = None if runs else self._lead
        if runs and self.isVisible():
            self._propose()
            if self.run.currentData() != before or self.found is None:
                self.ask()

    def _propose(self) -> None:
        """Begin with the corpus's first sentence."""
        cut = self.state.segmentation
        if cut is not None and cut.corpus_id != self._proposed and not self.text.isModified():
            self._proposed = cut.corpus_id
            with QSignalBlocker(self.text):
                self.text.setText(first_sentence(self.state, cut.corpus_id))

    @Slot()
    def _changed(self) -> None:
        self._pause.start()

    @Slot()
    def ask(self) -> None:
        """Look into the run with what is typed."""
        run = self.run.currentData()
        if run is not None and self.isVisible():
            self._pause.stop()
            fade(self.map, self.found is not None)
            if self.found is None:
                self._said.setText(tr("Asking the model…"))
            self._asker.ask(inside.inside, self.state.workspace, run, self.text.text())

    # what comes of it

    @Slot(object)
    def _take(self, found: Inside) -> None:
        self.found = found
        fade(self.map, False)
        self._said.setText("")
        names = NAMES if found.kind == "gates" else STAGES
        fill(self.name, [(tr(names[key]), key) for key in found.values])
        layers = len(next(iter(found.values.values())))
        fill(self.layer, [(tr("layer {number}", number=n + 1), n) for n in range(layers)])
        self.name.show()
        self.layer.setVisible(found.kind == "gates")
        self._draw()

    @Slot(object)
    def _fail(self, error: AppError) -> None:
        fade(self.map, False)
        self._said.setText(str(error))

    @Slot()
    def _draw(self) -> None:
        if self.found is None or self.name.currentData() not in self.found.values:
            return
        self.map.show_grid(grid(self.found, self.name.currentData(), self.layer.currentData()))
        gates = self.found.kind == "gates"
        self._card.row.set_note(
            tr("a row for each unit, a column for each token")
            if gates else tr("lengths of the vectors: a row for each layer, the first at the top")
        )  # fmt: skip
        self.table.set_rows(rows(self.found, self.layer.currentData() or 0))
        self._show_columns()

    def _show_columns(self) -> None:
        """Only those of what was found, by their names."""
        found = self.found
        names = NAMES if found is not None and found.kind == "gates" else STAGES
        for number, column in enumerate(_columns()[2:], 2):
            known = found is not None and column.key in found.values
            self.table.setColumnHidden(number, not known)
            if known:
                self.table.retitle(column.key, tr(names[column.key]))

    @Slot(int)
    def _choose(self, column: int) -> None:
        self.table.select([column])

    @Slot(list)
    def _choose_row(self, keys: list[int]) -> None:
        if keys:
            self.map.choose(keys[0])

    # the rest of the window

    @Slot()
    def _go_to_training(self) -> None:
        self.state.panel_wanted.emit("new_run")

    def search(self) -> None:
        """Ctrl+F: the sentence."""
        self.text.setFocus()
        self.text.selectAll()

    def export(self) -> None:
        """Ctrl+E: every value as CSV."""
        if self.found is not None:
            self.save.ask("inside", inside.save_inside, self.found)

    @Slot()
    def export_picture(self) -> None:
        """The map as PNG, SVG or PDF."""
        caption = f"{self.run.currentText()} · {self.name.currentText()}"
        if self.layer.isVisible():
            caption += f" · {self.layer.currentText()}"
        ExportDialog(self.state, self.map, caption, self.window()).open()


def grid(found: Inside, name: str, layer: int) -> HeatGrid:
    """What the map shows: units by tokens of a layer, or layers by tokens."""
    tokens = tuple(found.tokens)
    if found.kind == "gates":
        values = found.values[name][layer].T  # (D, T)
        signed = name in SIGNED
        most = float(np.abs(values).max(initial=0.0)) if signed else 1.0
        return HeatGrid(values, tokens, (), most, signed)
    values = found.values[name]  # (L, T)
    names = tuple(tr("layer {number}", number=n + 1) for n in range(len(values)))
    return HeatGrid(values, tokens, names, float(values.max(initial=0.0)))


def rows(found: Inside, layer: int) -> list[Row]:
    """By token: the mean of each gate over the units of a layer, or the length in the last."""
    made = []
    for place, token in enumerate(found.tokens):
        cells = {"number": Cell(place + 1), "token": Cell(token)}
        for name, values in found.values.items():
            one = values[layer, place].mean() if found.kind == "gates" else values[-1, place]
            cells[name] = Cell(float(one))
        made.append(Row(place, cells))
    return made


def _columns() -> list[Column]:
    keys = dict.fromkeys([*NAMES, *STAGES])
    return [
        Column("number", "#", right=True, width=44),
        Column("token", tr("Token")),
        *(Column(key, key, right=True, width=150, show=lambda value: figures.decimal(value, 3))
          for key in keys),
    ]  # fmt: skip
