"""LooksView: where a fine-tuned transformer looks in; whom one token looks at out, head by head."""

import numpy as np
from PySide6.QtCore import QTimer, Slot
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from lmstudio.analysis.tasks.looking import WHOLE, TaskLooks
from lmstudio.gui import theme
from lmstudio.gui.panels.explore import attention_texts
from lmstudio.gui.panels.explore.attention_asking import Choice
from lmstudio.gui.widgets import ElidedLabel, Segmented, scrolled
from lmstudio.gui.widgets.arcs import ArcRow, Arcs
from lmstudio.gui.widgets.head_grid import HeadGrid, HeadPictures
from lmstudio.gui.widgets.head_map import HeadMap
from lmstudio.gui.widgets.heat_map import HeatGrid
from lmstudio.messages import tr

_GRID = 132  # pixels


class LooksView(QWidget):
    """Heads at the left, arcs or the whole matrix beside them. A click on a token lets it ask."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.found: TaskLooks | None = None
        self.head = (0, WHOLE)
        self.row = 0
        self._family = ""
        self.way = Segmented([("head", tr("One")), ("rollout", tr("Rollout"))],
                             tr("What is looked at"), self)  # fmt: skip
        self.picture = Segmented([("arcs", tr("Arcs")), ("matrix", tr("Matrix"))],
                                 tr("What is shown"), self)  # fmt: skip
        self.grid = HeadGrid(tr("Layers × heads"), self)
        self.arcs = Arcs(tr("Whom a word looks at"), self)
        self.map = HeadMap(tr("The whole head"), self)
        self.said = ElidedLabel(size=12, tone="muted")
        self._pages = QStackedWidget(self)
        self._lay_out()
        self.way.chosen.connect(self.draw)
        self.picture.chosen.connect(self._turn)
        self.grid.chosen.connect(self.choose_head)
        self.arcs.row_chosen.connect(self.choose_row)
        self.arcs.column_chosen.connect(self.choose_row)
        self.map.picked.connect(self._pick)

    def _lay_out(self) -> None:
        self._arcs_area = scrolled(self.arcs)
        for page in (self._arcs_area, self.map):
            self._pages.addWidget(page)
        grid = scrolled(self.grid)
        grid.setFixedWidth(theme.px(_GRID))
        top = QHBoxLayout()
        top.setSpacing(theme.px(8))
        for widget in (self.way, self.picture):
            top.addWidget(widget)
        top.addWidget(self.said, 1)
        both = QHBoxLayout()
        both.setSpacing(theme.px(8))
        both.addWidget(grid)
        both.addWidget(self._pages, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(8))
        column.addLayout(top)
        column.addLayout(both, 1)

    def show_looks(self, found: TaskLooks | None, place: int, family: str) -> None:
        """Show where a run looks; the token at `place` of the text asks, or the one that the class
        is read from. None shows nothing."""
        same = self.found is not None and found is not None and (
            self.found.weights.shape[:2] == found.weights.shape[:2]
        )  # fmt: skip
        self.found, self._family = found, family
        if found is None:
            self.said.setText("")
            self.grid.show_heads(HeadPictures(np.zeros((0, 0, 1, 1), np.float32)))
            self.map.show_grid(HeatGrid())
            self.arcs.show_row(ArcRow())
            return
        if not same:
            self.head = (found.weights.shape[0] - 1, WHOLE)
        token = found.token_at(place)
        self.row = token if token >= 0 else found.asks
        self.grid.show_heads(HeadPictures(found.pictures))
        self.draw()

    def matrix(self) -> np.ndarray:
        """(T, T): what is looked at."""
        assert self.found is not None
        layer, head = self.head
        if self.way.value() == "rollout":
            return self.found.flow(layer + 1)
        return self.found.seen(layer, head)

    @Slot()
    def draw(self) -> None:
        """Draw what is chosen."""
        found = self.found
        if found is None:
            return
        weights, names = self.matrix(), found.names
        barred = found.barred
        members = frozenset((self.head[0], n) for n in range(found.weights.shape[1]))
        whole = self.head[1] == WHOLE
        self.grid.mark((self.head[0], max(self.head[1], 0)), members if whole else frozenset(),
                       frozenset())  # fmt: skip
        most = float(weights.max(initial=0.0))
        self.map.show_grid(HeatGrid(weights, names, names, most,
                                    barred=barred if barred.any() else None))  # fmt: skip
        self.map.mark(self.row, -1)
        self.arcs.show_row(ArcRow(names, self.row, weights[self.row], barred[self.row],
                                  self._family))  # fmt: skip
        mode = "rollout" if self.way.value() == "rollout" else "mean" if whole else "head"
        asked = Choice(mode=mode, head=self.head, members=members)
        self.said.setText(attention_texts.title(asked, names[self.row]))
        QTimer.singleShot(0, self, self._reveal)  # when the arcs have their new width

    @Slot()
    def _reveal(self) -> None:
        place = self.arcs.place_of(self.row)
        self._arcs_area.ensureVisible(place, 0, self._arcs_area.width() // 3, 0)

    @Slot()
    def _turn(self) -> None:
        self._pages.setCurrentIndex(0 if self.picture.value() == "arcs" else 1)

    @Slot(int, int)
    def choose_head(self, layer: int, head: int) -> None:
        """Look at another head; at the mean of a layer's, for WHOLE."""
        self.head = layer, head
        self.draw()

    @Slot(int)
    def choose_row(self, row: int) -> None:
        """Let another token ask."""
        self.row = row
        self.draw()

    @Slot(int, int)
    def _pick(self, row: int, column: int) -> None:
        if row != self.row:
            self.choose_row(row)
        self.map.mark(row, column)
