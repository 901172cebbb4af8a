"""PolysemyAnswer: what runs made of a word in; layers as small multiples, and their curves, out."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QSplitter, QWidget

from lmstudio.analysis.polysemy import Polysemy
from lmstudio.data.browse.uses import Occurrence
from lmstudio.gui import theme
from lmstudio.gui.captions import sentence_case
from lmstudio.gui.choices import fill
from lmstudio.gui.dialogs.export_plot import ExportDialog
from lmstudio.gui.panels.explore import polysemy_views as views
from lmstudio.gui.panels.explore.layer_board import LayerBoard
from lmstudio.gui.plots import Axes, Plot
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Card, scrolled, tool
from lmstudio.gui.widgets.fading import fade
from lmstudio.messages import tr
from lmstudio.store.rows import RunRow


class PolysemyAnswer(QSplitter):
    """The layer with the border is the one whose groups colour all; a click takes another."""

    grouped = Signal(list, object)  # the group of each occurrence, or none; what groups are called
    keep_wanted = Signal()

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self.setObjectName("answer")
        self.board = LayerBoard(tr("Layers of the network"), self)
        self.plot, self.measure = Plot(tr("Silhouette by layer"), self), QComboBox(self)
        self.answers: dict[int, Polysemy] = {}
        self._state = state
        self._word = ""
        self._uses: Sequence[Occurrence] = ()
        self._runs: Sequence[RunRow] = ()
        self._picked: views.LayerOf | None = None  # the layer that was chosen by hand
        self._places: list[views.LayerOf] = []  # what the cells of the board show
        self._lay_out()
        self.board.chosen.connect(self._choose)
        self.board.export_wanted.connect(self.export_board)
        self.measure.currentIndexChanged.connect(self._draw_curves)
        self.keep.clicked.connect(self.keep_wanted)
        for signal in (self.picture.clicked, self.plot.export_wanted):
            signal.connect(self.export_picture)

    def _lay_out(self) -> None:
        self.setHandleWidth(theme.px(12))
        self.setChildrenCollapsible(False)
        self.addWidget(scrolled(self.board, self))
        self._card = Card(tr("Which layer parts the meanings"), parent=self)
        fill(
            self.measure, [(sentence_case(tr(title)), key) for key, title in views.MEASURES.items()]
        )
        self.measure.setAccessibleName(tr("What is shown"))
        self.keep = tool("plus", tr("Keep as a finding"), parent=self)
        self.picture = tool("export", tr("Export the chart"), parent=self)
        for widget in (self.measure, self.keep, self.picture):
            self._card.row.add_tool(widget)
        self._card.body.addWidget(self.plot, 1)
        self.plot.set_axes(Axes(end_values=False, show_x=_whole))
        self.addWidget(self._card)
        self.setStretchFactor(0, 1)
        self.setSizes([theme.px(390), theme.px(200)])

    def begin(self, word: str) -> None:
        """Another word: nothing is known of it yet."""
        self._word, self._picked = word, None

    def fade(self, faded: bool) -> None:
        """What is shown is of an older question."""
        fade(self.board, faded and bool(self._places))

    def show_answers(
        self, uses: Sequence[Occurrence], runs: Sequence[RunRow], answers: Mapping[int, Polysemy]
    ) -> None:
        """Show what `runs` made of `uses`, as far as they have answered; other answers are not."""
        self._uses, self._runs = uses, runs
        self.answers = {run.id: answers[run.id] for run in runs if run.id in answers}
        made = views.cells(runs, self.answers)
        self._places = [place for place, _ in made]
        self.board.show_cells([cell for _, cell in made], [one.text for one in uses])
        self._draw_groups()
        self._draw_curves()

    def _draw_groups(self) -> None:
        by = self._picked if self._picked in self._places else views.best(self.answers)
        labels: list[int] = []
        if by is not None:
            labels = self.answers[by.run].layers[by.layer].labels.tolist()
        names = views.group_names(self._uses, labels) if labels else {}
        self.board.set_groups(labels, names, self._places.index(by) if by else -1)
        self.grouped.emit(labels, names)

    @Slot()
    def _draw_curves(self) -> None:
        senses = {one.sense for one in self._uses} - {""}
        self.measure.setVisible(len(senses) > 1)
        measure = self.measure.currentData() if len(senses) > 1 else "silhouette"
        self._card.row.set_note(
            tr("adjusted Rand index of groups and senses, by layer; 0: the look-up table")
            if measure == "agreement"
            else tr("silhouette (b − a) / max(a, b), by layer; 0: the look-up table")
        )  # fmt: skip
        self.plot.set_series(views.curves(self._runs, self.answers, measure))

    @Slot(int)
    def _choose(self, cell: int) -> None:
        self._picked = self._places[cell]
        self._draw_groups()

    @Slot()
    def export_picture(self) -> None:
        """The curves as PNG, SVG or PDF."""
        caption = f"{self._word} · {self.measure.currentText()}"
        ExportDialog(self._state, self.plot, caption, self.window()).open()

    @Slot()
    def export_board(self) -> None:
        """The small multiples as PNG, SVG or PDF."""
        ExportDialog(self._state, self.board, self._word, self.window()).open()


def _whole(value: float) -> str:
    """Layers are whole numbers; nothing stands between two of them."""
    return str(round(value)) if abs(value - round(value)) < 1e-6 else ""
