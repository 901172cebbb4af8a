"""ImportModelDialog: a model of another program in; its name, its place and its new words out."""

from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QComboBox, QFormLayout, QLineEdit, QWidget

from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.captions import sentence_case
from lmstudio.gui.dialogs.dialog import Dialog
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import disable, enable, label
from lmstudio.messages import msg, tr

KINDS = {
    "huggingface": msg("A model of Hugging Face: its pieces cut the corpus it is put on."),
    "elmo": msg("An ELMo: it spells the words of any segmentation."),
    "arpa": msg("An n-gram model (ARPA): a corpus is cut once more where it has other words."),
    "vectors": msg("Word vectors: neighbours, maps, and the beginning of a network's table."),
}
"""What a file was recognised as, and what becomes of it."""


class ImportModelDialog(Dialog):
    """Emits `chosen`: the name ("": as the file), a corpus or segmentation, 0 for its own, words.

    The words, which only models of Hugging Face can be given, become tokens of their own.
    """

    chosen = Signal(str, int, list)

    def __init__(self, state: AppState, path: Path, kind: str, parent: QWidget) -> None:
        super().__init__(tr("Import {name}", name=path.name), parent)
        self._state = state
        self.name, self.place, self.words = QLineEdit(self), QComboBox(self), QLineEdit(self)
        self.name.setMaxLength(100)
        self.name.setPlaceholderText(tr("as the file"))
        self._fill(kind)
        self.body.addWidget(label(tr(KINDS[kind]), tone="muted", wrap=True))
        form = QFormLayout()
        rows = [(tr("Name"), self.name), (tr("Stands on"), self.place)]
        if kind == "huggingface":
            rows.append((tr("Added words"), self.words))
        for title, control in rows:
            control.setAccessibleName(title)
            form.addRow(title, control)
        self.words.setVisible(kind == "huggingface")
        self.words.setPlaceholderText(tr("none; or words between spaces"))
        self.words.setToolTip(tr("They become tokens of their own, each beginning with the mean of "
                                 "its pieces"))  # fmt: skip
        self.body.addLayout(form)
        self.note = label(size=12, tone="bad", wrap=True)
        self.body.addWidget(self.note)
        self.setMinimumWidth(theme.px(440))
        self.add_cancel()
        self.go = self.add_primary(tr("Import"))
        self.name.textChanged.connect(self._refresh)
        self.accepted.connect(self._tell)
        self._refresh()

    def _fill(self, kind: str) -> None:
        """Its own words, or what is there already; what is selected is proposed where it helps."""
        self.place.addItem(sentence_case(tr("a corpus of its own words")), 0)
        if kind == "huggingface":
            places = [(row.name, row.id) for row in self._state.corpora()]
        else:
            places = [(row.name, row.id) for row in self._state.segmentations()]
        for name, number in places:
            self.place.addItem(name, number)
        selected = self._state.segmentation
        if selected is not None and kind in ("arpa", "elmo"):
            self.place.setCurrentIndex(self.place.findData(selected.id))

    @Slot()
    def _refresh(self) -> None:
        why = ""
        if typed := self.name.text().strip():
            try:
                self._state.workspace.check_name("run", typed)
            except AppError as error:
                why = str(error)
        self.note.setText(why)
        if why:
            disable(self.go, why)
        else:
            enable(self.go)

    @Slot()
    def _tell(self) -> None:
        self.chosen.emit(
            self.name.text().strip(), self.place.currentData(), self.words.text().split()
        )
