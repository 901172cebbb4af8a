"""HelpWindow: the pages of the help beside the window, at the panel that is on screen."""

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QDialog, QListWidget, QListWidgetItem, QSplitter, QVBoxLayout, QWidget

from lmstudio import help_pages
from lmstudio.gui import theme
from lmstudio.gui.rooms import ROOMS
from lmstudio.gui.widgets.help_page import HelpPage
from lmstudio.messages import tr


class HelpPages(QSplitter):
    """The list of the pages at the left, the chosen one at the right."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setObjectName("pages")
        self.list, self.page = QListWidget(self), HelpPage(self)
        self.list.setAccessibleName(tr("Pages of the help"))
        self.list.setObjectName("found")
        known = help_pages.names()
        for room in ROOMS:
            for entry in room.panels:
                if entry.key in known:
                    item = QListWidgetItem(tr(entry.title), self.list)
                    item.setData(Qt.ItemDataRole.UserRole, entry.key)
        self.setChildrenCollapsible(False)
        self.setSizes([theme.px(150), theme.px(470)])
        self.setStretchFactor(1, 1)
        self.list.currentItemChanged.connect(self._choose)

    def show_page(self, key: str) -> None:
        """Show the page of a panel, if it has one."""
        for row in range(self.list.count()):
            if self.list.item(row).data(Qt.ItemDataRole.UserRole) == key:
                self.list.setCurrentRow(row)

    @Slot(QListWidgetItem)
    def _choose(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self.page.show_page(item.data(Qt.ItemDataRole.UserRole))


class HelpWindow(QDialog):
    """Stands beside what it tells of, and follows from panel to panel while it is open."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Tool)
        self.setWindowTitle(tr("Help"))
        self.resize(theme.px(640), theme.px(620))
        self.pages: HelpPages | None = None  # made when it is first asked for

    def toggle(self, key: str) -> bool:
        """Show the page of a panel, or hide it again; False for a panel that has none."""
        if self.isVisible():
            self.hide()
            return True
        if key not in help_pages.names():
            return False
        self.show_page(key)
        return True

    def show_page(self, key: str) -> None:
        """Show the page of a panel."""
        if self.pages is None:
            self.pages = HelpPages(self)
            layout = QVBoxLayout(self)
            layout.setContentsMargins(0, 0, 0, 0)
            layout.addWidget(self.pages)
        self.pages.show_page(key)
        self.show()

    def follow(self, key: str) -> None:
        """Show the page of another panel, if anything is shown."""
        if self.pages is not None and self.isVisible():
            self.pages.show_page(key)
