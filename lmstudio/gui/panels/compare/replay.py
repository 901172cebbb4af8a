"""Replay: a network's answers to the same questions, validation after validation, as it learned."""

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QSlider, QVBoxLayout, QWidget

from lmstudio import figures
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.jobs import Asker
from lmstudio.gui.panels.compare import replay_rows
from lmstudio.gui.panels.compare.corpus_runs import corpus_runs
from lmstudio.gui.panels.panel import Panel
from lmstudio.gui.save_as import SaveAs
from lmstudio.gui.state import AppState
from lmstudio.gui.tables import Table
from lmstudio.gui.widgets import Card, EmptyState, Mark, button, label, tool
from lmstudio.messages import tr
from lmstudio.models.registry import MODELS
from lmstudio.operations import probes
from lmstudio.store.rows import RunRow
from lmstudio.training.probes import ProbeRecord

FRAME_MS = 500  # a validation in the film


class ReplayPanel(Panel):
    """A slider over the validations of a run; blanks, neighbours and a written line below it."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.records: list[ProbeRecord] = []
        self.mark, self.run = Mark("", self), QComboBox(self)
        self.slider = QSlider(Qt.Orientation.Horizontal, self)
        self.play = tool("play", tr("Play it like a film"), parent=self)
        self.when = label(bold=True)
        self.blanks = Table(replay_rows.blank_columns(), tr("Blanks"), self, row_height=34)
        self.neighbours = Table(
            replay_rows.neighbour_columns(), tr("Nearest words"), self, row_height=26
        )
        self.line = label(size=15, wrap=True)
        self.save = SaveAs(state, self)
        self._asker = Asker(state, self)
        self._film = QTimer(self, interval=FRAME_MS)
        self._lay_out()
        self._connect()
        self.refresh()

    def _lay_out(self) -> None:
        self.run.setAccessibleName(tr("Run"))
        self.run.setMinimumContentsLength(24)
        self.slider.setAccessibleName(tr("Validation"))
        self.slider.setPageStep(1)
        self.slider.setRange(0, 0)
        for table in (self.blanks, self.neighbours):
            table.setSortingEnabled(False)
        top = QHBoxLayout()
        top.setSpacing(theme.px(12))
        for widget in (self.mark, self.run, self.play, self.slider, self.when):
            top.addWidget(widget, 1 if widget is self.slider else 0)
        csv = tool("table", tr("Save all answers as CSV"), parent=self)
        csv.clicked.connect(self.save_table)
        top.addWidget(csv)
        page = QWidget(self)
        layout = QVBoxLayout(page)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(12))
        layout.addLayout(top)
        self._asked = Card(tr("What it expects in the blank"), parent=self)
        self._asked.body.addWidget(self.blanks, 1)
        near = Card(tr("What stands nearest in its look-up table"), parent=self)
        near.body.addWidget(self.neighbours, 1)
        self._written = Card(tr("What it writes"), parent=self)
        self._written.body.addWidget(self.line)
        layout.addWidget(self._asked, 4)
        layout.addWidget(near, 3)
        layout.addWidget(self._written)
        self._train = button(tr("Train a model"), "primary")
        empty = Card(parent=self)
        empty.body.addWidget(
            EmptyState(
                tr("No training to replay yet"),
                tr("Networks are asked the same questions at each validation while they train."),
                [self._train], family="lstm",
            ), 1,
        )  # fmt: skip
        self._pages = self.either(page, empty)

    def _connect(self) -> None:
        self.run.activated.connect(self._ask)
        self.slider.valueChanged.connect(self._show_record)
        self.play.clicked.connect(self._play)
        self._film.timeout.connect(self._next)
        self._train.clicked.connect(self._go_to_training)
        self._asker.answered.connect(self._take)
        self._asker.failed.connect(self._fail)
        for signal in (self.state.selection_changed, self.state.runs_changed,
                       self.state.run_selection_changed):  # fmt: skip
            signal.connect(self.refresh)

    # which run

    def runs(self) -> list[RunRow]:
        """The networks of the corpus, the newest first."""
        runs = reversed(corpus_runs(self.state))
        return [run for run in runs if MODELS[run.model].kind == "neural"]

    @Slot()
    def refresh(self) -> None:
        if not self.isVisible():
            return  # drawn when it is shown
        runs = self.runs()
        self._pages.setCurrentIndex(0 if runs else 1)
        self.primary = None if runs else self._train
        chosen = next((run.id for run in runs if run.id in self.state.run_ids),
                      self.run.currentData())  # fmt: skip
        with QSignalBlocker(self.run):
            self.run.clear()
            for run in runs:
                self.run.addItem(run.name, run.id)
            self.run.setCurrentIndex(max(0, self.run.findData(chosen)))
        if runs:
            self._ask()

    @Slot()
    def _ask(self) -> None:
        run = self.state.workspace.run(self.run.currentData())
        self.mark.set_family(run.model)
        self._asker.ask(probes.probes, self.state.workspace, run.id)

    # what it answered

    @Slot(object)
    def _take(self, records: list[ProbeRecord]) -> None:
        at_end = self.slider.value() == self.slider.maximum()
        self.records = records
        with QSignalBlocker(self.slider):
            self.slider.setRange(0, max(0, len(records) - 1))
            if at_end:  # a run that is training is followed
                self.slider.setValue(self.slider.maximum())
        for widget in (self.slider, self.play):
            widget.setEnabled(len(records) > 1)
        self._show_record()

    @Slot()
    def _show_record(self) -> None:
        record = self.records[self.slider.value()] if self.records else None
        if record is None:
            self.when.setText(tr("not validated yet"))
            self.blanks.set_rows([])
            self.neighbours.set_rows([])
            self._written.hide()
            return
        self.when.setText(tr("step {step} · {time}", step=figures.count(record.step),
                             time=figures.duration(record.seconds)))  # fmt: skip
        self.blanks.set_rows(replay_rows.blank_rows(record))
        right = sum(b.guesses[:1] != [] and b.guesses[0][0] == b.truth for b in record.blanks)
        self._asked.row.set_note(
            tr("{right} of {count} right at the first guess", right=right, count=len(record.blanks))
        )
        self.neighbours.set_rows(replay_rows.neighbour_rows(record))
        self._written.setVisible(bool(record.line))
        self.line.setText(" ".join(record.line))

    @Slot()
    def _play(self) -> None:
        """From the beginning if it stands at the end; again to stop."""
        if self._film.isActive():
            self._film.stop()
            return
        if self.slider.value() == self.slider.maximum():
            self.slider.setValue(0)
        self._film.start()

    @Slot()
    def _next(self) -> None:
        self.slider.setValue(self.slider.value() + 1)
        if self.slider.value() == self.slider.maximum():
            self._film.stop()

    @Slot(object)
    def _fail(self, error: AppError) -> None:
        self.when.setText(str(error))

    @Slot()
    def save_table(self) -> None:
        """Save the answers of all validations as CSV."""
        self.save.ask("probes", probes.save_probes, self.records)
