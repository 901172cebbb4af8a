"""ContextPicker: a segmentation and an order in; one frequent context of the text after another."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal, Slot

from lmstudio.gui.jobs import Asker
from lmstudio.gui.state import AppState
from lmstudio.operations import laboratory
from lmstudio.operations.laboratory import FrequentContext

_STRIDE = 7  # neighbours in the list are much alike


class ContextPicker(QObject):
    """Lists are kept by order while the segmentation is the same."""

    picked = Signal(object)  # FrequentContext, or None where the text has none
    failed = Signal(object)
    advanced = Signal(object)

    def __init__(self, state: AppState, parent: QObject) -> None:
        super().__init__(parent)
        self._state = state
        self._asker = Asker(state, self)
        self._asker.answered.connect(self._take)
        self._asker.failed.connect(self.failed)
        self._asker.advanced.connect(self.advanced)
        self._segmentation, self._order = 0, 0
        self._lists: dict[int, list[FrequentContext]] = {}
        self._turn = -1
        self._near: tuple[int, ...] = ()

    @property
    def busy(self) -> bool:
        """A list is awaited."""
        return self._asker.busy

    def cancel(self) -> None:
        """Ask no more."""
        self._asker.cancel()

    def pick(self, segmentation: int, order: int, near: Sequence[int] = ()) -> None:
        """Pick the next context; with `near`, one that ends in these ids if there is one."""
        if segmentation != self._segmentation:
            self._lists, self._turn = {}, -1
        self._segmentation, self._order, self._near = segmentation, order, tuple(near)
        if order in self._lists:
            self._emit(self._lists[order])
        else:
            self._asker.ask(
                laboratory.frequent_contexts, self._state.workspace, segmentation, order
            )

    @Slot(object)
    def _take(self, found: list[FrequentContext]) -> None:
        self._lists[self._order] = found
        self._emit(found)

    def _emit(self, found: list[FrequentContext]) -> None:
        if not found:
            self.picked.emit(None)
            return
        if self._near:
            ends = (c for c in found if tuple(c.ids[-len(self._near) :]) == self._near)
            if (like := next(ends, None)) is not None:
                self.picked.emit(like)
                return
        self._turn += 1
        stride = _STRIDE if len(found) % _STRIDE else 1  # so that each has its turn
        self.picked.emit(found[self._turn * stride % len(found)])
