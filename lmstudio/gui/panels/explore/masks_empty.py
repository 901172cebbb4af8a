"""MasksEmpty: no run that fills blanks; three ways to get one."""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import EmptyState, button
from lmstudio.messages import tr
from lmstudio.store.rows import Facts

_NGRAM: Facts = {"model": "ngram", "config": {"order": 5}}
_BERT: Facts = {"model": "bert", "preset": "small"}


class MasksEmpty(QWidget):
    """What is missing, and buttons that lead to it."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self.lead = button(tr("Train a 5-gram (3 s)"), "primary", icon_name="play", parent=self)
        bert = button(tr("Train a small BERT (about 4 min)"), parent=self)
        tour = button(tr("See it on the sample corpus"), "link", parent=self)
        self.lead.clicked.connect(self._ngram)
        bert.clicked.connect(self._bert)
        tour.clicked.connect(self._tour)
        layout = QVBoxLayout(self)
        layout.addWidget(EmptyState(
            tr("No model to fill blanks yet"),
            tr("Blanks are filled best by what sees both sides: BERT is made for it, and a 5-gram "
               "is trained in three seconds."),
            [self.lead, bert, tour],
        ))  # fmt: skip

    @Slot()
    def _ngram(self) -> None:
        self._train(_NGRAM)

    @Slot()
    def _bert(self) -> None:
        self._train(_BERT)

    @Slot()
    def _tour(self) -> None:
        self._state.tour_wanted.emit("blanks")

    def _train(self, draft: Facts) -> None:
        self._state.draft, self._state.draft_parent = draft, None
        self._state.draft_changed.emit()
        self._state.panel_wanted.emit("new_run")
