"""AttentionAsking: what is asked about the attention of a run, and the answers as they come.

A view of the matrix first; then the cell chosen in it and what the heads that are off do; then, a
layer at a time and only while nothing else is asked, what is lost without each head.
"""

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QElapsedTimer, QObject, Signal, Slot

from lmstudio.analysis.attending.attention import Attention
from lmstudio.analysis.attending.cell import CellArithmetic
from lmstudio.analysis.attending.switches import Effect, HeadChange, HeadChanges
from lmstudio.analysis.attending.text import Head
from lmstudio.errors import AppError
from lmstudio.gui.jobs import Asker
from lmstudio.gui.state import AppState
from lmstudio.operations import attention
from lmstudio.operations.attention import name_of
from lmstudio.store.rows import Facts


@dataclass
class Choice:
    """What is chosen in the panel. `row` and `column` count what is shown."""

    run: int = 0
    text: str = ""
    words: bool = True
    marks: bool = True
    renormalise: bool = False
    mode: str = "head"  # or "mean" of `members`, or "rollout" through the layer of `head`
    head: Head = (0, 0)
    members: frozenset[Head] = frozenset()
    off: frozenset[Head] = frozenset()
    row: int = -1  # -1: not chosen yet
    column: int = -1

    @property
    def shown(self) -> tuple[Head, ...]:
        """The heads whose mean is looked at; none in a rollout."""
        if self.mode == "rollout":
            return ()
        return tuple(sorted(self.members)) if self.mode == "mean" else (self.head,)

    @property
    def tried(self) -> tuple[Head, ...]:
        """The heads whose worth is told: those off, or else those looked at."""
        return tuple(sorted(self.off)) or self.shown

    def question(self) -> Facts:
        """The arguments of operations.attention.attention, without the run."""
        rollout = self.head[0] + 1 if self.mode == "rollout" else None
        return {
            "text": self.text, "heads": [name_of(head) for head in self.shown], "rollout": rollout,
            "words": "auto" if self.words else "tokens", "marks": self.marks,
            "renormalise": self.renormalise, "off": [name_of(head) for head in sorted(self.off)],
        }  # fmt: skip


class AttentionAsking(QObject):
    """Keeps the questions in order. Older answers are dropped."""

    seen = Signal(object)  # Attention
    worked_out = Signal(object)  # CellArithmetic, or None where there is none: no single head
    compared = Signal(object)  # Effect, or None
    ranked = Signal(list, int)  # HeadChanges so far, and layers that are still to come
    failed = Signal(object)  # AppError
    took = Signal(int)  # milliseconds until a view was there

    def __init__(self, state: AppState, parent: QObject) -> None:
        super().__init__(parent)
        self._state = state
        self.asked = Choice()
        self.found: Attention | None = None
        self.cell: CellArithmetic | None = None
        self.effect: Effect | None = None
        self.changes: list[HeadChange] = []
        self._base: HeadChanges | None = None
        self._ranking: tuple[int, str, frozenset[Head]] | None = None
        self._to_rank: list[int] = []
        self._clock = QElapsedTimer()
        self._views, self._cells = Asker(state, self), Asker(state, self)
        self._effects, self._ranks = Asker(state, self), Asker(state, self)
        for asker, slot in ((self._views, self._take_view), (self._cells, self._take_cell),
                            (self._effects, self._take_effect),
                            (self._ranks, self._take_rank)):  # fmt: skip
            asker.answered.connect(slot)
        self._views.failed.connect(self.failed)
        self._cells.failed.connect(self._no_cell)
        self._effects.failed.connect(self._no_effect)

    @property
    def busy(self) -> bool:
        """Something is still to come."""
        askers = (self._views, self._cells, self._effects, self._ranks)
        return any(asker.busy for asker in askers)

    @property
    def base(self) -> HeadChanges | None:
        """The loss that heads are missed by; with no changes of its own."""
        return self._base

    def ask(self) -> None:
        """Ask for the matrix, and then for all that is told of it."""
        self._ranks.cancel()
        self._cells.cancel()
        self._effects.cancel()
        self._clock.start()
        asked = self.asked
        self._views.ask(partial(attention.attention, **asked.question()), self._state.workspace,
                        asked.run)  # fmt: skip

    def ask_of_cell(self) -> None:
        """Ask about the cell and the row that are chosen."""
        asked, found = self.asked, self.found
        self._ranks.cancel()
        self._cells.cancel()
        self._effects.cancel()
        if found is None or asked.row < 0:
            return
        hidden = 0 if asked.marks else 1  # rows of the whole text count <s>
        words = "auto" if asked.words else "tokens"
        if len(asked.shown) == 1 and asked.column >= 0:
            self._cells.ask(
                partial(attention.cell, words=words, off=[name_of(h) for h in sorted(asked.off)]),
                self._state.workspace, asked.run, asked.text, name_of(asked.shown[0]),
                asked.row + hidden, asked.column + hidden,
            )  # fmt: skip
        else:
            self._no_cell()
        if asked.tried:
            self._effects.ask(
                partial(attention.effect, words=words, off=[name_of(h) for h in asked.tried]),
                self._state.workspace, asked.run, asked.text, asked.row + hidden,
            )  # fmt: skip
        else:
            self._no_effect()

    def cancel(self) -> None:
        """Ask nothing more."""
        for asker in (self._views, self._cells, self._effects, self._ranks):
            asker.cancel()

    @Slot(object)
    def _take_view(self, found: Attention) -> None:
        self.found = found
        self.took.emit(int(self._clock.elapsed()))
        self.seen.emit(found)
        self.ask_of_cell()

    @Slot(object)
    def _take_cell(self, found: CellArithmetic) -> None:
        self.cell = found
        self.worked_out.emit(found)

    @Slot()
    def _no_cell(self) -> None:
        self.cell = None
        self.worked_out.emit(None)

    @Slot(object)
    def _take_effect(self, found: Effect) -> None:
        self.effect = found
        self.compared.emit(found)
        self._go_on_ranking()

    @Slot()
    def _no_effect(self) -> None:
        self.effect = None
        self.compared.emit(None)
        self._go_on_ranking()

    # what each head is worth

    def _go_on_ranking(self) -> None:
        """Ask for the next layer; from the first, where another text or other heads are meant."""
        asked, found = self.asked, self.found
        if found is None:
            return
        meant = asked.run, asked.text, asked.off
        if meant != self._ranking:
            self._ranking, self.changes = meant, []
            self._to_rank = list(range(1, found.layers + 1))
            self.ranked.emit([], len(self._to_rank))
        if self._to_rank:
            self._ranks.ask(
                partial(attention.head_changes, layers=self._to_rank[:1],
                        off=[name_of(head) for head in sorted(asked.off)]),
                self._state.workspace, asked.run, asked.text,
            )  # fmt: skip

    @Slot(object)
    def _take_rank(self, found: HeadChanges) -> None:
        self._base = found
        self.changes = self.changes + found.changes
        self._to_rank = self._to_rank[1:]
        self.ranked.emit(self.changes, len(self._to_rank))
        self._go_on_ranking()

    @Slot(object)
    def forget(self, error: AppError | None = None) -> None:
        """There is nothing to show any more."""
        self.found = self.cell = self.effect = None
        self.changes, self._ranking = [], None
