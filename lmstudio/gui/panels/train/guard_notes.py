"""GuardNotes: an n-gram config in; what of it is not defined on this text, said before, out."""

from PySide6.QtCore import QTimer, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from lmstudio.errors import AppError
from lmstudio.gui.jobs import Asker
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Strip, label
from lmstudio.messages import Message, tr
from lmstudio.models.config import NgramConfig
from lmstudio.operations import laboratory

DEBOUNCE_MS = 400
_MOST = 3  # sentences; there may be one for each order


class GuardNotes(QWidget):
    """Asked a moment after the last change; takes no room while there is nothing to say."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._question: tuple[int, NgramConfig] | None = None
        self._answered: tuple[int, NgramConfig] | None = None
        self.strip = Strip("warn", self)
        self.waiting = label(tr("Counting what the smoothing needs…"), size=12, tone="muted")
        self.waiting.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.waiting)
        layout.addWidget(self.strip)
        self._asker = Asker(state, self)
        self._asker.answered.connect(self._take)
        self._asker.failed.connect(self._fail)
        self._pause = QTimer(self, interval=DEBOUNCE_MS, singleShot=True)
        self._pause.timeout.connect(self._ask)

    @property
    def busy(self) -> bool:
        """An answer is awaited."""
        return self._asker.busy or self._pause.isActive()

    def show_for(self, segmentation: int, config: NgramConfig | None) -> None:
        """Ask about a config; None is one that needs no guard, or has faults."""
        question = None if config is None else (segmentation, config)
        if question == self._question:
            return
        self._question = question
        self._asker.cancel()
        self._pause.stop()
        self.waiting.hide()
        if question is None:
            self.strip.say("")
        elif question != self._answered:
            self._pause.start()

    def tell(self, notes: tuple[Message, ...]) -> None:
        """Say what is known of a config that needs no guard."""
        self.strip.setToolTip("")
        self.strip.say("\n".join(map(str, notes)))

    def stop(self) -> None:
        """Ask no more; the same question may be put again."""
        self._asker.cancel()
        self._pause.stop()
        self.waiting.hide()
        self._question = None

    @Slot()
    def _ask(self) -> None:
        if self._question is not None:
            self.waiting.show()
            self._asker.ask(laboratory.guard, self._state.workspace, *self._question)

    @Slot(object)
    def _take(self, notes: list[Message]) -> None:
        self._answered = self._question
        self.waiting.hide()
        said = [str(note) for note in notes]
        self.strip.setToolTip("\n".join(said))
        if len(said) > _MOST:
            more = tr("… and {count} more of this kind.", count=len(said) - _MOST)
            said = [*said[:_MOST], more]
        self.strip.say("\n".join(said))

    @Slot(object)
    def _fail(self, error: AppError) -> None:
        self.waiting.hide()
        self.strip.say(str(error))
