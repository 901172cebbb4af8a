"""KwicTable: a concordance in; its hits under one another out, each with what stands around it."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF, QPalette
from PySide6.QtWidgets import QHeaderView, QStyleOptionViewItem, QWidget

from lmstudio.data.browse.concordance import Concordance
from lmstudio.gui import theme
from lmstudio.gui.cells import CellDelegate
from lmstudio.gui.listing_model import Index
from lmstudio.gui.listing_table import ListingTable
from lmstudio.gui.panels.corpora.split_bar import PART_TITLES
from lmstudio.gui.tables import Column
from lmstudio.messages import tr

LEFT, HIT, RIGHT = range(3)
_MEASURED = 200  # hits that decide how wide their column is
_NARROWEST, _WIDEST = 48, 240  # pixels


class KwicTable(ListingTable):
    """Left context flush right, hit in bold, right context, document, part."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(_columns(), tr("Hits in their context"), parent)
        self.setItemDelegate(_KwicDelegate(self))
        self.horizontalHeader().setSectionResizeMode(HIT, QHeaderView.ResizeMode.Fixed)

    @property
    def found(self) -> Concordance | None:
        """The hits shown."""
        return self.listing if isinstance(self.listing, Concordance) else None

    def show_hits(self, found: Concordance | None) -> None:
        """Show a concordance; the hit that was chosen stays so, or else the first one is."""
        place = self._place(found)
        hits = found.hit[:_MEASURED] if found else []
        metrics = QFontMetricsF(theme.font(13, bold=True))
        widest = max((metrics.horizontalAdvance(hit) for hit in hits), default=0.0)
        width = min(max(round(widest) + theme.px(20), theme.px(_NARROWEST)), theme.px(_WIDEST))
        self.horizontalHeader().resizeSection(HIT, width)
        self.show_listing(found)
        if found is not None and len(found):
            self.choose_row(place)

    def _place(self, found: Concordance | None) -> int:
        """The row that the hit chosen has in another list of hits; 0 if it is not there."""
        before, number = self.found, self.current()
        if found is None or before is None or number < 0:
            return 0
        same = (found.line == before.line[number]) & (found.start == before.start[number])
        return int(same.argmax()) if same.any() else 0


class _KwicDelegate(CellDelegate):
    """What has no room in the left context is its far end."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:  # noqa: N802
        super().initStyleOption(option, index)
        if index.column() == LEFT:
            option.textElideMode = Qt.TextElideMode.ElideLeft
        elif index.column() == HIT:
            option.font = theme.font(13, bold=True)
            for role in (QPalette.ColorRole.Text, QPalette.ColorRole.HighlightedText):
                option.palette.setColor(role, theme.colour("accent"))


def _columns() -> list[Column]:
    return [
        Column("left", tr("Left"), right=True),
        Column("hit", tr("Hit")),
        Column("right", tr("Right")),
        Column("name", tr("Document"), width=132),
        Column("part", tr("Part"), show=_part, width=64),
    ]


def _part(name: str) -> str:
    return tr(PART_TITLES[name])
