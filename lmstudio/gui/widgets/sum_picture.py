"""SumPicture: a sum of vectors in; its terms as rows of bars with their lengths, drawn out.

Each row has the first components of a vector as bars around zero, all on one scale, so that the
bars of the terms can be seen to add up to those of the sum; what is made of the sum may be on one
of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.messages import phrases, tr

_ROW, _MOST_ROW, _HEAD = 52, 96, 24
_SIGN, _NAME, _LENGTH, _SHARE, _GAP = 24, 150, 130, 76, 12
_BAR = 8  # from one component to the next, the least
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


@dataclass(frozen=True)
class SumTerm:
    """A vector of the sum."""

    name: str
    vector: np.ndarray  # (D,)
    sign: str = ""  # before the name: "+", "="
    share: float | None = None  # of the sum, if it is a part of it
    result: bool = False  # it stands below a line
    apart: bool = False  # it has a scale of its own


class SumPicture(QWidget):
    """Rows as high as there is room for."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name, self._terms = name, list[SumTerm]()
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        theme.signals.changed.connect(self.update)

    def show_terms(self, terms: Sequence[SumTerm]) -> None:
        """Draw these rows."""
        self._terms = list(terms)
        lengths = phrases(f"{term.sign} {term.name} {_length(term):.3f}" for term in terms)
        self.setAccessibleDescription(lengths)
        self.updateGeometry()
        self.update()

    def terms(self) -> list[SumTerm]:
        """What is drawn."""
        return self._terms

    def components(self, width: float) -> int:
        """How many components there is room for."""
        room = width - theme.px(_SIGN + _NAME + _LENGTH + _SHARE + 3 * _GAP)
        most = len(self._terms[0].vector) if self._terms else 0
        return max(min(int(room / theme.px(_BAR)), most), 1)

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(760), theme.px(_HEAD + _ROW * max(len(self._terms), 3)))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(520), theme.px(_HEAD + _ROW * 5))

    # painting

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        self.draw(painter, QRectF(self.rect()), "")
        painter.end()

    def draw(self, painter: QPainter, target: QRectF, mode: str) -> None:
        """Paint into `target`, on paper in the colours of a theme."""
        if not self._terms:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        shown = self.components(target.width())
        joint = [term for term in self._terms if not term.apart]
        room = (target.height() - theme.px(_HEAD)) / len(self._terms)
        tall = min(room, theme.px(_MOST_ROW))
        self._paint_head(painter, target, shown, mode)
        for number, term in enumerate(self._terms):
            top = target.top() + theme.px(_HEAD) + number * tall
            row = QRectF(target.left(), top, target.width(), tall)
            if term.result:
                painter.setPen(QPen(theme.colour("edge", mode), 1))
                painter.drawLine(row.topLeft(), row.topRight())
            scale = _scale([term] if term.apart else joint, shown)
            self._paint_row(painter, row, term, shown, scale, mode)

    def _parts(self, row: QRectF) -> tuple[QRectF, QRectF, QRectF, QRectF]:
        """Name, length, share and bars of a row."""
        x = row.left()
        boxes = []
        for wide in (_SIGN + _NAME, _LENGTH, _SHARE):
            boxes.append(QRectF(x, row.top(), theme.px(wide), row.height()))
            x += theme.px(wide + _GAP)
        return boxes[0], boxes[1], boxes[2], QRectF(x, row.top(), row.right() - x, row.height())

    def _paint_head(self, painter: QPainter, target: QRectF, shown: int, mode: str) -> None:
        painter.setFont(theme.font(12))
        painter.setPen(theme.colour("muted", mode))
        row = QRectF(target.left(), target.top(), target.width(), theme.px(_HEAD))
        _, length, share, bars = self._parts(row)
        painter.drawText(length, _LEFT, tr("Length"))
        painter.drawText(share, _RIGHT, tr("Share"))
        width = len(self._terms[0].vector)
        told = tr("components 1 to {shown} of {width}", shown=shown, width=width)
        painter.drawText(bars, _LEFT, told)

    def _paint_row(
        self, painter: QPainter, row: QRectF, term: SumTerm, shown: int,
        scale: tuple[float, float], mode: str,
    ) -> None:  # fmt: skip
        most, longest = scale
        name, length, share, bars = self._parts(row)
        font = theme.font(13, bold=term.result)
        painter.setFont(font)
        painter.setPen(theme.colour("muted", mode))
        painter.drawText(name, _LEFT, term.sign)
        painter.setPen(theme.colour("text", mode))
        text = name.adjusted(theme.px(_SIGN), 0, 0, 0)
        elided = QFontMetricsF(font).elidedText(
            term.name, Qt.TextElideMode.ElideRight, text.width()
        )
        painter.drawText(text, _LEFT, elided)
        self._paint_length(painter, length, _length(term), longest, mode)
        if term.share is not None:
            painter.setPen(theme.colour("text", mode))
            painter.drawText(share, _RIGHT, figures.percent(term.share, 1))
        elif term.apart:
            painter.setFont(theme.font(12))
            painter.setPen(theme.colour("muted", mode))
            painter.drawText(share, _RIGHT, tr("own scale"))
        self._paint_bars(painter, bars, term.vector[:shown] / most, term.result, mode)

    def _paint_length(
        self, painter: QPainter, box: QRectF, length: float, longest: float, mode: str
    ) -> None:
        """The number over its bar."""
        painter.setPen(theme.colour("text", mode))
        middle = box.center().y()
        upper = QRectF(box.left(), middle - theme.px(18), box.width(), theme.px(18))
        painter.drawText(upper, _LEFT, figures.decimal(length, 3))
        track = QRectF(box.left(), middle + theme.px(3), box.width(), theme.px(6))
        painter.fillRect(track, theme.colour("sunken", mode))
        track.setWidth(track.width() * length / longest)
        painter.fillRect(track, theme.colour("muted", mode))

    def _paint_bars(
        self, painter: QPainter, box: QRectF, shares: np.ndarray, result: bool, mode: str
    ) -> None:
        """Above zero and below it."""
        middle, half = box.center().y(), box.height() / 2 - theme.px(5)
        step = min(box.width() / max(len(shares), 1), theme.px(2 * _BAR))
        above, below = (theme.colour(token, mode) for token in ("accent", "warn"))
        for number, share in enumerate(shares.tolist()):
            tall = share * half
            bar = QRectF(
                box.left() + number * step, middle - max(tall, 0.0), step * 0.72, abs(tall)
            )
            painter.fillRect(bar, above if share > 0 else below)
        painter.setPen(QPen(theme.colour("edge" if result else "line", mode), 1))
        end = box.left() + len(shares) * step
        painter.drawLine(QPointF(box.left(), middle), QPointF(end, middle))


def _length(term: SumTerm) -> float:
    return float(np.linalg.norm(term.vector))


def _scale(terms: Sequence[SumTerm], shown: int) -> tuple[float, float]:
    """The largest component that is shown of these, and the greatest length."""
    most = max(float(np.abs(term.vector[:shown]).max()) for term in terms)
    return most or 1.0, max(map(_length, terms)) or 1.0
