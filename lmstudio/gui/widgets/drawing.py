"""Drawing: a widget that paints itself, on the screen and, when that is asked for, as a picture."""

from PySide6.QtCore import QPoint, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from lmstudio.gui import theme
from lmstudio.messages import tr


class Drawing(QWidget):
    """Subclasses paint all that they show in `_paint`, or paint what they must of it themselves."""

    export_wanted = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._show_menu)
        theme.signals.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        self._paint(painter, QRectF(self.rect()), "")
        painter.end()

    def _paint(self, painter: QPainter, room: QRectF, mode: str) -> None:
        """Paint into `room`, in the colours of a theme; "" is the one in use."""

    @Slot(QPoint)
    def _show_menu(self, place: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(tr("Export as a picture…")).triggered.connect(self.export_wanted)
        menu.popup(self.mapToGlobal(place))
