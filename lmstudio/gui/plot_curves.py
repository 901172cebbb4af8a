"""Curve: a series in; its line, mark, label and leader out, in the colours of the theme."""

from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPen

from lmstudio.gui import scales, theme
from lmstudio.gui.plot_parts import marker_symbol

_SOLID = Qt.PenStyle.SolidLine
_STYLES = (_SOLID, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine)
PER_POINT = 3  # pixels of width to a slice of min and max
BEAM = 0.012  # of the width of the plot: the ends of error bars


@dataclass(frozen=True)
class Series:
    """One curve. A single point is drawn as a mark with a line to the right: a counted model."""

    key: int | str
    name: str
    x: np.ndarray
    y: np.ndarray
    family: str = ""  # "" is ink
    dash: int = 0  # 0 solid, 1 dashed, 2 dotted: the second and third run of a family
    bold: bool = False  # selected or live
    end: float | None = None  # the figure it ends with, where that is not its last point
    at: float | None = None  # x of the point that is told of, where that is not its last
    dots: bool = False  # each point is marked: a few measured values, joined by lines
    spread: np.ndarray | None = None  # (points,) half the length of an error bar; NaN: none

    @property
    def counted(self) -> bool:
        """It is a single point."""
        return len(self.x) == 1


@dataclass(frozen=True)
class Ink:
    """Colours of one theme ("" is the one on screen) and pens for one density of pixels."""

    mode: str
    ratio: float

    def colour(self, token: str) -> QColor:
        """A colour by its use."""
        return theme.colour(token, self.mode)

    def of(self, series: Series, *, text: bool = False) -> QColor:
        """The colour of a series."""
        if not series.family:
            return self.colour("text")
        return theme.family_colour(series.family, text=text, theme=self.mode)

    def pen(self, colour: QColor, width: float, style: Qt.PenStyle = _SOLID) -> QPen:
        """Cosmetic pens count device pixels: on a 2x screen they must be twice as wide."""
        return pg.mkPen(colour, width=width * self.ratio, style=style)


class Curve:
    """The items of one series in a view. Positions are those of the axes, not values."""

    def __init__(self, box: pg.ViewBox, series: Series) -> None:
        self.series = series
        self.x = self.y = np.empty(0)
        self._figure = float("nan")  # of `Series.end`
        self.end = (float("nan"), float("nan"))  # where the label is led from, while it is drawn
        self.line = pg.PlotCurveItem(connect="finite")
        self.mark = pg.ScatterPlotItem()
        self.bars = pg.ErrorBarItem()
        self.low = self.high = np.empty(0)  # ends of error bars
        self.label = pg.TextItem(anchor=(0, 0.5))
        self.leader = pg.PlotCurveItem()
        self._look: tuple[object, ...] = ()  # what `restyle` last went by
        self._box = box
        self._items = (self.leader, self.line, self.bars, self.mark, self.label)
        for level, item in enumerate(self._items, 1):
            item.setZValue(level)
            box.addItem(item, ignoreBounds=True)

    def remove(self) -> None:
        """Take the items out of the view."""
        for item in self._items:
            self._box.removeItem(item)

    def take(self, series: Series, log_x: bool, log_y: bool) -> None:
        """Show another series."""
        self.series = series
        self.x = scales.positions(series.x, log_x)
        self.y = scales.positions(series.y, log_y)
        self._figure = np.nan if series.end is None else scales.positions_of(series.end, log_y)
        spread = np.full(len(series.y), np.nan) if series.spread is None else series.spread
        self.low = scales.positions(series.y - spread, log_y)
        self.high = scales.positions(series.y + spread, log_y)

    @property
    def reach(self) -> np.ndarray:
        """(ends,) of the error bars that can be seen."""
        ends = np.concatenate([self.low[self.seen], self.high[self.seen]])
        return ends[np.isfinite(ends)]

    @property
    def seen(self) -> np.ndarray:
        """(points,) bool: neither NaN, infinite nor off a log axis."""
        return np.isfinite(self.x) & np.isfinite(self.y)

    @property
    def counts_x(self) -> bool:
        """All of x are whole numbers: steps, epochs, layers."""
        x = self.series.x[np.isfinite(self.series.x)]
        return bool((x == np.round(x)).all())

    @property
    def tip(self) -> tuple[float, float]:
        """What is told of: a point that can be seen, at the figure that the series ends with."""
        if not self.seen.any():
            return float("nan"), float("nan")
        told = self._told
        height = self._figure if np.isfinite(self._figure) else self.y[told]
        return float(self.x[told]), float(height)

    @property
    def _told(self) -> int:
        """The index of the point at `Series.at`, else of the last, of those that can be seen."""
        seen = np.flatnonzero(self.seen)
        chosen = seen[self.series.x[seen] == self.series.at] if self.series.at is not None else seen
        return int((chosen if len(chosen) else seen)[-1])

    @property
    def ends(self) -> bool:
        """There is a last point, and so a label."""
        return bool(np.isfinite(self.end[0]))

    def restyle_if_other(self, ink: Ink) -> None:
        """`restyle`, if the series now shown looks otherwise than the last: it costs a repaint."""
        series = self.series
        if (series.family, series.dash, series.bold, series.counted) != self._look:
            self.restyle(ink)

    def restyle(self, ink: Ink) -> None:
        """Take on colours and pens."""
        series = self.series
        self._look = (series.family, series.dash, series.bold, series.counted)
        width = 2.5 if series.bold else 1.0 if series.counted else 1.5
        style = _STYLES[min(series.dash, 2)]
        self.line.setPen(ink.pen(ink.of(series), width, style))
        self.line.setSegmentedLineMode("on" if style == _SOLID else "off")  # "on" swallows dashes
        self.leader.setPen(ink.pen(ink.colour("edge"), 1))
        self.bars.setData(pen=ink.pen(ink.of(series), 1.5))
        self.mark.setBrush(ink.of(series))
        self.mark.setPen(ink.pen(ink.colour("surface"), 1))
        self.mark.setSymbol(marker_symbol(series.family))
        self.mark.setSize(theme.px(11 if series.family else 5))
        self.label.setColor(ink.of(series, text=True))
        self.label.setFont(theme.font(12, bold=series.bold))

    def clear(self) -> None:
        """Draw nothing."""
        self.end = (float("nan"), float("nan"))
        for item in (self.line, self.mark, self.leader):
            item.setData([], [])
        self.bars.hide()
        self.label.hide()

    def draw(self, left: float, right: float, column: float) -> None:
        """Draw what lies between two positions of x; labels begin at `column`."""
        x, y, seen = self.x, self.y, self.seen
        if not seen.any():
            self.clear()
            return
        told = self._told
        self.end = self.tip
        if self.series.counted:
            self.line.setData([x[0], column], [y[0], y[0]])
        else:
            inside = (x >= left) & (x <= right) | ~np.isfinite(x)
            bins = max(int(self._box.width() / PER_POINT), 50)
            self.line.setData(*scales.binned(x[inside], y[inside], bins))
        telling = np.flatnonzero(seen) if self.series.dots else (*_alone(seen), told)
        marked = [n for n in telling if left <= x[n] <= right]
        heights = np.where(np.arange(len(y)) == told, self.end[1], y)
        self.mark.setData(x[marked], heights[marked])
        self._draw_bars(left, right)

    def _draw_bars(self, left: float, right: float) -> None:
        inside = np.isfinite(self.low + self.high) & (self.x >= left) & (self.x <= right)
        self.bars.setVisible(bool(inside.any()))
        if inside.any():
            y = self.y[inside]
            self.bars.setData(
                x=self.x[inside], y=y, top=self.high[inside] - y, bottom=y - self.low[inside],
                beam=((right - left) or 1.0) * BEAM,
            )  # fmt: skip

    def unwrite(self) -> None:
        """No label."""
        self.label.hide()
        self.leader.setData([], [])

    def write(self, text: str, text_at: float, place: float, column: float) -> None:
        """Put the label, and the leader from the curve's point that is told of to it."""
        self.label.show()
        self.label.setText(text)
        self.label.setPos(text_at, place)
        start = column if self.series.counted else self.end[0]
        told = float(self.y[self._told])
        self.leader.setData([start, start, column, text_at],
                            [told, self.end[1], self.end[1], place])  # fmt: skip


def _alone(seen: np.ndarray) -> np.ndarray:
    """The indices of points between two gaps: no line leads to them, so they get a mark."""
    padded = np.concatenate([[False], seen, [False]])
    return np.flatnonzero(seen & ~padded[:-2] & ~padded[2:])
