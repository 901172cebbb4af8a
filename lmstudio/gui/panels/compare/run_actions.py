"""RunActions: what can be done with the runs selected, each with its key and its reason why not."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from lmstudio.errors import AppError
from lmstudio.gui import renaming
from lmstudio.gui.dialogs.ask import DeleteDialog, NameDialog
from lmstudio.gui.dialogs.continue_run import ContinueDialog
from lmstudio.gui.dialogs.export_run import ExportRunDialog
from lmstudio.gui.dialogs.tags import TagsDialog
from lmstudio.gui.panels.compare.run_board import RunBoard, RunEntry
from lmstudio.gui.panels.train import training_jobs
from lmstudio.gui.row_actions import line
from lmstudio.gui.save_as import TABLE, SaveAs
from lmstudio.gui.sheet_export import SheetExport
from lmstudio.gui.state import AppState
from lmstudio.jobs import Job
from lmstudio.messages import listed, tr
from lmstudio.models.registry import MODELS, TRAINABLE
from lmstudio.operations import evaluation, metrics, runs, sheets
from lmstudio.operations.run_recorder import UNFINISHED


class RunActions(QObject):
    """The actions of a run table; their shortcuts work while `widget` has the focus."""

    hide_wanted = Signal()  # show or hide the selected runs in the plot
    details_wanted = Signal()

    def __init__(self, state: AppState, board: RunBoard, widget: QWidget) -> None:
        super().__init__(widget)
        self._state, self._board, self._widget = state, board, widget
        self._asked = 0  # the run a dialog is about
        add = self._add
        self.hide = add(tr("Show or hide in the plot"), "Space", self.hide_wanted)
        self.details = add(tr("Details"), "Return", self.details_wanted)
        self.rename = add(tr("Rename…"), "F2", self._rename)
        self.tags = add(tr("Tags…"), "T", self._tag)
        self.again = add(tr("Change and train again"), "D", self._change)
        self.warm = add(tr("Train from its weights…"), "", self._begin_with)
        self.resume = add(tr("Continue training…"), "", self._resume)
        self.sweep = add(tr("Show its sweep"), "", self._show_sweep)
        self.evaluate = add(tr("Evaluate again"), "", self._evaluate)
        self.export = add(tr("Export…"), "", self._export)
        self.sheet = add(tr("Save run sheet…"), "", self._save_sheet)
        self.points = add(tr("Save recorded points…"), "", self._save_points)
        self.delete = add(tr("Delete…"), "Del", self._delete)
        self._offer()
        self.save = SaveAs(state, widget)
        self.sheets = SheetExport(state, widget)
        state.jobs.added.connect(self.update)
        state.jobs.finished.connect(self.update)
        self.update()

    def _add(self, text: str, key: str, slot: Callable[..., Any] | Any) -> QAction:
        action = QAction(text, self)
        action.setShortcut(QKeySequence(key))
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        action.triggered.connect(slot)
        return action

    def _offer(self) -> None:
        """In the menu of the table's rows, where their keys work too."""
        groups = ((self.details, self.hide, self.sweep),
                  (self.again, self.warm, self.resume, self.evaluate),
                  (self.sheet, self.points, self.export),
                  (self.rename, self.tags, self.delete))  # fmt: skip
        for number, group in enumerate(groups):
            if number:
                line(self._widget)
            self._widget.addActions(group)

    def menu(self, parent: QWidget) -> QMenu:
        """All of them; reasons are tool tips."""
        made = QMenu(parent)
        made.setToolTipsVisible(True)
        made.addActions(self._widget.actions())
        return made

    @Slot()
    def update(self) -> None:
        """Switch each on or off for what is selected."""
        chosen = self._chosen()
        none = "" if chosen else tr("Select a run first")
        one = none or ("" if len(chosen) == 1 else tr("Select one run only"))
        _set(self.hide, none)
        _set(self.details, one)
        _set(self.rename, one)
        _set(self.tags, one)
        _set(self.again, one or self._why_not_again(chosen[0]))
        _set(self.warm, one or self._why_not_begin_with(chosen[0]))
        _set(self.sweep, one or self._why_no_sweep(chosen[0]))
        _set(self.resume, one or self._why_not_resume(chosen[0]))
        _set(self.evaluate, one or self._why_not_evaluate(chosen[0]))
        _set(self.export, one or self._why_no_weights(chosen[0]))
        _set(self.sheet, none or self._why_no_sheet(chosen))
        _set(self.points, none or self._why_no_points(chosen))
        _set(self.delete, none or self._why_not_delete(chosen))

    def _chosen(self) -> list[RunEntry]:
        known = (self._board.entry(run_id) for run_id in self._state.run_ids)
        return [entry for entry in known if entry is not None]

    def _why_not_resume(self, entry: RunEntry) -> str:
        if entry.state in UNFINISHED:
            return ""
        if entry.state != "done":
            return tr("It is not at its end yet")
        if MODELS[entry.row.model].kind == "count":
            return tr("It was counted in one go: there is nothing to go on with")
        if not runs.has_last(self._state.workspace, entry.row):
            return self._why_no_weights(entry) or tr("Its last checkpoint is not here")
        return self._why_no_weights(entry)

    def _why_not_again(self, entry: RunEntry) -> str:
        return "" if entry.row.model in TRAINABLE else tr("It came in a file and is not trained")

    def _why_not_begin_with(self, entry: RunEntry) -> str:
        if entry.row.model not in TRAINABLE:
            return tr("Choose it in a new run of a network, where it says what that begins with")
        if MODELS[entry.row.model].kind == "count":
            return tr("Only networks have weights to begin with")
        return self._why_no_weights(entry)

    def _why_no_weights(self, entry: RunEntry) -> str:
        if runs.has_model(self._state.workspace, entry.row):
            return ""
        return tr("It has no model or checkpoint yet")

    def _why_no_sweep(self, entry: RunEntry) -> str:
        return "" if entry.row.sweep else tr("It is not part of a sweep")

    def _why_not_evaluate(self, entry: RunEntry) -> str:
        if entry.state in ("running", "queued"):
            return tr("Stop it first")
        return self._why_no_weights(entry) or str(runs.why_unscored(entry.row) or "")

    def _why_no_sheet(self, chosen: list[RunEntry]) -> str:
        try:
            for entry in chosen:
                sheets.refuse(self._state.workspace, entry.row)
        except AppError as error:
            return str(error)
        return ""

    def _why_no_points(self, chosen: list[RunEntry]) -> str:
        if any(self._board.metrics(entry.row.id) for entry in chosen):
            return ""
        return tr("Nothing was recorded of it")

    def _why_not_delete(self, chosen: list[RunEntry]) -> str:
        if any(entry.job or entry.state in ("running", "queued") for entry in chosen):
            return tr("Stop it first")
        measured = {job.measured_run for job in self._state.jobs.jobs()}
        if any(entry.row.id in measured for entry in chosen):
            return tr("It is being evaluated. Wait for it, or stop it.")
        return ""

    @Slot()
    def _rename(self) -> None:
        entry = self._chosen()[0]
        self._asked = entry.row.id
        dialog = NameDialog(tr("Rename the run"), entry.row.name, self._widget.window())
        dialog.named.connect(self.rename_to)
        dialog.open()

    @Slot(str)
    def rename_to(self, name: str) -> None:
        """Give the run asked about another name."""
        if (row := self._state.run_row(self._asked)) is not None:
            renaming.rename(self._state, runs.rename, row.id, row.name, name)

    @Slot()
    def _tag(self) -> None:
        row = self._chosen()[0].row
        TagsDialog(self._state, "run", row.id, row.name, self._widget.window()).open()

    @Slot()
    def _change(self) -> None:
        self._state.draft_from(self._chosen()[0].row)

    @Slot()
    def _begin_with(self) -> None:
        self._state.draft_from(self._chosen()[0].row, weights=True)

    @Slot()
    def _show_sweep(self) -> None:
        self._state.show_sweep(self._chosen()[0].row.sweep)

    @Slot()
    def _resume(self) -> None:
        """Networks can go on for any time; what is counted, only to its end."""
        row = self._chosen()[0].row
        self._asked = row.id
        if MODELS[row.model].kind == "count":
            self.go_on(0, 0.0)
            return
        dialog = ContinueDialog(row.name, done=row.state == "done", parent=self._widget.window())
        dialog.chosen.connect(self.go_on)
        dialog.open()

    @Slot(int, float)
    def go_on(self, epochs: int, minutes: float) -> None:
        """Train the run asked about for so much longer."""
        try:
            training_jobs.go_on(self._state, self._asked, epochs=epochs, minutes=minutes)
        except AppError as error:
            self._state.report(error)
        self._board.refresh()

    @Slot()
    def _evaluate(self) -> None:
        row = self._chosen()[0].row
        job = Job(tr("Evaluate {name}", name=row.name))
        job.measured_run = row.id
        self._state.run("bulk", job, evaluation.evaluate_again, self._state.workspace, row.id)

    @Slot()
    def _export(self) -> None:
        row = self._chosen()[0].row
        ExportRunDialog(self._state, row, self.save, self._widget.window()).open()

    @Slot()
    def _save_sheet(self) -> None:
        chosen = [entry.row for entry in self._chosen()]
        self.sheets.ask(chosen[0].name if len(chosen) == 1 else "runs", [row.id for row in chosen])

    @Slot()
    def _save_points(self) -> None:
        """Of all runs selected, below each other."""
        chosen = [entry.row.id for entry in self._chosen()]
        kinds = f"{TABLE};;JSON (*.json)"
        self.save.ask("points", metrics.save, self._state.workspace, chosen, kind=kinds)

    @Slot()
    def _delete(self) -> None:
        names = listed(entry.row.name for entry in self._chosen())
        title = tr("Delete {count} runs?", count=len(self._chosen()))
        if len(self._chosen()) == 1:
            title = tr("Delete {name}?", name=names)
        detail = tr("Models, checkpoints and curves go to the trash with them: {names}",
                    names=names)  # fmt: skip
        dialog = DeleteDialog(title, detail, self._widget.window())
        dialog.accepted.connect(self.delete_chosen)
        dialog.open()

    @Slot()
    def delete_chosen(self) -> None:
        """Delete the selected runs."""
        chosen = [entry.row.id for entry in self._chosen()]
        self._state.select_runs(())
        self._state.deletions.delete(runs.delete, *chosen)


def _set(action: QAction, reason: str) -> None:
    action.setEnabled(not reason)
    action.setToolTip(reason or action.text())
