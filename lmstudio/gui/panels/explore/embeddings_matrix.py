"""MatrixCard: a list of words in; how alike each two are, by a run, by classes or one-hot, out."""

from collections.abc import Sequence

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QWidget

from lmstudio.analysis.similarity import Similarities, one_hot
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.choices import fill
from lmstudio.gui.dialogs.export_plot import ExportDialog
from lmstudio.gui.jobs import Asker
from lmstudio.gui.save_as import SaveAs
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Card, ElidedLabel, tool
from lmstudio.gui.widgets.fading import fade
from lmstudio.gui.widgets.marks import mark_icon
from lmstudio.gui.widgets.similarity_matrix import SimilarityMatrix
from lmstudio.messages import tr
from lmstudio.operations import embeddings
from lmstudio.store.rows import RunRow

MOST = 40  # words that a line drawn on the map puts in
ONE_HOT, CLASSES = "one-hot", "classes"


class MatrixCard(Card):
    """The words are typed, added from the map, or drawn round there; Del takes one out."""

    chosen = Signal(str)

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(tr("Similarity"), tr("cosine, −1 to 1"), parent)
        self._state = state
        self._layers: dict[int, int] = {}
        self._run: RunRow | None = None  # the one that is mapped, whose classes there are
        self.by, self.field = QComboBox(self), QLineEdit(self)
        self.matrix = SimilarityMatrix(tr("Similarity of words"), self)
        self.save = SaveAs(state, self)
        self.found: Similarities | None = None
        self.current = ""  # the word that "+" adds
        self._said = ElidedLabel(size=12, tone="muted")
        self._asker = Asker(state, self)
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        self.by.setAccessibleName(tr("Vectors"))
        self.by.setMinimumContentsLength(8)
        self.by.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.field.setPlaceholderText(tr("Words to compare"))
        self.field.setAccessibleName(tr("Words to compare"))
        self.plus = tool("plus", tr("Add the word chosen"), parent=self)
        csv = tool("table", tr("Save the table as CSV"), parent=self)
        picture = tool("export", tr("Export the chart"), parent=self)
        self.plus.clicked.connect(self._add)
        csv.clicked.connect(self.save_csv)
        picture.clicked.connect(self.export_picture)
        for widget in (self.plus, csv, picture):
            self.row.add_tool(widget)
        asked = QHBoxLayout()
        asked.setSpacing(theme.px(8))
        asked.addWidget(self.field, 1)
        asked.addWidget(self.by)
        self.body.addLayout(asked)
        self.body.addWidget(self.matrix, 1)
        self.body.addWidget(self._said)

    def _connect(self) -> None:
        self.field.editingFinished.connect(self.ask)
        self.by.currentIndexChanged.connect(self.ask)
        self.matrix.chosen.connect(self.chosen)
        self.matrix.removed.connect(self.remove)
        self.matrix.export_wanted.connect(self.export_picture)
        self._asker.answered.connect(self._take)
        self._asker.failed.connect(self._fail)

    # what is asked

    def ask_of(self, runs: Sequence[RunRow], layers: dict[int, int], mapped: RunRow | None) -> None:
        """Other runs, each in its layer; without a choice the one that is mapped."""
        before, self._layers = self.by.currentData(), layers
        follow = self._run is None or before == self._run.id
        self._run = mapped
        fill(self.by, [*((run.name, run.id) for run in runs),
                       (tr("Word classes"), CLASSES), (tr("One-hot"), ONE_HOT)])  # fmt: skip
        for number, run in enumerate(runs):
            self.by.setItemIcon(number, mark_icon(run.model))
        if follow and mapped is not None:
            self.by.blockSignals(True)
            self.by.setCurrentIndex(max(0, self.by.findData(mapped.id)))
            self.by.blockSignals(False)
        self.ask()

    def words(self) -> list[str]:
        """What is compared."""
        return list(dict.fromkeys(self.field.text().split()))

    def set_words(self, words: Sequence[str]) -> None:
        """Compare these, at most MOST of them."""
        self.field.setText(" ".join(dict.fromkeys(words[:MOST])))
        self.field.setCursorPosition(0)
        self.ask()

    @Slot(str)
    def remove(self, word: str) -> None:
        """Take a word out."""
        self.set_words([other for other in self.words() if other != word])

    @Slot()
    def _add(self) -> None:
        if self.current:
            self.set_words([*self.words(), self.current])

    @Slot()
    def ask(self) -> None:
        """Ask for the cosines of the words."""
        words, by = self.words(), self.by.currentData()
        if not words or by is None or self._run is None:
            self.matrix.show_words([], one_hot([]).values)
            return
        fade(self.matrix, self.found is not None)
        ws = self._state.workspace
        if by == ONE_HOT:
            self._take(one_hot(words))
        elif by == CLASSES:
            self._asker.ask(embeddings.class_similarities, ws, self._run.id, words)
        else:
            self._asker.ask(embeddings.similarities, ws, by, words, self._layers.get(by, 0))

    @Slot(object)
    def _take(self, found: Similarities) -> None:
        self.found = found
        fade(self.matrix, False)
        self.matrix.show_words(found.words, found.values)
        unknown = tr("Not in the vocabulary: {words}", words=" ".join(found.unknown))
        self._said.setText(unknown if found.unknown else "")
        self._said.setVisible(bool(found.unknown))

    @Slot(object)
    def _fail(self, error: AppError) -> None:
        fade(self.matrix, False)
        self._said.setText(str(error))
        self._said.show()

    # files

    @Slot()
    def save_csv(self) -> None:
        """The cosines as CSV."""
        if self.found is not None:
            self.save.ask("similarity", embeddings.save_similarities, self.found)

    @Slot()
    def export_picture(self) -> None:
        """The matrix as PNG, SVG or PDF."""
        caption = f"{self.by.currentText()} · {tr('cosine, −1 to 1')}"
        ExportDialog(self._state, self.matrix, caption, self.window()).open()
