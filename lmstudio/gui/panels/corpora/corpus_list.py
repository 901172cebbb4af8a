"""CorpusList: the corpora of the workspace, two lines each; choosing one selects it everywhere."""

from PySide6.QtCore import (
    QRect,
    QSignalBlocker,
    QSize,
    Qt,
    Slot,
)
from PySide6.QtGui import QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.cells import Index
from lmstudio.gui.state import AppState
from lmstudio.messages import tr
from lmstudio.operations import tags
from lmstudio.store.rows import CorpusRow

_FACTS = int(Qt.ItemDataRole.UserRole) + 1  # the lower line: left, right
_ROW = 52


class CorpusList(QListWidget):
    """Name, encoding, size and number of documents of each corpus. Its menu is its actions."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._searched = ""
        self.setAccessibleName(tr("Corpora"))
        self.setItemDelegate(_TwoLines(self))
        self.setVerticalScrollMode(self.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.currentItemChanged.connect(self._chosen)
        state.corpora_changed.connect(self.refresh)
        state.selection_changed.connect(self.refresh)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show the corpora as they are now."""
        chosen = self._state.corpus
        words = tags.tags(self._state.workspace, "corpus") if chosen is not None else {}
        with QSignalBlocker(self):
            self.clear()
            for corpus in reversed(self._state.corpora()):
                mine = words.get(corpus.id, ())
                if not tags.matches(self._searched, corpus.name, *mine):
                    continue
                item = _item(corpus, mine)
                self.addItem(item)
                if chosen is not None and corpus.id == chosen.id:
                    self.setCurrentItem(item)

    @Slot(str)
    def search(self, words: str) -> None:
        """Show only corpora in whose name or tags all these words stand."""
        self._searched = words
        self.refresh()

    def rows_height(self, most: int) -> int:
        """The height of all rows, or of `most`."""
        return min(max(self.count(), 1), most) * theme.px(_ROW) + 2

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(240), self.rows_height(4))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(160), theme.px(_ROW))

    @Slot(QListWidgetItem)
    def _chosen(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self._state.select_corpus(item.data(Qt.ItemDataRole.UserRole))


def encoding_name(encoding: str) -> str:
    """An encoding as people write it."""
    return tr("mixed encodings") if encoding == "mixed" else encoding.upper()


def _item(corpus: CorpusRow, words: tuple[str, ...]) -> QListWidgetItem:
    item = QListWidgetItem(corpus.name)
    item.setData(Qt.ItemDataRole.UserRole, corpus.id)
    left = " · ".join([encoding_name(corpus.encoding), figures.size(corpus.bytes), *words])
    count = figures.count(corpus.documents)
    right = tr("1 document") if corpus.documents == 1 else tr("{count} documents", count=count)
    item.setData(_FACTS, (left, right))
    item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{corpus.name}, {left}, {right}")
    item.setToolTip("\n".join(filter(None, [corpus.name, " ".join(words)])))
    return item


class _TwoLines(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802
        return QSize(theme.px(120), theme.px(_ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        focus = bool(option.state & QStyle.StateFlag.State_HasFocus)
        left, right = index.data(_FACTS)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if selected:
            painter.setPen(theme.colour("accent") if focus else Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("tint"))
            painter.drawRoundedRect(option.rect.adjusted(1, 1, -1, -1), 6, 6)
        room = option.rect.adjusted(theme.px(12), theme.px(6), -theme.px(12), -theme.px(6))
        upper = QRect(room.left(), room.top(), room.width(), room.height() // 2)
        lower = upper.translated(0, room.height() // 2)
        font = theme.font(13, bold=selected)
        _write(painter, upper, index.data(), font, "text", Qt.AlignmentFlag.AlignLeft)
        font = theme.font(12)
        _write(painter, lower, left, font, "muted", Qt.AlignmentFlag.AlignLeft)
        _write(painter, lower, right, font, "muted", Qt.AlignmentFlag.AlignRight)
        painter.restore()


def _write(
    painter: QPainter, box: QRect, text: str, font: QFont, token: str, side: Qt.AlignmentFlag
) -> None:
    painter.setFont(font)
    painter.setPen(theme.colour(token))
    shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, box.width())
    painter.drawText(box, int(side | Qt.AlignmentFlag.AlignVCenter), shown)
