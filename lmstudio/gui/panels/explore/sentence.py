"""Sentence: what is typed through every model asked in; surprisal under the same text out."""

from functools import partial

from PySide6.QtCore import Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from lmstudio.analysis.surprisal import Surprisals
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.dialogs.export_plot import ExportDialog
from lmstudio.gui.jobs import Asker
from lmstudio.gui.many_asking import ManyAsker
from lmstudio.gui.panels.explore import sentence_texts as texts
from lmstudio.gui.panels.explore.asked_row import AskedRow
from lmstudio.gui.panels.explore.asking_panel import AskingPanel
from lmstudio.gui.panels.explore.sentence_question import SentenceQuestion
from lmstudio.gui.panels.explore.sentence_tables import SHOWN, AnswerTables, Sentences
from lmstudio.gui.panels.explore.sentence_texts import Reading
from lmstudio.gui.panels.explore.step_card import StepCard
from lmstudio.gui.save_as import SaveAs
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Card, EmptyState, Segmented, button, label, scrolled, tool
from lmstudio.gui.widgets.surprisal_lanes import SurprisalLanes
from lmstudio.messages import tr
from lmstudio.operations import laboratory, surprisal
from lmstudio.operations.laboratory import Walk

_SAVES = {"tokens": surprisal.save_tokens, "words": surprisal.save_words}


class SentencePanel(AskingPanel):
    """Bars and tables choose the same event; its card says how its probability came about."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.row = AskedRow(state, "score", self)
        self.question = SentenceQuestion(state, self.row, self)
        self.field = self.question.field
        self.view = SurprisalLanes(tr("Surprisal of each token"), self)
        self.step, self.tables = StepCard(self), AnswerTables(self)
        self.save = SaveAs(state, self)
        self.answers: dict[int, Surprisals] = {}
        self.problems: dict[int, str] = {}  # of the runs that could not answer
        self.walk: Walk | None = None
        self._answered: tuple[str, str] = ("", "")  # the text and its words that answers are to
        self._open: tuple[str, str] = ("", "")  # those that were asked about last
        self._walked: tuple[int, str] = (0, "")
        self._many, self._walks = ManyAsker(state, self), Asker(state, self)
        self._chain = label(wrap=True)
        self._said = label(size=12, tone="muted", wrap=True)
        self._lead = button("", "primary")
        self._lay_out()
        self._connect()
        self.refresh()

    def _lay_out(self) -> None:
        upper = QHBoxLayout()
        upper.setSpacing(theme.px(12))
        upper.addWidget(self._bars_card(), 1)
        upper.addWidget(self.step)
        csv = tool("export", tr("Save the table as CSV  Ctrl+E"), parent=self)
        csv.clicked.connect(self.export)
        self.tables.add_tool(csv)
        work = QWidget(self)
        column = QVBoxLayout(work)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(12))
        column.addWidget(self.row)
        column.addWidget(self.question)
        column.addLayout(upper, 8)
        column.addWidget(self.tables, 5)
        self._empty = EmptyState(" ", " ", [self._lead], family="ngram")
        self._pages = self.either(work, self._empty)

    def _bars_card(self) -> Card:
        card = self._card = Card(tr("Surprisal, in bits"), parent=self)
        units = [
            ("token", tr("By token")),
            ("word", tr("By word")),
            ("character", tr("By character")),
        ]
        self.unit = Segmented(units, tr("A bar for each"), self)
        keep = tool("plus", tr("Keep as a finding"), parent=self)
        keep.clicked.connect(self.keep)
        picture = tool("export", tr("Export the chart"), parent=self)
        picture.clicked.connect(self.export_picture)
        for one in (self.unit, keep, picture):
            card.row.add_tool(one)
        card.body.addWidget(scrolled(self.view), 1)
        card.body.addWidget(self._chain)
        card.body.addWidget(self._said)
        return card

    def _connect(self) -> None:
        self.question.changed.connect(self.ask)
        self.question.line_changed.connect(self._draw)
        self.question.orders_made.connect(self._show_ranks)
        self.question.failed.connect(self._said.setText)
        self.unit.chosen.connect(self._draw)
        self.row.changed.connect(self.refresh)
        self.view.chosen.connect(self._choose)
        self.view.export_wanted.connect(self.export_picture)
        self.tables.line_chosen.connect(self._choose_line)
        self.tables.lane_chosen.connect(self._choose_lane)
        self.tables.bar_chosen.connect(self._choose_bar)
        self.tables.changed.connect(self._draw_line)
        self._many.answered.connect(self._take)
        self._many.failed.connect(self._fail)
        self._many.finished.connect(self.row.set_time)
        self._walks.answered.connect(self._take_walk)
        self._lead.clicked.connect(self._go_on)
        state = self.state
        state.runs_changed.connect(self._forget)
        for signal in (state.selection_changed, state.segmentations_changed):
            signal.connect(self.refresh)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self.question.take_sentence()
        self.refresh()

    @property
    def busy(self) -> bool:
        """An answer is awaited."""
        return self.question.busy or self._many.busy or self._walks.busy

    # what is asked

    @Slot()
    def refresh(self) -> None:
        """Offer the words of the corpus, and ask those runs that have not answered yet."""
        able = bool(self.row.known())
        self._pages.setCurrentIndex(0 if able else 1)
        self.primary = None if able else self._lead
        if not able:
            self._say_what_is_missing()
            return
        self.question.refresh()
        self.ask()

    def _say_what_is_missing(self) -> None:
        state = self.state
        if state.segmentation is not None:
            self._lead.setText(tr("Train an n-gram model (seconds)"))
            self._empty.set_text(
                tr("No model here yet"),
                tr("A sentence is read by trained models: each says how much every token "
                   "surprises it."),
            )  # fmt: skip
            return
        self._lead.setText(tr("Go to Segment") if state.corpus else tr("Go to Corpora"))
        self._empty.set_text(
            tr("Nothing to ask yet"),
            tr("Segment the corpus: models are trained on its tokens.")
            if state.corpus else tr("Import a text first."),
        )  # fmt: skip

    @Slot()
    def _forget(self) -> None:
        """A run may have learnt more since it answered."""
        self.answers.clear()
        self.problems.clear()
        self._walked = (0, "")
        self.refresh()

    @Slot()
    def ask(self) -> None:
        """Ask the runs about what is typed, those that have not answered that."""
        if not self.isVisible():
            return
        asked = self._open = self.question.asked()
        self.problems.clear()
        if not asked[0].strip():
            self._many.cancel()
            self._chain.setText("")
            self._said.setText(tr("There is no token in this text. Type some words."))
            return
        fresh = self.answers if asked == self._answered else {}
        function = partial(surprisal.score, words=asked[1])
        ws = self.state.workspace
        self._many.ask({run.id: (function, ws, run.id, asked[0]) for run in self.row.runs()
                        if run.id not in fresh})  # fmt: skip
        self._draw()

    # what comes of it

    @Slot(int, object)
    def _take(self, run: int, found: Surprisals) -> None:
        if self._answered != self._open:  # the first answer to another question
            self.answers, self._answered = {}, self._open
        self.answers[run] = found
        self._draw()

    @Slot(int, object)
    def _fail(self, run: int, error: AppError) -> None:
        self.problems[run] = str(error)
        self._draw()

    @Slot()
    def _show_ranks(self) -> None:
        self.tables.view.segment("ranks").click()

    def readings(self) -> list[Reading]:
        """What the runs that are asked have answered."""
        faded = self._open != self._answered
        return texts.readings([(run.id, self.answers[run.id], faded) for run in self.row.runs()
                               if run.id in self.answers])  # fmt: skip

    @Slot()
    def _draw(self) -> None:
        readings, line = self.readings(), self.field.line()
        sentences = surprisal.lines_of(self._answered[0])
        text = sentences[line] if line < len(sentences) else ""
        if text and text == self.question.sentence():  # nothing was typed meanwhile
            self.state.set_sentence(text)
        lanes = [texts.lane(reading, line, self.unit.value()) for reading in readings]
        lanes += [texts.failed(run.name, run.model, self.problems[run.id])
                  for run in self.row.runs() if run.id in self.problems]  # fmt: skip
        self.view.show_lanes(text, lanes)
        self._draw_line()

    @Slot()
    def _draw_line(self) -> None:
        """What depends on the bar that is chosen."""
        readings, line = self.readings(), self.field.line()
        lane, bar = self.view.chosen_bar()
        asked = Sentences(surprisal.lines_of(self._answered[0]), self.question.variants, line)
        self.tables.show_answers(readings, asked, lane, bar, self.unit.value())
        reading = readings[lane] if lane < len(readings) else None
        sentence = reading.sentence(line) if reading else None
        if reading is None or sentence is None:
            self._chain.setText("")
            waiting = self._many.busy and not self.problems
            self._said.setText(tr("Asking the model…") if waiting else "")
            return
        self._chain.setText(texts.chain(sentence, reading.kind))
        self._card.row.set_note(tr(surprisal.FORMULAS[reading.kind]))
        notes = [str(note) for note in reading.found.notes]
        if (count := len(sentence.logprobs[reading.kind])) > SHOWN:
            notes.append(tr("Only the first {shown} of {all} events are listed; the CSV has them "
                            "all.", shown=SHOWN, all=count))  # fmt: skip
        self._said.setText(" ".join([texts.accounting(sentence, reading.kind), *notes]))
        self._said.setToolTip(texts.exactly(sentence, reading.kind))
        self._show_step(reading, bar)
        self._mark()

    def _mark(self) -> None:
        lanes, (lane, bar) = self.view.lanes(), self.view.chosen_bar()
        same = self.question.sentence() == self.view.text()
        if same and lane < len(lanes) and bar < len(lanes[lane].bars):
            one = lanes[lane].bars[bar]
            self.field.mark(self.field.line(), one.start, min(one.end, len(self.view.text())))

    def _show_step(self, reading: Reading, bar: int) -> None:
        """The walk of an n-gram model is asked for when it is looked at."""
        sentence = reading.sentence(self.field.line())
        if sentence is None:
            return
        if self.unit.value() != "token":
            one = self.view.lanes()[self.view.chosen_bar()[0]].bars[bar]
            self.step.show_lines(one.text, texts.sums(sentence, reading.kind, one), "")
            return
        if reading.found.model == "ngram":
            if self._walked == (reading.run_id, sentence.text) and self.walk is not None:
                self.step.show_step(self.walk, bar)
                return
            if self._walked != (reading.run_id, sentence.text):
                self.walk, self._walked = None, (reading.run_id, sentence.text)
                self._walks.ask(laboratory.walk, self.state.workspace, reading.run_id,
                                sentence.text)  # fmt: skip
        one_event = texts.details(sentence, reading.kind, bar)
        formula = texts.formula(sentence, reading.kind, bar)
        self.step.show_lines(texts.title(sentence, reading.kind, bar), one_event, formula)

    @Slot(object)
    def _take_walk(self, walk: Walk) -> None:
        self.walk = walk
        self._draw_line()

    # what is chosen

    @Slot(int, int)
    def _choose(self, lane: int, bar: int) -> None:
        self._draw_line()

    @Slot(int)
    def _choose_line(self, line: int) -> None:
        self.field.go_to(line)
        self._draw()

    @Slot(int)
    def _choose_lane(self, lane: int) -> None:
        bars = self.view.lanes()[lane].bars
        self.view.choose(lane, min(self.view.chosen_bar()[1], len(bars) - 1))
        self._draw_line()

    @Slot(int)
    def _choose_bar(self, bar: int) -> None:
        """A row of the tables of tokens or words; the bars follow if they are the same."""
        if self.tables.view.value() == f"{self.unit.value()}s":
            self.view.choose(self.view.chosen_bar()[0], bar)
            self._draw_line()

    # the rest of the window

    @Slot()
    def _go_on(self) -> None:
        state = self.state
        wanted = "segment" if state.corpus else "corpora"
        state.panel_wanted.emit("new_run" if state.segmentation is not None else wanted)

    def search(self) -> None:
        """Ctrl+F: the sentences."""
        self.field.setFocus()
        self.field.selectAll()

    def export(self) -> None:
        """Ctrl+E: the totals, tokens or words of all sentences as CSV, as the table on screen."""
        answers = list(dict.fromkeys(reading.run_id for reading in self.readings()))
        found = [self.answers[run] for run in answers]
        if found:
            shown = self.tables.view.value()
            self.save.ask("surprisal", _SAVES.get(shown, surprisal.save_totals), found)

    @Slot()
    def keep(self) -> None:
        """Keep the question and the totals among the findings."""
        answers = {found.name: surprisal.summary_of(found) for found in self.answers.values()}
        text, words = self._answered
        if answers:
            asked = {"text": text, "words": words}
            self.state.save_finding("sentence", self.question.sentence(), asked, answers)

    @Slot()
    def export_picture(self) -> None:
        """The bars as PNG, SVG or PDF."""
        caption = f"{tr('Surprisal, in bits')} · {self.question.sentence()}"
        ExportDialog(self.state, self.view, caption, self.window()).open()
