"""Layers and gates: a sentence through one network in; what goes on inside, one view of it, out."""

from PySide6.QtCore import QElapsedTimer, QSignalBlocker, Qt, QTimer, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.dialogs.export_plot import ExportDialog
from lmstudio.gui.jobs import Asker
from lmstudio.gui.panels.explore.asked_row import AskedRow
from lmstudio.gui.panels.explore.asking_panel import AskingPanel
from lmstudio.gui.panels.explore.first_sentence import first_sentence
from lmstudio.gui.panels.explore.layers_card import ViewsCard
from lmstudio.gui.panels.explore.layers_view import LayerView
from lmstudio.gui.save_as import SaveAs
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import EmptyState, button
from lmstudio.gui.widgets.fading import fade
from lmstudio.messages import tr

DEBOUNCE_MS = 150


class LayersPanel(AskingPanel):
    """One run is asked, by the view that is chosen; what each view has shown is not asked again."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.asked, self.text = AskedRow(state, "context", self, single=True), QLineEdit(self)
        self.card = ViewsCard(state, self)
        self.view, self.views = self.card.view, self.card.views
        self.save = SaveAs(state, self)
        self._asker, self._clock = Asker(state, self), QElapsedTimer()
        self._pause = QTimer(self, interval=DEBOUNCE_MS, singleShot=True)
        self._proposed = 0  # the corpus whose first sentence stands there
        self._answered: dict[str, object] = {}  # by view: the question that it shows
        self._open: object = None  # the question that was asked last
        self._lead = button(tr("Train a model"), "primary")
        self._lay_out()
        self._connect()
        self.refresh()

    def _lay_out(self) -> None:
        self.text.setPlaceholderText(tr("Type a sentence"))
        self.text.setAccessibleName(tr("Sentence"))
        self.text.setFont(theme.font(15))
        work = QWidget(self)
        column = QVBoxLayout(work)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(12))
        column.addWidget(self.asked)
        column.addWidget(self.text)
        column.addWidget(self.card, 1)
        empty = EmptyState(
            tr("No network to look into yet"),
            tr("LSTM, GRU and ELMo show their gates; GPT and BERT what passes through the layers."),
            [self._lead], family="lstm",
        )  # fmt: skip
        self._pages = self.either(work, empty)

    def _connect(self) -> None:
        self.text.textEdited.connect(self._typed)
        self.asked.changed.connect(self.refresh)
        self.card.asked.connect(self.ask)
        self.card.keep_wanted.connect(self.keep)
        self.card.table_wanted.connect(self.export)
        self.card.picture_wanted.connect(self.picture)
        self._pause.timeout.connect(self._ask_typed)
        self._asker.answered.connect(self._take)
        self._asker.failed.connect(self._fail)
        self._lead.clicked.connect(self._go_to_training)
        for signal in (self.state.selection_changed, self.state.sentence_changed):
            signal.connect(self.refresh)
        self.state.runs_changed.connect(self._ask_anew)

    # what is asked

    @property
    def shown(self) -> LayerView:
        """The view that is chosen."""
        return self.card.shown

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
            self.card.offer(run)
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
        text = (self.text.text(),) if view.needs_text else ()
        question = (run.id, *text, *view.question().values())
        wanted = (self.view.value(), *question)
        if self._asker.busy and wanted == self._open:
            return
        self._open = wanted
        if not view.kind or self._answered.get(self.view.value()) == wanted:
            self._asker.cancel()  # it shows that, or it asks by itself when it is told to
            fade(view, False)
            self.card.show_view()
            return
        self.card.show_view()
        if view.found is None:
            self.card.say(tr("Asking the model…"))
        fade(view, view.found is not None)
        self._clock.start()
        self._asker.ask(view.operation, self.state.workspace, *question)

    # what comes of it

    @Slot(object)
    def _take(self, found: object) -> None:
        view = self.shown
        self._answered[self.view.value()] = self._open
        fade(view, False)
        self.asked.set_time(int(self._clock.elapsed()))
        view.take(found)
        self.card.show_view()

    @Slot(object)
    def _fail(self, error: AppError) -> None:
        fade(self.shown, False)
        self.card.say(str(error))

    # the rest of the window

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Left and right: the token. Up and down: the layer."""
        steps = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0),
                 Qt.Key.Key_Up: (0, -1), Qt.Key.Key_Down: (0, 1)}  # fmt: skip
        if event.key() in steps and self.shown.found is not None and self.shown.kind:
            self.shown.step(*steps[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)

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
    def keep(self) -> None:
        """Keep the question with its answer, to be put to other runs."""
        run, view = self.asked.run(), self.shown
        if run is None or view.found is None or not view.kind:
            self.state.told.emit(tr("There is nothing here to be kept."))
            return
        text = {"text": self.text.text()} if view.needs_text else {}
        title = " · ".join([tr(view.title), *text.values()])
        self.state.save_finding(view.kind, title, text | view.question(), {run.name: view.found})
