"""What panels are laid out in: cards with a title row, strips with advice, empty states."""

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Slot
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from lmstudio.gui import icons, theme
from lmstudio.gui.widgets.buttons import tool
from lmstudio.gui.widgets.cut_edge import CutEdge
from lmstudio.gui.widgets.labels import ElidedLabel, label
from lmstudio.gui.widgets.marks import ContextStrip
from lmstudio.messages import tr

TITLE = 320  # pixels of a title at most: names may be of any length


class TitleRow(QWidget):
    """Title 15 bold, a muted note that goes below where it would be cut, tools at the right."""

    def __init__(self, title: str, note: str = "") -> None:
        super().__init__()
        self.title = ElidedLabel(title, size=15, bold=True, keep=theme.px(TITLE))
        self.note = ElidedLabel(note, size=12, tone="muted")
        self.note.setParent(self)
        self._room = QWidget(self)  # of the note beside the title
        self._room.setMinimumHeight(theme.px(32))
        self._layout = QHBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(theme.px(8))
        self._layout.addWidget(self.title)
        self._layout.addWidget(self._room, 1)
        self._room.installEventFilter(self)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """The note is placed anew where its room is another."""
        if watched is self._room and event.type() in (QEvent.Type.Resize, QEvent.Type.Move):
            self._place_note()
        return super().eventFilter(watched, event)

    def _place_note(self) -> None:
        """Beside the title if there is room for all of it, else on a line of its own.

        By hand: a layout that is at work must not be given other widgets.
        """
        wanted, room = self.note.sizeHint(), self._room.geometry()
        below = wanted.width() > room.width()
        if below:
            self.note.setGeometry(0, room.bottom() + 1, self.width(), wanted.height())
        else:
            self.note.setGeometry(room)
        self._layout.setContentsMargins(0, 0, 0, wanted.height() if below else 0)

    def set_title(self, title: str) -> None:
        """Change the title."""
        self.title.setText(title)

    def set_note(self, note: str) -> None:
        """Change the note."""
        self.note.setText(note)
        self._place_note()

    def add_tool(self, widget: QWidget) -> None:
        """Put a widget at the right end."""
        self._layout.addWidget(widget)


class Card(QFrame):
    """A white surface with a hairline; `row` is its title row, `body` takes the content."""

    def __init__(self, title: str = "", note: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "card")
        self.setAccessibleName(title)
        self.body = QVBoxLayout(self)
        side = theme.px(16)
        self.body.setContentsMargins(side, theme.px(8), side, theme.px(12))
        self.body.setSpacing(theme.px(8))
        self.row = TitleRow(title, note)
        self.body.addWidget(self.row)
        self.row.setVisible(bool(title))


class Strip(QFrame):
    """One sentence of advice or of trouble with a cross; hidden until it has something to say."""

    def __init__(self, kind: str = "warn", parent: QWidget | None = None) -> None:
        """`kind` is "warn" or "bad"."""
        super().__init__(parent)
        self.setProperty("kind", kind)
        self._text = label(tone=kind, wrap=True)
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.px(12), theme.px(6), theme.px(6), theme.px(6))
        row.addWidget(Picture("warning", kind, 18))
        row.addWidget(self._text, 1)
        close = tool("close", tr("Hide this note"), parent=self)
        close.clicked.connect(self.hide)
        row.addWidget(close)
        self.hide()

    def say(self, text: str) -> None:
        """Show `text`; "" hides the strip."""
        self._text.setText(text)
        self.setVisible(bool(text))

    def text(self) -> str:
        """What it says."""
        return self._text.text()


class EmptyState(QWidget):
    """What is missing here and how to get it: a picture, two sentences, up to three buttons."""

    def __init__(
        self, title: str, detail: str, actions: list[QAbstractButton], *, family: str = "",
        parent: QWidget | None = None,
    ) -> None:  # fmt: skip
        """`family` is whose context strip is the picture; "" is the one that sees all."""
        super().__init__(parent)
        centre = Qt.AlignmentFlag.AlignHCenter
        self._title = label(title, size=20, bold=True, wrap=True)
        self._detail = label(detail, tone="muted", wrap=True)
        row = QHBoxLayout()
        row.setSpacing(theme.px(8))
        row.addStretch()
        for action in actions:
            row.addWidget(action)
        row.addStretch()
        layout = QVBoxLayout(self)
        layout.setSpacing(theme.px(12))
        layout.addStretch(2)
        picture = ContextStrip(family or "all", title, cell=16, parent=self)
        layout.addWidget(picture, 0, centre)
        for text in (self._title, self._detail):
            text.setAlignment(Qt.AlignmentFlag.AlignCenter)
            layout.addWidget(text)
        layout.addLayout(row)
        layout.addStretch(3)

    def set_text(self, title: str, detail: str) -> None:
        """Say something else."""
        self._title.setText(title)
        self._detail.setText(detail)


class Picture(QLabel):
    """An icon that stands still and follows the theme."""

    def __init__(self, name: str, token: str, size: int) -> None:
        super().__init__()
        self._name, self._token, self._size = name, token, theme.px(size)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.signals.changed.connect(self._redraw)
        self._redraw()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(self._size, self._size)

    @Slot()
    def _redraw(self) -> None:
        ratio = self.devicePixelRatioF()
        self.setPixmap(icons.pixmap(self._name, self._token, self._size, ratio))


def hairline(parent: QWidget | None = None, *, vertical: bool = False) -> QFrame:
    """A line that parts two regions."""
    made = QFrame(parent)
    made.setProperty("kind", "hairline")
    if vertical:
        made.setFixedWidth(1)
    else:
        made.setFixedHeight(1)
    return made


def scrolled(widget: QWidget, parent: QWidget | None = None) -> QScrollArea:
    """`widget` in a frame that scrolls when room is short."""
    area = QScrollArea(parent)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    widget.setProperty("kind", "scrolled")
    area.setWidget(widget)
    CutEdge(area, above=True)
    area.setAccessibleName(widget.accessibleName() or tr("A part that scrolls"))
    return area
