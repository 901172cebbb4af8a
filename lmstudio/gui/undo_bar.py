"""UndoBar: what was deleted or changed last, above the job bar, with the way to have it back."""

from PySide6.QtCore import QEvent, QObject, QTimer, Slot
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from lmstudio.gui import theme
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import ElidedLabel, button, tool
from lmstudio.messages import listed, tr
from lmstudio.operations import trash

OFFER_MS = 30_000  # how long it stands; the trash has it for longer


class UndoBar(QFrame):
    """Hidden until something is deleted, renamed or tagged.

    Ctrl+Z reaches it where nothing else undoes by it.
    """

    def __init__(self, state: AppState, window: QWidget) -> None:
        super().__init__(window)
        self.setObjectName("undobar")
        self.setFixedHeight(theme.px(40))
        self._state = state
        self._text = ElidedLabel()
        self.undo = button(f"{tr('Undo')}  Ctrl+Z", parent=self)
        self.undo.clicked.connect(state.deletions.undo)
        self._show = show = button(tr("Trash"), "link", parent=self)
        show.clicked.connect(self._show_trash)
        close = tool("close", tr("Hide this note"), parent=self)
        close.clicked.connect(state.deletions.forget)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(theme.px(16), 0, theme.px(12), 0)
        layout.setSpacing(theme.px(8))
        layout.addWidget(self._text, 1)
        for widget in (self.undo, show, close):
            layout.addWidget(widget)
        self._timer = QTimer(self, interval=OFFER_MS, singleShot=True)
        self._timer.timeout.connect(state.deletions.forget)
        state.deletions.offered.connect(self.refresh)
        window.installEventFilter(self)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show what can be had back, or nothing."""
        last, said = self._state.deletions.last, self._state.deletions.said
        self.setVisible(bool(last or said))
        self._show.setVisible(bool(last))
        if not last:
            self._text.setText(said)
            self._timer.stop()
            if said:
                self._timer.start()
            return
        known = {one.id: one.name for one in trash.deleted(self._state.workspace)}
        names = [known[number] for number in last if number in known]
        if len(names) == 1:
            self._text.setText(tr("{name} is in the trash.", name=names[0]))
        else:
            told = tr("{count} things are in the trash: {names}", count=len(names),
                      names=listed(names))  # fmt: skip
            self._text.setText(told)
        self._timer.start()

    @Slot()
    def _show_trash(self) -> None:
        self._state.panel_wanted.emit("trash")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """A key press that nothing in the window has taken."""
        if isinstance(event, QKeyEvent) and self._undoes(event):
            self._state.deletions.undo()
            return True
        return super().eventFilter(watched, event)

    def _undoes(self, event: QKeyEvent) -> bool:
        pressed = event.type() == QEvent.Type.KeyPress
        return pressed and self.isVisible() and event.matches(QKeySequence.StandardKey.Undo)
