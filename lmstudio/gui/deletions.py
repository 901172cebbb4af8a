"""Deletions: what goes to the trash or is changed, and the last of it, to be had back at once."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.operations import trash
from lmstudio.operations.changes import Changes

if TYPE_CHECKING:
    from lmstudio.gui.state import AppState


class Deletions(QObject):
    """Deletes and brings back in the lane of questions, which is soon free."""

    changed = Signal()  # the trash holds other things
    offered = Signal()  # `last` is another

    def __init__(self, state: "AppState") -> None:
        super().__init__(state)
        self._state = state
        self.last: tuple[int, ...] = ()  # numbers in the trash, of what was deleted together
        self.said = ""  # what was changed last, if that was after the last deletion
        self._back: Callable[[], Changes] | None = None  # and how it is changed back
        state.workspace_changed.connect(self.forget)

    def take(self, changes: Changes) -> None:
        """Take in what an operation changed."""
        if changes.trash:
            self._offer(changes.deleted)
            self.changed.emit()

    def delete(self, operation: Callable[..., Changes], *keys: int | str) -> None:
        """Delete things of one noun; `operation` is its `delete`."""
        ws = self._state.workspace
        self._state.run("ask", Job(), trash.delete_each, ws, operation, keys)

    def change(self, said: str, do: Callable[[], Changes], back: Callable[[], Changes]) -> None:
        """Change a name or tags at once, `said` being a sentence about it; `back` undoes it."""
        if self._carry_out(do):
            self._offer((), said, back)

    def _carry_out(self, do: Callable[[], Changes]) -> bool:
        try:
            self._state.apply(do())
        except AppError as error:
            self._state.report(error)
            return False
        return True

    @Slot()
    def undo(self) -> None:
        """Bring back what was deleted or changed last."""
        if self._back is not None:
            back = self._back
            self.forget()
            self._carry_out(back)
        elif self.last:
            last = self.last
            self.forget()
            self._state.run("ask", Job(), trash.restore_each, self._state.workspace, last)

    @Slot()
    def forget(self) -> None:
        """Offer nothing any more; the trash keeps it."""
        self._offer(())

    def _offer(
        self, numbers: tuple[int, ...], said: str = "", back: Callable[[], Changes] | None = None
    ) -> None:
        if numbers != self.last or back is not self._back:
            self.last, self.said, self._back = numbers, said, back
            self.offered.emit()
