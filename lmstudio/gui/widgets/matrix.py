"""Words by estimators: what a matrix of probabilities holds, and where each part of it stands."""

import math
from dataclasses import dataclass, field

from PySide6.QtCore import QPointF, QRectF

from lmstudio import figures
from lmstudio.gui import theme

HEADER, FOOT = 40, 92  # heights at scale 1
LEAST_ROW, MOST_ROW = 25, 32


@dataclass(frozen=True)
class MatrixRow:
    """What a row is about."""

    name: str
    count: str = ""
    muted: bool = False  # never seen here
    open: bool = False  # a sum over many words: its bar may be cut at the scale's end


@dataclass(frozen=True)
class MatrixColumn:
    """What one estimator gives. `values` has one number a row; NaN: none is defined."""

    key: str
    title: str
    values: tuple[float, ...] = ()
    shares: tuple[float, float, float] = (0.0, 0.0, 0.0)  # seen, unseen, unknown
    total: float = math.nan
    figure: float = math.nan  # bits per character of the valid part
    proper: bool = True  # the values are probabilities
    reason: str = ""  # why nothing is defined; the column is grey
    noted: bool = False  # something had to be done otherwise than asked
    stale: bool = False  # the answer to a question before the last
    tip: str = ""

    @property
    def waiting(self) -> bool:
        """There is no answer yet."""
        return not self.values and not self.reason


@dataclass(frozen=True)
class Matrix:
    """Everything that is drawn."""

    rows: list[MatrixRow] = field(default_factory=list)
    columns: list[MatrixColumn] = field(default_factory=list)
    chosen: str = ""

    @property
    def scale(self) -> float:
        """The probability whose bar fills a cell: the highest of a single word."""
        closed = [n for n, row in enumerate(self.rows) if not row.open]
        found = [column.values[n] for column in self.columns for n in closed if column.values]
        return max((value for value in found if math.isfinite(value)), default=1.0) or 1.0


class Places:
    """Where everything stands in a target."""

    def __init__(self, matrix: Matrix, target: QRectF) -> None:
        self.target = target
        rows = max(len(matrix.rows), 1)
        self.header, self._foot = theme.px(HEADER), theme.px(FOOT)
        room = (target.height() - self.header - self._foot) / rows
        self.row = min(max(room, theme.px(LEAST_ROW)), theme.px(MOST_ROW))
        self.header_top = target.top()
        self.names = min(max(target.width() * 0.18, theme.px(140)), theme.px(210))
        self.width = (target.width() - self.names) / max(len(matrix.columns), 1)
        self._rows = rows

    @property
    def bottom(self) -> float:
        """Below everything."""
        return self._top(self._rows) + self._foot

    def _top(self, row: int) -> float:
        return self.header_top + self.header + row * self.row

    def label(self, row: int) -> QRectF:
        """The name and count of a row."""
        return QRectF(self.target.left(), self._top(row), self.names - theme.px(8), self.row)

    def column(self, number: int) -> QRectF:
        """All of a column."""
        left = self.target.left() + self.names + number * self.width
        return QRectF(left, self.header_top, self.width, self.bottom - self.header_top)

    def heading(self, number: int) -> QRectF:
        """The title of a column."""
        box = self.column(number)
        height = self.header - theme.px(5)
        return QRectF(box.left() + 1, box.top(), box.width() - theme.px(8), height)

    def body(self, number: int) -> QRectF:
        """All cells of a column."""
        box, side = self.column(number), theme.px(7)
        height = self._rows * self.row
        return QRectF(box.left() + side, self._top(0) + 6, box.width() - 2 * side, height - 6)

    def cell(self, number: int, row: int) -> QRectF:
        """One cell."""
        box = self.body(number)
        return QRectF(box.left(), self._top(row), box.width(), self.row)

    def foot_line(self, line: int) -> QRectF:
        """The label of a line below the rows: bar, seen, sum, figure."""
        top = self._top(self._rows) + theme.px(8) + line * theme.px(20)
        return QRectF(self.target.left(), top, self.names - theme.px(8), theme.px(20))

    def foot_cell(self, number: int, line: int) -> QRectF:
        """A cell of such a line."""
        body, label = self.body(number), self.foot_line(line)
        return QRectF(body.left() - theme.px(4), label.top(), body.width() + theme.px(4),
                      label.height())  # fmt: skip

    def column_at(self, place: QPointF) -> int:
        """The number of the column at a place; negative left of all."""
        return math.floor((place.x() - self.target.left() - self.names) / self.width)


def shown(value: float) -> str:
    """A probability as it stands in a cell."""
    return "0" if value == 0 else figures.decimal(value, 4)
