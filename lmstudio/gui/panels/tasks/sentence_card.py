"""SentenceCard: an example that a run was scored on in; what is said of it, and of it changed, out.

The text can be typed over: what is said then comes at once, beside what was said before.
"""

from functools import partial

from PySide6.QtCore import QTimer, Slot
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from lmstudio.analysis.tasks.errors import PartScores
from lmstudio.analysis.tasks.looking import TaskLooks
from lmstudio.analysis.tasks.prediction import Prediction
from lmstudio.data.labelled.example import Example
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.dialogs.export_plot import ExportDialog
from lmstudio.gui.jobs import Asker
from lmstudio.gui.panels.tasks import sentence_texts as texts
from lmstudio.gui.panels.tasks.looks_view import LooksView
from lmstudio.gui.panels.tasks.prediction_view import PredictionView
from lmstudio.gui.panels.tasks.task_layout import add_tool
from lmstudio.gui.panels.tasks.task_question import DEBOUNCE_MS, FIELDS, predict
from lmstudio.gui.save_as import SaveAs
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Card, Segmented, button, disable, enable, label
from lmstudio.messages import tr
from lmstudio.models.capabilities import reason
from lmstudio.operations import predicting, task_attention
from lmstudio.store.rows import RunRow

_TYPED = 300  # pixels


class SentenceCard(Card):
    """What is typed at the left, what the model says, or where it looks, at the right."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(tr("Example"), parent=parent)
        self._state = state
        self._run: RunRow | None = None
        self._example = Example("")
        self._kind = "classify"
        self.before: Prediction | None = None
        self.now: Prediction | None = None
        self._labels: tuple[str, ...] = ()
        self._place = -1  # a code point of the text that was clicked
        self.text, self.other = QPlainTextEdit(self), QLineEdit(self)
        self.text.setAccessibleName(tr("Text"))
        self.text.setTabChangesFocus(True)
        self.other.setAccessibleName(tr("Second text"))
        self.change = label(size=13, wrap=True)
        self.back = button(tr("As it was"), "link", parent=self)
        self.page = Segmented([("said", tr("Answer")), ("looks", tr("Attention"))],
                              tr("What is shown"), self)  # fmt: skip
        self.view = PredictionView(self)
        self.looks = LooksView(self)
        self._problem = label(size=13, tone="bad", wrap=True)
        self._pages = QStackedWidget(self)
        self._asker, self._looker = Asker(state, self), Asker(state, self)
        self._pause = QTimer(self, interval=DEBOUNCE_MS, singleShot=True)
        self.save = SaveAs(state, self)
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        self.row.add_tool(self.page)
        add_tool(self, "export", tr("Export the chart"), self.export)
        add_tool(self, "table", tr("Save as CSV"), self.save_csv)
        typed = QWidget(self)
        typed.setFixedWidth(theme.px(_TYPED))
        column = QVBoxLayout(typed)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(4))
        self._names = label(size=12, tone="muted"), label(size=12, tone="muted")
        for name, field in zip(self._names, (self.text, self.other), strict=True):
            column.addWidget(name)
            column.addWidget(field, 1 if field is self.text else 0)
        self.text.setFont(theme.font(15))
        self.text.setMinimumHeight(theme.px(56))
        foot = QHBoxLayout()
        foot.addWidget(self.change, 1)
        foot.addWidget(self.back)
        column.addLayout(foot)
        for page in (self.view, self.looks):
            self._pages.addWidget(page)
        right = QVBoxLayout()
        right.addWidget(self._problem)
        right.addWidget(self._pages, 1)
        self._shown = QWidget(self)
        both = QHBoxLayout(self._shown)
        both.setContentsMargins(0, 0, 0, 0)
        both.setSpacing(theme.px(16))
        both.addWidget(typed)
        both.addLayout(right, 1)
        self.body.addWidget(self._shown, 1)
        self.body.addStretch()
        self._problem.hide()

    def _connect(self) -> None:
        self.text.textChanged.connect(self._edited)
        self.other.textEdited.connect(self._edited)
        self._pause.timeout.connect(self.ask)
        self.back.clicked.connect(self.restore)
        self.page.chosen.connect(self._turn)
        self.view.picked.connect(self._pick)
        self._asker.answered.connect(self._take)
        self._asker.failed.connect(self._fail)
        self._looker.answered.connect(self._take_looks)
        self._looker.failed.connect(self._fail)

    @property
    def busy(self) -> bool:
        """An answer is awaited."""
        return self._asker.busy or self._looker.busy or self._pause.isActive()

    # what is asked

    def show_example(self, run: RunRow | None, found: PartScores | None, number: int) -> None:
        """Show an example of a part; none where there is no run, or `number` is below 0."""
        self._run = run if found is not None and number >= 0 else None
        self.setEnabled(self._run is not None)
        self._shown.setVisible(self._run is not None)
        if run is None or found is None or number < 0:
            self._example, self.before = Example(""), None
            self.row.set_note("")
            self.restore()
            return
        self._kind, self._example = found.task, found.examples[number]
        self.before = found.predictions[number]
        self.row.set_note(texts.note(found, number))
        first, second = FIELDS[self._kind]
        for name, field, title in zip(self._names, (self.text, self.other), (first, second),
                                      strict=True):  # fmt: skip
            name.setText(tr(title))
            field.setAccessibleName(tr(title))
            name.setVisible(bool(title))
            field.setVisible(bool(title))
        why = reason(run.model, "attention")
        if why is None:
            enable(self.page.segment("looks"))
        else:
            self.page.set_value("said")
            self._pages.setCurrentIndex(0)
            disable(self.page.segment("looks"), str(why))
        self.restore()

    @Slot()
    def restore(self) -> None:
        """Put the example back as it was."""
        self._place = -1
        self.other.setText(self._example.other)
        self.text.setPlainText(self._example.text)
        self.ask()

    @property
    def edited(self) -> bool:
        """The text is not that of the example any more."""
        typed = self.text.toPlainText(), self.other.text()
        return typed != (self._example.text, self._example.other)

    @Slot()
    def _edited(self) -> None:
        self._place = -1
        self._pause.start()

    @Slot()
    def ask(self) -> None:
        """Ask about what is typed."""
        self._pause.stop()
        run, text, other = self._run, self.text.toPlainText(), self.other.text()
        two = bool(FIELDS[self._kind][1])
        self._looker.cancel()
        if run is None or not text.strip() or two and not other.strip():
            self._asker.cancel()
            self._show(None)
            self.looks.show_looks(None, -1, "")
            return
        self._asker.ask(predict, self._state.workspace, run.id, text, [other] if two else [])

    @Slot(object)
    def _take(self, found: tuple[Prediction, tuple[str, ...]]) -> None:
        self._labels = found[1]
        self._problem.hide()
        self._show(found[0])
        if self.page.value() == "looks":
            self._ask_looks()

    def _ask_looks(self) -> None:
        run = self._run
        if run is None or self.now is None:
            return
        if self._place < 0:
            self._place = texts.first_place(self.now)
        question = partial(task_attention.looks, place=self._place)
        self._looker.ask(
            question, self._state.workspace, run.id, self.now.text, self.other.text()
        )  # fmt: skip

    @Slot(object)
    def _take_looks(self, found: TaskLooks) -> None:
        if self._run is not None:
            self.looks.show_looks(found, self._place, self._run.model)

    @Slot(object)
    def _fail(self, error: AppError) -> None:
        self._problem.setText(str(error))
        self._problem.show()

    # what is shown

    def _show(self, said: Prediction | None) -> None:
        self.now = said
        known = not self.edited or self._kind in ("classify", "pair")
        self.view.show_prediction(said, self._labels, self._example if known else None)
        self.back.setVisible(self.edited)
        if said is None or self.before is None:
            self.change.setText("")
        elif self.edited:
            self.change.setText(texts.change_of(self._kind, self.before, said))
        else:
            self.change.setText(tr("Type over it: what the model says follows."))

    @Slot()
    def _turn(self) -> None:
        shown = self.page.value()
        self._pages.setCurrentIndex(0 if shown == "said" else 1)
        if shown == "looks":
            self._ask_looks()

    @Slot(int)
    def _pick(self, place: int) -> None:
        self._place = place

    @Slot()
    def export(self) -> None:
        """Save what is shown at the right as a picture."""
        caption = self.text.toPlainText()[:40]
        if self.page.value() == "looks":
            arcs = self.looks.picture.value() == "arcs"
            ExportDialog(self._state, self.looks.arcs if arcs else self.looks.map,
                         self.looks.said.full_text(), self.window()).open()  # fmt: skip
        elif self.now is not None:
            shown = self.view.bars if self.now.probabilities else self.view.text
            ExportDialog(self._state, shown, caption, self.window()).open()

    @Slot()
    def save_csv(self) -> None:
        """Save the attention of every head, or what is said of the text, as CSV."""
        if self.page.value() == "looks" and self.looks.found is not None:
            self.save.ask("attention", task_attention.save_looks, self.looks.found)
        elif self.now is not None:
            self.save.ask("prediction", predicting.save_predictions, [self.now], self._labels)
