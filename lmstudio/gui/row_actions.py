"""A button of a panel in; the same in the menu of the rows that it is about, with its key, out."""

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QAbstractButton, QWidget


class RowAction(QAction):
    """Presses the button, and is switched off with it, for the same reason."""

    def __init__(
        self, rows: QWidget, press: QAbstractButton, keys: str = "", title: str = ""
    ) -> None:
        """`title` is that of the button unless given; `keys` work while `rows` have the focus."""
        told = press.text() or press.accessibleName() or press.toolTip()
        super().__init__(title or told.partition("  ")[0], rows)  # what follows is its key
        self._press = press
        self.setShortcut(QKeySequence(keys))
        self.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        self.triggered.connect(press.click)
        press.installEventFilter(self)
        rows.addAction(self)
        self._follow()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """The button was switched on or off."""
        if event.type() in (QEvent.Type.EnabledChange, QEvent.Type.ToolTipChange):
            self._follow()
        return False

    def _follow(self) -> None:
        self.setEnabled(self._press.isEnabled())
        self.setToolTip(self._press.toolTip())


def line(rows: QWidget) -> None:
    """A line between the actions before and those behind."""
    separator = QAction(rows)
    separator.setSeparator(True)
    rows.addAction(separator)
