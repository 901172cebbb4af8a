"""Masks: a sentence with blanks in; what every model would put there, side by side, out."""

import random
from functools import partial

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtGui import QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from lmstudio.analysis.fill.answer import Answer
from lmstudio.analysis.fill.question import Question
from lmstudio.analysis.fill.similarity import FillerSimilarity
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.dialogs.export_plot import ExportDialog
from lmstudio.gui.jobs import Asker
from lmstudio.gui.many_asking import ManyAsker
from lmstudio.gui.panels.explore.asked_row import AskedRow
from lmstudio.gui.panels.explore.blank_question import BlankQuestion
from lmstudio.gui.panels.explore.first_sentence import first_sentence
from lmstudio.gui.panels.explore.masks_column import AnswerColumn
from lmstudio.gui.panels.explore.masks_empty import MasksEmpty
from lmstudio.gui.panels.explore.masks_picture import MasksPicture, PictureColumn
from lmstudio.gui.panels.explore.masks_rank import RankCard
from lmstudio.gui.panels.explore.masks_sentence import BlankCard
from lmstudio.gui.panels.explore.masks_training import TrainingView
from lmstudio.gui.panels.panel import Panel
from lmstudio.gui.save_as import SaveAs
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Segmented, button, disable, enable, scrolled
from lmstudio.gui.widgets.rank_axis import Ranked
from lmstudio.messages import tr
from lmstudio.models.capabilities import reason
from lmstudio.models.registry import MODELS
from lmstudio.operations import fill
from lmstudio.store.rows import RunRow

DEBOUNCE_MS = 150


class MasksPanel(Panel):
    """Columns come one by one; what is old stays, pale, until its answer is there."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.asked = AskedRow(state, "fill", self)
        self.blanks = BlankQuestion(self)
        self.sentence, self.rank = BlankCard(self.blanks, self), RankCard(self)
        self.training = TrainingView(state, self)
        self.mode = Segmented([("models", tr("Models")), ("training", tr("As in training"))],
                              tr("What is shown"), self)  # fmt: skip
        self.columns: dict[int, AnswerColumn] = {}
        self.save = SaveAs(state, self)
        self._cutter, self._sampler = Asker(state, self), Asker(state, self)
        self._many, self._pairs = ManyAsker(state, self), ManyAsker(state, self)
        self._pause = QTimer(self, interval=DEBOUNCE_MS, singleShot=True)
        self._asked: object = None  # the question that is answered, or being answered
        self._cut: tuple[int, str] | None = None  # the segmentation and text whose units are known
        self._empty = MasksEmpty(state, self)
        self._pages, self._views = QStackedWidget(self), QStackedWidget(self)
        self._row = QHBoxLayout()
        self._lay_out()
        self._connect()
        self._tell_mode()
        self.refresh()

    def _lay_out(self) -> None:
        work, inner, upper = QWidget(self), QWidget(self), QHBoxLayout()
        column = QVBoxLayout(work)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(12))
        upper.setSpacing(theme.px(12))
        upper.addWidget(self.sentence, 5)
        upper.addWidget(self.rank, 2)
        for card in (self.sentence, self.rank):
            card.setFixedHeight(theme.px(148))
        self._row = QHBoxLayout(inner)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(theme.px(12))
        area = scrolled(inner, self)
        area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for view in (area, self.training):
            self._views.addWidget(view)
        column.addWidget(self.asked)
        column.addLayout(upper)
        column.addWidget(self._views, 1)
        self._keep = button(tr("Keep among the findings"), parent=self)
        self._table = button(tr("Export table"), icon_name="table", parent=self)
        self._picture = button(tr("Export picture"), icon_name="export", parent=self)
        for widget, slot in ((self._keep, self.keep), (self._table, self.export),
                             (self._picture, self.picture)):  # fmt: skip
            widget.clicked.connect(slot)
        actions = self.action_row(self._keep, self._table, self._picture)
        actions.insertWidget(0, self.mode)
        column.addLayout(actions)
        for page in (work, self._empty):
            self._pages.addWidget(page)
        self.page().addWidget(self._pages, 1)

    def _connect(self) -> None:
        self.asked.changed.connect(self.refresh)
        self.blanks.changed.connect(self._changed)
        self.sentence.taken.connect(self._take_first)
        self.sentence.another.connect(self._sample)
        self.sentence.order_changed.connect(self._pause.start)
        self.rank.compared.connect(self._compare)
        self.mode.chosen.connect(self._turn)
        self._pause.timeout.connect(self.ask)
        self._cutter.answered.connect(self.sentence.set_units)
        self._cutter.failed.connect(self._not_cut)
        self._sampler.answered.connect(self.blanks.set_text)
        self._many.answered.connect(self._take)
        self._many.failed.connect(self._fail)
        self._many.finished.connect(self.asked.set_time)
        self._pairs.answered.connect(self._take_alike)
        self._pairs.failed.connect(self._fail_alike)
        undo = QShortcut(QKeySequence(QKeySequence.StandardKey.Undo), self)
        undo.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        undo.activated.connect(self.blanks.undo)
        for signal in (self.state.selection_changed, self.state.runs_changed,
                       self.state.sentence_changed):  # fmt: skip
            signal.connect(self.refresh)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self.refresh()

    # what is asked

    @property
    def busy(self) -> bool:
        """Something is on its way."""
        return (self._pause.isActive() or self._cutter.busy or self._sampler.busy
                or self._many.busy or self._pairs.busy)  # fmt: skip

    @Slot()
    def refresh(self) -> None:
        """Show a column for each run, and the sentence of all panels."""
        known = self.asked.known()
        self._pages.setCurrentIndex(0 if known else 1)
        self.primary = None if known else self._empty.lead
        self._fit_columns()
        if known and self.isVisible():
            self._propose()
            self._changed()

    def _fit_columns(self) -> None:
        runs = {run.id: run for run in self.asked.runs()}
        if list(runs) == list(self.columns):
            return
        for run_id, gone in self.columns.items():
            self._row.removeWidget(gone)
            if run_id not in runs:
                gone.hide()
                gone.deleteLater()
        before, self.columns = self.columns, {}
        for run_id, run in runs.items():
            column = before.get(run_id)
            if column is None:
                column = AnswerColumn(run, self)
                column.picked.connect(self.blanks.fill)
            self.columns[run_id] = column
            self._row.addWidget(column, 1)
            column.show()
        self._asked = None

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
        if key != self._cut or not self.blanks.units():
            if key[0] != (self._cut or key)[0]:
                self.training.forget()
            self._cut = key
            self._cutter.ask(fill.units, self.state.workspace, cut.id, self.blanks.text)
        if self.blanks.text.strip():
            self.state.set_sentence(self.blanks.text)
        if self._question() != self._asked:
            self._pause.start()
        self._draw()
        self._show_training()

    def _question(self) -> tuple[Question, bool, tuple[int, ...]]:
        return self.blanks.question, self.sentence.in_order, tuple(self.columns)

    @Slot()
    def ask(self) -> None:
        """Put the question to all runs in the row."""
        question, in_order, _ = self._question()
        if not self.isVisible() or not question.blanks or self._question() == self._asked:
            return
        self._asked = self._question()
        for column in self.columns.values():
            column.wait()
        ask = partial(fill.fill, in_order=in_order)
        workspace = self.state.workspace
        self._many.ask({run: (ask, workspace, run, question) for run in self.columns})
        if self.rank.alike:
            self._compare()

    @Slot()
    def _sample(self) -> None:
        if (corpus := self.state.corpus) is not None:
            seed = random.randrange(1 << 30)
            self._sampler.ask(fill.another_sentence, self.state.workspace, corpus.id, seed)

    # what comes of it

    @Slot(int, object)
    def _take(self, run: int, answer: Answer) -> None:
        if run in self.columns:
            self.columns[run].take(answer)
            self._draw()

    @Slot(int, object)
    def _fail(self, run: int, error: AppError) -> None:
        if run in self.columns:
            self.columns[run].fail(error)
            self._draw()

    @Slot(object)
    def _not_cut(self, error: AppError) -> None:
        self.note.setText(str(error))

    def _draw(self) -> None:
        """The candidates of the blank shown, all bars on one scale."""
        if self._asked is None or self._question() != self._asked:
            return
        number, question = self.blanks.current, self.blanks.question
        truth = question.truth(number) if number < len(question.blanks) else ""
        for column in self.columns.values():
            column.show_blank(number, truth)
        for column in self.columns.values():
            column.guesses.set_most(self._most())
        self.rank.show_ranks(truth, self._ranked())
        best = next((c.guesses.rows()[0].word for c in self.columns.values()
                     if c.guesses.rows() and c.guesses.rows()[0].word != truth), "")  # fmt: skip
        self.rank.propose(truth, best)

    def _most(self) -> float:
        return max((c.most(self.blanks.current) for c in self.columns.values()), default=0.0)

    def _ranked(self) -> list[Ranked]:
        found = []
        for column in self.columns.values():
            blank = column.blank(self.blanks.current)
            if blank is not None and blank.truth is not None:
                model = column.run.model
                found.append(Ranked(model, tr(MODELS[model].title), blank.rank, blank.least))
        return found

    @Slot()
    def _take_first(self) -> None:
        """Enter: the first candidate of the first column that has one."""
        for column in self.columns.values():
            words = [row.word for row in column.guesses.rows() if row.known]
            if words:
                self.blanks.fill(words[0])
                return

    # two words in the blank

    @Slot()
    def _compare(self) -> None:
        question, number = self.blanks.question, self.blanks.current
        self.rank.clear_alike()
        if number < len(question.blanks) and all(self.rank.fillers()):
            workspace, words = self.state.workspace, self.rank.fillers()
            able = [run for run, column in self.columns.items() if self._has_vectors(column.run)]
            self._pairs.ask({run: (fill.similarity, workspace, run, question, number, words)
                             for run in able})  # fmt: skip

    def _has_vectors(self, run: RunRow) -> bool:
        """Whether a run can be asked for vectors; where not, the reason is shown."""
        why = reason(run.model, "layers", None)
        if why is not None:
            self.rank.show_alike(run, str(why))
        return why is None

    @Slot(int, object)
    def _take_alike(self, run: int, found: FillerSimilarity) -> None:
        if run in self.columns:
            self.rank.show_alike(self.columns[run].run, found)

    @Slot(int, object)
    def _fail_alike(self, run: int, error: AppError) -> None:
        if run in self.columns:
            self.rank.show_alike(self.columns[run].run, str(error))

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

    def _answers(self) -> dict[str, Answer]:
        return {column.run.name: column.answer for column in self.columns.values()
                if column.answer is not None}  # fmt: skip

    @Slot()
    def export(self) -> None:
        """Ctrl+E: the candidates of all runs, or the lot of each token, as CSV."""
        if self.mode.value() == "training":
            if self.training.drawn is not None:
                self.save.ask("lottery", fill.save_lottery, self.training.drawn)
        elif answers := self._answers():
            self.save.ask("fill", fill.save_answers, self.blanks.question, answers)

    def drawing(self) -> MasksPicture:
        """What is shown, to be painted anywhere."""
        text, blank = self.blanks.text, self.blanks.blank
        start, end = (blank.start, blank.end) if blank else (len(text), len(text))
        columns = []
        for column in self.columns.values():
            said, answer = column.blank(self.blanks.current), column.answer
            if said is not None and answer is not None:
                rows = column.guesses.rows()
                columns.append(PictureColumn(
                    column.run.model, column.run.name, fill.how(answer, said), rows,
                    said.truth is not None and said.rank > len(said.guesses),
                    column.unscored.text()
                ))  # fmt: skip
        return MasksPicture(text[:start], text[start:end], text[end:], self._ranked(), columns,
                            self._most())  # fmt: skip

    @Slot()
    def picture(self) -> None:
        """What is shown as PNG, SVG or PDF."""
        if self._answers():
            ExportDialog(self.state, self.drawing(), tr("Masks"), self.window()).open()

    @Slot()
    def keep(self) -> None:
        """Keep the question with its answers, to be put to other runs."""
        if answers := self._answers():
            question = self.blanks.question.to_json() | {"in_order": self.sentence.in_order}
            self.state.save_finding("fill", self.blanks.text, question, answers)
