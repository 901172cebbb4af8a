"""ScoreFileDialog: a file of sentences and some runs in; a job that makes a CSV of them out."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QWidget

from lmstudio.analysis.surprisal import PSEUDO
from lmstudio.gui.captions import sentence_case
from lmstudio.gui.dialogs.dialog import Dialog
from lmstudio.gui.save_as import chosen_path
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import disable, enable, label
from lmstudio.gui.widgets.file_field import FileField
from lmstudio.jobs import Job
from lmstudio.messages import listed, tr
from lmstudio.operations import surprisal
from lmstudio.operations.run_names import sees_both_sides


class ScoreFileDialog(Dialog):
    """The job shows its progress in the window, where it can be stopped."""

    started = Signal(object)  # the Job

    def __init__(
        self, state: AppState, runs: list[int], words: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(tr("Score a file"), parent)
        self._state, self._runs, self._words = state, runs, words
        self.file = FileField(tr("Choose a text, a sentence a line…"), parent=self)
        self.pseudo = QComboBox(self)
        for kind in reversed(PSEUDO):
            self.pseudo.addItem(sentence_case(tr(surprisal.KIND_NAMES[kind])), kind)
        self.pseudo.setAccessibleName(tr("Of models that see both sides"))
        self.spelled = QCheckBox(tr("Unknown words cost their spelling too"), self)
        self.spelled.setChecked(True)
        self.ends = QCheckBox(tr("A row for the end of each sentence"), self)
        about = tr("The table has a row for each word: line, word, where it starts and ends in the "
                   "line, and the surprisal by each model asked, in bits.")  # fmt: skip
        self.body.addWidget(label(about, tone="muted", wrap=True))
        self.body.addWidget(self.file)
        names = [state.workspace.run(run).name for run in runs]
        self.body.addWidget(label(tr("Models: {names}", names=listed(names)), wrap=True))
        if any(sees_both_sides(state.workspace.run(run).spec) for run in runs):
            form = QFormLayout()
            form.addRow(tr("Of models that see both sides"), self.pseudo)
            self.body.addLayout(form)
        else:
            self.pseudo.hide()
        self.body.addWidget(self.spelled)
        self.body.addWidget(self.ends)
        self.add_cancel()
        self.go = self.add_primary(tr("Choose where to…"))
        self.file.changed.connect(self._refresh)
        self.accepted.connect(self._ask)
        self._refresh()

    @Slot()
    def _refresh(self) -> None:
        if not self._runs:
            disable(self.go, tr("Choose a model in the row at the top of the panel first"))
        elif self.file.path is None:
            disable(self.go, tr("Choose a file first"))
        else:
            enable(self.go)

    @Slot()
    def _ask(self) -> None:
        if self.file.path is None:
            return
        name = f"{self.file.path.stem}-surprisal"
        if path := chosen_path(self.parentWidget(), tr("Save as"), name):
            self.score(path)

    def score(self, out: Path) -> None:
        """Start the job that writes `out`."""
        assert self.file.path is not None
        function = partial(
            surprisal.score_file, words=self._words, pseudo=self.pseudo.currentData(),
            spelled=self.spelled.isChecked(), ends=self.ends.isChecked(),
        )  # fmt: skip
        job = Job(tr("Score {name}", name=self.file.path.name))
        self.started.emit(job)
        self._state.run("bulk", job, function, self._state.workspace, self._runs, self.file.path,
                        out)  # fmt: skip
