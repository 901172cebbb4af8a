"""Ring: a rectangle of the window in; a line around it out, which no click notices."""

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QRegion
from PySide6.QtWidgets import QWidget

from lmstudio.gui import theme

_AWAY, _LINE, _HALO = 3, 2, 3  # pixels between control and line, of the line, of the paler one


class Ring(QWidget):
    """Only its frame is a widget at all: what it encloses is painted as ever."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        theme.signals.changed.connect(self.update)
        self.hide()

    def enclose(self, rect: QRect | None) -> None:
        """Lie around `rect`, in the parent's coordinates; with None around nothing."""
        if rect is None:
            self.hide()
            return
        inner, edge = theme.px(_AWAY), theme.px(_LINE + _HALO)
        parent = self.parentWidget()
        whole = rect.adjusted(-inner - edge, -inner - edge, inner + edge, inner + edge)
        if parent is not None:
            whole = whole.intersected(parent.rect())
        if whole != self.geometry() or self.isHidden():
            self.setGeometry(whole)
            hole = self.rect().adjusted(edge, edge, -edge, -edge)
            self.setMask(QRegion(self.rect()).subtracted(QRegion(hole)))
            self.show()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour = theme.colour("accent")
        halo, line, radius = theme.px(_HALO), theme.px(_LINE), theme.px(8)
        pale = theme.colour("accent")
        pale.setAlpha(60)
        for width, away, ink in ((halo, halo / 2, pale), (line, halo + line / 2, colour)):
            painter.setPen(QPen(ink, width))
            box = self.rect().toRectF().adjusted(away, away, -away, -away)
            painter.drawRoundedRect(box, radius, radius)
        painter.end()
