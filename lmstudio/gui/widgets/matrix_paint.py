"""A matrix of probabilities in; its drawing out: a number over a bar in each cell, on one scale.

The same drawing goes on screen and, in the light theme, on paper.
"""

import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.widgets.matrix import Matrix, MatrixColumn, Places, shown
from lmstudio.messages import tr

_BAR = 5
_ALMOST = 1e-5  # that a sum of 32-bit numbers may be off
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class MatrixPainter:
    """One drawing of a matrix into a rectangle, with the colours of a theme ("": on screen)."""

    def __init__(self, painter: QPainter, matrix: Matrix, target: QRectF, mode: str) -> None:
        self._painter, self._matrix, self._mode = painter, matrix, mode
        self.places = Places(matrix, target)
        self._scale = matrix.scale
        self._fonts: dict[tuple[int, bool], tuple[QFont, QFontMetricsF]] = {}

    def draw(self, clip: QRectF | None = None) -> None:
        """Draw all of it, or what lies in `clip`: a slider moves one column many times a second."""
        places = self.places
        within = [n for n in range(len(self._matrix.columns))
                  if clip is None or clip.intersects(places.column(n))]  # fmt: skip
        for number in within:
            column = self._matrix.columns[number]
            if column.key == self._matrix.chosen:
                self._painter.setPen(Qt.PenStyle.NoPen)
                self._painter.setBrush(self._colour("tint"))
                self._painter.drawRoundedRect(places.column(number), 6, 6)
        self._labels()
        for number in within:
            column = self._matrix.columns[number]
            self._painter.setOpacity(0.5 if column.stale else 1.0)
            self._column(column, number)
        self._painter.setOpacity(1.0)

    def _colour(self, token: str) -> QColor:
        return theme.colour(token, self._mode)

    def _text(
        self, box: QRectF, text: str, tone: str, *, size: int = 13, bold: bool = False,
        flags: Qt.AlignmentFlag = _RIGHT,
    ) -> None:  # fmt: skip
        font, metrics = self._font(size, bold=bold)
        if metrics.horizontalAdvance(text) > box.width():
            text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, box.width())
        self._painter.setFont(font)
        self._painter.setPen(self._colour(tone))
        self._painter.drawText(box, int(flags), text)

    def _font(self, size: int, *, bold: bool = False) -> tuple[QFont, QFontMetricsF]:
        """Making one takes longer than drawing a number in it."""
        if (size, bold) not in self._fonts:
            font = theme.font(size, bold=bold)
            self._fonts[size, bold] = font, QFontMetricsF(font)
        return self._fonts[size, bold]

    def _line(self, y: float) -> None:
        target = self.places.target
        self._painter.setPen(QPen(self._colour("line"), 1))
        self._painter.drawLine(QPointF(target.left(), y), QPointF(target.right(), y))

    # the left side

    def _labels(self) -> None:
        places = self.places
        head, heading = places.label(0), places.heading(0)
        head.setTop(heading.top())
        head.setHeight(heading.height())
        low = Qt.AlignmentFlag.AlignBottom
        self._text(head, tr("Next word"), "muted", size=12, flags=Qt.AlignmentFlag.AlignLeft | low)
        self._text(head, tr("Count"), "muted", size=12, flags=Qt.AlignmentFlag.AlignRight | low)
        self._line(places.header_top + places.header)
        muted_before = False
        for number, row in enumerate(self._matrix.rows):
            box = places.label(number)
            if row.muted and not muted_before and number:
                self._line(box.top())
            muted_before = row.muted
            self._text(box, row.count, "muted")
            box.setWidth(box.width() - self._font(13)[1].horizontalAdvance(row.count)
                         - theme.px(8))  # fmt: skip
            self._text(box, row.name, "muted" if row.muted else "text", flags=_LEFT)
        self._foot_labels()

    def _foot_labels(self) -> None:
        places = self.places
        self._line(places.foot_line(0).top() - theme.px(4))
        self._text(places.foot_line(0), tr("Where the mass went"), "text", flags=_LEFT)
        box = places.foot_line(1)
        for text, ink in ((tr("seen"), self._ink(False)), (tr("unseen"), self._pale(0.5)),
                          ("<unk>", self._pale(0.78))):  # fmt: skip
            swatch = QRectF(box.left(), box.center().y() - 3, 7, 7)
            self._painter.fillRect(swatch, ink)
            box.setLeft(box.left() + theme.px(10))
            self._text(box, text, "muted", size=12, flags=_LEFT)
            width = self._font(12)[1].horizontalAdvance(text)
            box.setLeft(min(box.left() + width + theme.px(6), box.right()))
        self._text(places.foot_line(2), tr("Sum over V"), "muted", size=12, flags=_LEFT)
        title = tr("Valid, bits per character")
        self._text(places.foot_line(3), title, "text", size=12, bold=True, flags=_LEFT)

    # columns

    def _column(self, column: MatrixColumn, number: int) -> None:
        chosen = column.key == self._matrix.chosen
        self._header(column, number, chosen)
        if column.reason:
            box = self.places.body(number)
            self._painter.setFont(self._font(12)[0])
            self._painter.setPen(self._colour("off"))
            flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
            self._painter.drawText(box, int(flags) | int(Qt.TextFlag.TextWordWrap), column.reason)
        elif column.waiting:
            for row in range(len(self._matrix.rows)):
                self._text(self.places.cell(number, row), "…", "off")
        else:
            for row, value in enumerate(column.values):
                self._cell(
                    self.places.cell(number, row), value, self._matrix.rows[row].open, chosen
                )
            self._mass(column, number, chosen)
        self._figure(column, number, chosen)

    def _header(self, column: MatrixColumn, number: int, chosen: bool) -> None:
        box = self.places.heading(number)
        tone = "off" if column.reason else "accent" if chosen else "text"
        self._painter.setFont(self._font(12, bold=chosen)[0])
        self._painter.setPen(self._colour(tone))
        flags = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom)
        title = f"{column.title} *" if column.noted else column.title
        self._painter.drawText(box, flags | int(Qt.TextFlag.TextWordWrap), title)

    def _cell(self, box: QRectF, value: float, is_open: bool, chosen: bool) -> None:
        number = QRectF(box.left(), box.top(), box.width(), box.height() - theme.px(_BAR + 2))
        self._text(number, shown(value), _tone(value))
        base = box.bottom() - theme.px(2)
        self._painter.setPen(QPen(self._colour("line"), 1))
        self._painter.drawLine(QPointF(box.left(), base), QPointF(box.right(), base))
        if not value > 0:
            return
        share = min(value / self._scale, 1.0)
        width = max(box.width() * share, 1.0)
        bar = QRectF(box.left(), base - theme.px(_BAR), width, theme.px(_BAR))
        self._painter.fillRect(bar, self._ink(chosen))
        if is_open and value > self._scale:
            self._break(bar, chosen)

    def _break(self, bar: QRectF, chosen: bool) -> None:
        """Two strokes of the ground through a bar: it would be longer than the cell."""
        x = bar.left() + bar.width() * 0.2
        pen = QPen(self._colour("tint" if chosen else "surface"), theme.px(2))
        self._painter.setPen(pen)
        self._painter.drawLine(
            QPointF(x, bar.bottom() + 1), QPointF(x + theme.px(4), bar.top() - 1)
        )

    def _mass(self, column: MatrixColumn, number: int, chosen: bool) -> None:
        bar = self.places.foot_cell(number, 0)
        bar = QRectF(bar.left(), bar.center().y() - theme.px(6), bar.width(), theme.px(12))
        total = sum(column.shares)
        x = bar.left()
        inks = (self._ink(chosen), self._pale(0.5), self._pale(0.78))
        for share, ink in zip(column.shares, inks, strict=True):
            width = bar.width() * share / total if total > 0 else 0.0
            self._painter.fillRect(QRectF(x, bar.top(), max(width - 1, 0), bar.height()), ink)
            x += width
        sums = column.proper and abs(column.total - 1) < _ALMOST
        tone, decimals = ("muted", 6) if sums else ("warn", 4)
        said = self._seen(column.shares[0]) if column.proper else tr("scores")
        self._text(self.places.foot_cell(number, 1), said, tone, size=12)
        total_text = f"{column.total:.{decimals}f}"
        self._text(self.places.foot_cell(number, 2), total_text, tone, size=12)

    def _seen(self, share: float) -> str:
        """With its word where there is room for the longest one."""
        widest = tr("seen {share}", share=figures.percent(1.0))
        room = self.places.foot_cell(0, 1).width()
        fits = self._font(12)[1].horizontalAdvance(widest) <= room
        percent = figures.percent(share)
        return tr("seen {share}", share=percent) if fits else percent

    def _figure(self, column: MatrixColumn, number: int, chosen: bool) -> None:
        value = column.figure if column.proper else math.nan
        tone = "bad" if math.isinf(value) else "off" if math.isnan(value) else "text"
        text = "…" if column.waiting else figures.decimal(value, 3)
        self._text(self.places.foot_cell(number, 3), text, tone, bold=True)

    def _ink(self, chosen: bool) -> QColor:
        if chosen:
            return self._colour("accent")
        return theme.family_colour("ngram", theme=self._mode)

    def _pale(self, share: float) -> QColor:
        return theme.mix(self._colour("muted"), self._colour("surface"), share)


def _tone(value: float) -> str:
    if math.isnan(value):
        return "off"
    return "bad" if value == 0 or math.isinf(value) else "text"
