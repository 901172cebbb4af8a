"""LawsColumn: a segmentation in; the plots of Zipf's law and of Heaps' law out."""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from lmstudio import figures
from lmstudio.data.browse.laws import Laws
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.jobs import Asker
from lmstudio.gui.panels.browse.law_card import Fit, LawCard
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets.fading import fade
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.operations import browse
from lmstudio.store.workspace import Workspace


class LawsColumn(QWidget):
    """Asks once for each segmentation and part."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._asked: tuple[int, str] | None = None
        self._asker = Asker(state, self)
        self.zipf = LawCard(state, tr("Zipf: count by rank"), self)
        self.heaps = LawCard(state, tr("Heaps: types by tokens"), self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(12))
        for card in (self.zipf, self.heaps):
            column.addWidget(card, 1)
        self._asker.answered.connect(self._take)
        self._asker.failed.connect(self._fail)

    @property
    def busy(self) -> bool:
        """The curves are awaited."""
        return self._asker.busy

    def ask(self, segmentation: int, part: str) -> None:
        """Show the curves of a segmentation's part; old ones stay, faded, until they come."""
        if (segmentation, part) != self._asked:
            self._asked = segmentation, part
            self._asker.ask(_laws, self._state.workspace, segmentation, part)
            self._fade(True)

    def cancel(self) -> None:
        """Ask for nothing any more."""
        if self._asker.busy:
            self._asker.cancel()
            self._asked = None
        self._fade(False)

    def forget(self) -> None:
        """Show nothing."""
        self.cancel()
        self._asked = None
        self.zipf.show_fit(None)
        self.heaps.show_fit(None)

    @Slot(object)
    def _take(self, laws: Laws) -> None:
        self._fade(False)
        zipf, heaps = laws.zipf, laws.heaps
        self.zipf.show_fit(Fit(zipf.rank, zipf.count, zipf.fitted, _said(zipf.exponent)))
        self.heaps.show_fit(Fit(heaps.tokens, heaps.types, heaps.fitted, _said(heaps.exponent)))

    @Slot(object)
    def _fail(self, error: AppError) -> None:
        self.forget()  # why is said where the table would be

    def _fade(self, faded: bool) -> None:
        for card in (self.zipf, self.heaps):
            fade(card.plot, faded)


def _laws(ws: Workspace, segmentation: int, part: str, *, job: Job) -> Laws:
    return browse.laws(ws, segmentation, part=part, job=job)


def _said(exponent: float) -> str:
    return tr("exponent {exponent}", exponent=figures.decimal(exponent))
