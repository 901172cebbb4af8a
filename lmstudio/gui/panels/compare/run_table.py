"""RunTable: the runs of the corpus with their figures; select, hide, rename, continue, delete."""

from pathlib import Path

from PySide6.QtCore import QPoint, Signal, Slot
from PySide6.QtWidgets import QWidget

from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.drag_sources import drag_runs
from lmstudio.gui.panels.compare import run_rows, run_series
from lmstudio.gui.panels.compare.run_actions import RunActions
from lmstudio.gui.panels.compare.run_board import RunBoard
from lmstudio.gui.save_as import chosen_path
from lmstudio.gui.state import AppState
from lmstudio.gui.tables import Row, Table
from lmstudio.gui.widgets import Card, button, disable, enable, tool
from lmstudio.gui.widgets.search_field import SearchField
from lmstudio.messages import tr


class RunTable(Card):
    """A card with the table and its actions. `hidden` are the runs taken out of the plot."""

    hidden_changed = Signal()
    details_wanted = Signal()

    def __init__(self, state: AppState, board: RunBoard, parent: QWidget | None = None) -> None:
        super().__init__(tr("Runs"), parent=parent)
        self._state, self._board = state, board
        self.hidden: set[int] = set()
        self._narrow = False
        self.table = Table(run_rows.columns(), tr("Runs"), self, many=True)
        self.table.setMinimumHeight(theme.px(120))
        self.body.addWidget(self.table, 1)
        self.actions_ = RunActions(state, board, self.table)
        self.again = button(tr("Change and train again"), "link", parent=self)
        self.compare = button(tr("Compare"), "primary", parent=self)
        self._menu = self.actions_.menu(self)
        self._more = tool("more", tr("More actions"), parent=self)
        self._save = tool("export", tr("Save the table as CSV"), parent=self)
        self.search = SearchField(tr("Search runs"), self)
        for widget in (self.again, self.search, self._more, self._save, self.compare):
            self.row.add_tool(widget)
        self.table.sort_by("valid")
        drag_runs(self.table, state)
        self._connect()
        self.refresh()

    def _connect(self) -> None:
        self.table.chosen.connect(self._select)
        self.table.opened.connect(self.details_wanted)
        self.search.textChanged.connect(self.refresh)
        self.actions_.hide_wanted.connect(self.toggle_hidden)
        self.actions_.details_wanted.connect(self.details_wanted)
        self.again.clicked.connect(self.actions_.again.trigger)
        self.compare.clicked.connect(self._compare)
        self._more.clicked.connect(self._show_menu_at_button)
        self._save.clicked.connect(self.save)
        self._state.run_selection_changed.connect(self._selection_changed)
        self._board.changed.connect(self.refresh)

    @Slot()
    def refresh(self) -> None:
        """Draw everything from the board."""
        made = run_rows.rows(self._board, self.hidden, self._state.run_ids, self.search.text())
        self.table.set_rows(made)
        self._show_columns()
        self.row.set_note(self._note(made))
        self._update_actions()

    def set_narrow(self, narrow: bool) -> None:
        """Leave out the drawings, so that figures still fit beside the details."""
        self._narrow = narrow
        self._show_columns()

    def _show_columns(self) -> None:
        entries = self._board.entries()
        cuts = {entry.segmentation.id for entry in entries}
        left_out = {"segmentation"} if len(cuts) < 2 else set()
        left_out |= {"curve", "place", "zero"} if self._narrow else set()
        if not any(entry.tags for entry in entries):
            left_out.add("tags")
        if len({entry.context for entry in entries}) < 2:
            left_out.add("context")
        for number, column in enumerate(run_rows.columns()):
            self.table.setColumnHidden(number, column.key in left_out)

    def _note(self, made: list[Row]) -> str:
        entries = self._board.entries()
        shown = [e for e in entries if e.comparable and e.row.id not in self.hidden]
        drawn = min(len(shown), run_series.MOST)
        notes = [tr("{count} in all, {shown} in the plot", count=len(entries), shown=drawn)]
        if any(row.cells[key].tone == "off" for row in made for key in run_rows.FIGURES):
            notes.append(tr("grey: scores something else and is not on this axis"))
        return " · ".join(notes)

    @Slot(list)
    def _select(self, keys: list[int]) -> None:
        self._state.select_runs(tuple(keys))

    @Slot()
    def _selection_changed(self) -> None:
        if tuple(self.table.selected()) != self._state.run_ids:
            self.table.select(self._state.run_ids)
        self.refresh()

    def _update_actions(self) -> None:
        self.actions_.update()
        if self.actions_.again.isEnabled():
            enable(self.again)
        else:
            disable(self.again, self.actions_.again.toolTip())
        if len(self._state.run_ids) > 1:
            enable(self.compare)
        else:
            disable(self.compare, tr("Select two runs first"))

    @Slot()
    def _compare(self) -> None:
        """Set the selected runs head to head."""
        self._state.panel_wanted.emit("head_to_head")

    @Slot()
    def toggle_hidden(self) -> None:
        """Take the selected runs out of the plot, or all of them back into it."""
        chosen = set(self._state.run_ids)
        self.hidden = self.hidden - chosen if chosen <= self.hidden else self.hidden | chosen
        self.refresh()
        self.hidden_changed.emit()

    @Slot()
    def _show_menu_at_button(self) -> None:
        self._menu.popup(self._more.mapToGlobal(QPoint(0, self._more.height())))

    @Slot()
    def save(self) -> None:
        """Ask where to, then write the table."""
        if path := chosen_path(self, tr("Save the table as CSV"), "runs"):
            self.save_to(path)

    def save_to(self, path: Path) -> None:
        """Write the table and tell the user."""
        try:
            self.table.save(path)
        except AppError as error:
            self._state.report(error)
        else:
            self._state.told.emit(tr("Saved {path}", path=path))
