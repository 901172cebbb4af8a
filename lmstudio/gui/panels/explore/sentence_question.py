"""SentenceQuestion: sentences, and what their words are, in; what is to be asked of runs out."""

from functools import partial

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from lmstudio import figures
from lmstudio.analysis.surprisal_file import FileScores
from lmstudio.gui import theme
from lmstudio.gui.choices import fill
from lmstudio.gui.dialogs.score_file import ScoreFileDialog
from lmstudio.gui.jobs import Asker
from lmstudio.gui.panels.explore.asked_row import AskedRow
from lmstudio.gui.panels.explore.first_sentence import first_sentence
from lmstudio.gui.panels.explore.sentence_field import SentenceField
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import button
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.operations import surprisal
from lmstudio.text.segment_options import OF_WORDS
from lmstudio.text.word_orders import Variant

DEBOUNCE_MS = 150


class SentenceQuestion(QWidget):
    """Other orders are put under the sentence; a file is scored in the background."""

    changed = Signal()  # another text or other words: ask anew
    line_changed = Signal()  # another of the sentences is meant
    orders_made = Signal()
    failed = Signal(str)  # why there are no other orders

    def __init__(self, state: AppState, row: AskedRow, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state, self._row = state, row
        self.field, self.words = SentenceField(self), QComboBox(self)
        self.orders = button(tr("Other orders"), icon_name="swap", parent=self)
        self.file = button(tr("Score a file…"), icon_name="table", parent=self)
        self.variants: dict[str, str] = {}  # by text: in which order it is
        self._proposed = 0  # the corpus whose first sentence stands there
        self._scoring: Job | None = None  # a file
        self._asker = Asker(state, self)
        self._pause = QTimer(self, interval=DEBOUNCE_MS, singleShot=True)
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        self.words.setAccessibleName(tr("Words"))
        self.words.setToolTip(tr("What surprisal is summed over, and what is hidden together"))
        self.orders.setToolTip(tr("Put the sentence below with its words swapped, shuffled, and "
                                  "its characters shuffled"))  # fmt: skip
        self.file.setToolTip(tr("A text in, a table of the surprisal of every word out"))
        column, line = QVBoxLayout(), QHBoxLayout()
        column.setSpacing(theme.px(2))
        line.setSpacing(theme.px(8))
        line.addWidget(self.orders)
        line.addWidget(self.file)
        column.addWidget(self.words)
        column.addLayout(line)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(8))
        row.addWidget(self.field, 1)
        row.addLayout(column)

    def _connect(self) -> None:
        self.field.edited.connect(self._pause.start)
        self.field.line_changed.connect(self.line_changed)
        self.words.currentIndexChanged.connect(self.changed)
        self._pause.timeout.connect(self.changed)
        self.orders.clicked.connect(self.make_orders)
        self.file.clicked.connect(self.ask_for_file)
        self._asker.answered.connect(self._take_orders)
        self._asker.failed.connect(self._fail)
        self._state.sentence_changed.connect(self.take_sentence)
        self._state.jobs.finished.connect(self._scored)

    @property
    def busy(self) -> bool:
        """Something was typed that is not asked yet, or an answer is awaited."""
        return self._asker.busy or self._pause.isActive()

    def asked(self) -> tuple[str, str]:
        """The text, and its words as `operations.surprisal.score` calls them."""
        self._pause.stop()
        words = str(self.words.currentData())
        if words == "auto":  # the same for all models that stand side by side
            runs = [run.id for run in self._row.runs()]
            words = surprisal.common_words(self._state.workspace, runs)
        return self.field.text(), words

    def sentence(self) -> str:
        """The sentence that is meant."""
        lines, line = self.field.sentences(), self.field.line()
        return lines[line] if line < len(lines) else ""

    def refresh(self) -> None:
        """Offer the words of the corpus selected; begin with its first sentence."""
        fill(self.words, self._choices())
        corpus = self._state.corpus
        if corpus is not None and corpus.id != self._proposed and not self._state.sentence:
            self._proposed = corpus.id
            self.field.set_text(first_sentence(self._state, corpus.id))

    def _choices(self) -> list[tuple[str, object]]:
        corpus = self._state.corpus
        cuts = self._state.segmentations(corpus.id) if corpus else []
        return [
            (tr("Words: the models' own, or jieba's"), "auto"),
            (tr("Words: between my spaces"), "spaces"), (tr("Words: jieba's"), "jieba"),
            (tr("Words: each token is one"), "tokens"),
            *((tr("Words: {name}", name=cut.name), cut.name) for cut in cuts
              if cut.facts["options"]["by"] in OF_WORDS),
        ]  # fmt: skip

    @Slot()
    def take_sentence(self) -> None:
        """Another panel asks about another sentence."""
        said = self._state.sentence
        if said and said not in self.field.sentences():
            self.field.set_text(said)
            self._pause.start()

    # other orders

    @Slot()
    def make_orders(self) -> None:
        """Put the sentence in other orders under it."""
        if sentence := self.sentence():
            runs = [run.id for run in self._row.runs()]
            words = str(self.words.currentData())
            function = partial(surprisal.orders, words=words, runs=runs)
            self._asker.ask(function, self._state.workspace, sentence)

    @Slot(object)
    def _take_orders(self, made: list[Variant]) -> None:
        lines, line = self.field.sentences(), self.field.line()
        new = [variant for variant in made if variant.text not in lines]
        if not made:
            self.failed.emit(tr("A single word has no other order."))
        if not new:
            return
        self.variants |= {variant.text: variant.order for variant in new}
        self.field.set_text("\n".join([*lines, *(variant.text for variant in new)]))
        self.field.go_to(line)
        self.orders_made.emit()
        self.changed.emit()

    @Slot(object)
    def _fail(self, error: object) -> None:
        self.failed.emit(str(error))

    # a file

    @Slot()
    def ask_for_file(self) -> None:
        """Score a whole file by the runs that are asked."""
        runs, words = [run.id for run in self._row.runs()], str(self.words.currentData())
        dialog = ScoreFileDialog(self._state, runs, words, self.window())
        dialog.started.connect(self._follow)
        dialog.open()

    @Slot(object)
    def _follow(self, job: Job) -> None:
        self._scoring = job

    @Slot(object)
    def _scored(self, job: Job) -> None:
        """Tell what became of the file."""
        if job is self._scoring and job.state == "done":
            found: FileScores = job.result
            self._state.told.emit(tr("{words} words of {sentences} sentences in {time}.",
                                     words=figures.count(found.words),
                                     sentences=figures.count(found.sentences),
                                     time=figures.duration(found.seconds)))  # fmt: skip
