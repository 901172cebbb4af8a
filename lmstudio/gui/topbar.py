"""TopBar: tabs of the room, corpus and segmentation, the field that finds anything, help."""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QSignalBlocker, QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QIcon, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QSizePolicy,
    QTabBar,
    QWidget,
)

from lmstudio.gui import theme
from lmstudio.gui.icons import icon
from lmstudio.gui.rooms import Room
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import disable, enable, label, tool
from lmstudio.messages import tr
from lmstudio.store.rows import CorpusRow, SegmentationRow

_LEAST = 640
"""Pixels of the bar at scale 1: it never keeps the window from being smaller than its panels."""
_PADDING, _ARROW = 12, 14  # of buttons at scale 1; the padding is that of the style sheet
_FEWEST = 4  # characters, a dot of three among them: what is shorter says nothing


class TopBar(QFrame):
    """48 px at the top of every room."""

    panel_chosen = Signal(str)
    float_wanted = Signal(str)  # a panel is to have a window of its own
    palette_wanted = Signal()
    help_wanted = Signal()

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("topbar")
        self.setFixedHeight(theme.px(48))
        self._room: Room | None = None
        self._title = label(size=15, bold=True)
        self._tabs = QTabBar(self)
        self._tabs.setObjectName("tabs")
        self._tabs.setExpanding(False)
        self._tabs.setUsesScrollButtons(True)  # where even the other parts leave too little room
        self._tabs.setAccessibleName(tr("Panels of this room"))
        self._tabs.setAcceptDrops(True)
        self._tabs.setChangeCurrentOnDrag(True)  # after a moment, as in file managers
        self._tabs.currentChanged.connect(self._tab_changed)
        self._tabs.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._tabs.customContextMenuRequested.connect(self._show_tab_menu)
        self._source = SourceChooser(state, self)
        self._search = _search_field(self)
        self._search.clicked.connect(self.palette_wanted)
        ask = tool("help", tr("Help  F1"), parent=self)
        ask.clicked.connect(self.help_wanted)
        layout = QHBoxLayout(self)
        self._margins = theme.px(16) + theme.px(12)
        layout.setContentsMargins(theme.px(16), 0, theme.px(12), 0)
        layout.setSpacing(theme.px(8))
        layout.addWidget(self._title)
        layout.addWidget(self._tabs, 0, Qt.AlignmentFlag.AlignBottom)
        layout.addStretch(1)
        for widget in (self._source, self._search, ask):
            layout.addWidget(widget)
        self._others = (self._source, self._search, ask)

    def show_panel(self, room: Room, key: str, floating: Sequence[str] = ()) -> None:
        """Show the tabs of a room and mark one; a room of one panel shows its title.

        Those that are in windows of their own are marked too.
        """
        with QSignalBlocker(self._tabs):
            if room is not self._room:
                self._room = room
                while self._tabs.count():
                    self._tabs.removeTab(0)
                for entry in room.panels:
                    self._tabs.addTab(tr(entry.title))
            keys = [entry.key for entry in room.panels]
            for number, one in enumerate(keys):
                out = one in floating
                self._tabs.setTabIcon(number, icon("float", "muted") if out else QIcon())
                self._tabs.setTabToolTip(number, tr("In a window of its own") if out else "")
            self._tabs.setCurrentIndex(keys.index(key))
        alone = len(room.panels) == 1
        self._tabs.setVisible(not alone)
        self._title.setVisible(alone)
        name = tr("LM Workbench") if room.key == "start" else tr(room.panels[0].title)
        self._title.setText(name)
        self._source.setVisible(room.key not in ("start", "settings"))

        self._make_room()

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(_LEAST), theme.px(48))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._make_room()

    def _make_room(self) -> None:
        """The tabs take what the other parts can spare; the field gives before the chooser does."""
        shown = [widget for widget in self._others if not widget.isHidden()]
        least = sum(widget.minimumSizeHint().width() for widget in shown)
        room = self.width() - self._margins - theme.px(8) * (len(shown) + 2)
        tabs = self._tabs.sizeHint().width()
        self._tabs.setMinimumWidth(min(tabs, max(0, room - least)))
        whole = sum(min(widget.sizeHint().width(), widget.maximumWidth())
                    for widget in shown if widget is not self._search)  # fmt: skip
        left = max(room - tabs - whole, self._search.minimumSizeHint().width())
        self._search.setMaximumWidth(min(left, self._search.sizeHint().width()))

    def tab_menu(self, number: int) -> QMenu:
        """What can be done with a tab."""
        made = QMenu(self)
        made.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        action = made.addAction(f"{tr('In a window of its own')}\tCtrl+Shift+↵")
        assert self._room is not None
        action.setData(self._room.panels[number].key)
        made.triggered.connect(self._float)
        return made

    @Slot(QPoint)
    def _show_tab_menu(self, place: QPoint) -> None:
        if (number := self._tabs.tabAt(place)) >= 0:
            self.tab_menu(number).popup(self._tabs.mapToGlobal(place))

    @Slot(QAction)
    def _float(self, action: QAction) -> None:
        self.float_wanted.emit(action.data())

    @Slot(int)
    def _tab_changed(self, number: int) -> None:
        if self._room is not None and number >= 0:
            self.panel_chosen.emit(self._room.panels[number].key)


class ShortenedButton(QPushButton):
    """Shows as much of its text as there is room for, and at the right what it ends with."""

    def __init__(
        self, least: int, parent: QWidget | None = None, *, icon_name: str = "",
        elide: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
    ) -> None:  # fmt: skip
        """`least` is the width below which it does not go, at scale 1, or 0: the icon alone."""
        super().__init__(parent)
        self._elide = elide
        self._text, self._ending, self._arrow = "", "", False
        self._least = theme.px(least)
        self.setIcon(icon(icon_name))
        self.setIconSize(QSize(theme.px(16), theme.px(16)))

    def set_text(self, text: str, ending: str = "", *, arrow: bool = False) -> None:
        """Show `text`, and `ending` as long as that fits, or an arrow that says: there are more."""
        self._text, self._ending, self._arrow = text, ending, arrow
        self._shorten()
        self.updateGeometry()

    def sizeHint(self) -> QSize:  # noqa: N802
        text = self.fontMetrics().horizontalAdvance(self._text) + 1  # of a fraction of a pixel
        return QSize(text + self._around(), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        least = self._least or theme.px(2 * _PADDING + 20)
        return QSize(min(least, self.sizeHint().width()), super().sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._shorten()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        super().paintEvent(event)
        room = self.rect().adjusted(0, 0, -theme.px(_PADDING), 0)
        token = "muted" if self.isEnabled() else "off"
        painter = QPainter(self)
        if self._arrow:
            room.setLeft(room.right() + 1 - theme.px(_ARROW))
            icon("down", token).paint(painter, room)
        painter.setPen(theme.colour(token))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if self.width() >= self._around():
            painter.drawText(room, int(right), self._ending)
        painter.end()

    def _around(self) -> int:
        """What stands beside the text: padding, icon, ending."""
        ending = self.fontMetrics().horizontalAdvance(self._ending)
        ends = theme.px(_ARROW) if self._arrow else ending
        return theme.px(2 * _PADDING + 24) + (ends + theme.px(12) if ends else 0)

    def _shorten(self) -> None:
        room = max(self.width() - self._around(), 0)
        shown = self.fontMetrics().elidedText(self._text, self._elide, room)
        self.setText("" if len(shown) <= _FEWEST < len(self._text) else shown)


class SourceChooser(ShortenedButton):
    """The corpus and segmentation that all panels speak of; its menu offers the others."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(200, parent, icon_name="corpus", elide=Qt.TextElideMode.ElideMiddle)
        self._state = state
        self.setProperty("kind", "chooser")
        self.setAccessibleName(tr("Corpus and segmentation"))
        self.setMaximumWidth(theme.px(320))
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._menu = QMenu(self)
        self._menu.aboutToShow.connect(self._fill)
        self._menu.triggered.connect(self._choose)
        self.clicked.connect(self._open)  # a menu of the button's own would take its padding
        for signal in (
            state.selection_changed, state.corpora_changed, state.segmentations_changed,
            state.workspace_changed,
        ):  # fmt: skip
            signal.connect(self._refresh)
        self._refresh()

    @Slot()
    def _refresh(self) -> None:
        corpus, cut = self._state.corpus, self._state.segmentation
        if corpus is None:
            self.set_text(tr("No corpus yet"))
            disable(self, tr("Import a text first: drop it on the window."))
            return
        enable(self)
        text = _named(corpus, cut)
        self.set_text(text, arrow=True)
        self.setToolTip(text)

    @Slot()
    def _open(self) -> None:
        self._menu.popup(self.mapToGlobal(self.rect().bottomLeft()))

    @Slot()
    def _fill(self) -> None:
        self._menu.clear()
        chosen = self._state.segmentation
        for corpus in self._state.corpora():
            cuts = self._state.segmentations(corpus.id)
            if not cuts:
                entry = self._menu.addAction(_named(corpus, None))
                entry.setData(("corpus", corpus.id))
            for cut in cuts:
                entry = self._menu.addAction(_named(corpus, cut))
                entry.setData(("segmentation", cut.id))
                entry.setCheckable(True)
                entry.setChecked(chosen is not None and cut.id == chosen.id)

    @Slot(QAction)
    def _choose(self, action: QAction) -> None:
        kind, number = action.data()
        if kind == "corpus":
            self._state.select_corpus(number)
        else:
            self._state.select_segmentation(number)


def _named(corpus: CorpusRow, cut: SegmentationRow | None) -> str:
    """Both names; a segmentation named after its corpus is not said twice."""
    if cut is None:
        return f"{corpus.name} · {tr('not segmented')}"
    return f"{corpus.name} · {cut.name.removeprefix(corpus.name).strip(' ·') or cut.name}"


def _search_field(parent: QWidget) -> ShortenedButton:
    """Looks like a field, opens the palette: text is typed there."""
    made = ShortenedButton(0, parent, icon_name="search")
    made.setProperty("kind", "field")
    made.setCursor(Qt.CursorShape.PointingHandCursor)
    made.setAutoDefault(False)
    made.set_text(tr("Commands, runs, panels…"), "Ctrl K")
    for say in (made.setAccessibleName, made.setToolTip):
        say(tr("Find anything  Ctrl+K"))
    made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    made.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
    return made
