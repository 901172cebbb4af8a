"""CutEdge: an area that scrolls in; a hairline out where more of it lies beyond its edge."""

from PySide6.QtCore import QEvent, QObject, Slot
from PySide6.QtWidgets import QAbstractScrollArea, QFrame


class CutEdge(QObject):
    """Half a row at an edge is not the end of what there is, and looks so.

    `above`: the upper edge has one too, where nothing such as a header closes it anyway.
    """

    def __init__(self, area: QAbstractScrollArea, *, above: bool = False) -> None:
        super().__init__(area)
        self._area, self._bar = area, area.verticalScrollBar()
        self._below = _hairline(area)
        self._above = _hairline(area) if above else None
        self._bar.valueChanged.connect(self._follow)
        self._bar.rangeChanged.connect(self._follow)
        area.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show):
            self._follow()
        return super().eventFilter(watched, event)

    @Slot()
    def _follow(self) -> None:
        place, bar = self._area.viewport().geometry(), self._bar
        self._below.setGeometry(place.left(), place.bottom(), place.width(), 1)
        self._below.setVisible(bar.value() < bar.maximum())
        if self._above is not None:
            self._above.setGeometry(place.left(), place.top(), place.width(), 1)
            self._above.setVisible(bar.value() > bar.minimum())


def _hairline(area: QAbstractScrollArea) -> QFrame:
    """Not in the viewport: what scrolls takes along what is in there."""
    made = QFrame(area)
    made.setProperty("kind", "hairline")
    made.hide()
    return made
