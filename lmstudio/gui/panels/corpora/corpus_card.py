"""CorpusCard: the list of corpora with the ways to a new one."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from lmstudio.gui import theme
from lmstudio.gui.asking import Asking
from lmstudio.gui.panels.corpora.corpus_list import CorpusList
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Card, button
from lmstudio.gui.widgets.search_field import SearchField
from lmstudio.messages import tr

WIDTH = 288
FEW = 5
"""Corpora among which nobody needs to search."""


class CorpusCard(Card):
    """Both panels of the room have it at the left."""

    paste_wanted = Signal()

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(tr("Corpora"), parent=parent)
        self.setFixedWidth(theme.px(WIDTH))
        side = theme.px(12)
        self.body.setContentsMargins(side, theme.px(8), side, theme.px(12))
        self.list = CorpusList(state, self)
        self.add = button(tr("Import"), "link", icon_name="plus", parent=self)
        self.add.setMenu(self._menu(Asking(state, self)))
        self.row.add_tool(self.add)
        self.search = SearchField(tr("Search corpora"), self)
        self.search.setMaximumWidth(theme.px(WIDTH))
        self.search.textChanged.connect(self.list.search)
        self.body.addWidget(self.search)
        self.body.addWidget(self.list)
        state.corpora_changed.connect(self._refresh)
        self._state = state
        self._refresh()

    @Slot()
    def _refresh(self) -> None:
        """A few corpora are seen at a glance."""
        self.search.setVisible(len(self._state.corpora()) > FEW or bool(self.search.text()))

    def _menu(self, asking: Asking) -> QMenu:
        menu = QMenu(self)
        ways = (
            (tr("Import files…"), asking.choose_files),
            (tr("Import a folder…"), asking.choose_folder),
            (tr("Paste text…"), self.paste_wanted),
        )
        for title, way in ways:
            action = QAction(title, menu)
            action.triggered.connect(way)
            menu.addAction(action)
        return menu
