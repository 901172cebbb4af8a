"""FirstRun: what the room Compare shows before there is a run: faint axes and the way to one."""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QGridLayout, QWidget

from lmstudio.gui import theme
from lmstudio.gui.panels.train import training_jobs
from lmstudio.gui.plots import Plot
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Card, EmptyState, button
from lmstudio.messages import tr


class FirstRun(Card):
    """Without a segmentation it leads to the corpora, with one it trains three models."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._state = state
        self.primary = button("", "primary", icon_name="play")
        self.own = button(tr("Choose a model"))
        self._text = EmptyState(" ", " ", [self.primary, self.own], family="ngram", parent=self)
        self._axes = Plot(tr("Empty axes"), self)
        self._axes.setEnabled(False)
        layers = QGridLayout()
        layers.addWidget(self._axes, 0, 0)
        layers.addWidget(self._text, 0, 0)
        self.body.addLayout(layers, 1)
        self._text.raise_()
        self.setMinimumHeight(theme.px(240))
        self.primary.clicked.connect(self._act)
        self.own.clicked.connect(self._choose)
        state.selection_changed.connect(self.refresh)
        state.segmentations_changed.connect(self.refresh)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Say what comes next."""
        ready = self._state.segmentation is not None
        self.own.setVisible(ready)
        if ready:
            self.primary.setText(tr("Train the first models (seconds)"))
            self._text.set_text(
                tr("No runs yet"),
                tr("A unigram, a bigram, a trigram and a 5-gram show what counting buys."),
            )
        else:
            self.primary.setText(tr("Go to Corpora"))
            self._text.set_text(
                tr("No text to compare models on"),
                tr("Import a text and segment it; then models can be trained and compared here."),
            )

    @Slot()
    def _act(self) -> None:
        cut = self._state.segmentation
        if cut is None:
            self._state.panel_wanted.emit("corpora")
        else:
            training_jobs.add_first(self._state, cut.id)

    @Slot()
    def _choose(self) -> None:
        self._state.panel_wanted.emit("new_run")
