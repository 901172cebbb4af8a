"""TopBar: tabs of the room, corpus and segmentation, the field that finds anything, help."""

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QAction
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
from lmstudio.gui.rooms import Room
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import button, disable, enable, label, tool
from lmstudio.messages import tr
from lmstudio.store.rows import CorpusRow, SegmentationRow


class TopBar(QFrame):
    """48 px at the top of every room."""

    panel_chosen = Signal(str)
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
        self._tabs.setUsesScrollButtons(False)
        self._tabs.setAccessibleName(tr("Panels of this room"))
        self._tabs.currentChanged.connect(self._tab_changed)
        self._source = SourceChooser(state, self)
        search = _search_field(self)
        search.clicked.connect(self.palette_wanted)
        ask = tool("help", tr("Help  F1"), parent=self)
        ask.clicked.connect(self.help_wanted)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(theme.px(16), 0, theme.px(12), 0)
        layout.setSpacing(theme.px(8))
        layout.addWidget(self._title)
        layout.addWidget(self._tabs, 0, Qt.AlignmentFlag.AlignBottom)
        layout.addStretch(1)
        for widget in (self._source, search, ask):
            layout.addWidget(widget)

    def show_panel(self, room: Room, key: str) -> None:
        """Show the tabs of a room and mark one; a room of one panel shows its title."""
        with QSignalBlocker(self._tabs):
            if room is not self._room:
                self._room = room
                while self._tabs.count():
                    self._tabs.removeTab(0)
                for entry in room.panels:
                    self._tabs.addTab(tr(entry.title))
            keys = [entry.key for entry in room.panels]
            self._tabs.setCurrentIndex(keys.index(key))
        alone = len(room.panels) == 1
        self._tabs.setVisible(not alone)
        self._title.setVisible(alone)
        name = tr("LM Workbench") if room.key == "start" else tr(room.panels[0].title)
        self._title.setText(name)
        self._source.setVisible(room.key not in ("start", "settings"))

    @Slot(int)
    def _tab_changed(self, number: int) -> None:
        if self._room is not None and number >= 0:
            self.panel_chosen.emit(self._room.panels[number].key)


class SourceChooser(QPushButton):
    """The corpus and segmentation that all panels speak of; its menu offers the others."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self.setProperty("kind", "chooser")
        self.setAccessibleName(tr("Corpus and segmentation"))
        self.setMaximumWidth(theme.px(320))
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._menu = QMenu(self)
        self._menu.aboutToShow.connect(self._fill)
        self._menu.triggered.connect(self._choose)
        self.setMenu(self._menu)
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
            self.setText(tr("No corpus yet"))
            disable(self, tr("Import a text first: drop it on the window."))
            return
        enable(self)
        text = f"{_named(corpus, cut)}  ▾"
        room = theme.px(290)
        self.setText(self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, room))
        self.setToolTip(text.removesuffix("  ▾"))

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


def _search_field(parent: QWidget) -> QPushButton:
    """Looks like a field, opens the palette: text is typed there."""
    made = button(tr("Commands, runs, panels…   Ctrl K"), "field", icon_name="search",
                  parent=parent)  # fmt: skip
    made.setAccessibleName(tr("Find anything  Ctrl+K"))
    made.setMinimumWidth(theme.px(208))
    made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return made
