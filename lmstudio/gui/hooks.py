"""What nobody caught, from any thread, to the log and a dialog; garbage collected here only.

Other threads only put into a deque. One timer of the window's thread looks into it: no signal
crosses a thread, and no dialog opens inside a paint event.
"""

import gc
import logging
import sys
import threading
import traceback
from collections import deque
from types import TracebackType

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from lmstudio.errors import AppError
from lmstudio.messages import tr

_log = logging.getLogger(__name__)
LOOK_MS = 300
OLD_AFTER = 20  # looks between two collections of the oldest generation


class Hooks(QObject):
    """Installed once, for as long as the program runs."""

    problem = Signal(str, str)  # a sentence, the traceback ("" for an error of the user's)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._caught: deque[tuple[str, str]] = deque(maxlen=20)
        self._looks = 0
        self._before = (sys.excepthook, threading.excepthook, gc.isenabled())
        sys.excepthook = self._raised
        threading.excepthook = self._raised_in_thread
        gc.disable()  # a background thread must never destroy a widget
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self._look)
        self._timer.start()

    def remove(self) -> None:
        """Put everything back as it was."""
        self._timer.stop()
        gc.unfreeze()
        sys.excepthook, threading.excepthook, collecting = self._before
        if collecting:
            gc.enable()

    @Slot()
    def settle(self) -> None:
        """Everything is made: collect it once more, then look at what comes after it only.

        A full collection with all that a window is made of stalls it for 80 ms.
        """
        gc.unfreeze()
        gc.collect()
        gc.freeze()

    def _raised(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if isinstance(error, AppError):
            self._caught.append((str(error), ""))
            return
        details = "".join(traceback.format_exception(kind, error, trace))
        _log.error("not caught:\n%s", details)
        sentence = tr("Something went wrong inside the program: {error}", error=repr(error))
        self._caught.append((sentence, details))

    def _raised_in_thread(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self._raised(args.exc_type, args.exc_value, args.exc_traceback)

    @Slot()
    def _look(self) -> None:
        self._looks += 1
        gc.collect(2 if self._looks % OLD_AFTER == 0 else 1)
        if self._caught:
            self.problem.emit(*self._caught.popleft())
