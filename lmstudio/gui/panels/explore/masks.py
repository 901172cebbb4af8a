"""Masks: a sentence with blanks in; what every model would put there, side by side, out."""

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from lmstudio.analysis.fill.answer import Answer
from lmstudio.analysis.fill.question import Question
from lmstudio.analysis.fill.similarity import FillerSimilarity
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.dialogs.export_plot import ExportDialog
from lmstudio.gui.panels.explore.asked_row import AskedRow
from lmstudio.gui.panels.explore.asking_panel import AskingPanel
from lmstudio.gui.panels.explore.blank_question import BlankQuestion
from lmstudio.gui.panels.explore.first_sentence import first_sentence
from lmstudio.gui.panels.explore.masks_asking import MasksAsking
from lmstudio.gui.panels.explore.masks_board import AnswerBoard
from lmstudio.gui.panels.explore.masks_empty import MasksEmpty
from lmstudio.gui.panels.explore.masks_rank import RankCard
from lmstudio.gui.panels.explore.masks_sentence import BlankCard
from lmstudio.gui.panels.explore.masks_training import TrainingView
from lmstudio.gui.save_as import SaveAs
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Segmented, button, disable, enable, scrolled
from lmstudio.messages import tr
from lmstudio.models.capabilities import reason
from lmstudio.operations import fill
from lmstudio.store.rows import RunRow

DEBOUNCE_MS = 150


class MasksPanel(AskingPanel):
    """Columns come one by one; what is old stays, pale, until its answer is there."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.asked = AskedRow(state, "fill", self)
        self.blanks = BlankQuestion(self)
        self.sentence, self.rank = BlankCard(self.blanks, self), RankCard(self)
        self.training = TrainingView(state, self)
        self.mode = Segmented([("models", tr("Models")), ("training", tr("As in training"))],
                              tr("What is shown"), self)  # fmt: skip
        self.board = AnswerBoard(self)
        self.save = SaveAs(state, self)
        self._asking = MasksAsking(state, self)
        self._pause = QTimer(self, interval=DEBOUNCE_MS, singleShot=True)
        self._asked: object = None  # the question that is answered, or being answered
        self._cut: tuple[int, str] | None = None  # the segmentation and text whose units are known
        self._empty = MasksEmpty(state, self)
        self._views = QStackedWidget(self)
        self._lay_out()
        self._connect()
        self._tell_mode()
        self.refresh()

    def _lay_out(self) -> None:
        work, upper = QWidget(self), QHBoxLayout()
        column = QVBoxLayout(work)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(12))
        upper.setSpacing(theme.px(12))
        upper.addWidget(self.sentence, 5)
        upper.addWidget(self.rank, 2)
        for card in (self.sentence, self.rank):
            card.setFixedHeight(theme.px(148))
        area = scrolled(self.board, self)
        area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for view in (area, self.training):
            self._views.addWidget(view)
        column.addWidget(self.asked)
        column.addLayout(upper)
        column.addWidget(self._views, 1)
        self._keep = button(tr("Keep as a finding"), parent=self)
        self._table = button(tr("Export table"), icon_name="table", parent=self)
        self._picture = button(tr("Export picture"), icon_name="export", parent=self)
        for widget, slot in ((self._keep, self.keep), (self._table, self.export),
                             (self._picture, self.picture)):  # fmt: skip
            widget.clicked.connect(slot)
        actions = self.action_row(self._keep, self._table, self._picture)
        actions.insertWidget(0, self.mode)
        column.addLayout(actions)
        self._pages = self.either(work, self._empty)

    def _connect(self) -> None:
        self.asked.changed.connect(self.refresh)
        self.blanks.changed.connect(self._changed)
        self.sentence.taken.connect(self._take_first)
        self.sentence.another.connect(self._sample)
        self.sentence.order_changed.connect(self._pause.start)
        self.rank.compared.connect(self._compare)
        self.board.picked.connect(self.blanks.fill)
        self.mode.chosen.connect(self._turn)
        self._pause.timeout.connect(self.ask)
        self._asking.cut.connect(self.sentence.set_units)
        self._asking.sampled.connect(self.blanks.set_text)
        self._asking.refused.connect(self._refuse)
        self._asking.answered.connect(self._take)
        self._asking.failed.connect(self._fail)
        self._asking.took.connect(self.asked.set_time)
        self._asking.compared.connect(self._take_alike)
        self._asking.uncompared.connect(self._fail_alike)
        undo = QShortcut(QKeySequence(QKeySequence.StandardKey.Undo), self)
        undo.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        undo.activated.connect(self.blanks.undo)
        for signal in (self.state.selection_changed, self.state.runs_changed,
                       self.state.sentence_changed):  # fmt: skip
            signal.connect(self.refresh)

    # what is asked

    @property
    def busy(self) -> bool:
        """Something is on its way."""
        return self._pause.isActive() or self._asking.busy

    @Slot()
    def refresh(self) -> None:
        """Show a column for each run, and the sentence of all panels."""
        known = self.asked.known()
        self._pages.setCurrentIndex(0 if known else 1)
        self.primary = None if known else self._empty.lead
        if self.board.fit(self.asked.runs()):
            self._asked = None
        if known and self.isVisible():
            self._propose()
            self._changed()

    def _propose(self) -> None:
        """The first line of the sentence of all panels, or of the corpus."""
        corpus = self.state.corpus
        sentence = next((line for line in self.state.sentence.split("\n") if line.strip()), "")
        if not sentence and not self.blanks.text and corpus is not None:
            sentence = first_sentence(self.state, corpus.id)
        if sentence:
            self.blanks.set_text(sentence)

    @Slot()
    def _changed(self) -> None:
        """Another question, blank or segmentation: cut, ask, or draw what is known."""
        cut = self.state.segmentation
        if cut is None or not self.isVisible():
            return
        key = (cut.id, self.blanks.text)
        if key != self._cut or (self.blanks.text and not self.blanks.units()):
            if key[0] != (self._cut or key)[0]:
                self.training.forget()
            self._cut = key
            self._asking.ask_units(*key)
        if self.blanks.text.strip():
            self.state.set_sentence(self.blanks.text)
        if self._question() != self._asked:
            self._pause.start()
        self._draw()
        self._show_training()

    def _question(self) -> tuple[Question, bool, tuple[int, ...]]:
        return self.blanks.question, self.sentence.in_order, tuple(self.board.columns)

    @Slot()
    def ask(self) -> None:
        """Put the question to all runs in the row."""
        question, in_order, _ = self._question()
        if not self.isVisible() or not question.blanks or self._question() == self._asked:
            return
        self._asked = self._question()
        self.board.wait()
        self._asking.ask(question, self.board.columns, in_order=in_order)
        if self.rank.alike:
            self._compare()

    @Slot()
    def _sample(self) -> None:
        if (corpus := self.state.corpus) is not None:
            self._asking.ask_sentence(corpus.id)

    # what comes of it

    @Slot(int, object)
    def _take(self, run: int, answer: Answer) -> None:
        self.board.take(run, answer)
        self._draw()

    @Slot(int, object)
    def _fail(self, run: int, error: AppError) -> None:
        self.board.fail(run, error)
        self._draw()

    @Slot(object)
    def _refuse(self, error: AppError) -> None:
        self.note.setText(str(error))

    def _draw(self) -> None:
        """The candidates of the blank shown, all bars on one scale."""
        if self._asked is None or self._question() != self._asked:
            return
        number, question = self.blanks.current, self.blanks.question
        truth = question.truth(number) if number < len(question.blanks) else ""
        self.board.show_blank(number, truth)
        self.rank.show_ranks(truth, self.board.ranked())
        self.rank.propose(truth, self.board.first(other_than=truth))

    @Slot()
    def _take_first(self) -> None:
        """Enter: the first candidate of the first column that has one."""
        if word := self.board.first():
            self.blanks.fill(word)

    # two words in the blank

    @Slot()
    def _compare(self) -> None:
        question, number = self.blanks.question, self.blanks.current
        self.rank.clear_alike()
        if number < len(question.blanks) and all(self.rank.fillers()):
            columns = self.board.columns.items()
            able = [run for run, column in columns if self._has_vectors(column.run)]
            self._asking.compare(question, number, self.rank.fillers(), able)

    def _has_vectors(self, run: RunRow) -> bool:
        """Whether a run can be asked for vectors; where not, the reason is shown."""
        why = reason(run.model, "layers", None)
        if why is not None:
            self.rank.show_alike(run, str(why))
        return why is None

    @Slot(int, object)
    def _take_alike(self, run: int, found: FillerSimilarity) -> None:
        self._show_alike(run, found)

    @Slot(int, object)
    def _fail_alike(self, run: int, error: AppError) -> None:
        self._show_alike(run, str(error))

    def _show_alike(self, run: int, found: FillerSimilarity | str) -> None:
        if run in self.board.columns:
            self.rank.show_alike(self.board.columns[run].run, found)

    # the training view

    @Slot()
    def _turn(self) -> None:
        training = self.mode.value() == "training"
        self._views.setCurrentIndex(int(training))
        self._tell_mode()
        self._show_training()

    def _tell_mode(self) -> None:
        training = self.mode.value() == "training"
        put = tr("Click a candidate to put it into the sentence; Ctrl+Z takes it back.")
        drawn = tr("BERT's training draws anew each time that it reads a sentence.")
        self.note.setText(drawn if training else put)
        for widget in (self._keep, self._picture):
            if training:
                disable(widget, tr("This is about the answers of models."))
            else:
                enable(widget)

    def _show_training(self) -> None:
        if self.mode.value() == "training":
            self.training.set_text(self.blanks.text)

    # the rest of the window

    def search(self) -> None:
        """Ctrl+F: the sentence."""
        self.sentence.start_editing()

    @Slot()
    def export(self) -> None:
        """Ctrl+E: the candidates of all runs, or the lot of each token, as CSV."""
        if self.mode.value() == "training":
            if self.training.drawn is not None:
                self.save.ask("lottery", fill.save_lottery, self.training.drawn)
        elif answers := self.board.answers():
            self.save.ask("fill", fill.save_answers, self.blanks.question, answers)

    @Slot()
    def picture(self) -> None:
        """What is shown as PNG, SVG or PDF."""
        if self.board.answers():
            drawing = self.board.picture(self.blanks.question)
            ExportDialog(self.state, drawing, tr("Masks"), self.window()).open()

    @Slot()
    def keep(self) -> None:
        """Keep the question with its answers, to be put to other runs."""
        if answers := self.board.answers():
            question = self.blanks.question.to_json() | {"in_order": self.sentence.in_order}
            self.state.save_finding("fill", self.blanks.text, question, answers)
