"""Colours, type and spacing: a mode ("system", "light", "dark") in, a painted application out.

Widgets ask for a colour when they paint, so a change of theme needs no list of widgets. `signals`
tells those that hold pens of their own (plots). Sizes are read when a widget is made: a change of
scale makes a new window.
"""

from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QStyleFactory

from lmstudio import messages
from lmstudio.gui.stylesheet import stylesheet

TOKENS: dict[str, dict[str, str]] = {
    "light": {
        "bg": "#F3F4F7", "surface": "#FFFFFF", "sunken": "#ECEEF2", "line": "#DDE0E6",
        "edge": "#858C98", "text": "#1A1D23", "muted": "#565D69", "off": "#646A76",
        "accent": "#3A4DB8", "on_accent": "#FFFFFF", "tint": "#E9ECFA", "ok": "#1A7345",
        "warn": "#8A5200", "bad": "#B3261E", "warn_bg": "#FBF1DF", "bad_bg": "#FBE9E7",
        "grid": "#E9EBEF",
    },
    "dark": {
        "bg": "#14161A", "surface": "#1C1F25", "sunken": "#262A32", "line": "#323741",
        "edge": "#767E8C", "text": "#E8EAEE", "muted": "#A7AEBA", "off": "#8F96A3",
        "accent": "#9DB0FF", "on_accent": "#11162B", "tint": "#272E4A", "ok": "#6CCB95",
        "warn": "#E3B25C", "bad": "#FF9A90", "warn_bg": "#352C1B", "bad_bg": "#3D2422",
        "grid": "#2A2E36",
    },
}  # fmt: skip
"""What a colour is for, by theme; the contrasts are in the design's table."""


@dataclass(frozen=True)
class Family:
    """How a family of models is drawn: a marker, and a colour for lines and one for text."""

    marker: str  # "square", "up", "down", "diamond", "hexagon", "circle" or "star"
    line: str  # light theme
    text: str  # light theme, readable also on a selected row
    dark: str  # dark theme, lines and text


FAMILIES: dict[str, Family] = {
    "ngram": Family("square", "#363D4B", "#363D4B", "#848688"),
    "ffnn": Family("up", "#B88E1A", "#846613", "#CDAE20"),
    "rnn": Family("down", "#802800", "#802800", "#FDC9AB"),
    "lstm": Family("diamond", "#4B826A", "#44755F", "#47BA8A"),
    "elmo": Family("hexagon", "#169FD5", "#107299", "#86DEFF"),
    "bert": Family("circle", "#A10889", "#A10889", "#D866CF"),
    "gpt": Family("star", "#CF3002", "#CB2F02", "#E85737"),
}
"""By model name. Family colours mean families and nothing else."""

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
    _system_family = _system_family or app.font().family()
    _mode = _system_mode() if mode == "system" else mode
    _scale = _scale if scale is None else scale
    app.setStyle(QStyleFactory.create("Fusion"))
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
    one, two = first.getRgb(), second.getRgb()
    return QColor(*(round(a + (b - a) * share) for a, b in zip(one, two, strict=True)))  # type: ignore[arg-type]


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
