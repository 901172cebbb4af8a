"""Plot: series in; one quiet chart with direct labels, a crosshair and exports out.

Positions are our own (log10 on log axes), so that grid, labels and curves always agree. Colours
and pens are applied in `restyle`, which a change of theme calls.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPoint, QPointF, Qt, Signal, Slot
from PySide6.QtGui import QColor, QGuiApplication, QPen
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from lmstudio import figures
from lmstudio.gui import scales, theme
from lmstudio.gui.plot_parts import Axis, RangeBox, Readout, marker_symbol
from lmstudio.messages import tr

pg.setConfigOptions(antialias=True, segmentedLineMode="auto")

Ticks = Callable[[float, float, bool], list[tuple[float, str]]]
LABEL_SHARE = 0.19  # of the width, kept for the labels at the right
GAP = 16  # pixels between two labels
PER_POINT = 3  # pixels of width to a slice of min and max
_SOLID = Qt.PenStyle.SolidLine


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


@dataclass(frozen=True)
class Axes:
    """How both axes are read."""

    log_x: bool = False
    log_y: bool = False
    time: bool = False  # x is in seconds
    decimals: int = 2  # of y, in labels
    show_x: Callable[[float], str] = figures.short
    show_y: Callable[[float], str] | None = None


@dataclass
class _Drawn:
    """The items of one series and what the crosshair asks."""

    series: Series
    x: np.ndarray
    y: np.ndarray
    curve: pg.PlotCurveItem
    mark: pg.ScatterPlotItem
    label: pg.TextItem
    leader: pg.PlotCurveItem
    end: tuple[float, float] = field(default=(float("nan"), float("nan")))


class Plot(QWidget):
    """The one way curves are drawn. Set series and axes; everything else follows."""

    hovered = Signal(str)  # the readout at the crosshair, "" when the pointer leaves
    export_wanted = Signal()

    def __init__(self, name: str, parent: QWidget | None = None, *, mode: str = "") -> None:
        """`name` is for screen readers; `mode` fixes a theme (exports are always light)."""
        super().__init__(parent)
        self._mode = mode
        self._axes = Axes()
        self._oracle: tuple[float, str] | None = None
        self._drawn: list[_Drawn] = []
        self._grid: list[pg.InfiniteLine] = []
        self._zoom: tuple[float, float] | None = None
        self.setAccessibleName(name)
        self._box = RangeBox()
        self._bottom, self._left = Axis("bottom"), Axis("left")
        self.view = pg.PlotWidget(
            parent=self, viewBox=self._box, axisItems={"bottom": self._bottom, "left": self._left}
        )
        self.view.setFrameShape(self.view.Shape.NoFrame)
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # a live chart takes no focus
        self.view.hideButtons()
        self.view.setMenuEnabled(False)
        self._empty = pg.TextItem(anchor=(0.5, 0.5))
        self._oracle_line = pg.InfiniteLine(angle=0)
        self._oracle_text = pg.TextItem(anchor=(0, 0))
        self._readout = Readout(self._box)
        for item in (self._empty, self._oracle_line, self._oracle_text):
            self._box.addItem(item, ignoreBounds=True)
            item.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.view)
        self.setMinimumSize(theme.px(220), theme.px(120))
        self._connect()
        self.restyle()

    def _connect(self) -> None:
        self._box.sigResized.connect(self._lay_out)
        self._box.range_chosen.connect(self._zoom_to)
        self._box.reset_wanted.connect(self.reset)
        self.view.scene().sigMouseMoved.connect(self._moved)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._show_menu)
        theme.signals.changed.connect(self.restyle)

    # what is shown

    def set_axes(self, axes: Axes) -> None:
        """Read the axes in another way."""
        if axes != self._axes:
            self._axes, self._zoom = axes, None
            self.set_series([drawn.series for drawn in self._drawn])

    def set_oracle(self, value: float | None, sentence: str = "") -> None:
        """Draw the line that no model can be below, with its sentence; None takes it away."""
        self._oracle = None if value is None else (value, sentence)
        self._lay_out()

    def set_series(self, series: list[Series]) -> None:
        """Show these curves instead of what is shown."""
        while len(self._drawn) > len(series):
            self._remove(self._drawn.pop())
        for number, entry in enumerate(series):
            if number == len(self._drawn):
                self._drawn.append(self._made(entry))
            drawn = self._drawn[number]
            drawn.series = entry
            drawn.x = scales.positions(entry.x, self._axes.log_x)
            drawn.y = scales.positions(entry.y, self._axes.log_y)
        self._restyle_series()
        self._lay_out()

    def series(self) -> list[Series]:
        """What is shown."""
        return [drawn.series for drawn in self._drawn]

    def axes(self) -> Axes:
        """How the axes are read."""
        return self._axes

    def oracle(self) -> tuple[float, str] | None:
        """The line no model can be below."""
        return self._oracle

    @Slot()
    def reset(self) -> None:
        """Show the whole range again."""
        self._zoom = None
        self._lay_out()

    def visible_points(self) -> int:
        """How many points of all series can be seen (neither NaN, infinite nor off a log axis)."""
        return sum(int((np.isfinite(d.x) & np.isfinite(d.y)).sum()) for d in self._drawn)

    def value_range(self) -> tuple[float, float] | None:
        """The lowest and highest y shown, as values; None if nothing can be."""
        limits = self._limits()
        if limits is None:
            return None
        return tuple(scales.value_at(p, self._axes.log_y) for p in limits[2:])  # type: ignore[return-value]

    # items

    def _made(self, series: Series) -> _Drawn:
        curve = pg.PlotCurveItem(connect="finite")
        mark, label = pg.ScatterPlotItem(), pg.TextItem(anchor=(0, 0.5))
        leader = pg.PlotCurveItem()
        for item, level in ((leader, 1), (curve, 2), (mark, 3), (label, 4)):
            item.setZValue(level)
            self._box.addItem(item, ignoreBounds=True)
        empty = np.empty(0)
        return _Drawn(series, empty, empty, curve, mark, label, leader)

    def _remove(self, drawn: _Drawn) -> None:
        for item in (drawn.curve, drawn.mark, drawn.label, drawn.leader):
            self._box.removeItem(item)

    # colours and pens

    def _colour(self, token: str) -> QColor:
        return theme.colour(token, self._mode)

    def _ink(self, series: Series, *, text: bool = False) -> QColor:
        if not series.family:
            return self._colour("text")
        return theme.family_colour(series.family, text=text, theme=self._mode)

    def _pen(
        self, colour: QColor, width: float, style: Qt.PenStyle = Qt.PenStyle.SolidLine
    ) -> QPen:
        """Cosmetic pens count device pixels: on a 2x screen they must be twice as wide."""
        ratio = 1.0 if self._mode else self.devicePixelRatioF()
        return pg.mkPen(colour, width=width * ratio, style=style)

    @Slot()
    def restyle(self) -> None:
        """Take on the colours of the theme."""
        self.view.setBackground(self._colour("surface"))
        for axis in (self._bottom, self._left):
            axis.restyle(self._colour("muted"), theme.font(12))
        self._oracle_line.setPen(self._pen(self._colour("text"), 1.5, Qt.PenStyle.DashLine))
        self._oracle_text.setColor(self._colour("muted"))
        self._oracle_text.setFont(theme.font(12))
        self._empty.setColor(self._colour("muted"))
        self._empty.setFont(theme.font(13))
        dotted = self._pen(self._colour("edge"), 1, Qt.PenStyle.DotLine)
        self._readout.restyle(dotted, self._colour("surface"), self._colour("text"))
        self._restyle_series()
        self._lay_out()

    def _restyle_series(self) -> None:
        styles = (_SOLID, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine)
        for drawn in self._drawn:
            series = drawn.series
            counted = len(series.x) == 1
            width = 1.0 if counted and not series.bold else 2.5 if series.bold else 1.5
            style = styles[min(series.dash, 2)]
            drawn.curve.setPen(self._pen(self._ink(series), width, style))
            solid = style == _SOLID
            drawn.curve.setSegmentedLineMode("on" if solid else "off")  # "on" swallows dashes
            drawn.leader.setPen(self._pen(self._colour("edge"), 1))
            drawn.mark.setBrush(self._ink(series))
            drawn.mark.setPen(self._pen(self._colour("surface"), 1))
            drawn.mark.setSymbol(marker_symbol(series.family))
            drawn.mark.setSize(theme.px(11))
            drawn.label.setColor(self._ink(series, text=True))
            drawn.label.setFont(theme.font(12, bold=series.bold))

    # layout: ranges, grid, labels

    def _limits(self) -> tuple[float, float, float, float] | None:
        """The positions (left, right, low, high) of all that can be seen."""
        xs, ys = [], []
        for drawn in self._drawn:
            seen = np.isfinite(drawn.x) & np.isfinite(drawn.y)
            if self._zoom and len(drawn.x) > 1:
                seen &= (drawn.x >= self._zoom[0]) & (drawn.x <= self._zoom[1])
            xs.append(drawn.x[seen])
            ys.append(_without_start(drawn.y[seen]))
        x, y = np.concatenate([*xs, []]), np.concatenate([*ys, []])
        if not len(x):
            return None
        left, right = self._zoom or (float(x.min()), float(x.max()))
        return left, right, float(y.min()), float(y.max())

    @Slot()
    def _lay_out(self) -> None:
        limits = self._limits()
        self._readout.hide()
        self._empty.setVisible(limits is None)
        if limits is None:
            self._lay_out_empty()
            return
        left, right, low, high = limits
        if self._oracle:
            low = min(low, scales.positions_of(self._oracle[0], self._axes.log_y))
        width = (right - left) or 1.0
        height = (high - low) or 1.0
        self._column = right + width * 0.02
        last = self._column + (right - left or 1.0) * LABEL_SHARE / (1 - LABEL_SHARE)
        self._box.setRange(
            xRange=(left - width * 0.02, last), padding=0,
            yRange=(low - height * 0.08, high + height * 0.06),
        )  # fmt: skip
        self._set_ticks(left, right, low, high)
        self._draw_curves(left, right)
        self._draw_labels()
        self._draw_oracle(left)

    def _lay_out_empty(self) -> None:
        """Faint axes and a note: there are series but nothing in them can be drawn."""
        self._box.setRange(xRange=(0, 1), yRange=(0, 1), padding=0)
        self._set_grid([(n / 4, "") for n in range(5)])
        self._bottom.set_labels([])
        self._empty.setText(tr("Nothing to draw: no finite value.") if self._drawn else "")
        self._empty.setPos(0.5, 0.5)
        self._oracle_line.hide()
        self._oracle_text.hide()
        for drawn in self._drawn:
            drawn.curve.setData([], [])
            drawn.mark.setData([], [])
            drawn.leader.setData([], [])
            drawn.label.hide()

    def _set_ticks(self, left: float, right: float, low: float, high: float) -> None:
        axes = self._axes
        if axes.time:
            self._bottom.set_labels(scales.seconds_ticks(left, right, axes.log_x))
        else:
            self._bottom.set_labels(scales.ticks(left, right, axes.log_x, axes.show_x))
        self._set_grid(scales.ticks(low, high, axes.log_y, axes.show_y or _plain, most=5))

    def _set_grid(self, marked: list[tuple[float, str]]) -> None:
        self._left.set_labels(marked)
        while len(self._grid) > len(marked):
            self._box.removeItem(self._grid.pop())
        while len(self._grid) < len(marked):
            line = pg.InfiniteLine(angle=0)
            line.setZValue(0)
            self._box.addItem(line, ignoreBounds=True)
            self._grid.append(line)
        for line, (position, _) in zip(self._grid, marked, strict=True):
            line.setPos(position)
            line.setPen(self._pen(self._colour("grid"), 1))

    def _draw_curves(self, left: float, right: float) -> None:
        bins = max(int(self._box.width() / PER_POINT), 50)
        for drawn in self._drawn:
            x, y = drawn.x, drawn.y
            seen = np.isfinite(x) & np.isfinite(y)
            if not seen.any():
                drawn.end = (float("nan"), float("nan"))
                drawn.curve.setData([], [])
                drawn.mark.setData([], [])
                continue
            last = int(np.flatnonzero(seen)[-1])
            drawn.end = (float(x[last]), float(y[last]))
            if len(x) == 1:
                drawn.curve.setData([x[0], self._column], [y[0], y[0]])
            else:
                inside = (x >= left) & (x <= right) | ~np.isfinite(x)
                drawn.curve.setData(*scales.binned(x[inside], y[inside], bins))
            marked = [n for n in (*_alone(seen), last) if left <= x[n] <= right]
            drawn.mark.setData(x[marked], y[marked])

    def _draw_labels(self) -> None:
        (_, (bottom, top)), height = self._box.viewRange(), max(self._box.height(), 1)
        unit = (top - bottom) / height  # of y in a pixel
        floor = bottom
        if self._oracle:
            floor = scales.positions_of(self._oracle[0], self._axes.log_y) + unit * GAP / 2
        labelled = [d for d in self._drawn if np.isfinite(d.end[0])]
        wanted = [d.end[1] for d in labelled]
        gap = unit * theme.px(GAP)
        places = scales.spread(wanted, gap, floor, top - gap / 2)
        width = self._box.viewRange()[0][1] - self._column
        text_at = self._column + width * 0.1
        for drawn in self._drawn:
            drawn.label.setVisible(bool(np.isfinite(drawn.end[0])))
        for drawn, place in zip(labelled, places, strict=True):
            value = scales.value_at(drawn.end[1], self._axes.log_y)
            number = figures.decimal(value, self._axes.decimals)
            drawn.label.setText(f"{number}  {drawn.series.name}")
            drawn.label.setPos(text_at, place)
            start = self._column if len(drawn.x) == 1 else drawn.end[0]
            drawn.leader.setData([start, self._column, text_at], [drawn.end[1]] * 2 + [place])

    def _draw_oracle(self, left: float) -> None:
        shown = self._oracle is not None
        self._oracle_line.setVisible(shown)
        self._oracle_text.setVisible(shown)
        if self._oracle:
            position = scales.positions_of(self._oracle[0], self._axes.log_y)
            self._oracle_line.setPos(position)
            self._oracle_text.setText(self._oracle[1])
            self._oracle_text.setPos(left, position)

    # the pointer

    @Slot(float, float)
    def _zoom_to(self, left: float, right: float) -> None:
        self._zoom = (left, right)
        self._lay_out()

    @Slot(QPointF)
    def _moved(self, place: QPointF) -> None:
        inside = self._box.sceneBoundingRect().contains(place)
        at = self._box.mapSceneToView(place).x()
        limits = self._limits()
        if not inside or limits is None or not limits[0] <= at <= limits[1]:
            self._readout.hide()
            self.hovered.emit("")
            return
        values = self._values_at(at)
        dots = [(y, self._ink(series)) for series, y in values]
        text = self._reading(at, values)
        self._readout.show_at(at, dots, text, right_edge=self._column)
        self.hovered.emit(text)

    def _values_at(self, at: float) -> list[tuple[Series, float]]:
        """Every curve's position at x, the bold ones first, then the lowest."""
        found = []
        for drawn in self._drawn:
            y = scales.interpolated(drawn.x, drawn.y, at)
            if np.isfinite(y):
                found.append((drawn.series, y))
        return sorted(found, key=lambda entry: (not entry[0].bold, entry[1]))

    def _reading(self, at: float, values: list[tuple[Series, float]]) -> str:
        axes = self._axes
        x = scales.value_at(at, axes.log_x)
        shown = [figures.duration(x) if axes.time else axes.show_x(x)]
        for series, position in values:
            y = scales.value_at(position, axes.log_y)
            shown.append(f"{series.name} {figures.decimal(y, axes.decimals)}")
        return "   ".join(shown)

    @Slot()
    def copy(self) -> None:
        """Put what the crosshair reads, or else the last value of every curve, on the clipboard."""
        ends = [f"{d.series.name}\t{scales.value_at(d.end[1], self._axes.log_y):.6g}"
                for d in self._drawn if np.isfinite(d.end[0])]  # fmt: skip
        QGuiApplication.clipboard().setText(self._readout.text or "\n".join(ends))

    @Slot(QPoint)
    def _show_menu(self, place: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(tr("Export…")).triggered.connect(self.export_wanted)
        menu.addAction(tr("Copy values")).triggered.connect(self.copy)
        menu.addAction(tr("Whole range")).triggered.connect(self.reset)
        menu.popup(self.mapToGlobal(place))


def _alone(seen: np.ndarray) -> np.ndarray:
    """The indices of points between two gaps: no line leads to them, so they get a mark."""
    padded = np.concatenate([[False], seen, [False]])
    return np.flatnonzero(seen & ~padded[:-2] & ~padded[2:])


def _without_start(y: np.ndarray) -> np.ndarray:
    """A long curve's range leaves out its steep beginning, which would flatten all the rest."""
    return np.minimum(y, np.percentile(y, 95)) if len(y) >= 40 else y


def _plain(value: float) -> str:
    return f"{value:.6g}" if abs(value) < 1e4 else figures.short(value)
