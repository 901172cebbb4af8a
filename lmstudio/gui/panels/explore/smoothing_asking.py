"""SmoothingAsking: a context and two knobs in; the columns of the smoothings, as they come, out.

The three that need no estimating come with the table; each of the others is asked for by itself,
the chosen one first. A knob that is turned only asks for its own columns, and while such an answer
is awaited further turns are kept: the latest is asked next, so bars follow a slider that moves on.
"""

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal, Slot

from lmstudio.analysis.laboratory import Column
from lmstudio.errors import AppError
from lmstudio.gui.jobs import Asker
from lmstudio.gui.panels.explore.smoothing_names import TURNED_BY
from lmstudio.gui.state import AppState
from lmstudio.jobs import Job
from lmstudio.models.config import SMOOTHINGS, NgramConfig
from lmstudio.operations import laboratory
from lmstudio.operations.laboratory import Table
from lmstudio.store.workspace import Workspace

_AT_ONCE = ("maximum-likelihood", "add-one", "add-k")


@dataclass(frozen=True)
class SmoothingQuestion:
    """What all columns are about."""

    segmentation: int
    order: int
    context: str | tuple[int, ...]
    words: tuple[str, ...] = ()  # listed in any case


class SmoothingAsking(QObject):
    """Holds the last table and its columns; old ones stay until new ones come."""

    changed = Signal()
    failed = Signal(object)  # the AppError
    advanced = Signal(object)  # the job that counts

    def __init__(self, state: AppState, parent: QObject) -> None:
        super().__init__(parent)
        self._state = state
        self.table: Table | None = None
        self.columns: dict[str, Column] = {}
        self.chosen = "modified-kneser-ney"
        self.k, self.discount = 0.1, 0.0
        self._asked: SmoothingQuestion | None = None
        self._answered: SmoothingQuestion | None = None
        self._first, self._more = Asker(state, self), Asker(state, self)
        self._turning = False  # what `_more` is at belongs to a knob
        self._first.answered.connect(self._take_table)
        self._first.advanced.connect(self.advanced)
        self._more.answered.connect(self._take_columns)
        for asker in (self._first, self._more):
            asker.failed.connect(self._fail)

    @property
    def busy(self) -> bool:
        """Something is awaited."""
        return self._first.busy or self._more.busy

    @property
    def counting(self) -> bool:
        """The table itself is awaited."""
        return self._first.busy

    def config(self, smoothing: str) -> NgramConfig:
        """A smoothing with the knob that means something to it, so that others do not change it."""
        order = self._asked.order if self._asked else NgramConfig().order
        k = self.k if smoothing in TURNED_BY["k"] else NgramConfig().k
        discount = self.discount if smoothing in TURNED_BY["discount"] else 0.0
        return NgramConfig(order, smoothing, k=k, discount=discount)

    def stale(self, smoothing: str) -> bool:
        """The column on show answers a question before the last one."""
        column = self.columns.get(smoothing)
        others = self._answered != self._asked
        return column is not None and (others or column.config != self.config(smoothing))

    def ask(self, question: SmoothingQuestion) -> None:
        """Ask about a context, unless that is what is shown or awaited."""
        if question == self._asked and (self._first.busy or question == self._answered):
            return
        if self._answered and question.segmentation != self._answered.segmentation:
            self.forget()
        self._asked = question
        self._more.cancel()
        configs = [self.config(name) for name in _AT_ONCE]
        self._first.ask(_ask_table, self._state.workspace, question, configs)
        self.changed.emit()

    def turn(self, *, k: float, discount: float) -> None:
        """Set the knobs. `discount` 0 is the estimated one."""
        self.k, self.discount = k, discount
        if not (self._turning and self._more.busy):
            self._go_on()

    def cancel(self) -> None:
        """Ask no more; what is there stays."""
        self._first.cancel()
        self._more.cancel()
        self._asked = self._answered
        self.changed.emit()

    def forget(self) -> None:
        """Hold nothing."""
        self._first.cancel()
        self._more.cancel()
        self.table, self.columns = None, {}
        self._asked = self._answered = None

    def _go_on(self) -> None:
        """Ask for columns that a knob has made old; then for the next one that is not there."""
        if self.table is None or self._first.busy or self._answered is None:
            return
        turned = [name for name in self.columns if self.stale(name)]
        missing = [name for name in (self.chosen, *SMOOTHINGS) if name not in self.columns]
        names = turned or missing[:1]
        self._turning = bool(turned)
        if names:
            configs = [self.config(name) for name in names]
            cut = self._answered.segmentation
            ws = self._state.workspace
            self._more.ask(laboratory.columns, ws, cut, self.table, configs)

    @Slot(object)
    def _take_table(self, table: Table) -> None:
        self.table, self._answered = table, self._asked
        self.columns = {column.config.smoothing: column for column in table.bars.columns}
        self._go_on()
        self.changed.emit()

    @Slot(object)
    def _take_columns(self, columns: list[Column]) -> None:
        self.columns |= {column.config.smoothing: column for column in columns}
        self._go_on()
        self.changed.emit()

    @Slot(object)
    def _fail(self, error: AppError) -> None:
        self._asked = self._answered
        self.failed.emit(error)


def _ask_table(
    ws: Workspace, asked: SmoothingQuestion, configs: list[NgramConfig], *, job: Job
) -> Table:
    return laboratory.bars(
        ws, asked.segmentation, asked.context, configs, words=asked.words, unseen=1, job=job
    )
