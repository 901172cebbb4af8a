"""Attention: a sentence through a transformer in; who looks at whom, and why, and for what, out."""

from functools import partial

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from lmstudio.analysis.attending.attention import Attention
from lmstudio.analysis.attending.switches import HeadChange
from lmstudio.analysis.attending.text import Head
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.panels.explore import attention_texts as texts
from lmstudio.gui.panels.explore.asked_row import AskedRow
from lmstudio.gui.panels.explore.asking_panel import AskingPanel
from lmstudio.gui.panels.explore.attention_asking import AttentionAsking
from lmstudio.gui.panels.explore.attention_board import AttentionBoard
from lmstudio.gui.panels.explore.attention_export import AttentionExport
from lmstudio.gui.panels.explore.first_sentence import first_sentence
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import EmptyState, button, label
from lmstudio.gui.widgets.head_grid import WHOLE
from lmstudio.messages import tr
from lmstudio.operations import attention

DEBOUNCE_MS = 150


class AttentionPanel(AskingPanel):
    """Arrows move the row, [ and ] the head, { and } the layer; 0 switches the head off."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.models = AskedRow(state, "attention", self, single=True)
        self.text = QLineEdit(self)
        self.hidden = QCheckBox(tr("Hide <s> and </s>"), self)
        self.shared = QCheckBox(tr("Rows sum to 1 again"), self)
        self.board = AttentionBoard(self)
        self.asking = AttentionAsking(state, self)
        self.export_of = AttentionExport(state, self.board, self.asking, self)
        self._pause = QTimer(self, interval=DEBOUNCE_MS, singleShot=True)
        self._lead = button(tr("Train a model"), "primary")
        self._lay_out()
        self._connect()
        self._add_keys()
        self.refresh()

    @property
    def found(self) -> Attention | None:
        """The matrix on screen."""
        return self.asking.found

    @property
    def busy(self) -> bool:
        """An answer is awaited."""
        return self.asking.busy or self._pause.isActive()

    def _lay_out(self) -> None:
        self.text.setPlaceholderText(tr("Type a sentence"))
        self.text.setAccessibleName(tr("Sentence"))
        self.text.setFont(theme.font(15))
        self.shared.setEnabled(False)
        self.shared.setToolTip(tr("What went to the marks is shared out among the words."))
        asked = QHBoxLayout()
        asked.setSpacing(theme.px(12))
        asked.addWidget(self.text, 1)
        asked.addWidget(self.hidden)
        asked.addWidget(self.shared)
        work = QWidget(self)
        column = QVBoxLayout(work)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(12))
        column.addWidget(self.models)
        column.addLayout(asked)
        self._problem = label(size=13, tone="bad", wrap=True)
        self._problem.hide()
        column.addWidget(self._problem)
        column.addWidget(self.board, 1)
        empty = EmptyState(
            tr("No model with attention yet"),
            tr("GPT and BERT look at the words of a sentence with many heads; train one of them."),
            [self._lead], family="gpt",
        )  # fmt: skip
        self._pages = self.either(work, empty)

    def _connect(self) -> None:
        board, asking = self.board, self.asking
        self.text.textEdited.connect(self.state.set_sentence)
        self.state.sentence_changed.connect(self._take_sentence)
        self.models.changed.connect(self._change_model)
        self.hidden.toggled.connect(self._change_marks)
        self.shared.toggled.connect(self._change_marks)
        self._pause.timeout.connect(self.ask)
        board.grid.chosen.connect(self.choose_head)
        board.grid.added.connect(self.add_head)
        board.grid.switched.connect(self.switch)
        board.mode.chosen.connect(self._change_mode)
        board.words.chosen.connect(self._change_words)
        board.arcs.row_chosen.connect(self.choose_row)
        board.arcs.column_chosen.connect(self._choose_column)
        board.map.picked.connect(self._choose_cell)
        board.changes.chosen.connect(self._choose_change)
        board.keep.clicked.connect(self.keep)
        asking.seen.connect(self._take)
        asking.worked_out.connect(self._draw_cell)
        asking.compared.connect(self._draw_cell)
        asking.ranked.connect(self._draw_changes)
        asking.failed.connect(self._fail)
        asking.took.connect(self.models.set_time)
        self._lead.clicked.connect(self._go_to_training)
        for signal in (self.state.selection_changed, self.state.runs_changed):
            signal.connect(self.refresh)

    def _add_keys(self) -> None:
        """Those of ui.md: typed in the field for the sentence they are letters."""
        steps = {"[": (0, -1), "]": (0, 1), "{": (-1, 0), "}": (1, 0)}
        for key, step in steps.items():
            shortcut = QShortcut(QKeySequence(key), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(partial(self._step, *step))
        off = QShortcut(QKeySequence("0"), self)
        off.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        off.activated.connect(self._switch_chosen)

    # what is asked

    @Slot()
    def refresh(self) -> None:
        """Show what there is to ask, and ask it if nothing was asked yet."""
        able = bool(self.models.known())
        self._pages.setCurrentIndex(0 if able else 1)
        self.primary = None if able else self._lead
        if able and self.isVisible():
            self._propose()
            if self.found is None or self._run_id() != self.asking.asked.run:
                self._change_model()

    def _run_id(self) -> int:
        run = self.models.run()
        return run.id if run else 0

    def _propose(self) -> None:
        """The sentence of all panels, or the corpus's first."""
        corpus = self.state.corpus
        if not self.state.sentence and corpus is not None:
            self.state.set_sentence(first_sentence(self.state, corpus.id))
        self._take_sentence()

    @Slot()
    def _take_sentence(self) -> None:
        if self.text.text() != self.state.sentence:
            self.text.setText(self.state.sentence)
        if self.state.sentence != self.asking.asked.text and self.isVisible():
            self._pause.start()

    @Slot()
    def _change_model(self) -> None:
        """Another run: its heads are others, so none is off and the last one is looked at."""
        run, asked = self.models.run(), self.asking.asked
        if run is None:
            self._say(tr("No model with attention is asked. “Add” offers those there are."))
        if run is None or not self.isVisible():
            return
        if run.id != asked.run:
            sizes = (run.spec or {}).get("config", {})
            asked.run, asked.off = run.id, frozenset()
            asked.head = (max(int(sizes.get("layers", 1)) - 1, 0), 0)
            asked.members = frozenset({asked.head})
        self.ask()

    @Slot()
    def ask(self) -> None:
        """Ask about what is typed."""
        if self.models.run() is None or not self.isVisible():
            return
        self._pause.stop()
        asked = self.asking.asked
        if asked.text != self.state.sentence:
            asked.text, asked.row, asked.column = self.state.sentence, -1, -1
        self.board.fade(self.found is not None)
        if self.found is None:
            self.board.said.setText(tr("Asking the model…"))
        self.asking.ask()

    @Slot()
    def _change_marks(self) -> None:
        asked = self.asking.asked
        moved = (1 if self.hidden.isChecked() else 0) - (0 if asked.marks else 1)
        asked.marks, asked.renormalise = not self.hidden.isChecked(), self.shared.isChecked()
        self.shared.setEnabled(self.hidden.isChecked())
        asked.row, asked.column = max(asked.row - moved, 0), max(asked.column - moved, 0)
        self.ask()

    @Slot(str)
    def _change_words(self, value: str) -> None:
        asked = self.asking.asked
        asked.words, asked.row, asked.column = value == "words", -1, -1
        self.ask()

    @Slot(str)
    def _change_mode(self, value: str) -> None:
        asked = self.asking.asked
        asked.mode = value
        asked.members = frozenset({asked.head})
        asked.column = -1
        self.ask()

    @Slot(int, int)
    def choose_head(self, layer: int, head: int) -> None:
        """Look at a head, or at the mean of a whole layer; of a mean it is added or taken out."""
        asked = self.asking.asked
        if head == WHOLE and asked.mode != "rollout":
            asked.members, asked.head = frozenset(self._heads(layer)), (layer, 0)
            self._set_mode("mean")
        else:
            asked.head = (layer, max(head, 0))
            if asked.mode == "mean":
                self._set_mode("head")
        asked.column = -1
        self.ask()

    @Slot(int, int)
    def add_head(self, layer: int, head: int) -> None:
        """Look at the mean of a head, or a layer, and those looked at; or without it."""
        asked, heads = self.asking.asked, self._heads(layer) if head == WHOLE else [(layer, head)]
        members = set(asked.members if asked.mode == "mean" else {asked.head})
        members = members - set(heads) if members.issuperset(heads) else members | set(heads)
        if members:
            asked.members, asked.head = frozenset(members), heads[0]
            self._set_mode("mean")
            asked.column = -1
            self.ask()

    def _set_mode(self, mode: str) -> None:
        self.asking.asked.mode = mode
        self.board.mode.set_value(mode)
        if mode == "head":
            self.asking.asked.members = frozenset({self.asking.asked.head})

    @Slot(int, int)
    def switch(self, layer: int, head: int) -> None:
        """Switch a head, or a whole layer, off or on again."""
        asked, heads = self.asking.asked, self._heads(layer) if head == WHOLE else [(layer, head)]
        off = set(asked.off)
        asked.off = frozenset(off - set(heads) if off.issuperset(heads) else off | set(heads))
        self.ask()

    @Slot()
    def _switch_chosen(self) -> None:
        self.switch(*self.asking.asked.head)

    def _heads(self, layer: int) -> list[Head]:
        return [(layer, head) for head in range(self.found.heads)] if self.found else []

    def _step(self, layers: int, heads: int) -> None:
        if self.found is not None:
            layer, head = self.asking.asked.head
            self.choose_head(
                min(max(layer + layers, 0), self.found.layers - 1),
                min(max(head + heads, 0), self.found.heads - 1),
            )  # fmt: skip

    # the row and the cell

    @Slot(int)
    def choose_row(self, row: int) -> None:
        """Let another word ask; the cell is where it looks most."""
        if self.found is not None:
            self._choose_cell(row, texts.strongest(self.found, row))

    @Slot(int)
    def _choose_column(self, column: int) -> None:
        self._choose_cell(self.asking.asked.row, column)

    @Slot(int, int)
    def _choose_cell(self, row: int, column: int) -> None:
        asked = self.asking.asked
        asked.row, asked.column = row, column
        if self.found is not None:
            self.board.show_row(self.found, asked, self._family())
            self.asking.ask_of_cell()

    @Slot(list)
    def _choose_change(self, keys: list[str]) -> None:
        if keys:
            layer, head = map(int, str(keys[0]).split("."))
            self.choose_head(layer, head)

    # what comes of it

    @Slot(object)
    def _take(self, found: Attention) -> None:
        asked = self.asking.asked
        self._say("")
        self.board.fade(False)
        if not 0 <= asked.row < len(found.names):
            asked.row = texts.first_row(found)
        if not 0 <= asked.column < len(found.names):
            asked.column = texts.strongest(found, asked.row)
        self.board.show_view(found, asked, self._family())

    def _family(self) -> str:
        run = self.models.run()
        return run.model if run else ""

    @Slot()
    def _draw_cell(self) -> None:
        self.board.show_cell(self.asking.cell, self.asking.effect, self.asking.asked)

    @Slot(list, int)
    def _draw_changes(self, changes: list[HeadChange], waiting: int) -> None:
        self.board.show_changes(changes, self.asking.base, waiting, self.asking.asked)

    @Slot(object)
    def _fail(self, error: AppError) -> None:
        self.board.fade(self.found is not None)
        if self.found is None:
            self.board.said.setText("")  # nothing is asked any more
        self._say(str(error))

    def _say(self, problem: str) -> None:
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))

    # the rest of the window

    @Slot()
    def keep(self) -> None:
        """Keep the question with its answer, to be put to other runs."""
        run = self.models.run()
        if run is not None and self.found is not None:
            title = f"{self.board.cards['arcs'].row.title.full_text()} · {self.text.text()}"
            answers = {run.name: attention.summary_of(self.found)}
            self.state.save_finding("attention", title[:200], self.asking.asked.question(), answers)

    def search(self) -> None:
        """Ctrl+F: the sentence."""
        self.text.setFocus()
        self.text.selectAll()

    def export(self) -> None:
        """Ctrl+E: the matrix as CSV."""
        self.export_of.save_map()
