"""LayerView: what the four views of what layers know have in common."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QVBoxLayout, QWidget

from lmstudio.gui import theme
from lmstudio.gui.panels.tasks.tuning_card import encoders
from lmstudio.gui.state import AppState
from lmstudio.gui.tables import Cell, Row
from lmstudio.gui.widgets import ElidedLabel, WholeBox
from lmstudio.jobs import Job
from lmstudio.store.rows import RunRow, TaskRow


class LayerView(QWidget):
    """Draws from the state when it is shown; what it asked goes on while another is."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.state = state
        self.task: TaskRow | None = None
        self.primary: QAbstractButton | None = None
        self.note = ElidedLabel(size=12, tone="muted")  # at the left of the buttons

    @property
    def busy(self) -> bool:
        """Something is still to come."""
        return False

    def show_task(self, task: TaskRow | None) -> None:
        """What is shown is of this task from now on."""
        self.task = task
        if self.isVisible():
            self.refresh()

    def refresh(self) -> None:
        """Draw everything from the state."""

    def export(self) -> None:
        """Save the picture."""

    def stop(self) -> bool:
        """Stop what it is at; False if that is nothing."""
        return False

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self.refresh()

    # for those made of it

    def column(self, *parts: QWidget, foot: tuple[QWidget, ...]) -> None:
        """Lay out: parts from the top, the first takes the room; the note and buttons below."""
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(12))
        for number, part in enumerate(parts):
            layout.addWidget(part, 0 if number else 1)
        row = QHBoxLayout()
        row.setSpacing(theme.px(8))
        row.addWidget(self.note, 1)
        for widget in foot:
            row.addWidget(widget)
        layout.addLayout(row)

    def spin(self, name: str, value: int, low: int, high: int) -> WholeBox:
        """A box for a whole number."""
        made = WholeBox(self)
        made.setRange(low, high)
        made.setValue(value)
        made.setAccessibleName(name)
        made.setFixedWidth(theme.px(84))
        return made

    def networks(self) -> list[RunRow]:
        """The networks that have learned from text, newest first."""
        return encoders(self.state) if self.state.has_workspace else []


def network_row(run: RunRow, cells: dict[str, Cell] | None = None) -> Row:
    """A row for a network, with its mark."""
    named = {"name": Cell(run.name, draw=("mark", run.model), tip=run.name)}
    return Row(run.id, named | {"parameters": Cell(run.parameters)} | (cells or {}))


def path_last(function: Callable[..., None]) -> Callable[..., None]:
    """An operation that takes its file first, as SaveAs calls one."""

    def called(*given: Any, job: Job) -> None:
        *values, path = given
        assert isinstance(path, Path)
        function(path, *values, job=job)

    return called
