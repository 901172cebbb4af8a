"""TunedRuns: which task and which fine-tuned run the panels of Fine-tune are about, one for all."""

from PySide6.QtCore import QObject, Signal

from lmstudio.store.rows import RunRow, TaskRow
from lmstudio.store.workspace import Workspace


class TunedRuns(QObject):
    """Tasks and runs are known by id; where the one chosen is gone, see `run` and `task`."""

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._task = self._run = 0

    def known(self, ws: Workspace) -> list[RunRow]:
        """All fine-tuned runs that have a model, oldest first."""
        from lmstudio.operations import runs  # with numpy: a window is there before it is needed

        return [run for run in ws.tuned_runs()
                if run.state != "running" and runs.has_model(ws, run)]  # fmt: skip

    def run(self, ws: Workspace) -> RunRow | None:
        """The run that is asked: the best of the task shown where none was chosen.

        By what its kind of task is scored by, on the valid part; the newest where none is scored.
        """
        known = self.known(ws)
        chosen = next((run for run in known if run.id == self._run), None)
        task = self.task(ws)
        if chosen is not None or task is None:
            return chosen
        of_task = [run for run in known if run.task == task.id]
        scores = [_score(ws, run, task.kind) for run in of_task]
        best = max(zip(scores, range(len(scores)), strict=True), default=None)
        return of_task[best[1]] if best else next(reversed(known), None)

    def task(self, ws: Workspace) -> TaskRow | None:
        """The task whose runs are shown: the one of the newest run where none was chosen."""
        tasks = {task.id: task for task in ws.tasks()}
        if self._task not in tasks:
            tuned = [run.task for run in ws.tuned_runs() if run.task in tasks]
            return tasks[tuned[-1]] if tuned and tuned[-1] else next(reversed(tasks.values()), None)
        return tasks[self._task]

    def choose_run(self, run: RunRow) -> None:
        """Ask another run, of its task."""
        if (run.id, run.task) != (self._run, self._task):
            self._run, self._task = run.id, run.task or 0
            self.changed.emit()

    def choose_task(self, task_id: int) -> None:
        """Show the runs of another task."""
        if task_id != self._task:
            self._task, self._run = task_id, 0
            self.changed.emit()


def _score(ws: Workspace, run: RunRow, kind: str) -> float:
    """On the valid part; -1 where it is not known."""
    from lmstudio.operations.task_results import MEASURES  # with numpy, as above

    found = (ws.evaluation(run.id, "valid") or {}).get(next(iter(MEASURES[kind])))
    return float(found) if isinstance(found, int | float) else -1.0
