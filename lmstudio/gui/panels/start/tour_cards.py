"""TourCards: the table of tours and where each was left in; a row of cards to begin them out."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from lmstudio.gui import theme
from lmstudio.gui.panels.start.tour_pictures import TourPicture
from lmstudio.gui.state import AppState
from lmstudio.gui.tours import TOURS
from lmstudio.gui.tours.step import Tour
from lmstudio.gui.widgets import Card, ElidedLabel, button, disable, enable, label
from lmstudio.messages import tr


class BeginCard(Card):
    """One tour: a picture, its title, what one will see, and how far it was taken."""

    wanted = Signal(str)  # its key

    def __init__(self, tour: Tour, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.tour = tour
        title = tr(tour.title)
        self.setAccessibleName(title)
        self.begin = button("", parent=self)
        self.begin.clicked.connect(self._begin)
        self._told = ElidedLabel(size=12, tone="muted")
        about = label(tr(tour.about), tone="muted", wrap=True)
        about.setMinimumHeight(about.fontMetrics().lineSpacing() * 2)  # so that the cards align
        about.setAlignment(Qt.AlignmentFlag.AlignTop)
        words = QVBoxLayout()
        words.setSpacing(theme.px(4))
        words.addWidget(label(title, size=15, bold=True, wrap=True))
        words.addWidget(about)
        foot = QHBoxLayout()
        foot.addWidget(self._told, 1)
        foot.addWidget(self.begin)
        self.body.setContentsMargins(theme.px(16), theme.px(12), theme.px(16), theme.px(12))
        self.body.addWidget(TourPicture(tour.key, self))
        self.body.addLayout(words)
        self.body.addStretch()
        self.body.addLayout(foot)

    def show_step(self, step: int) -> None:
        """Tell how far it was taken; `step` as many as there are is all the way."""
        total = len(self.tour.steps)
        told = tr("about {minutes} min · {count} steps", minutes=self.tour.minutes, count=total)
        begin = tr("Start")
        if step >= total:
            told, begin = tr("Taken to its end"), tr("Start again")
        elif step:
            told, begin = tr("left at step {number} of {total}", number=step + 1, total=total), ""
        self._told.setText(told)
        self.begin.setText(begin or tr("Go on"))
        self.begin.setAccessibleName(f"{self.begin.text()}: {tr(self.tour.title)}")

    @Slot()
    def _begin(self) -> None:
        self.wanted.emit(self.tour.key)


class TourCards(QWidget):
    """Follows the settings of the state, and whether a workspace is open."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self.cards = [BeginCard(tour, self) for tour in TOURS]
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(16))
        for card in self.cards:
            card.wanted.connect(state.tour_wanted)
            row.addWidget(card, 1)
        state.tour_moved.connect(self.refresh)
        state.workspace_changed.connect(self.refresh)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Draw where each tour was left."""
        for card in self.cards:
            card.show_step(self._state.settings.tour_step(card.tour.key))
            if self._state.has_workspace:
                enable(card.begin)
            else:
                disable(card.begin, tr("Open a workspace first."))
