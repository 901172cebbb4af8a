"""ImportResult: what came of an import in; one readable strip with the next step out."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.dialogs.import_report import summary
from lmstudio.gui.panels.corpora.corpus_list import encoding_name
from lmstudio.gui.widgets import Picture, button, label, tool
from lmstudio.messages import tr
from lmstudio.operations.changes import Changes
from lmstudio.store.rows import CorpusRow

_NOTES = 3  # that are shown; the details have all


class ImportResult(QFrame):
    """Hidden until something was imported, and after it was closed."""

    segment_wanted = Signal()
    details_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "card")
        self._said = label(bold=True, wrap=True)
        self._sums = label(size=12, tone="muted", wrap=True)
        self._notes = label(size=12, tone="muted", wrap=True)
        self._more: list[str] = []  # notes that the card has no room for
        words = QVBoxLayout()
        words.setSpacing(theme.px(2))
        words.addWidget(self._said)
        words.addWidget(self._sums)
        words.addWidget(self._notes)
        self.details = button(tr("Details…"), "link", parent=self)
        self.details.clicked.connect(self.details_wanted)
        go = button(tr("Segment it"), "link", parent=self)
        go.clicked.connect(self.segment_wanted)
        close = tool("close", tr("Hide this note"), parent=self)
        close.clicked.connect(self.hide)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(theme.px(16), theme.px(8), theme.px(8), theme.px(8))
        layout.setSpacing(theme.px(12))
        layout.addWidget(Picture("check", "ok", 18))
        layout.addLayout(words, 1)
        layout.addWidget(self.details)
        layout.addWidget(go)
        layout.addWidget(close)
        self._corpus_id = 0
        self.hide()

    def show_result(self, corpus: CorpusRow, changes: Changes) -> None:
        """Say what is there now and what happened to the text on its way."""
        self._corpus_id = corpus.id
        self._said.setText(
            tr(
                "{name} is imported: {documents} documents, {characters} characters, {encoding}.",
                name=corpus.name, documents=figures.count(corpus.documents),
                characters=figures.count(corpus.characters),
                encoding=encoding_name(corpus.encoding),
            )
        )  # fmt: skip
        self._sums.setText(summary(corpus))
        notes = [str(note) for note in changes.notes]
        shown, self._more = notes[:_NOTES], notes[_NOTES:]
        if self._more:
            shown.append(tr("{count} more notes stand in the details.", count=len(self._more)))
        self._notes.setText(" ".join(shown))
        self._notes.setVisible(bool(shown))
        self.show()

    def text(self) -> str:
        """All that it says, and the notes that it has no room for."""
        said = (self._said.text(), self._sums.text(), self._notes.text(), *self._more)
        return "\n".join(filter(None, said))

    @Slot(object)
    def hide_for_other(self, corpus: CorpusRow | None) -> None:
        """It speaks of one corpus: hide it when another is shown."""
        if corpus is None or corpus.id != self._corpus_id:
            self.hide()
