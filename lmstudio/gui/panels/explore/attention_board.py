"""AttentionBoard: the five cards of the attention panel; answers in, what they look like out."""

import numpy as np
from PySide6.QtCore import QTimer, Slot
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QVBoxLayout, QWidget

from lmstudio.analysis.attending.attention import Attention, small
from lmstudio.analysis.attending.cell import CellArithmetic
from lmstudio.analysis.attending.switches import Effect, HeadChange, HeadChanges
from lmstudio.gui import theme
from lmstudio.gui.panels.explore import attention_texts as texts
from lmstudio.gui.panels.explore.attention_asking import Choice
from lmstudio.gui.tables import Column, Table
from lmstudio.gui.widgets import Card, Segmented, label, scrolled, tool
from lmstudio.gui.widgets.arcs import LONGEST, STRONGEST, ArcRow, Arcs
from lmstudio.gui.widgets.cell_picture import CellPicture
from lmstudio.gui.widgets.fading import fade
from lmstudio.gui.widgets.head_grid import HeadGrid, HeadPictures
from lmstudio.gui.widgets.head_map import HeadMap
from lmstudio.gui.widgets.heat_map import HeatGrid
from lmstudio.messages import tr

_SIDE, _CELL = 432, 292  # widths of the left column and of the card of a cell


class AttentionBoard(QWidget):
    """Heads and what each is worth at the left; arcs, the matrix and a cell at the right."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.grid = HeadGrid(tr("Layers × heads"), self)
        self.mode = Segmented(
            [("head", tr("One")), ("mean", tr("Mean")), ("rollout", tr("Rollout"))],
            tr("What is looked at"), self,
        )  # fmt: skip
        self.changes = Table(_columns(), tr("Which head matters most"), self)
        self.arcs = Arcs(tr("Whom a word looks at"), self)
        self.map = HeadMap(tr("The whole head"), self)
        self.words = Segmented([("words", tr("By word")), ("tokens", tr("By token"))],
                               tr("Rows and columns"), self)  # fmt: skip
        self.cell = CellPicture(tr("How this cell comes about"), self)
        self.keep = tool("plus", tr("Keep as a finding"), parent=self)
        self.said, self.ranked = (label(size=12, tone="muted", wrap=True) for _ in range(2))
        self.cards: dict[str, Card] = {}
        self.pictures: dict[str, QAbstractButton] = {}  # export a card's picture
        self.tables: dict[str, QAbstractButton] = {}  # save a card's numbers
        self._lay_out()

    def _lay_out(self) -> None:
        left = QVBoxLayout()
        left.addWidget(self._heads_card(), 1)
        left.addWidget(self._changes_card(), 1)
        below = QHBoxLayout()
        below.addWidget(self._map_card(), 1)
        below.addWidget(self._cell_card())
        right = QVBoxLayout()
        right.addWidget(self._arcs_card(), 2)
        right.addLayout(below, 3)
        whole = QHBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addLayout(left)
        whole.addLayout(right, 1)
        for layout in (left, below, right, whole):
            layout.setSpacing(theme.px(12))

    def _card(self, key: str, title: str, note: str = "") -> Card:
        """A card with the tools that export its picture and its numbers."""
        card = self.cards[key] = Card(title, note, self)
        self.pictures[key] = tool("export", tr("Export the chart"), parent=self)
        self.tables[key] = tool("table", tr("Save as CSV"), parent=self)
        return card

    def _close(self, key: str) -> Card:
        """Put the tools at the end of the title row."""
        card = self.cards[key]
        card.row.add_tool(self.pictures[key])
        card.row.add_tool(self.tables[key])
        return card

    def _heads_card(self) -> Card:
        card = self._card("heads", tr("Layers × heads"))
        card.row.add_tool(self.mode)
        card.body.addWidget(scrolled(self.grid), 1)
        hint = label(
            tr("Click a head to enlarge it, with Ctrl to add it to a mean; right click switches it "
               "off. On a layer's number: all its heads."),
            size=12, tone="muted", wrap=True,
        )  # fmt: skip
        card.body.addWidget(hint)
        card.setFixedWidth(theme.px(_SIDE))
        return self._close("heads")

    def _changes_card(self) -> Card:
        card = self._card("changes", tr("Which head matters most"))
        card.body.addWidget(self.ranked)
        card.body.addWidget(self.changes, 1)
        card.setFixedWidth(theme.px(_SIDE))
        self.changes.setMinimumHeight(theme.px(76))
        return self._close("changes")

    def _arcs_card(self) -> Card:
        card = self._card("arcs", tr("Whom a word looks at"))
        self._arcs_area = scrolled(self.arcs)
        self._arcs_area.setMinimumHeight(theme.px(136))
        card.body.addWidget(self._arcs_area, 1)
        return self._close("arcs")

    def _map_card(self) -> Card:
        card = self._card("map", tr("The whole head"))
        card.row.add_tool(self.words)
        card.row.add_tool(self.keep)
        card.body.addWidget(self.map, 1)
        card.body.addWidget(self.said)
        return self._close("map")

    def _cell_card(self) -> Card:
        card = self._card("cell", tr("Arithmetic"))
        card.body.addWidget(scrolled(self.cell), 1)
        card.setFixedWidth(theme.px(_CELL))
        return self._close("cell")

    # answers

    def fade(self, faded: bool) -> None:
        """What is shown is out of date, or not any more."""
        for widget in (self.arcs, self.map):
            fade(widget, faded)

    def show_view(self, found: Attention, asked: Choice, family: str) -> None:
        """The heads, the matrix, and the row that asks."""
        barred = found.barred if found.barred.any() else None
        tiny = None if barred is None else small((~barred).astype(np.float32)) == 0
        self.grid.show_heads(HeadPictures(found.pictures, tiny))
        members = asked.members if asked.mode == "mean" else frozenset()
        self.grid.mark(asked.head, members, asked.off)
        names, most = tuple(found.names), float(found.weights.max(initial=0.0))
        self.map.show_grid(HeatGrid(found.weights, names, names, most, barred=barred))
        self.said.setText(texts.told(found, asked))
        self.show_row(found, asked, family)

    def show_row(self, found: Attention, asked: Choice, family: str) -> None:
        """Whom the row looks at."""
        row, weights = asked.row, found.weights[asked.row]
        self.map.mark(row, asked.column)
        self.arcs.show_row(ArcRow(tuple(found.names), row, weights, found.barred[row], family))
        self.arcs.mark(asked.column)
        QTimer.singleShot(0, self, self._reveal)  # when the arcs have their new width
        card = self.cards["arcs"].row
        card.set_title(texts.title(asked, found.names[row]))
        card.set_note(
            tr("the {number} that it looks at most", number=STRONGEST)
            if len(found.names) > LONGEST else
            tr("above asks, below is looked at; the row sums to {sum}", sum=f"{weights.sum():.2f}")
        )  # fmt: skip

    @Slot()
    def _reveal(self) -> None:
        """Scroll to the word that asks."""
        place = self.arcs.place_of(self.arcs.shown().row)
        self._arcs_area.ensureVisible(place, 0, self._arcs_area.width() // 3, 0)

    def show_cell(
        self, cell: CellArithmetic | None, effect: Effect | None, asked: Choice
    ) -> None:  # fmt: skip
        """How a cell comes about, and what heads that are off do."""
        lines = [] if cell is None else texts.cell_lines(cell)
        lines += [] if effect is None else texts.effect_lines(effect, asked)
        self.cell.show_lines(lines)
        self.cards["cell"].row.set_note(
            tr("choose one head to see it") if cell is None else f"{cell.row} → {cell.column}"
        )

    def show_changes(
        self, changes: list[HeadChange], base: HeadChanges | None, waiting: int, asked: Choice
    ) -> None:  # fmt: skip
        """The heads by what is lost without them, as far as that is known."""
        self.changes.set_rows(texts.change_rows(changes))
        layer, head = asked.head
        self.changes.select([f"{layer}.{head}"])
        self.ranked.setText(texts.change_note(base, waiting))


def _columns() -> list[Column]:
    return [
        Column("head", tr("Layer · head")),
        Column("change", tr("Change of loss, nats"), right=True, width=190),
    ]
