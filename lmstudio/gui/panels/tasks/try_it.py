"""TryIt: what is typed in; what a fine-tuned run makes of it, while it is typed, out."""

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)

from lmstudio.analysis.tasks.prediction import Prediction
from lmstudio.data.labelled.example import Example
from lmstudio.data.labelled.task_folder import read_part
from lmstudio.data.layout import has_text
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.dialogs.export_plot import ExportDialog
from lmstudio.gui.jobs import Asker
from lmstudio.gui.panels.panel import Panel
from lmstudio.gui.panels.tasks.prediction_view import PredictionView
from lmstudio.gui.panels.tasks.run_choice import RunChoice
from lmstudio.gui.panels.tasks.task_layout import add_tool
from lmstudio.gui.panels.tasks.task_question import DEBOUNCE_MS, FIELDS, predict
from lmstudio.gui.save_as import SaveAs
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Card, EmptyState, button, label
from lmstudio.gui.widgets.splitter import splitter
from lmstudio.messages import tr
from lmstudio.operations import predicting

PATIENCE_MS = 80  # a sign within 100
"""How long nothing may be shown before it is said why."""


class TryItPanel(Panel):
    """A box for the text, one for the second text or the question, and the answer beside them."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.run_choice = RunChoice(state, self)
        self.text, self.other = QPlainTextEdit(self), QLineEdit(self)
        self.text.setAccessibleName(tr("Text"))
        self.text.setTabChangesFocus(True)
        self.other.setAccessibleName(tr("Second text"))
        self.view = PredictionView(self)
        self.next = button(tr("Another example"), parent=self)
        self.mistakes = button(tr("See the mistakes"), parent=self)
        self.asking = Asker(state, self)
        self.save = SaveAs(state, self)
        self.found: Prediction | None = None
        self._labels: tuple[str, ...] = ()
        self._examples: list[Example] = []
        self._at = self._asked = 0
        self._task: int | None = None  # whose example may stand in the box
        self._offered = ""
        self._pause = QTimer(self, interval=DEBOUNCE_MS, singleShot=True)
        self._wait = QTimer(self, interval=PATIENCE_MS, singleShot=True)
        self._lead = button(tr("Choose a task"), "primary", parent=self)
        self._lay_out()
        self._connect()
        self._change_run()

    @property
    def busy(self) -> bool:
        """An answer is awaited."""
        return self.asking.busy or self._pause.isActive()

    def _lay_out(self) -> None:
        left = Card(tr("Try it"), parent=self)
        left.body.addWidget(self.run_choice)
        self._names = label(tone="muted"), label(tone="muted")
        for name, field in zip(self._names, (self.text, self.other), strict=True):
            field.setFont(theme.font(15))
            left.body.addWidget(name)
            left.body.addWidget(field, 1 if field is self.text else 0)
        foot = QHBoxLayout()
        foot.setSpacing(theme.px(8))
        for action in (self.next, self.mistakes):
            foot.addWidget(action, 1)
        left.body.addLayout(foot)
        right = Card(tr("What the model says"), parent=self)
        add_tool(right, "export", tr("Export the chart"), self.export)
        add_tool(right, "table", tr("Save as CSV"), self.save_answer)
        self._problem = label(size=13, tone="bad", wrap=True)
        self._problem.hide()
        self.waiting = label(tr("The model is being opened…"), size=13, tone="muted")
        self.waiting.hide()
        right.body.addWidget(self._problem)
        right.body.addWidget(self.waiting)
        right.body.addWidget(self.view, 1)
        both = splitter("both", Qt.Orientation.Horizontal, left, right, sizes=(500, 700))
        empty = EmptyState(
            tr("No fine-tuned model yet"),
            tr("Fine-tune an encoder for a task: then whatever is typed here is classified, tagged "
               "or answered at once."),
            [self._lead], family="bert",
        )  # fmt: skip
        self._pages = self.either(both, empty)

    def _connect(self) -> None:
        self.run_choice.changed.connect(self._change_run)
        self.text.textChanged.connect(self._pause.start)
        self.other.textEdited.connect(self._pause.start)
        self._pause.timeout.connect(self.ask)
        self._wait.timeout.connect(self._tell_wait)
        self.next.clicked.connect(self.show_next)
        self.mistakes.clicked.connect(self._go_to_mistakes)
        self._lead.clicked.connect(self._go_to_tasks)
        self.asking.answered.connect(self._take)
        self.asking.failed.connect(self._fail)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self._change_run()

    # what is asked

    def _kind(self) -> str:
        run = self.run_choice.run()
        return str(run.spec["task"]["kind"]) if run else "classify"

    @Slot()
    def _change_run(self) -> None:
        run = self.run_choice.run()
        self._pages.setCurrentIndex(0 if run else 1)
        self.primary = None if run else self._lead
        if run is None or not self.isVisible():
            return
        self._forget_other(run.id)
        first, second = FIELDS[self._kind()]
        self._names[0].setText(tr(first))
        self.text.setAccessibleName(tr(first))
        for widget in (self._names[1], self.other):
            widget.setVisible(bool(second))
        if second:
            self._names[1].setText(tr(second))
            self.other.setAccessibleName(tr(second))
        self._examples = [] if run.task is None else _examples(self.state, run.task)
        self._at = 0
        untouched = self.text.toPlainText() in ("", self._offered)
        if (untouched and run.task != self._task) or second and not self.other.text():
            self.show_next()
        self._task = run.task
        self.ask()

    @Slot()
    def show_next(self) -> None:
        """Put the next example of the task's test part into the boxes."""
        if self._examples:
            example = self._examples[self._at % len(self._examples)]
            self._at += 1
            self._offered = example.text
            self.other.setText(example.other)
            self.text.setPlainText(example.text)

    @Slot()
    def ask(self) -> None:
        """Ask about what is typed."""
        self._pause.stop()
        run, text = self.run_choice.run(), self.text.toPlainText()
        two = bool(FIELDS[self._kind()][1])
        if run is None or not text.strip() or two and not self.other.text().strip():
            self.asking.cancel()
            self._show(None)
            return
        others = [self.other.text()] if two else []
        self._wait.start()
        self.asking.ask(predict, self.state.workspace, run.id, text, others)

    def _forget_other(self, run: int) -> None:
        """What another run said is no answer of this one."""
        if run != self._asked:
            self._asked = run
            self._show(None)

    @Slot(object)
    def _take(self, found: tuple[Prediction, tuple[str, ...]]) -> None:
        self._show(*found)

    @Slot()
    def _tell_wait(self) -> None:
        """No answer yet, nor one that could stand until then: a worker starts, or opens a model."""
        self.waiting.setVisible(self.asking.busy and self.found is None)

    def _show(self, said: Prediction | None, labels: tuple[str, ...] = ()) -> None:
        self._wait.stop()
        self.waiting.hide()
        self._problem.hide()
        self.found, self._labels = said, labels
        self.view.show_prediction(said, labels)

    @Slot(object)
    def _fail(self, error: AppError) -> None:
        self._show(None)
        self._problem.setText(str(error))
        self._problem.show()

    # the rest of the window

    @Slot()
    def _go_to_mistakes(self) -> None:
        self.state.panel_wanted.emit("task_errors")

    @Slot()
    def export(self) -> None:
        """Save what the model says as a picture."""
        shown = self.view.text if self.found and not self.found.probabilities else self.view.bars
        ExportDialog(self.state, shown, self.run_choice.box.currentText(), self.window()).open()

    @Slot()
    def save_answer(self) -> None:
        """Save what the model says as CSV."""
        if self.found is not None:
            self.save.ask("prediction", predicting.save_predictions, [self.found],
                          self._labels)  # fmt: skip


def _examples(state: AppState, task: int) -> list[Example]:
    folder = state.workspace.task_folder(task)
    if not has_text(folder):  # the run came as a file, without them
        return []
    parts = (read_part(folder, part) for part in ("test", "valid", "train"))
    return next((found for found in parts if found), [])
