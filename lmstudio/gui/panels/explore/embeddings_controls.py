"""MapControls: what a map of words can be asked for, as fields in a row; MapOptions out."""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, QTimer, Signal, Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QWidget

from lmstudio.analysis.word_map import MapOptions, umap_missing
from lmstudio.analysis.word_vectors import deepest
from lmstudio.gui import theme
from lmstudio.gui.captions import sentence_case
from lmstudio.gui.choices import fill
from lmstudio.gui.widgets import Segmented, WholeBox, disable, label
from lmstudio.gui.widgets.marks import mark_icon
from lmstudio.messages import msg, tr
from lmstudio.store.rows import RunRow
from lmstudio.training.spec import RunSpec

DEBOUNCE_MS = 400
BY = {"": msg("One colour"), "clusters": msg("By cluster"), "tags": msg("By tag"),
      "classes": msg("By word class")}  # fmt: skip
"""How dots are coloured: the groups of operations.embeddings, or none."""


class MapControls(QWidget):
    """`changed` asks for another map, `regrouped` for other colours of the same."""

    changed = Signal()
    regrouped = Signal()
    run_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.method = Segmented([("pca", "PCA"), ("tsne", "t-SNE"), ("umap", "UMAP")],
                                tr("Method"), self)  # fmt: skip
        self.run, self.layer, self.by = QComboBox(self), QComboBox(self), QComboBox(self)
        self.words = self._number(3, 50_000, 2000, 500, tr("How many words to show"))
        self.perplexity = self._number(1, 500, 30, 5, tr("Perplexity"))
        self.finder = QLineEdit(self)
        self._runs: dict[int, RunRow] = {}
        self._pause = QTimer(self, interval=DEBOUNCE_MS, singleShot=True)
        self._lay_out()
        self._connect()
        if missing := umap_missing():
            disable(self.method.segment("umap"), str(missing))

    def _number(self, low: int, high: int, value: int, step: int, name: str) -> WholeBox:
        made = WholeBox(self)
        made.setRange(low, high)
        made.setSingleStep(step)
        made.setValue(value)
        made.setAccessibleName(name)
        made.setToolTip(name)
        return made

    def _lay_out(self) -> None:
        for box, name in ((self.run, tr("Run")), (self.layer, tr("Layer")),
                          (self.by, tr("Colours"))):  # fmt: skip
            box.setAccessibleName(name)
        self.run.setMinimumContentsLength(10)
        self.run.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        fill(self.by, [(tr(title), key) for key, title in BY.items()])
        self.finder.setPlaceholderText(tr("Find a word  /"))
        self.finder.setAccessibleName(tr("Find a word"))
        self.finder.setMinimumWidth(theme.px(96))
        self.finder.setClearButtonEnabled(True)
        self._words_label = label(sentence_case(tr("words")), tone="muted")
        self._perplexity_label = label(sentence_case(tr("perplexity")), tone="muted")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(8))
        for widget in (self.run, self.layer, self.words, self._words_label, self._perplexity_label,
                       self.perplexity, self.by, self.finder):  # fmt: skip
            row.addWidget(widget, 1 if widget is self.finder else 0)
        self._show_perplexity()

    def _connect(self) -> None:
        self.method.chosen.connect(self._method_chosen)
        self.run.currentIndexChanged.connect(self._run_chosen)
        self.layer.currentIndexChanged.connect(self._soon)
        for number in (self.words, self.perplexity):
            number.valueChanged.connect(self._soon)
        self.by.currentIndexChanged.connect(self.regrouped)
        self._pause.timeout.connect(self.changed)

    # what is asked

    def offer(self, runs: Sequence[RunRow]) -> None:
        """The runs that can be mapped; the one chosen stays if it is there. Emits nothing."""
        self._runs = {run.id: run for run in runs}
        fill(self.run, [(run.name, run.id) for run in runs])
        for number, run in enumerate(runs):
            self.run.setItemIcon(number, mark_icon(run.model))
        self._fill_layers()

    def chosen_run(self) -> RunRow | None:
        """The run that is mapped."""
        return self._runs.get(self.run.currentData())

    def options(self) -> MapOptions:
        """What is asked for."""
        return MapOptions(
            self.method.value(), self.words.value(), 1, float(self.perplexity.value()),
            self.layer.currentData() or 0,
        )  # fmt: skip

    def _fill_layers(self) -> None:
        run = self.chosen_run()
        last = deepest(RunSpec.from_json(run.spec)) if run and run.spec else 0
        titles = [tr("table"), *(tr("layer {number}", number=n) for n in range(1, last + 1))]
        fill(self.layer, [(sentence_case(title), n) for n, title in enumerate(titles)])

    def _show_perplexity(self) -> None:
        for widget in (self.perplexity, self._perplexity_label):
            widget.setVisible(self.method.value() == "tsne")

    @Slot()
    def _run_chosen(self) -> None:
        with QSignalBlocker(self.layer):
            self._fill_layers()
        self.run_changed.emit()
        self.changed.emit()

    @Slot()
    def _method_chosen(self) -> None:
        self._show_perplexity()
        self.changed.emit()

    @Slot()
    def _soon(self) -> None:
        self._pause.start()
