"""Colours, type and spacing: a mode ("system", "light", "dark") in, a painted application out.

Widgets ask for a colour when they paint, so a change of theme needs no list of widgets. `signals`
tells those that hold pens of their own (plots). Sizes are read when a widget is made: a change of
scale makes a new window.
"""

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QStyleFactory

from lmstudio import messages
from lmstudio.gui.stylesheet import stylesheet
from lmstudio.look import FAMILIES, TOKENS

_CJK = ("Noto Sans CJK SC", "Microsoft YaHei UI", "PingFang SC", "WenQuanYi Micro Hei")


class _Signals(QObject):
    changed = Signal()  # the colours are others now


signals = _Signals()
_mode = "light"
_scale = 1.0
_system_family = ""


def apply(app: QApplication, mode: str = "system", scale: float | None = None) -> None:
    """Paint the application in `mode`; `scale` (1.0) multiplies every size from now on."""
    global _mode, _scale, _system_family
    _mode = _system_mode() if mode == "system" else mode
    _scale = _scale if scale is None else scale
    if not _system_family:  # the first time; each of these visits every widget there is
        _system_family = app.font().family()
        app.setStyle(QStyleFactory.create("Fusion"))
    if app.font() != font():
        app.setFont(font())
    app.setPalette(_palette())
    app.setStyleSheet(stylesheet(TOKENS[_mode], _scale))
    signals.changed.emit()


def mode() -> str:
    """The theme on screen: "light" or "dark"."""
    return _mode


def scale() -> float:
    """The factor of `px`."""
    return _scale


def px(size: float) -> int:
    """A size of the design (at scale 1) in pixels."""
    return round(size * _scale)


def colour(token: str, theme: str = "") -> QColor:
    """A colour by its use, of the theme on screen or of the one named."""
    return QColor(TOKENS[theme or _mode][token])


def family_colour(family: str, *, text: bool = False, theme: str = "") -> QColor:
    """The colour of a family's lines and marks, or of its text and of marks on a selected row."""
    entry = FAMILIES[family]
    if (theme or _mode) == "dark":
        return QColor(entry.dark)
    return QColor(entry.text if text else entry.line)


def mix(first: QColor, second: QColor, share: float) -> QColor:
    """`first` with `share` (0 to 1) of `second` in it."""
    red = first.red() + (second.red() - first.red()) * share
    green = first.green() + (second.green() - first.green()) * share
    blue = first.blue() + (second.blue() - first.blue()) * share
    return QColor(round(red), round(green), round(blue))


def font(size: int = 13, *, bold: bool = False) -> QFont:
    """The interface's font at `size` (12, 13, 15, 20 or 28), with figures of equal width."""
    made = QFont()
    chinese_first = messages.language().startswith("zh") or not _system_family
    families = [*_CJK, "sans-serif"]
    made.setFamilies(families if chinese_first else [_system_family, *families])
    made.setPixelSize(px(size))
    made.setBold(bold)
    if hasattr(made, "setFeature"):  # Qt 6.7
        made.setFeature(QFont.Tag("tnum"), 1)
    return made


def _system_mode() -> str:
    scheme = QGuiApplication.styleHints().colorScheme()
    return "dark" if scheme == Qt.ColorScheme.Dark else "light"


def _palette() -> QPalette:
    role = QPalette.ColorRole
    roles = {
        role.Window: "bg", role.Base: "surface", role.AlternateBase: "bg", role.Button: "surface",
        role.WindowText: "text", role.Text: "text", role.ButtonText: "text",
        role.BrightText: "on_accent", role.PlaceholderText: "muted", role.ToolTipBase: "surface",
        role.ToolTipText: "text", role.Highlight: "tint", role.HighlightedText: "text",
        role.Accent: "accent", role.Link: "accent", role.LinkVisited: "accent",
        role.Light: "line", role.Midlight: "line", role.Mid: "line", role.Dark: "edge",
        role.Shadow: "line",
    }  # fmt: skip
    palette = QPalette()
    for which, token in roles.items():
        palette.setColor(which, colour(token))
    for which in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, which, colour("off"))
    return palette
