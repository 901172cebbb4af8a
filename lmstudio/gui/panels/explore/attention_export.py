"""AttentionExport: a card of the attention panel in; its picture or its numbers in a file out."""

from functools import partial

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from lmstudio import figures
from lmstudio.gui.dialogs.export_plot import ExportDialog
from lmstudio.gui.panels.explore import attention_texts as texts
from lmstudio.gui.panels.explore.attention_asking import AttentionAsking
from lmstudio.gui.panels.explore.attention_board import AttentionBoard
from lmstudio.gui.plot_export import Drawing
from lmstudio.gui.save_as import SaveAs
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets.interval_plot import Difference, IntervalPlot
from lmstudio.operations import attention
from lmstudio.operations.attention import name_of


class AttentionExport(QObject):
    """What the two tools of each card do."""

    def __init__(
        self, state: AppState, board: AttentionBoard, asking: AttentionAsking, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._state, self._board, self._asking, self._over = state, board, asking, parent
        self.save = SaveAs(state, parent)
        self._plot = IntervalPlot(board.changes.accessibleName(), board)
        self._plot.hide()  # it is only drawn into files
        for key, tool in board.pictures.items():
            tool.clicked.connect(partial(self.export_picture, key))
        for key, slot in (("heads", self.save_heads), ("arcs", self.save_row),
                          ("map", self.save_map), ("cell", self.save_cell),
                          ("changes", self.save_changes)):  # fmt: skip
            board.tables[key].clicked.connect(slot)

    def drawing(self, key: str) -> Drawing:
        """What draws the picture of a card."""
        board = self._board
        if key == "changes":
            changes = sorted(self._asking.changes, key=lambda one: -one.change)
            self._plot.set_differences(
                [Difference(texts.named(one), self._family(), one.change,
                            end=figures.signed(one.change)) for one in changes]
            )  # fmt: skip
            return self._plot
        drawings: dict[str, Drawing] = {
            "heads": board.grid, "arcs": board.arcs, "map": board.map, "cell": board.cell
        }  # fmt: skip
        return drawings[key]

    def _family(self) -> str:
        return self._board.arcs.shown().family or "gpt"

    def caption(self, key: str) -> str:
        """The title of a picture: the run, and what the card says."""
        asked = self._asking.asked
        name = self._state.workspace.run(asked.run).name if asked.run else ""
        row = self._board.cards[key].row
        note = row.note.full_text() if key == "cell" else ""
        return " · ".join(part for part in (name, row.title.full_text(), note) if part)

    def export_picture(self, key: str, *_: object) -> None:
        """A card's picture as PNG, SVG or PDF."""
        if self._asking.found is not None:
            drawing, caption = self.drawing(key), self.caption(key)
            ExportDialog(self._state, drawing, caption, self._over.window()).open()

    @Slot()
    def save_heads(self) -> None:
        """Every cell of every head."""
        asked = self._asking.asked
        if self._asking.found is not None:
            save = partial(
                attention.save_heads, words="auto" if asked.words else "tokens",
                off=[name_of(head) for head in sorted(asked.off)], marks=asked.marks,
            )  # fmt: skip
            self.save.ask("heads", save, self._state.workspace, asked.run, asked.text)

    @Slot()
    def save_row(self) -> None:
        """The row that asks."""
        if self._asking.found is not None:
            self.save.ask("row", attention.save_row, self._asking.found, self._asking.asked.row)

    @Slot()
    def save_map(self) -> None:
        """The matrix."""
        if self._asking.found is not None:
            self.save.ask("attention", attention.save_matrix, self._asking.found)

    @Slot()
    def save_cell(self) -> None:
        """The vectors behind the cell."""
        if self._asking.cell is not None:
            self.save.ask("cell", attention.save_cell, self._asking.cell)

    @Slot()
    def save_changes(self) -> None:
        """The heads by change of loss."""
        if self._asking.changes:
            changes = sorted(self._asking.changes, key=lambda one: -one.change)
            self.save.ask("head changes", attention.save_changes, changes)
