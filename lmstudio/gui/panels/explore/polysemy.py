"""Polysemy: one word in many sentences in; where each layer of each model puts it, out."""

from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from lmstudio.analysis.clusters import FEWEST, MOST
from lmstudio.analysis.polysemy import Polysemy
from lmstudio.data.browse.uses import Occurrence
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.captions import sentence_case
from lmstudio.gui.choices import fill
from lmstudio.gui.jobs import Asker
from lmstudio.gui.many_asking import ManyAsker
from lmstudio.gui.panels.explore.asked_row import AskedRow
from lmstudio.gui.panels.explore.asking_panel import AskingPanel
from lmstudio.gui.panels.explore.occurrence_card import OccurrenceCard
from lmstudio.gui.panels.explore.polysemy_answer import PolysemyAnswer
from lmstudio.gui.save_as import SaveAs
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import EmptyState, Strip, button, label
from lmstudio.gui.widgets.splitter import splitter
from lmstudio.messages import tr
from lmstudio.operations import polysemy
from lmstudio.operations.polysemy import Found

DEBOUNCE_MS = 400


class PolysemyPanel(AskingPanel):
    """Occurrences at the left; layers as small multiples, and their silhouettes, at the right."""

    takes_sentences = False

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.asked = AskedRow(state, "context", self)
        self.word, self.groups = QLineEdit(self), QComboBox(self)
        self.uses, self.answer = OccurrenceCard(self), PolysemyAnswer(state, self)
        self.save = SaveAs(state, self)
        self.found: Found | None = None
        self.answers: dict[int, Polysemy] = {}
        self._corpus = 0  # that the occurrences are from
        self._runs: list[int] = []  # that were asked last
        self._finder, self._asker = Asker(state, self), ManyAsker(state, self)
        self._pause = QTimer(self, interval=DEBOUNCE_MS, singleShot=True)
        self._strip = Strip("warn", self)
        self._lead = button(tr("Train a model"), "primary")
        self._lay_out()
        self._connect()
        self.refresh()

    def _lay_out(self) -> None:
        work = QWidget(self)
        column = QVBoxLayout(work)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(12))
        column.addLayout(self._question_row())
        column.addWidget(self._strip)
        both = splitter("both", Qt.Orientation.Horizontal, self.uses, self.answer, sizes=(440, 810))
        both.setStretchFactor(1, 1)
        column.addWidget(both, 1)
        empty = EmptyState(
            tr("No network to ask about a word yet"),
            tr("BERT, ELMo, GPT and LSTM give a word another vector in each sentence."),
            [self._lead], family="bert",
        )  # fmt: skip
        self._pages = self.either(work, empty)

    def _question_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(theme.px(8))
        self.word.setAccessibleName(tr("The word"))
        self.word.setPlaceholderText(tr("A word"))
        self.word.setFixedWidth(theme.px(120))
        self.groups.setAccessibleName(tr("Groups"))
        fill(
            self.groups,
            [(sentence_case(tr("automatic")), 0), *((str(n), n) for n in range(FEWEST, MOST + 1))],
        )
        row.addWidget(self.asked, 1)
        for name, widget in ((tr("Word"), self.word), (tr("Groups"), self.groups)):
            row.addWidget(label(name, tone="muted"))
            row.addWidget(widget)
        return row

    def _connect(self) -> None:
        self.word.textChanged.connect(self._typing)
        self.word.returnPressed.connect(self.look_up)
        self._pause.timeout.connect(self.look_up)
        self.groups.currentIndexChanged.connect(self.ask)
        self.asked.changed.connect(self.refresh)
        for signal in (self.uses.chosen, self.uses.pointed):
            signal.connect(self.answer.board.mark)
        self.uses.marked.connect(self._mark)
        self.uses.removed.connect(self._remove)
        self.uses.added.connect(self._add)
        self.uses.word_wanted.connect(self.word.setText)
        self.uses.csv.clicked.connect(self.export)
        self.answer.board.picked.connect(self._pick)
        self.answer.grouped.connect(self._show_groups)
        self.answer.keep_wanted.connect(self.keep_finding)
        self._finder.answered.connect(self._take_found)
        self._finder.failed.connect(self._fail_to_find)
        self._asker.answered.connect(self._take)
        self._asker.failed.connect(self._fail)
        self._asker.finished.connect(self.asked.set_time)
        self._lead.clicked.connect(self._go_to_training)
        for signal in (self.state.selection_changed, self.state.runs_changed):
            signal.connect(self.refresh)

    # what is asked

    @property
    def busy(self) -> bool:
        """An answer is awaited."""
        return self._pause.isActive() or self._finder.busy or self._asker.busy

    @Slot()
    def refresh(self) -> None:
        """Follow the corpus selected and the runs that are asked."""
        able = bool(self.asked.known())
        self._pages.setCurrentIndex(0 if able else 1)
        self.primary = None if able else self._lead
        corpus = self.state.corpus
        if not able or corpus is None or not self.isVisible():
            return
        if corpus.id != self._corpus:
            self._begin(corpus.id)
        elif [run.id for run in self.asked.runs()] != self._runs:
            self.ask()

    def _begin(self, corpus_id: int) -> None:
        """Another corpus: its words, and the same word in it."""
        self._corpus = corpus_id
        known = polysemy.known_words(self.state.workspace, corpus_id)
        self.uses.show_words(known)
        cut = self.state.segmentation
        if cut is not None and not self.word.text():
            with QSignalBlocker(self.word):
                self.word.setText(polysemy.example(self.state.workspace, corpus_id, cut.id))
        self.look_up()

    @Slot()
    def _typing(self) -> None:
        self._pause.start()

    @Slot()
    def look_up(self) -> None:
        """Look the word up in the corpus."""
        self._pause.stop()
        word, cut = self.word.text().strip(), self.state.segmentation
        if not word or self.state.corpus is None:
            self._finder.cancel()
            self._show_found(None)
            return
        where = polysemy.searched(self.state.workspace, cut.id) if cut else None
        self.answer.fade(True)
        self._finder.ask(polysemy.occurrences, self.state.workspace, self._corpus, word, where)

    @Slot(object)
    def _take_found(self, found: Found) -> None:
        self._show_found(found)
        if len(found.occurrences) > 1:
            self.ask()
        else:
            self._strip.say(tr(
                "The corpus has {count} occurrences of {word}. Type sentences with it, two at "
                "least.", count=found.total, word=found.word,
            ))  # fmt: skip

    @Slot(object)
    def _fail_to_find(self, error: AppError) -> None:
        self._show_found(None)
        self._strip.say(str(error))

    def _show_found(self, found: Found | None) -> None:
        self._asker.cancel()
        self.found = found
        self.answer.begin(found.word if found else "")
        self._strip.say("")
        self._forget()

    def _forget(self) -> None:
        """What was answered is of other occurrences."""
        self.answers = {}
        self.answer.fade(False)
        self._draw()

    @Slot()
    def ask(self) -> None:
        """Ask all runs about the occurrences."""
        if self.found is None or len(self.found.occurrences) < 2 or not self.isVisible():
            return
        runs = self.asked.runs()
        self._runs = [run.id for run in runs]
        self.answers = {run.id: self.answers[run.id] for run in runs if run.id in self.answers}
        self._draw()
        self.answer.fade(True)
        given = self.state.workspace, self.found.occurrences, self.groups.currentData()
        self._asker.ask({
            run.id: (polysemy.polysemy, given[0], run.id, *given[1:]) for run in runs
        })  # fmt: skip

    # what comes of it

    @Slot(int, object)
    def _take(self, run: int, answer: Polysemy) -> None:
        self.answers[run] = answer
        self.answer.fade(False)
        self._draw()

    @Slot(int, object)
    def _fail(self, run: int, error: AppError) -> None:
        self.answers.pop(run, None)
        self._strip.say(str(error))
        self._draw()

    def _draw(self) -> None:
        self.answer.show_answers(self._occurrences(), self.asked.runs(), self.answers)
        found = self.found
        if found is None:
            self.uses.row.set_title(tr("Occurrences"))
            self.uses.row.set_note("")
            return
        count = len(found.occurrences)
        self.uses.row.set_title(tr("{word}: {count} occurrences", word=found.word, count=count))
        self.uses.row.set_note(
            tr("drawn from {total} in the corpus", total=found.total) if found.total > count
            else tr("from the corpus")
        )  # fmt: skip

    @Slot(list, object)
    def _show_groups(self, labels: list[int], names: dict[int, str]) -> None:
        self.uses.show_occurrences(self._occurrences(), labels, names)

    # what the user does to the list

    @Slot(list, str)
    def _mark(self, chosen: list[int], sense: str) -> None:
        """Give occurrences a meaning; their groups stay, how well they agree with it does not."""
        made = [
            replace(one, sense=sense) if number in chosen else one
            for number, one in enumerate(self._occurrences())
        ]
        if self.found is not None:
            self.found = replace(self.found, occurrences=made)
            self.ask()

    @Slot(list)
    def _remove(self, chosen: list[int]) -> None:
        kept = [one for number, one in enumerate(self._occurrences()) if number not in chosen]
        self._change(kept)

    @Slot(str)
    def _add(self, line: str) -> None:
        word = self.word.text().strip()
        try:
            added = polysemy.typed(word, [line])
        except AppError as error:
            self._strip.say(str(error))
            return
        self.uses.typed.clear()
        if self.found is None:
            self.found = Found(word, 0, [])
        self._change([*added.occurrences, *self._occurrences()])

    def _occurrences(self) -> list[Occurrence]:
        return self.found.occurrences if self.found else []

    def _change(self, occurrences: list[Occurrence]) -> None:
        if self.found is not None:
            self._asker.cancel()
            self.found = replace(self.found, occurrences=occurrences)
            self._strip.say("")
            self._forget()
            self.ask()

    @Slot(int)
    def _pick(self, occurrence: int) -> None:
        self.uses.table.select([occurrence])
        self.uses.table.show_row(occurrence)
        self.answer.board.mark(occurrence)

    # the rest of the window

    def search(self) -> None:
        """Ctrl+F: the word."""
        self.word.setFocus()
        self.word.selectAll()

    @Slot()
    def export(self) -> None:
        """Ctrl+E: every occurrence in every layer as CSV."""
        if self.answers:
            answers = list(self.answers.values())
            self.save.ask("polysemy", polysemy.save, self._occurrences(), answers)

    @Slot()
    def keep_finding(self) -> None:
        """Keep the word and what the models made of its occurrences."""
        if self.found is not None and self.answers:
            question = {"word": self.found.word, "groups": self.groups.currentData()}
            title = tr("{word} in sentences", word=self.found.word)
            answers = {one.run: one for one in self.answers.values()}
            self.state.save_finding("polysemy", title, question, answers)
