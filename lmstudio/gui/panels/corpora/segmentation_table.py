"""SegmentationTable: the segmentations of the corpus selected; one is renamed or deleted."""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from lmstudio import figures
from lmstudio.gui import renaming, theme
from lmstudio.gui.dialogs.ask import DeleteDialog, NameDialog
from lmstudio.gui.row_actions import RowAction
from lmstudio.gui.state import AppState
from lmstudio.gui.tables import Cell, Column, Row, Table
from lmstudio.gui.widgets import disable, enable, tool
from lmstudio.messages import tr
from lmstudio.operations import segmentations, trash
from lmstudio.store.rows import SegmentationRow


class SegmentationTable(Table):
    """Choosing a row selects the segmentation everywhere; F2 renames it, Del deletes it."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        columns = (
            Column("name", tr("Segmentation")),
            Column("tokens", tr("Tokens"), right=True, show=figures.count, width=84),
            Column("vocabulary", tr("Vocabulary"), right=True, show=figures.count, width=92),
            Column("runs", tr("Runs"), right=True, show=figures.count, width=56),
        )
        super().__init__(columns, tr("Segmentations"), parent)
        self._state = state
        self._asked: SegmentationRow | None = None  # the one a dialog is about
        self.setMinimumHeight(theme.px(90))
        self.rename_tool = tool("edit", tr("Rename the segmentation  F2"), parent=self)
        self.delete_tool = tool("delete", tr("Delete the segmentation…"), parent=self)
        self.rename_tool.clicked.connect(self.rename)
        self.delete_tool.clicked.connect(self.delete)
        RowAction(self, self.rename_tool, "F2")
        RowAction(self, self.delete_tool, "Del")
        self.chosen.connect(self._select)
        for signal in (state.segmentations_changed, state.selection_changed, state.runs_changed,
                       state.workspace_changed):  # fmt: skip
            signal.connect(self.refresh)
        state.jobs.added.connect(self._update_tools)
        state.jobs.finished.connect(self._update_tools)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show the segmentations as they are now."""
        corpus = self._state.corpus
        cuts = self._state.segmentations(corpus.id) if corpus else []
        self.set_rows([self._row(cut) for cut in reversed(cuts)])
        if (chosen := self._state.segmentation) is not None:
            self.select([chosen.id])
        self._update_tools()

    def _row(self, cut: SegmentationRow) -> Row:
        runs = len(self._state.runs(cut.id))
        return Row(cut.id, {
            "name": Cell(cut.name, tip=cut.name), "tokens": Cell(cut.facts.get("tokens")),
            "vocabulary": Cell(cut.vocabulary), "runs": Cell(runs),
        })  # fmt: skip

    @Slot(list)
    def _select(self, keys: list[int]) -> None:
        if keys:
            self._state.select_segmentation(keys[0])

    @Slot()
    def _update_tools(self) -> None:
        """A segmentation that a job may be reading is not deleted."""
        if self._state.segmentation is None:
            for widget in (self.rename_tool, self.delete_tool):
                disable(widget, tr("There is no segmentation yet."))
            return
        enable(self.rename_tool)
        enable(self.delete_tool)
        if self._state.jobs.jobs():
            disable(self.delete_tool, tr("A job is running. Wait for it, or stop it."))

    @Slot()
    def rename(self) -> None:
        """Ask for another name."""
        if (cut := self._state.segmentation) is not None:
            self._asked = cut
            dialog = NameDialog(tr("Rename the segmentation"), cut.name, self.window())
            dialog.named.connect(self.rename_to)
            dialog.open()

    @Slot(str)
    def rename_to(self, name: str) -> None:
        """Give the segmentation asked about another name."""
        asked = self._asked
        assert asked is not None
        renaming.rename(self._state, segmentations.rename, asked.id, asked.name, name)

    @Slot()
    def delete(self) -> None:
        """Ask, and say what goes with the segmentation."""
        cut = self._state.segmentation
        if cut is None or not self.delete_tool.isEnabled():
            return
        self._asked = cut
        runs = trash.going(self._state.workspace, "segmentation", cut.id)
        detail = tr(
            "The segmentation and its runs ({runs}) with their models go to the trash. The corpus "
            "stays.",
            runs=len(runs),
        )
        detail += f"\n{trash.with_it(runs)}" if runs else ""
        dialog = DeleteDialog(tr("Delete {name}?", name=cut.name), detail, self.window())
        dialog.accepted.connect(self.delete_asked)
        dialog.open()

    @Slot()
    def delete_asked(self) -> None:
        """Delete the segmentation asked about."""
        assert self._asked is not None
        self._state.deletions.delete(segmentations.delete, self._asked.id)
