"""LookupCard: a piece and a trained run in; the row of its matrix, as a one-hot product, out."""

import numpy as np
from PySide6.QtCore import QSignalBlocker, Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QWidget

from lmstudio import figures
from lmstudio.analysis.lookup import Lookup
from lmstudio.data.token_preview import Piece
from lmstudio.data.vocab import Vocabulary
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.jobs import Asker
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Card, button, label
from lmstudio.gui.widgets.fading import fade
from lmstudio.gui.widgets.heat import HeatStrip
from lmstudio.gui.widgets.lookup_picture import LookupPicture, MatrixRows
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.models.registry import MODELS
from lmstudio.operations import segmentations
from lmstudio.store.rows import RunRow
from lmstudio.store.workspace import Workspace

_BESIDE = 2  # rows of the matrix above and below the one looked up


class LookupCard(Card):
    """Only runs that have a matrix are offered; without one it says how to get one."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(tr("One-hot × matrix = look-up"), parent=parent)
        self._state = state
        self._piece: Piece | None = None
        self.run = QComboBox(self)
        self.run.setAccessibleName(tr("Run"))
        self.run.setMinimumWidth(theme.px(180))
        self.run.setMaximumWidth(theme.px(280))
        self.picture = LookupPicture(self)
        self.strip = HeatStrip(tr("The whole row"), self)
        self.said = label(tone="muted", size=12, wrap=True)
        self._strip_title = label(tone="muted", size=12)
        self.row.add_tool(self.run)
        whole = QHBoxLayout()
        whole.setSpacing(theme.px(10))
        whole.addWidget(self._strip_title)
        whole.addWidget(self.strip, 1)
        self.body.addWidget(self.picture)
        self.body.addLayout(whole)
        self.train = button(tr("Train a network"), "link", icon_name="play", parent=self)
        self.train.clicked.connect(self._go_to_training)
        said = QHBoxLayout()
        said.addWidget(self.said, 1)
        said.addWidget(self.train)
        self.body.addLayout(said)
        self._asker = Asker(state, self)
        self._asker.answered.connect(self._take)
        self._asker.failed.connect(self._fail)
        self.run.currentIndexChanged.connect(self._ask)
        for signal in (state.runs_changed, state.selection_changed):
            signal.connect(self.refresh)
        self.refresh()

    @property
    def busy(self) -> bool:
        """An answer is awaited."""
        return self._asker.busy

    def show_piece(self, piece: Piece | None) -> None:
        """Look a piece up."""
        self._piece = piece
        self._ask()

    @Slot()
    def refresh(self) -> None:
        """Offer the runs of the segmentation selected that have a matrix."""
        before = self.run.currentData()
        with QSignalBlocker(self.run):
            self.run.clear()
            for run in self._runs():
                self.run.addItem(run.name, run.id)
            self.run.setCurrentIndex(max(self.run.findData(before), 0))
        self.run.setVisible(self.run.count() > 0)
        self.train.setVisible(self.run.count() == 0)
        self._ask()

    def _runs(self) -> list[RunRow]:
        cut = self._state.segmentation
        runs = self._state.runs(cut.id) if cut else []
        neural = [run for run in runs if MODELS[run.model].kind != "count"]
        return [run for run in neural if run.state in ("done", "stopped", "interrupted")]

    @Slot()
    def _ask(self) -> None:
        run, cut, piece = self.run.currentData(), self._state.segmentation, self._piece
        if run is None or cut is None or piece is None:
            self._asker.cancel()
            self._clear(
                "" if run is not None else
                tr("A network's first step is this look-up. Train a neural model on this "
                   "segmentation, and its own numbers are shown here.")
            )  # fmt: skip
            return
        rows = cut.vocabulary + 1  # that of <s>, which is never predicted, is one more
        first = max(min(piece.id - _BESIDE, rows - 2 * _BESIDE - 1), 0)
        ids = range(first, min(first + 2 * _BESIDE + 1, rows))
        fade(self.picture, not self.picture.isHidden())
        if self.picture.isHidden():
            self.said.setText(tr("Asking the model…"))
        self._asker.ask(_named_rows, self._state.workspace, run, cut.id, tuple(ids))

    @Slot()
    def _go_to_training(self) -> None:
        self._state.panel_wanted.emit("new_run")

    @Slot(object)
    def _take(self, answer: tuple[Lookup, tuple[str, ...]]) -> None:
        piece, (found, names) = self._piece, answer
        if piece is None:
            return
        ids = tuple(found.ids)
        shown = MatrixRows(found.vocabulary, ids, names, found.products, piece.id)
        self.picture.show_rows(shown)
        self.picture.show()
        fade(self.picture, False)
        most = float(np.abs(shown.rows).max())
        self.strip.set_values(shown.row, most)
        self._strip_title.setText(tr("all {width} numbers of row {id}", width=len(shown.row),
                                     id=figures.count(piece.id)))  # fmt: skip
        self.strip.show()
        self.said.setText(_explained(piece, found, ids.index(piece.id)))

    @Slot(object)
    def _fail(self, error: AppError) -> None:
        self._clear(str(error))

    def _clear(self, said: str) -> None:
        self.picture.show_rows(None)
        self.picture.setVisible(False)
        fade(self.picture, False)
        self.strip.hide()
        self._strip_title.setText("")
        self.said.setText(said)


def _named_rows(
    ws: Workspace, run: int, cut: int, ids: tuple[int, ...], *, job: Job
) -> tuple[Lookup, tuple[str, ...]]:
    """The rows of ids, and what the vocabulary calls these."""
    types = Vocabulary.load(ws.segmentation_folder(cut)).types
    found = segmentations.lookup(ws, run, ids, job=job)
    return found, tuple(types[number] for number in ids)


def _explained(piece: Piece, found: Lookup, place: int) -> str:
    width = found.products.shape[1]
    facts = {
        "size": figures.count(found.vocabulary), "width": width, "id": figures.count(piece.id),
        "norm": figures.decimal(float(np.linalg.norm(found.rows[place])), 3),
    }  # fmt: skip
    if found.equal:
        return tr(
            "Multiplying {size} × {width} numbers, all but {width} of them by 0, and reading row "
            "{id} give the same vector, number for number. Its length is {norm}.", **facts,
        )  # fmt: skip
    return tr(
        "Multiplying {size} × {width} numbers, all but {width} of them by 0, and reading row "
        "{id} give the same vector, but for rounding. Its length is {norm}.", **facts,
    )  # fmt: skip
