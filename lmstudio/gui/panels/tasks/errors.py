"""Mistakes: a fine-tuned run and a part of its task in; what it takes for what, and where, out."""

from functools import partial

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QWidget

from lmstudio.analysis.tasks.errors import PartScores
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.jobs import Asker
from lmstudio.gui.panels.panel import Panel
from lmstudio.gui.panels.progress_row import ProgressRow
from lmstudio.gui.panels.tasks.confusion_card import ConfusionCard
from lmstudio.gui.panels.tasks.mistakes_card import MistakesCard
from lmstudio.gui.panels.tasks.run_choice import RunChoice
from lmstudio.gui.panels.tasks.sentence_card import SentenceCard
from lmstudio.gui.save_as import SaveAs
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import EmptyState, Segmented, Strip, button, disable, enable
from lmstudio.gui.widgets.splitter import splitter
from lmstudio.messages import msg, tr
from lmstudio.operations import predicting, task_scores
from lmstudio.store.rows import PARTS, Part, RunRow

_TITLES = {"train": msg("Train"), "valid": msg("Valid"), "test": msg("Test")}


class ErrorsPanel(Panel):
    """The confusion at the left, its sentences and the one chosen at the right.

    A part is scored when the panel is first shown with its run; that may take a while, and can be
    stopped.
    """

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.run_choice = RunChoice(state, self)
        self.part = Segmented([(part, tr(_TITLES[part])) for part in PARTS], tr("Part"), self)
        self.part.set_value("test")
        self.progress = ProgressRow(self)
        self.problem = Strip("bad", self)
        self.again = button(tr("Score this part"), "link", parent=self)
        self.confusion = ConfusionCard(state, self)
        self.mistakes = MistakesCard(state, self)
        self.sentence = SentenceCard(state, self)
        self.next = button(tr("Next in the list"), "primary", parent=self)
        self.predictions = button(tr("Save all predictions…"), parent=self)
        self.try_it = button(tr("Try it"), parent=self)
        self.save = SaveAs(state, self)
        self.found: PartScores | None = None
        self._asked: tuple[object, ...] = ()  # the run, its state and the part that are shown
        self._asker = Asker(state, self, "bulk")
        self._lead = button(tr("Choose a task"), "primary", parent=self)
        self._pages = QStackedWidget(self)
        self._lay_out()
        self._connect()
        self.refresh()

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(theme.px(12))
        for widget in (self.run_choice, self.part, self.again):
            row.addWidget(widget)
        row.addStretch()
        row.addWidget(self.progress)
        right = splitter("right", Qt.Orientation.Vertical, self.mistakes, self.sentence)
        both = splitter("both", Qt.Orientation.Horizontal, self.confusion, right)
        right.setSizes([theme.px(230), theme.px(270)])
        both.setSizes([theme.px(420), theme.px(830)])
        empty = EmptyState(
            tr("No fine-tuned model yet"),
            tr("Fine-tune an encoder for a task: then its mistakes can be read, sentence by "
               "sentence."),
            [self._lead], family="bert",
        )  # fmt: skip
        for page in (both, empty):
            self._pages.addWidget(page)
        column = self.page()
        column.addLayout(row)
        column.addWidget(self.problem)
        column.addWidget(self._pages, 1)
        column.addLayout(self.action_row(self.try_it, self.predictions, self.next))

    def _connect(self) -> None:
        self.run_choice.changed.connect(self.refresh)
        self.state.runs_changed.connect(self.refresh)
        self.part.chosen.connect(self.refresh)
        self.again.clicked.connect(self.ask)
        self.progress.cancelled.connect(self.cancel)
        self.confusion.chosen.connect(self._choose_cell)
        self.mistakes.all_wanted.connect(self._choose_all)
        self.mistakes.chosen.connect(self._choose_example)
        self.next.clicked.connect(self.mistakes.choose_next)
        self.predictions.clicked.connect(self.export)
        self.try_it.clicked.connect(self._open_box)
        self._lead.clicked.connect(self._go_to_tasks)
        self._asker.answered.connect(self._take)
        self._asker.failed.connect(self._fail)
        self._asker.advanced.connect(self.progress.advance)

    @property
    def busy(self) -> bool:
        """Something is still to come."""
        return self._asker.busy or self.sentence.busy

    # what is asked

    def run(self) -> RunRow | None:
        """The run whose mistakes are shown."""
        return self.run_choice.run()

    @Slot()
    def refresh(self) -> None:
        """Show the run and the part that are chosen, and score them if they are others now."""
        run = self.run()
        self._pages.setCurrentIndex(0 if run else 1)
        self.primary = self.next if run else self._lead
        for widget in (self.part, self.next, self.predictions, self.try_it):
            widget.setVisible(run is not None)
        if run is None:
            self.again.hide()
            return
        asked = run.id, run.state, run.step, self.part.value()
        if asked != self._asked and self.isVisible():
            self._offer_parts(run)
            self.ask()

    def _offer_parts(self, run: RunRow) -> None:
        """A part without examples cannot be chosen."""
        if run.task is None:
            return
        counts = self.state.workspace.task(run.task).facts.get("counts", {})
        for part in PARTS:
            segment = self.part.segment(part)
            if counts.get(part):
                enable(segment)
            else:
                disable(segment, tr("This task has no such part."))
        if not counts.get(self.part.value()):
            self.part.set_value(next((one for one in reversed(PARTS) if counts.get(one)), "test"))

    @Slot()
    def ask(self) -> None:
        """Score the part."""
        run = self.run()
        if run is None:
            return
        part: Part = next(one for one in PARTS if one == self.part.value())
        self._asked = run.id, run.state, run.step, part
        self._show(None)
        self.problem.say("")
        self.again.hide()
        self.progress.begin()
        question = partial(task_scores.score_part, lean=True)
        self._asker.ask(question, self.state.workspace, run.id, part)

    @Slot()
    def cancel(self) -> None:
        """Score no further."""
        self._asker.cancel()
        self.progress.end()
        self.again.show()

    @Slot(object)
    def _take(self, found: PartScores) -> None:
        self.progress.end()
        self._show(found)

    @Slot(object)
    def _fail(self, error: AppError) -> None:
        self.progress.end()
        self.problem.say(str(error))
        self.again.show()

    # what is shown

    def _show(self, found: PartScores | None) -> None:
        self.found = found
        self.confusion.show_scores(found, self._caption())
        self.mistakes.show_examples(found, self._caption())
        for action in (self.predictions, self.next):
            if found is None:
                disable(action, tr("This part is not scored yet."))
            else:
                enable(action)

    def _caption(self) -> str:
        run = self.run()
        return f"{run.name if run else ''} · {self.part.value()}"

    @Slot(str, str)
    def _choose_cell(self, gold: str, guess: str) -> None:
        self.mistakes.show_examples(self.found, self._caption(), gold, guess)

    @Slot()
    def _choose_all(self) -> None:
        self.confusion.forget()
        self.mistakes.show_examples(self.found, self._caption())

    @Slot(int)
    def _choose_example(self, number: int) -> None:
        self.sentence.show_example(self.run(), self.found, number)

    # the rest of the window

    def stop(self) -> bool:
        """Score no further."""
        busy = self._asker.busy
        if busy:
            self.cancel()
        return busy

    @Slot()
    def export(self) -> None:
        """Save what was said of every example of the part."""
        run = self.run()
        if self.found is not None and run is not None:
            labels = predicting.asked_task(self.state.workspace, run.id).labels
            self.save.ask(self._caption(), predicting.save_predictions, self.found.predictions,
                          labels)  # fmt: skip

    @Slot()
    def _open_box(self) -> None:
        self.state.panel_wanted.emit("try_it")
