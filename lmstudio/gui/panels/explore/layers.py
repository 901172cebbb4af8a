"""Layers and gates: a sentence through one network in; what goes on inside, one view of it, out."""

from PySide6.QtCore import QElapsedTimer, QSignalBlocker, Qt, QTimer, Slot
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QStackedWidget, QVBoxLayout, QWidget

from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.dialogs.export_plot import ExportDialog
from lmstudio.gui.jobs import Asker
from lmstudio.gui.panels.explore.asked_row import AskedRow
from lmstudio.gui.panels.explore.first_sentence import first_sentence
from lmstudio.gui.panels.explore.layers_directions import DirectionsView
from lmstudio.gui.panels.explore.layers_inside import GatesView, NormsView
from lmstudio.gui.panels.explore.layers_lens import LensView
from lmstudio.gui.panels.explore.layers_positions import PositionsView
from lmstudio.gui.panels.explore.layers_reach import ReachView
from lmstudio.gui.panels.explore.layers_similarity import SimilarityView
from lmstudio.gui.panels.explore.layers_terms import TermsView
from lmstudio.gui.panels.explore.layers_view import LayerView
from lmstudio.gui.panels.panel import Panel
from lmstudio.gui.save_as import SaveAs
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import (
    Card,
    ElidedLabel,
    EmptyState,
    Segmented,
    button,
    disable,
    enable,
    label,
    tool,
)
from lmstudio.gui.widgets.fading import fade
from lmstudio.messages import tr
from lmstudio.models.capabilities import reason
from lmstudio.store.rows import RunRow
from lmstudio.training.spec import RunSpec

DEBOUNCE_MS = 150
VIEWS: dict[str, type[LayerView]] = {
    "gates": GatesView, "directions": DirectionsView, "norms": NormsView, "lens": LensView,
    "similarity": SimilarityView, "terms": TermsView, "positions": PositionsView,
    "reach": ReachView,
}  # fmt: skip
"""From what belongs to one family to what all have."""


class LayersPanel(Panel):
    """Views that a network cannot answer are switched off with the reason."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.asked, self.text = AskedRow(state, "context", self, single=True), QLineEdit(self)
        self.views = {key: view(state, self) for key, view in VIEWS.items()}
        choices = [(key, tr(view.title)) for key, view in VIEWS.items()]
        self.view = Segmented(choices, tr("View"), self)
        self.save = SaveAs(state, self)
        self._asker, self._clock = Asker(state, self), QElapsedTimer()
        self._pause = QTimer(self, interval=DEBOUNCE_MS, singleShot=True)
        self._proposed = 0  # the corpus whose first sentence stands there
        self._answered: dict[str, object] = {}  # by view: the question that it shows
        self._open: object = None  # the question that was asked last
        self._told = ElidedLabel(size=12, tone="muted")
        self._said = label(tone="muted", wrap=True)
        self._said.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._lead = button(tr("Train a model"), "primary")
        self._stack, self._tools, self._pages = (QStackedWidget(self) for _ in range(3))
        self._lay_out()
        self._connect()
        self.refresh()

    def _lay_out(self) -> None:
        self.text.setPlaceholderText(tr("Type a sentence"))
        self.text.setAccessibleName(tr("Sentence"))
        self.text.setFont(theme.font(15))
        card = Card(parent=self)
        card.setAccessibleName(tr("Layers and gates"))
        head = QHBoxLayout()
        head.setSpacing(theme.px(8))
        head.addWidget(self.view)
        head.addStretch(1)
        keep = tool("plus", tr("Keep among the findings"), parent=self)
        csv = tool("table", tr("Save every value as CSV  Ctrl+E"), parent=self)
        picture = tool("export", tr("Export the chart"), parent=self)
        for widget, slot in ((keep, self._keep), (csv, self.export), (picture, self.picture)):
            widget.clicked.connect(slot)
            head.addWidget(widget)
        second = QHBoxLayout()
        second.setSpacing(theme.px(8))
        second.addWidget(self._told, 1)
        second.addWidget(self._tools)
        for view in self.views.values():
            self._stack.addWidget(view)
            self._tools.addWidget(view.tools)
        self._stack.addWidget(self._said)
        card.body.addLayout(head)
        card.body.addLayout(second)
        card.body.addWidget(self._stack, 1)
        work = QWidget(self)
        column = QVBoxLayout(work)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(12))
        column.addWidget(self.asked)
        column.addWidget(self.text)
        column.addWidget(card, 1)
        empty = EmptyState(
            tr("No network to look into yet"),
            tr("LSTM, GRU and ELMo show their gates; GPT and BERT what passes through the layers."),
            [self._lead], family="lstm",
        )  # fmt: skip
        for page in (work, empty):
            self._pages.addWidget(page)
        self.page().addWidget(self._pages, 1)

    def _connect(self) -> None:
        self.text.textEdited.connect(self._typed)
        self.asked.changed.connect(self.refresh)
        self.view.chosen.connect(self._show_view)
        self._pause.timeout.connect(self._ask_typed)
        self._asker.answered.connect(self._take)
        self._asker.failed.connect(self._fail)
        self._lead.clicked.connect(self._go_to_training)
        for view in self.views.values():
            view.asked.connect(self.ask)
            view.said.connect(self._tell)
        for signal in (self.state.selection_changed, self.state.sentence_changed):
            signal.connect(self.refresh)
        self.state.runs_changed.connect(self._ask_anew)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self.refresh()

    # what is asked

    @property
    def shown(self) -> LayerView:
        """The view that is chosen."""
        return self.views[self.view.value()]

    @property
    def busy(self) -> bool:
        """An answer is awaited."""
        return self._asker.busy

    @Slot()
    def refresh(self) -> None:
        """Offer what the run asked can show, and ask it."""
        known = self.asked.known()
        self._pages.setCurrentIndex(0 if known else 1)
        self.primary = None if known else self._lead
        run = self.asked.run()
        if run is not None and self.isVisible():
            self._propose()
            self._offer(run)
            self.ask()

    @Slot()
    def _ask_anew(self) -> None:
        """A run may have gone on: its answers are old."""
        self._answered.clear()
        self.refresh()

    def _propose(self) -> None:
        """The sentence of all panels, or else the corpus's first."""
        corpus, sentence = self.state.corpus, self.state.sentence
        if corpus is not None and corpus.id != self._proposed:
            self._proposed = corpus.id
            sentence = sentence or first_sentence(self.state, corpus.id)
        if sentence and sentence != self.text.text() and not self.text.hasFocus():
            with QSignalBlocker(self.text):
                self.text.setText(sentence)
                self.text.setCursorPosition(0)

    def _offer(self, run: RunRow) -> None:
        """Switch off views that its family cannot answer; show the first if that is the one."""
        config = RunSpec.from_json(run.spec).config
        able = []
        for key, view in self.views.items():
            why = reason(run.model, view.asks, config)
            segment = self.view.segment(key)
            if why is None:
                enable(segment)
                able.append(key)
            else:
                disable(segment, tr("{name}: {reason}", name=run.name, reason=str(why)))
        if self.view.value() not in able:
            self.view.set_value(able[0])

    @Slot()
    def _typed(self) -> None:
        self._pause.start()

    @Slot()
    def _ask_typed(self) -> None:
        self.state.set_sentence(self.text.text())  # all panels ask about it, this one too
        self.ask()

    @Slot()
    def ask(self) -> None:
        """Look into the run with what is typed, unless the view shows that already."""
        run, view = self.asked.run(), self.shown
        if run is None or not self.isVisible():
            return
        self._pause.stop()
        if view.run is None or view.run.id != run.id:
            view.prepare(run)
        self._tools.setCurrentWidget(view.tools)
        self._fit_tools()
        question = (self.view.value(), *self._question())
        if self._asker.busy and question == self._open:
            return
        self._open = question
        if self._answered.get(self.view.value()) == question:
            self._asker.cancel()
            fade(view, False)
            self._show(view)
        elif view.kind:
            if view.found is None:
                self._say(tr("Asking the model…"))
            else:
                self._show(view)
                fade(view, True)
            self._clock.start()
            self._asker.ask(view.operation, self.state.workspace, *question[1:])
        else:  # it asks by itself, when it is told to
            self._asker.cancel()
            self._show(view)

    def _question(self) -> tuple[object, ...]:
        """What the view asks: the run, the text, and what it asks besides."""
        run, view = self.asked.run(), self.shown
        text = (self.text.text(),) if view.needs_text else ()
        return (run.id if run else 0, *text, *view.question().values())

    def _fit_tools(self) -> None:
        """A stack is as wide as its widest page; this one as the page that is shown."""
        for view in self.views.values():
            view.tools.setVisible(view is self.shown)
        self._tools.setFixedWidth(self.shown.tools.sizeHint().width())

    # what comes of it

    @Slot(object)
    def _take(self, found: object) -> None:
        view = self.shown
        self._answered[self.view.value()] = self._open
        fade(view, False)
        self.asked.set_time(int(self._clock.elapsed()))
        view.take(found)
        self._fit_tools()
        self._show(view)

    @Slot(object)
    def _fail(self, error: AppError) -> None:
        fade(self.shown, False)
        self._say(str(error))

    def _show(self, view: LayerView) -> None:
        self._stack.setCurrentWidget(view)
        self._told.setText(view.line() if view.found is not None or not view.kind else "")

    def _say(self, text: str) -> None:
        self._said.setText(text)
        self._stack.setCurrentWidget(self._said)

    @Slot(str)
    def _tell(self, line: str) -> None:
        if self.sender() is self.shown:
            self._told.setText(line)

    @Slot()
    def _show_view(self) -> None:
        """Another view: of the same token and layer."""
        before = self._stack.currentWidget()
        if isinstance(before, LayerView):
            self.shown.place, self.shown.layer = before.place, before.layer
            self._answered_again()
        self.ask()

    def _answered_again(self) -> None:
        if self.shown.found is not None and self.shown.kind:
            self.shown.choose(self.shown.place, self.shown.layer)
            self.shown.redraw()

    # the rest of the window

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Left and right: the token. Up and down: the layer."""
        steps = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0),
                 Qt.Key.Key_Up: (0, -1), Qt.Key.Key_Down: (0, 1)}  # fmt: skip
        if event.key() in steps and self.shown.found is not None and self.shown.kind:
            self.shown.step(*steps[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)

    @Slot()
    def _go_to_training(self) -> None:
        self.state.panel_wanted.emit("new_run")

    def search(self) -> None:
        """Ctrl+F: the sentence."""
        self.text.setFocus()
        self.text.selectAll()

    @Slot()
    def export(self) -> None:
        """Ctrl+E: every value of the view as CSV."""
        view = self.shown
        if view.found is None:
            self.state.told.emit(tr("There is nothing to save yet."))
        else:
            self.save.ask(view.kind or "reach", view.save, view.found)

    @Slot()
    def picture(self) -> None:
        """What the view shows as PNG, SVG or PDF."""
        run, view = self.asked.run(), self.shown
        if run is None or view.found is None:
            self.state.told.emit(tr("There is nothing to save yet."))
        else:
            parts = [run.name, tr(view.title), view.caption()]
            caption = " · ".join(part for part in parts if part)
            ExportDialog(self.state, view.picture(), caption, self.window()).open()

    @Slot()
    def _keep(self) -> None:
        """Keep the question with its answer, to be put to other runs."""
        run, view = self.asked.run(), self.shown
        if run is None or view.found is None or not view.kind:
            self.state.told.emit(tr("There is nothing here to be kept."))
            return
        text = {"text": self.text.text()} if view.needs_text else {}
        title = " · ".join([tr(view.title), *text.values()])
        self.state.save_finding(view.kind, title, text | view.question(), {run.name: view.found})
