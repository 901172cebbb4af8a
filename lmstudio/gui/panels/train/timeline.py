"""Timeline: the models of the registry in the order of their years; choosing one is its use."""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QHBoxLayout,
    QSizePolicy,
    QWidget,
)

from lmstudio.gui import theme
from lmstudio.gui.widgets import Card, ContextStrip, ElidedLabel, draw_mark, label
from lmstudio.messages import tr
from lmstudio.models.registry import MODELS, TRAINABLE, ModelInfo

_MARK_Y, _BOX_Y, _BOX, _HEIGHT = 30, 46, 66, 114


class Timeline(Card):
    """Emits `chosen` with a key of TRAINABLE when the user takes another."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._keys = sorted(TRAINABLE, key=lambda key: TRAINABLE[key].year)
        self._group = QButtonGroup(self)
        row = QHBoxLayout()
        row.setSpacing(0)
        for number, key in enumerate(self._keys):
            made = ModelButton(key, MODELS[key], self)
            made.first, made.last = number == 0, number == len(self._keys) - 1
            self._group.addButton(made, number)
            row.addWidget(made, 1)
        self._name = label(bold=True)
        self._about = ElidedLabel(tone="muted")
        about = QHBoxLayout()
        about.setContentsMargins(theme.px(8), 0, theme.px(8), 0)
        about.setSpacing(theme.px(12))
        about.addWidget(self._name)
        about.addWidget(self._about, 1)
        self.body.addLayout(row)
        self.body.addLayout(about)
        self._group.button(0).setChecked(True)
        self._group.idToggled.connect(self._toggled)
        self._tell()

    def value(self) -> str:
        """The model chosen."""
        return self._keys[self._group.checkedId()]

    def choose(self, key: str) -> None:
        """Choose a model."""
        self._group.button(self._keys.index(key)).setChecked(True)

    @Slot(int, bool)
    def _toggled(self, number: int, checked: bool) -> None:
        if checked:
            self._tell()
            self.chosen.emit(self._keys[number])

    def _tell(self) -> None:
        info = MODELS[self.value()]
        self._name.setText(tr(info.title))
        self._about.setText(f"{tr(info.summary)} · {info.paper}")


class ModelButton(QAbstractButton):
    """A station: year and author, marker on the line, a box with name and context strip."""

    def __init__(self, key: str, info: ModelInfo, parent: QWidget) -> None:
        super().__init__(parent)
        self.first = self.last = False
        self._key, self._info = key, info
        self.setObjectName(f"model-{key}")
        self.setCheckable(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setText(tr(info.title))
        self.setAccessibleName(f"{tr(info.title)}, {info.year}, {info.author}")
        self.setAccessibleDescription(tr(info.summary))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMaximumWidth(theme.px(260))
        self._strip = ContextStrip(key, tr(info.summary), cell=9, parent=self)
        self._strip.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(122), theme.px(_HEIGHT))

    minimumSizeHint = sizeHint  # noqa: N815

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._strip.adjustSize()
        left = (self.width() - self._strip.width()) // 2
        self._strip.move(left, theme.px(_BOX_Y + 38))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._draw_station(painter)
        self._draw_box(painter)
        painter.end()

    def _draw_station(self, painter: QPainter) -> None:
        centre, y = self.width() / 2, theme.px(_MARK_Y)
        painter.setPen(QPen(theme.colour("edge"), 1.5))
        gap = theme.px(10)
        if not self.first:
            painter.drawLine(QPointF(0, y), QPointF(centre - gap, y))
        if not self.last:
            painter.drawLine(QPointF(centre + gap, y), QPointF(self.width(), y))
        draw_mark(painter, QPointF(centre, y), self._key, theme.px(12))
        when = QRectF(0, 0, self.width(), theme.px(20))
        station = f"{self._info.year} · {self._info.author}"
        self._text(painter, when, station, 12, "muted", bold=self.isChecked())

    def _draw_box(self, painter: QPainter) -> None:
        edge = theme.px(4)
        box = QRectF(edge, theme.px(_BOX_Y), self.width() - 2 * edge, theme.px(_BOX))
        token = "accent" if self.isChecked() else "edge" if self.hasFocus() else "line"
        painter.setPen(QPen(theme.colour(token), 2 if self.isChecked() else 1))
        painter.setBrush(theme.colour("tint" if self.isChecked() else "surface"))
        painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), 8, 8)
        name = QRectF(box.left(), box.top() + theme.px(8), box.width(), theme.px(24))
        self._text(painter, name, self.text(), 15, "text", bold=True)

    def _text(
        self, painter: QPainter, room: QRectF, text: str, size: int, token: str, *,
        bold: bool = False,
    ) -> None:  # fmt: skip
        painter.setFont(theme.font(size, bold=bold))
        painter.setPen(theme.colour(token))
        metrics = painter.fontMetrics()
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, int(room.width()))
        painter.drawText(room, int(Qt.AlignmentFlag.AlignCenter), shown)
