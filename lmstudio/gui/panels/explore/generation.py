"""Next word and generation: a prompt to models in; what each expects, and what it writes, out."""

from collections.abc import Sequence
from dataclasses import asdict

from PySide6.QtCore import QSignalBlocker, QTimer, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from lmstudio.analysis.generation.generate import Generated
from lmstudio.analysis.generation.next_table import NextTable
from lmstudio.analysis.generation.options import GenerationOptions
from lmstudio.gui import theme
from lmstudio.gui.dialogs.export_plot import ExportDialog
from lmstudio.gui.dialogs.prompt_template import PromptDialog
from lmstudio.gui.forms import Form
from lmstudio.gui.many_asking import ManyAsker
from lmstudio.gui.panels.explore.asked_row import AskedRow
from lmstudio.gui.panels.explore.asking_panel import AskingPanel
from lmstudio.gui.panels.explore.first_sentence import first_sentence
from lmstudio.gui.panels.explore.generation_column import GenerationColumn
from lmstudio.gui.panels.explore.generation_columns import GenerationColumns
from lmstudio.gui.panels.explore.generation_picture import GenerationPicture
from lmstudio.gui.panels.explore.generation_writer import Writer
from lmstudio.gui.save_as import SaveAs
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Card, EmptyState, button, disable, enable, scrolled, tool
from lmstudio.messages import tr
from lmstudio.operations import generation

DEBOUNCE_MS = 150
BEGINNING = 8  # characters of the corpus that are proposed as a prompt


class GenerationPanel(AskingPanel):
    """A column for each model: next tokens follow the typing, texts come on demand."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.asked = AskedRow(state, "next", self)
        self.prompt = QPlainTextEdit(self)
        self.form: Form[GenerationOptions] = Form(GenerationOptions(), self, strict=True)
        self.board = GenerationColumns(self)
        self.writer = Writer(state, self)
        self.save = SaveAs(state, self)
        self.written_for = ""  # the prompt of the texts on screen
        self._asker = ManyAsker(state, self)
        self._pause = QTimer(self, interval=DEBOUNCE_MS, singleShot=True)
        self._proposed = 0  # the corpus whose beginning stands there
        self._write = button(tr("Write"), "primary", parent=self)
        self._stop = button(tr("Stop"), icon_name="stop", parent=self)
        self._keep = button(tr("Keep as a finding"), parent=self)
        self._template = button(tr("Template…"), parent=self)
        self._lead = button(tr("Train a model"), "primary")
        self._lay_out()
        self._connect()
        self.refresh()

    def _lay_out(self) -> None:
        self.prompt.setAccessibleName(tr("Prompt"))
        self.prompt.setPlaceholderText(tr("Type the beginning of a text"))
        self.prompt.setFont(theme.font(15))
        self.prompt.setTabChangesFocus(True)
        self.prompt.setFixedHeight(theme.px(58))
        work = QWidget(self)
        column = QVBoxLayout(work)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(12))
        column.addWidget(self.asked)
        column.addLayout(self._prompt_row())
        middle = QHBoxLayout()
        middle.setSpacing(theme.px(12))
        area = scrolled(self.board, self)
        area.setMinimumWidth(theme.px(400))
        middle.addWidget(area, 1)
        middle.addWidget(self._settings_card())
        column.addLayout(middle, 1)
        note = tr("p(w | text), exact over the whole vocabulary. The darker a token, the higher "
                  "−log₂ p; click one to go on from there with another.")  # fmt: skip
        self.note.setText(note)
        column.addLayout(self.action_row(self._keep, self._stop, self._write))
        empty = EmptyState(
            tr("No model that writes yet"),
            tr("Every model but BERT can go on with a text; an n-gram takes seconds to train."),
            [self._lead], family="gpt",
        )  # fmt: skip
        self._pages = self.either(work, empty)

    def _prompt_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(theme.px(8))
        row.addWidget(self.prompt, 1)
        row.addWidget(self._template)
        picture = tool("export", tr("Export the chart"), parent=self)
        picture.clicked.connect(self.export_picture)
        csv = tool("table", tr("Save as CSV  Ctrl+E"), parent=self)
        csv.clicked.connect(self.export)
        row.addWidget(picture)
        row.addWidget(csv)
        return row

    def _settings_card(self) -> Card:
        card = Card(tr("How it writes"), parent=self)
        card.body.addWidget(scrolled(self.form), 1)
        card.setFixedWidth(theme.px(280))
        return card

    def _connect(self) -> None:
        self.prompt.textChanged.connect(self._typed)
        self._pause.timeout.connect(self.ask)
        self.asked.changed.connect(self.refresh)
        self._asker.answered.connect(self.board.show_table)
        self._asker.failed.connect(self.board.show_fault)
        for signal in (self._asker.answered, self._asker.failed):
            signal.connect(self._show_buttons)
        self._asker.finished.connect(self.asked.set_time)
        self.board.taken.connect(self.append)
        self.board.branched.connect(self.branch)
        self.writer.grown.connect(self._grow)
        self.writer.ended.connect(self._end)
        self.writer.failed.connect(self.state.report)
        self.writer.changed.connect(self._show_buttons)
        self.form.changed.connect(self._show_buttons)
        self._write.clicked.connect(self.write)
        self._stop.clicked.connect(self.writer.stop)
        self._keep.clicked.connect(self.keep)
        self._template.clicked.connect(self.choose_template)
        self._lead.clicked.connect(self._go_to_training)
        self.state.sentence_changed.connect(self._follow)
        self.state.selection_changed.connect(self.refresh)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self._follow()
        self.refresh()

    @property
    def columns(self) -> dict[int, GenerationColumn]:
        """A column for each run that is asked, by its id."""
        return self.board.by_run

    @property
    def busy(self) -> bool:
        """An answer is awaited."""
        return self._asker.busy or self._pause.isActive() or self.writer.busy

    # what is asked

    @Slot()
    def refresh(self) -> None:
        """A column for each run that is asked."""
        runs = self.asked.runs()
        self._pages.setCurrentIndex(0 if self.asked.known() else 1)
        self.primary = self._write if self.asked.known() else self._lead
        if self.board.set_runs(runs):
            self.writer.stop()
        self._show_buttons()
        if runs and self.isVisible():
            self._propose()
            self.ask()

    def _propose(self) -> None:
        """Begin with the beginning of the corpus."""
        corpus = self.state.corpus
        if corpus is not None and corpus.id != self._proposed and not self.state.sentence:
            self._proposed = corpus.id
            self._set_prompt(first_sentence(self.state, corpus.id)[:BEGINNING])

    @Slot()
    def _follow(self) -> None:
        """The sentence that all panels ask about is another."""
        if self.state.sentence and self.state.sentence != self.text():
            self._set_prompt(self.state.sentence)
            self._wait()

    def _set_prompt(self, text: str) -> None:
        with QSignalBlocker(self.prompt):
            self.prompt.setPlainText(text)

    def text(self) -> str:
        """The prompt."""
        return self.prompt.toPlainText()

    @Slot()
    def _typed(self) -> None:
        self.state.set_sentence(self.text())
        self._wait()

    def _wait(self) -> None:
        if self.isVisible():
            self._pause.start()

    @Slot()
    def ask(self) -> None:
        """Ask every model for its next tokens."""
        if not self.isVisible() or not self.columns:
            return
        self._pause.stop()
        text = self.text()
        if text != self.written_for:
            self.writer.stop()
        self.board.wait(other_prompt=text != self.written_for)
        workspace = self.state.workspace
        self._asker.ask({run: (generation.next_table, workspace, run, text)
                         for run in self.columns})  # fmt: skip

    @Slot(str)
    def append(self, text: str) -> None:
        """Add a next token to the prompt."""
        self.prompt.setPlainText(self.text() + text)
        self.prompt.moveCursor(self.prompt.textCursor().MoveOperation.End)

    # what is written

    @Slot()
    def write(self) -> None:
        """Let every model go on with the prompt."""
        self.board.clear_texts()
        self.written_for = self.text()
        self.writer.write(list(self.columns), self.written_for, self.form.value())

    @Slot(int, list)
    def branch(self, run: int, ids: list[int]) -> None:
        """Let one model write anew from where its text begins with `ids`."""
        if not self.writer.busy and not self.form.faults():
            self.writer.write([run], self.written_for, self.form.value(), {run: ids})

    def stop(self) -> bool:
        """Ctrl+.: end the texts where they are."""
        return self.writer.stop()

    @Slot(list, list)
    def _grow(self, runs: list[int], found: Sequence[Generated]) -> None:
        self.board.show_texts(runs, found, growing=True)

    @Slot(list, list)
    def _end(self, runs: list[int], found: Sequence[Generated]) -> None:
        self.board.show_texts(runs, found)
        self._show_buttons()

    @Slot()
    def _show_buttons(self) -> None:
        faults = self.form.faults()
        busy = self.writer.busy
        if not self.columns:
            disable(self._write, tr("Switch on a model above first."))
        elif faults:
            disable(self._write, str(faults[0].message))
        elif busy:
            disable(self._write, tr("It is writing. Stop it first."))
        else:
            enable(self._write)
        if busy:
            enable(self._stop)
        else:
            disable(self._stop, tr("Nothing is being written."))
        if self._answers():
            enable(self._keep)
        else:
            disable(self._keep, tr("There is no answer to keep yet."))
        self.board.let_branch(may=not busy)

    # what is kept

    def _answers(self) -> list[Generated] | list[NextTable]:
        return self.board.texts() or self.board.tables()

    @Slot()
    def keep(self) -> None:
        """Keep the texts, or where there are none the next tokens, as a finding."""
        texts, answers = self.board.texts(), self._answers()
        asked = self.written_for if texts else self.text()
        question: dict[str, object] = {"text": asked}
        if texts:
            question["options"] = asdict(self.form.value())
        by_name = {answer.name: answer for answer in answers}
        self.state.save_finding("generate" if texts else "next", asked, question, by_name)

    @Slot()
    def choose_template(self) -> None:
        """Make the prompt from a template."""
        dialog = PromptDialog(self.state, self.text(), self.window())
        dialog.filled.connect(self.prompt.setPlainText)
        dialog.open()

    @Slot()
    def _go_to_training(self) -> None:
        wanted = "segment" if self.state.corpus else "corpora"
        self.state.panel_wanted.emit("new_run" if self.state.segmentation else wanted)

    def search(self) -> None:
        """Ctrl+F: the prompt."""
        self.prompt.setFocus()
        self.prompt.selectAll()

    def export(self) -> None:
        """Ctrl+E: the texts as CSV, token by token; where there are none the next tokens."""
        if texts := self.board.texts():
            self.save.ask("generated", generation.save_generated, texts)
        elif answers := self._answers():
            self.save.ask("next", generation.save_next, answers)

    @Slot()
    def export_picture(self) -> None:
        """All columns as PNG, SVG or PDF."""
        picture = GenerationPicture(list(self.columns.values()))
        ExportDialog(self.state, picture, self.text(), self.window()).open()
