"""Sentences in; how alike they are to each model, beside what is usual in the corpus, out."""

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QPlainTextEdit,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from lmstudio import figures
from lmstudio.analysis.sentence_similarity import MOST, SentenceSimilarity
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.captions import sentence_case
from lmstudio.gui.choices import fill
from lmstudio.gui.dialogs.export_plot import ExportDialog
from lmstudio.gui.drag_sources import drag_sentences
from lmstudio.gui.many_asking import ManyAsker
from lmstudio.gui.panels.explore import first_sentence
from lmstudio.gui.panels.explore import similarity_views as views
from lmstudio.gui.panels.explore.asked_row import AskedRow
from lmstudio.gui.panels.explore.asking_panel import AskingPanel
from lmstudio.gui.save_as import SaveAs
from lmstudio.gui.state import AppState
from lmstudio.gui.tables import Table
from lmstudio.gui.widgets import Card, EmptyState, Strip, button, label, tool
from lmstudio.gui.widgets.fading import fade
from lmstudio.gui.widgets.similarity_matrices import SimilarityMatrices
from lmstudio.gui.widgets.splitter import splitter
from lmstudio.messages import tr
from lmstudio.operations import sentences
from lmstudio.operations.term_names import POOLINGS
from lmstudio.store.rows import RunRow

DEBOUNCE_MS = 400
SIZES = (1000, 5000, 20_000)
"""Sentences of the corpus that may be drawn."""
NEAREST = 20
_PROPOSED, _LONGEST = 5, 60  # sentences of the corpus to begin with, and their characters


class SentenceSimilarityPanel(AskingPanel):
    """Sentences at the left; a square for each run, and the nearest of the corpus, at the right.

    Each run is asked twice: for the sentences alone, which is quick, then beside the corpus.
    """

    takes_sentences = False

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.asked = AskedRow(state, "layers", self)
        self.text = QPlainTextEdit(self)
        self.pooling, self.drawn = QComboBox(self), QComboBox(self)
        self.whiten = QCheckBox(tr("Whiten"), self)
        self.squares = SimilarityMatrices(tr("How alike sentences are"), self)
        self.table = Table(views.columns(), tr("Nearest sentences of the corpus"), self)
        drag_sentences(self.table, "text")
        self.save = SaveAs(state, self)
        self.found: dict[int, SentenceSimilarity] = {}
        self._problems: dict[int, str] = {}  # of the runs that could not answer
        self._corpus = 0  # whose sentences were proposed
        self._runs: list[int] = []  # that were asked last
        self._quick, self._full = ManyAsker(state, self), ManyAsker(state, self)
        self._pause = QTimer(self, interval=DEBOUNCE_MS, singleShot=True)
        self._strip = Strip("warn", self)
        self._lead = button(tr("Train a model"), "primary")
        self._lay_out()
        self._connect()
        self.refresh()

    # how it is laid out

    def _lay_out(self) -> None:
        work = QWidget(self)
        column = QVBoxLayout(work)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(12))
        column.addWidget(self.asked)
        column.addWidget(self._strip)
        both = splitter("both", Qt.Orientation.Horizontal, self._question_card(),
                        self._answer_column(), sizes=(360, 890))  # fmt: skip
        both.setStretchFactor(1, 1)
        column.addWidget(both, 1)
        empty = EmptyState(
            tr("No network to compare sentences yet"),
            tr("Every network makes a vector of a sentence; how alike two are is their cosine."),
            [self._lead], family="bert",
        )  # fmt: skip
        self._pages = self.either(work, empty)

    def _question_card(self) -> Card:
        card = Card(tr("One sentence a line"), parent=self)
        self.text.setAccessibleName(tr("One sentence a line"))
        self.text.setTabChangesFocus(True)
        self.text.setFont(theme.font(15))
        fill(self.pooling, [(sentence_case(tr(title)), key) for key, title in POOLINGS.items()])
        sizes = [(tr("{count} sentences", count=figures.count(size)), size) for size in SIZES]
        fill(self.drawn, sizes)
        self.whiten.setToolTip(
            tr("Whiten with sentences of the corpus: mean 0, covariance 1 (Su et al. 2021)")
        )
        card.body.addWidget(self.text, 1)
        fields = QGridLayout()
        fields.setVerticalSpacing(theme.px(8))
        fields.setColumnStretch(1, 1)
        named = ((tr("Pooling"), self.pooling), (tr("Compared with"), self.drawn))
        for row, (name, box) in enumerate(named):
            box.setAccessibleName(name)
            fields.addWidget(label(name, tone="muted"), row, 0)
            fields.addWidget(box, row, 1)
        fields.addWidget(self.whiten, len(named), 1)
        card.body.addLayout(fields)
        return card

    def _answer_column(self) -> QSplitter:
        made = splitter("answer", Qt.Orientation.Vertical)
        above = Card(tr("How alike sentences are"), parent=self)
        above.row.set_note(tr(
            "cosine of the pooled vectors; colour: rank among random pairs of the corpus, none is "
            "usual"
        ))  # fmt: skip
        keep = tool("plus", tr("Keep as a finding"), parent=self)
        csv = tool("table", tr("Save all pairs as CSV  Ctrl+E"), parent=self)
        picture = tool("export", tr("Export the chart"), parent=self)
        for widget in (keep, csv, picture):
            above.row.add_tool(widget)
        above.body.addWidget(self.squares, 1)
        self._below = Card(tr("Nearest sentences of the corpus"), parent=self)
        near = tool("table", tr("Save the nearest as CSV"), parent=self)
        self._below.row.add_tool(near)
        self._below.body.addWidget(self.table, 1)
        made.addWidget(above)
        made.addWidget(self._below)
        made.setStretchFactor(0, 1)
        made.setSizes([theme.px(370), theme.px(220)])
        keep.clicked.connect(self.keep_finding)
        csv.clicked.connect(self.export)
        picture.clicked.connect(self.export_picture)
        near.clicked.connect(self.export_nearest)
        return made

    def _connect(self) -> None:
        self.text.textChanged.connect(self._pause.start)
        self._pause.timeout.connect(self.ask)
        self.pooling.currentIndexChanged.connect(self.ask)
        self.drawn.currentIndexChanged.connect(self.ask)
        self.whiten.toggled.connect(self.ask)
        self.asked.changed.connect(self.refresh)
        self.squares.chosen.connect(self._show_nearest)
        self.squares.export_wanted.connect(self.export_picture)
        for asker in (self._quick, self._full):
            asker.answered.connect(self._take)
            asker.failed.connect(self._fail)
        self._quick.finished.connect(self.asked.set_time)
        self._lead.clicked.connect(self._go_to_training)
        for signal in (self.state.selection_changed, self.state.runs_changed):
            signal.connect(self.refresh)

    # what is asked

    @property
    def busy(self) -> bool:
        """An answer is awaited."""
        return self._pause.isActive() or self._quick.busy or self._full.busy

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
            self._corpus = corpus.id
            self._propose(corpus.id)
            self.ask()
        elif [run.id for run in self.runs()] != self._runs:
            self.ask()

    def _propose(self, corpus_id: int) -> None:
        """Begin with some sentences of the corpus."""
        if self.text.document().isModified():
            return
        lines = first_sentence.sentences(self.state, corpus_id, _PROPOSED, _LONGEST)
        with QSignalBlocker(self.text):
            self.text.setPlainText("\n".join(lines))

    def lines(self) -> list[str]:
        """The sentences that were typed."""
        found = (line.strip() for line in self.text.toPlainText().split("\n"))
        return [line for line in found if line]

    def runs(self) -> list[RunRow]:
        """The runs that are asked: of those in the row, the ones that have the pooling."""
        only = self.pooling.currentData() == "cls"
        return [run for run in self.asked.runs() if run.model == "bert" or not only]

    @Slot()
    def ask(self) -> None:
        """Ask all runs."""
        self._pause.stop()
        lines, runs = self.lines(), self.runs()
        self._problems.clear()
        self._strip.say(self._refusal(lines))
        if not 0 < len(lines) <= MOST:
            self._forget()
            return
        if not self.isVisible():
            return
        self._runs = [run.id for run in runs]
        self.found = {run.id: self.found[run.id] for run in runs if run.id in self.found}
        fade(self.squares, bool(self.found))
        pooling, whiten = self.pooling.currentData(), self.whiten.isChecked()
        workspace, size = self.state.workspace, self.drawn.currentData()
        self._quick.cancel()
        if not whiten:
            self._quick.ask({run.id: (sentences.similarity, workspace, run.id, lines, pooling, 0)
                             for run in runs})  # fmt: skip
        self._full.ask({
            run.id: (sentences.similarity, workspace, run.id, lines, pooling, size, whiten, NEAREST)
            for run in runs
        })  # fmt: skip
        self._draw()

    def _refusal(self, lines: list[str]) -> str:
        """Why some runs or all are not asked; "" if they are."""
        if len(lines) > MOST:
            return tr("Type 1 to {most} sentences, one a line.", most=MOST)
        skipped = len(self.asked.runs()) > len(self.runs())
        return tr("Only BERT begins a sentence with [CLS].") if skipped else ""

    def _forget(self) -> None:
        self._quick.cancel()
        self._full.cancel()
        self.found = {}
        self._draw()

    # what comes of it

    @Slot(int, object)
    def _take(self, run: int, found: SentenceSimilarity) -> None:
        self.found[run] = found
        self._problems.pop(run, None)
        self._tell()
        fade(self.squares, False)
        self._draw()

    def _tell(self) -> None:
        """Who is not asked and who could not answer; notes to the answers."""
        notes = dict.fromkeys(str(note) for one in self.found.values() for note in one.notes)
        refusal = filter(None, [self._refusal(self.lines())])
        self._strip.say(" ".join([*self._problems.values(), *refusal, *notes]))

    @Slot(int, object)
    def _fail(self, run: int, error: AppError) -> None:
        self.found.pop(run, None)
        fade(self.squares, False)
        name = next((one.name for one in self.asked.runs() if one.id == run), "")
        self._problems[run] = f"{name}: {error}"
        self._tell()
        self._draw()

    def _draw(self) -> None:
        size = {len(one.sentences) for one in self.found.values()}
        runs = [run for run in self.asked.runs() if run.id in self.found]
        if len(size) > 1:  # some have answered about the lines as they are now
            runs = [run for run in runs if len(self.found[run.id].sentences) == len(self.lines())]
        self.squares.show_squares([views.square(run, self.found[run.id]) for run in runs])
        self._show_nearest()

    @Slot()
    def _show_nearest(self) -> None:
        run, sentence = self.squares.selected()
        found = self.found.get(run)
        self.table.set_rows(views.rows(found, sentence))
        note = ""
        if found is not None and sentence < len(found.sentences):
            note = f"{found.run} · " + tr("to: {text}", text=found.sentences[sentence])
        self._below.row.set_note(note)

    # the rest of the window

    def search(self) -> None:
        """Ctrl+F: the sentences."""
        self.text.setFocus()
        self.text.selectAll()

    @Slot()
    def export(self) -> None:
        """Ctrl+E: the cosine of every pair as CSV."""
        if self.found:
            self.save.ask("sentences", sentences.save, list(self.found.values()))

    @Slot()
    def export_nearest(self) -> None:
        """The nearest sentences of the corpus as CSV."""
        if self.found:
            self.save.ask("nearest", sentences.save_nearest, list(self.found.values()))

    @Slot()
    def export_picture(self) -> None:
        """The squares as PNG, SVG or PDF."""
        caption = f"{tr('How alike sentences are')} · {self.pooling.currentText()}"
        ExportDialog(self.state, self.squares, caption, self.window()).open()

    @Slot()
    def keep_finding(self) -> None:
        """Keep the sentences and how alike they are to the models."""
        if self.found:
            question = {
                "sentences": self.lines(), "pooling": self.pooling.currentData(),
                "drawn": self.drawn.currentData(), "whiten": self.whiten.isChecked(),
            }  # fmt: skip
            answers = {one.run: one for one in self.found.values()}
            self.state.save_finding("sentences", self.lines()[0], question, answers)
