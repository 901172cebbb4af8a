"""AttentionBoard: the five cards of the attention panel, and how they stand."""

from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QVBoxLayout, QWidget

from lmstudio.gui import theme
from lmstudio.gui.tables import Column, Table
from lmstudio.gui.widgets import Card, Segmented, label, scrolled, tool
from lmstudio.gui.widgets.arcs import Arcs
from lmstudio.gui.widgets.cell_picture import CellPicture
from lmstudio.gui.widgets.head_grid import HeadGrid
from lmstudio.gui.widgets.head_map import HeadMap
from lmstudio.messages import tr

_SIDE, _CELL = 400, 292  # widths of the left column and of the card of a cell


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
        self.said = label(size=12, tone="muted", wrap=True)
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
        self.hint = label(tr("Click a head to enlarge it, right click switches it off."),
                          size=12, tone="muted", wrap=True)  # fmt: skip
        card.body.addWidget(self.hint)
        card.setFixedWidth(theme.px(_SIDE))
        return self._close("heads")

    def _changes_card(self) -> Card:
        card = self._card("changes", tr("Which head matters most"))
        card.body.addWidget(self.changes, 1)
        card.setFixedWidth(theme.px(_SIDE))
        self.changes.setMinimumHeight(theme.px(76))
        return self._close("changes")

    def _arcs_card(self) -> Card:
        card = self._card("arcs", tr("Whom a word looks at"))
        area = scrolled(self.arcs)
        area.setMinimumHeight(theme.px(140))
        card.body.addWidget(area, 1)
        return self._close("arcs")

    def _map_card(self) -> Card:
        card = self._card("map", tr("The whole head"))
        card.row.add_tool(self.words)
        card.body.addWidget(self.map, 1)
        card.body.addWidget(self.said)
        return self._close("map")

    def _cell_card(self) -> Card:
        card = self._card("cell", tr("Arithmetic"))
        card.body.addWidget(scrolled(self.cell), 1)
        card.setFixedWidth(theme.px(_CELL))
        return self._close("cell")


def _columns() -> list[Column]:
    return [
        Column("head", tr("Layer · head")),
        Column("change", tr("Change of loss, nats"), right=True, width=190),
    ]
