"""Plot: series in; one quiet chart with direct labels, a crosshair and exports out.

Positions are our own (log10 on log axes), so that grid, labels and curves always agree. Colours
and pens are applied in `restyle`, which a change of theme calls.
"""

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPoint, QPointF, Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics, QGuiApplication
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from lmstudio import figures
from lmstudio.gui import scales, theme
from lmstudio.gui.plot_axes import Axes
from lmstudio.gui.plot_curves import Curve, Ink, Series
from lmstudio.gui.plot_parts import Axis, Cursor, RangeBox, Readout
from lmstudio.messages import tr

pg.setConfigOptions(antialias=True, segmentedLineMode="auto")

LEADER = 24  # pixels from the curves' end to the labels
MOST_LABEL = 0.4  # of the width, for the labels at the right
MOST_LABEL_ALONE = 0.6  # the same in a picture, which has no readout to tell a curve by
GAP = 16  # pixels between two labels


class Plot(QWidget):
    """The one way curves are drawn. Set series and axes; everything else follows."""

    hovered = Signal(str)  # the readout at the crosshair, "" when the pointer leaves
    export_wanted = Signal()

    def __init__(
        self, name: str, parent: QWidget | None = None, *, mode: str = "", ratio: float = 1.0
    ) -> None:
        """`name` is for screen readers; `mode` fixes a theme (exports are always light).

        Then `ratio` is how many pixels are drawn for each of the layout.
        """
        super().__init__(parent)
        self._mode, self._ratio = mode, ratio
        self._axes = Axes()
        self._oracle: tuple[float, str] | None = None
        self._mark: tuple[float, float, str] | None = None
        self._drawn: list[Curve] = []
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
        self.hint = ""  # stands there while there are no series
        self._empty = pg.TextItem(anchor=(0.5, 0.5))
        self._oracle_line = pg.InfiniteLine(angle=0)
        self._oracle_text = pg.TextItem(anchor=(0, 0))
        self._readout = Readout(self._box)
        self._stand = Cursor(self._box)
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
        oracle = None if value is None else (value, sentence)
        if oracle != self._oracle:
            self._oracle = oracle
            self._lay_out()

    def set_mark(self, mark: tuple[float, float, str] | None) -> None:
        """Mark a value of x, and one of y with its text, where a knob stands; None takes it away.

        It may come ten times a second, so nothing else is laid out anew.
        """
        self._mark = mark
        self._draw_mark()

    def set_series(self, series: list[Series]) -> None:
        """Show these curves instead of what is shown."""
        while len(self._drawn) > len(series):
            self._drawn.pop().remove()
        for number, entry in enumerate(series):
            if number == len(self._drawn):
                self._drawn.append(Curve(self._box, entry))
            self._drawn[number].take(entry, self._axes.log_x, self._axes.log_y)
            self._drawn[number].restyle_if_other(self._ink)
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

    def mark(self) -> tuple[float, float, str] | None:
        """What is marked."""
        return self._mark

    @Slot()
    def reset(self) -> None:
        """Show the whole range again."""
        self._zoom = None
        self._lay_out()

    def visible_points(self) -> int:
        """How many points of all series can be seen (neither NaN, infinite nor off a log axis)."""
        return sum(int(drawn.seen.sum()) for drawn in self._drawn)

    def value_range(self) -> tuple[float, float] | None:
        """The lowest and highest y shown, as values; None if nothing can be."""
        limits = self._limits()
        if limits is None:
            return None
        return tuple(scales.value_at(p, self._axes.log_y) for p in limits[2:])  # type: ignore[return-value]

    # colours and pens

    @property
    def _ink(self) -> Ink:
        return Ink(self._mode, self._ratio if self._mode else self.devicePixelRatioF())

    @Slot()
    def restyle(self) -> None:
        """Take on the colours of the theme."""
        ink = self._ink
        text, muted, surface = (ink.colour(token) for token in ("text", "muted", "surface"))
        self.view.setBackground(surface)
        for axis in (self._bottom, self._left):
            axis.restyle(muted, theme.font(12))
        self._oracle_line.setPen(ink.pen(text, 1.5, Qt.PenStyle.DashLine))
        for item, size in ((self._oracle_text, 12), (self._empty, 13)):
            item.setColor(muted)
            item.setFont(theme.font(size))
        dotted = ink.pen(ink.colour("edge"), 1, Qt.PenStyle.DotLine)
        self._readout.restyle(dotted, surface, text)
        accent = ink.colour("accent")
        self._stand.restyle(accent, surface, ink.pen(accent, 1))
        for drawn in self._drawn:
            drawn.restyle(ink)
        self._lay_out()

    # layout: ranges, grid, labels

    def _limits(self) -> tuple[float, float, float, float] | None:
        """The positions (left, right, low, high) of all that can be seen."""
        xs, ys = [], []
        for drawn in self._drawn:
            seen = drawn.seen
            if self._zoom and not drawn.series.counted:
                seen &= (drawn.x >= self._zoom[0]) & (drawn.x <= self._zoom[1])
            xs.append(drawn.x[seen])
            ys.append(drawn.y[seen] if self._axes.whole else _without_start(drawn.y[seen]))
            if seen.any():
                ys += [np.array([drawn.tip[1]]), drawn.reach]
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
        share = self._label_share()
        last = self._column + width * share / (1 - share)
        self._box.setRange(
            xRange=(left - width * 0.02, last), padding=0,
            yRange=(low - height * self._below(), high + height * 0.06),
        )  # fmt: skip
        self._set_ticks(left, right, low, high)
        for drawn in self._drawn:
            drawn.draw(left, right, self._column)
        self._draw_labels()
        self._draw_oracle(left)
        self._draw_mark()

    def _below(self) -> float:
        """The room below the curves, as a share of theirs: the oracle's sentence stands there."""
        room = theme.px(22) / max(self._box.height(), 1) if self._oracle else 0.0
        return max(0.08, room)

    def _lay_out_empty(self) -> None:
        """Faint axes and a note: there are series but nothing in them can be drawn."""
        self._box.setRange(xRange=(0, 1), yRange=(0, 1), padding=0)
        self._set_grid([(n / 4, "") for n in range(5)])
        self._bottom.set_labels([])
        self._empty.setText(tr("Nothing to draw: no finite value.") if self._drawn else self.hint)
        self._empty.setPos(0.5, 0.625)  # between two lines
        self._oracle_line.hide()
        self._oracle_text.hide()
        for drawn in self._drawn:
            drawn.clear()

    def _set_ticks(self, left: float, right: float, low: float, high: float) -> None:
        axes = self._axes
        if axes.time:
            self._bottom.set_labels(scales.seconds_ticks(left, right, axes.log_x))
        else:
            whole = all(drawn.counts_x for drawn in self._drawn)
            self._bottom.set_labels(scales.ticks(left, right, axes.log_x, axes.show_x, whole=whole))
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
            line.setPen(self._ink.pen(self._ink.colour("grid"), 1))

    def _draw_labels(self) -> None:
        (_, (bottom, top)), height = self._box.viewRange(), max(self._box.height(), 1)
        unit = (top - bottom) / height  # of y in a pixel
        floor = bottom + unit * theme.px(GAP) / 2
        if self._oracle:
            floor = scales.positions_of(self._oracle[0], self._axes.log_y) + unit * GAP / 2
        labelled = [drawn for drawn in self._drawn if drawn.ends and self._label_of(drawn)]
        for drawn in self._drawn:
            if drawn not in labelled:
                drawn.unwrite()
        gap = unit * theme.px(GAP)
        places = scales.spread([drawn.end[1] for drawn in labelled], gap, floor, top - gap / 2)
        text_at = self._column + LEADER / max(self._box.width(), 1) * self._box.viewRect().width()
        for drawn, place in zip(labelled, places, strict=True):
            drawn.write(self._fitted(drawn), text_at, place, self._column)

    def _label_of(self, drawn: Curve) -> str:
        """What stands at a curve's end; a curve that needs no telling apart has nothing."""
        return self._label(drawn, drawn.end[1])

    def _label(self, drawn: Curve, position: float) -> str:
        return self._figure(position) + drawn.series.name

    def _figure(self, position: float) -> str:
        """What stands before a name; "" where only names do."""
        value = scales.value_at(position, self._axes.log_y)
        return f"{self._axes.told(value)}  " if self._axes.end_values else ""

    def _fitted(self, drawn: Curve) -> str:
        """A label with as much of the name as there can be room for; seeds stand at its end."""
        text = self._label_of(drawn)
        figure = self._figure(drawn.end[1]) if text else ""
        metrics = QFontMetrics(theme.font(12, bold=True))
        room = round(self._box.width() * MOST_LABEL) - LEADER - 10
        room -= metrics.horizontalAdvance(figure)
        name = text.removeprefix(figure)
        return figure + metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, max(room, 40))

    def _label_share(self) -> float:
        """How much of the width the labels need."""
        metrics = QFontMetrics(theme.font(12, bold=True))
        texts = (self._label(d, d.tip[1]) for d in self._drawn if d.seen.any())
        names = map(metrics.horizontalAdvance, texts)
        most = MOST_LABEL_ALONE if self._mode else MOST_LABEL
        return min((max(names, default=0) + LEADER + 10) / max(self._box.width(), 1), most)

    def _draw_oracle(self, left: float) -> None:
        shown = self._oracle is not None
        self._oracle_line.setVisible(shown)
        self._oracle_text.setVisible(shown)
        if self._oracle:
            position = scales.positions_of(self._oracle[0], self._axes.log_y)
            self._oracle_line.setPos(position)
            self._oracle_text.setText(self._oracle[1])
            self._oracle_text.setPos(left, position)

    def _draw_mark(self) -> None:
        place = None
        if self._mark and self._limits():
            x, y, text = self._mark
            place = (
                scales.positions_of(x, self._axes.log_x),
                scales.positions_of(y, self._axes.log_y),
            )
        if place and np.isfinite(place).all():
            self._stand.show_at(*place, text)
        else:
            self._stand.hide()

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
        dots = [(y, self._ink.of(series)) for series, y in values]
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
        shown = [scales.time_label(x) if axes.time else axes.show_x(x)]
        for series, position in values:
            y = scales.value_at(position, axes.log_y)
            shown.append(f"{series.name} {axes.told(y)}")
        return "   ".join(shown)

    @Slot()
    def copy(self) -> None:
        """Put what the crosshair reads, or else the last value of every curve, on the clipboard."""
        ends = [f"{d.series.name}\t{scales.value_at(d.end[1], self._axes.log_y):.6g}"
                for d in self._drawn if d.ends]  # fmt: skip
        QGuiApplication.clipboard().setText(self._readout.text or "\n".join(ends))

    @Slot(QPoint)
    def _show_menu(self, place: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(tr("Export…")).triggered.connect(self.export_wanted)
        menu.addAction(tr("Copy values")).triggered.connect(self.copy)
        menu.addAction(tr("Whole range")).triggered.connect(self.reset)
        menu.popup(self.mapToGlobal(place))


def _without_start(y: np.ndarray) -> np.ndarray:
    """A long curve's range leaves out its steep beginning, which would flatten all the rest."""
    if len(y) < 40:
        return y
    most = int(0.95 * (len(y) - 1))
    return np.minimum(y, np.partition(y, most)[most])


def _plain(value: float) -> str:
    return f"{value:.6g}" if abs(value) < 1e3 else figures.short(value)
