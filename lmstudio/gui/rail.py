"""Rail: the rooms, one below the other; settings at the foot."""

from PySide6.QtCore import QPoint, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QToolButton, QVBoxLayout, QWidget

from lmstudio.gui import theme
from lmstudio.gui.icons import icon
from lmstudio.gui.rooms import ROOMS, Room
from lmstudio.messages import tr

HOVER_MS = 600


class Rail(QFrame):
    """Emits `chosen` with the key of a room when the user picks it."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("rail")
        self.setFixedWidth(theme.px(72))
        self.setAccessibleName(tr("Rooms"))
        self._group = QButtonGroup(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(theme.px(4), theme.px(8), theme.px(3), theme.px(8))
        layout.setSpacing(theme.px(8))
        upper = [room for room in ROOMS if not room.foot]
        for number, room in enumerate([*upper, *(room for room in ROOMS if room.foot)]):
            if number == len(upper):
                layout.addStretch()
            entry = self._entry(room, number)
            self._group.addButton(entry, ROOMS.index(room))
            layout.addWidget(entry)
        self._group.idClicked.connect(self._clicked)
        self.setAcceptDrops(True)
        self._over = -1  # the room that something is dragged over
        self._hover = QTimer(self, interval=HOVER_MS, singleShot=True)
        self._hover.timeout.connect(self._hovered)

    def _entry(self, room: Room, number: int) -> QToolButton:
        made = QToolButton(self)
        made.setProperty("kind", "rail")
        made.setText(tr(room.title))
        made.setIcon(icon(room.icon))
        made.setIconSize(QSize(theme.px(22), theme.px(22)))
        made.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        made.setFont(theme.font(12))
        made.setFixedSize(theme.px(64), theme.px(56))
        made.setCheckable(True)
        made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        made.setAccessibleName(tr(room.title))
        made.setToolTip(f"{tr(room.title)}  Alt+{number + 1}")
        return made

    # what is dragged over a room for a moment goes there

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802
        event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:  # noqa: N802
        over = self._number_at(event.position().toPoint())
        if over != self._over:
            self._over = over
            self._hover.stop()
            if over >= 0:
                self._hover.start()
        event.setAccepted(over >= 0)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:  # noqa: N802
        self._leave()

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802
        self._leave()
        event.ignore()

    def _leave(self) -> None:
        self._over = -1
        self._hover.stop()

    def _number_at(self, place: QPoint) -> int:
        entry = self.childAt(place)
        return self._group.id(entry) if isinstance(entry, QToolButton) else -1

    @Slot()
    def _hovered(self) -> None:
        self._clicked(self._over)

    def show_room(self, room: Room) -> None:
        """Mark the room that is on screen."""
        self._group.button(ROOMS.index(room)).setChecked(True)

    @Slot(int)
    def _clicked(self, number: int) -> None:
        self.chosen.emit(ROOMS[number].key)
