"""What can be pressed: buttons by kind, tools with an icon, segmented choices, chips."""

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from lmstudio.gui import theme
from lmstudio.gui.captions import sentence_case
from lmstudio.gui.icons import icon
from lmstudio.gui.widgets.marks import mark_icon


def button(
    text: str, kind: str = "", *, icon_name: str = "", parent: QWidget | None = None
) -> QPushButton:
    """A button; `kind` is "" (bordered), "primary", "link" or "chip"."""
    made = QPushButton(text, parent)
    made.setCursor(Qt.CursorShape.PointingHandCursor)
    made.setProperty("kind", kind)
    made.setAutoDefault(False)
    if icon_name:
        token = {"primary": "on_accent", "link": "accent"}.get(kind, "text")
        made.setIcon(icon(icon_name, token))
        made.setIconSize(QSize(theme.px(16), theme.px(16)))
    return made


def tool(icon_name: str, name: str, *, parent: QWidget | None = None) -> QToolButton:
    """A button that is only an icon; `name` says what it does (tool tip, screen reader)."""
    made = QToolButton(parent)
    made.setIcon(icon(icon_name))
    made.setIconSize(QSize(theme.px(18), theme.px(18)))
    made.setToolTip(name)
    made.setAccessibleName(name)
    made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return made


def disable(widget: QWidget, reason: str) -> None:
    """Switch a control off and say why in its tool tip."""
    if widget.isEnabled():
        widget.setProperty("tip", widget.toolTip())
    widget.setEnabled(False)
    widget.setToolTip(reason)
    widget.setAccessibleDescription(reason)


def enable(widget: QWidget) -> None:
    """Undo `disable`."""
    if not widget.isEnabled():
        widget.setEnabled(True)
        widget.setToolTip(widget.property("tip") or "")
        widget.setAccessibleDescription("")


class Segmented(QFrame):
    """One choice of a few, side by side. Emits `chosen` when the user changes it."""

    chosen = Signal(str)

    def __init__(
        self, choices: list[tuple[str, str]], name: str, parent: QWidget | None = None
    ) -> None:
        """`choices` are (value, text) pairs; `name` is what a screen reader says."""
        super().__init__(parent)
        self.setProperty("kind", "segmented")
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._values = [value for value, _ in choices]
        self._group = QButtonGroup(self)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(2, 2, 2, 2)
        layout.setSpacing(0)
        for number, (_, text) in enumerate(choices):
            shown = sentence_case(text)
            segment = _segment(shown, self)
            segment.setAccessibleName(f"{name}: {shown}")
            self._group.addButton(segment, number)
            layout.addWidget(segment)
        self._group.button(0).setChecked(True)
        self._group.idToggled.connect(self._toggled)

    def value(self) -> str:
        """The value chosen."""
        return self._values[self._group.checkedId()]

    def set_value(self, value: str) -> None:
        """Show `value` without emitting."""
        with QSignalBlocker(self._group):
            self.segment(value).setChecked(True)

    def segment(self, value: str) -> QAbstractButton:
        """The button of a value, to disable it with a reason."""
        return self._group.button(self._values.index(value))

    @Slot(int, bool)
    def _toggled(self, number: int, checked: bool) -> None:
        if checked:
            self.chosen.emit(self._values[number])


class Chip(QPushButton):
    """A rounded, checkable button with the marker of a family."""

    def __init__(self, text: str, family: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setProperty("kind", "chip")
        self.setCheckable(True)
        self.setAutoDefault(False)
        if family:
            self.setIcon(mark_icon(family))
            self.setIconSize(QSize(theme.px(12), theme.px(12)))


def _segment(text: str, parent: QWidget) -> QPushButton:
    made = QPushButton(text, parent)
    made.setProperty("kind", "segment")
    made.setCheckable(True)
    made.setAutoDefault(False)
    bold = made.fontMetrics().horizontalAdvance(text) + theme.px(28)
    made.setMinimumWidth(bold)  # the chosen one is bold: the others must not move
    return made
