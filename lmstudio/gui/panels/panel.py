"""Panel: what every tab of a room is. How one is made:

    class DocumentsPanel(Panel):
        def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
            super().__init__(state, parent)
            self._table = Table(COLUMNS, tr("Documents"))    # gui.tables
            card = Card(tr("Documents"))                     # parts of gui.widgets
            card.body.addWidget(self._table)
            self.primary = button(tr("Segment"), "primary")  # what Ctrl+Enter presses
            self.primary.clicked.connect(self._segment)      # widget -> state
            layout = self.page()                             # with the page's margins
            layout.addWidget(card, 1)
            layout.addLayout(self.action_row(self.primary))  # buttons at the bottom right
            state.corpora_changed.connect(self.refresh)      # state -> widget
            state.selection_changed.connect(self.refresh)
            self.refresh()

        @Slot()
        def refresh(self) -> None:                           # draws everything from the state
            corpus = self.state.corpus
            self._table.set_rows(rows_of(corpus))
            if corpus is None:
                disable(self.primary, tr("Import a text first"))
            else:
                enable(self.primary)

        @Slot()
        def _segment(self) -> None:
            job = Job(tr("Segment {name}", name=self.state.corpus.name))
            self.state.run("bulk", job, segmentations.create, self.state.workspace, ...)

* Heavy work: `state.run(lane, job, operation, workspace, *plain)`; what it returns as Changes is
  applied by itself, so `refresh` runs again. Questions whose older answers do not matter: an
  `Asker(state, self)` of gui.jobs with `answered` and `failed`.
* No lambda holds `self` in a connect, every QObject has a parent, every slot has @Slot: the window
  is thrown away and made anew when the language changes.
* Sizes through `theme.px(16)`, colours through `theme.colour("muted")` when painting.
* It fits 1366 x 700 in both languages: wrap or elide text, scroll lower regions (`scrolled`).
* Then a line in gui/rooms.py puts it into a room.
"""

from pathlib import Path

from PySide6.QtCore import Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from lmstudio.gui import theme
from lmstudio.gui.dragged import SENTENCE, Dragged
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import ElidedLabel
from lmstudio.messages import tr


class Panel(QWidget):
    """A view of the state that owns no data. The window calls what is named below."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.state = state
        self.primary: QAbstractButton | None = None  # pressed by Ctrl+Enter
        self.note = ElidedLabel(tone="muted", size=12)  # at the left of the action row

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self.refresh()

    def refresh(self) -> None:
        """Draw everything from the state; also called whenever the panel is shown."""

    def page(self) -> QVBoxLayout:
        """The layout of the whole panel, with the page's margins and gaps."""
        layout = QVBoxLayout(self)
        margin = theme.px(16)
        layout.setContentsMargins(margin, margin, margin, margin)
        layout.setSpacing(theme.px(12))
        return layout

    def either(self, work: QWidget, empty: QWidget) -> QStackedWidget:
        """Fill the panel with two pages: 0 is its work, 1 says what is missing for it."""
        pages = QStackedWidget(self)
        for page in (work, empty):
            pages.addWidget(page)
        self.page().addWidget(pages, 1)
        return pages

    def action_row(self, *buttons: QWidget) -> QHBoxLayout:
        """`self.note` at the left, buttons at the right, the primary one last."""
        row = QHBoxLayout()
        row.setSpacing(theme.px(8))
        row.addWidget(self.note, 1)
        for widget in buttons:
            row.addWidget(widget)
        return row

    @Slot()
    def _go_to_training(self) -> None:
        self.state.panel_wanted.emit("new_run")

    @Slot()
    def _go_to_tasks(self) -> None:
        self.state.panel_wanted.emit("tasks")

    def open_files(self, paths: list[Path]) -> None:
        """Files were dropped or chosen anywhere in the window; only the corpora panel imports."""

    def why_not_drop(self, carried: Dragged) -> str:
        """Why a run or sentence that is dragged here cannot be dropped; "" where it can."""
        if carried.kind == SENTENCE:
            return tr("This panel takes no sentences.")
        return tr("This panel takes no runs.")

    def take_dropped(self, carried: Dragged) -> None:
        """A run or sentence was dropped here that can be."""

    def stop(self) -> bool:
        """Ctrl+.: stop what the panel itself is at; False if that is nothing."""
        return False

    def search(self) -> None:
        """Ctrl+F: put the cursor into the panel's search field, or say that it has none."""
        self.state.told.emit(tr("There is nothing to search in this panel."))

    def export(self) -> None:
        """Ctrl+E: save what the panel shows, or say that it cannot be saved."""
        self.state.told.emit(tr("There is nothing to save in this panel."))
