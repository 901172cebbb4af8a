"""Colours by use and by model family, the same in the window and in reports. Free of Qt."""

from dataclasses import dataclass

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
"""What a colour is for, by theme."""


@dataclass(frozen=True)
class Family:
    """How a family of models is drawn: a marker, and a colour for lines and one for text."""

    marker: str  # "square", "up", "down", "diamond", "hexagon", "circle" or "star"
    line: str  # light theme
    text: str  # light theme, readable also on a selected row
    dark: str  # dark theme, lines and text
    dash: int = 0  # of the line of a counted model: 0 solid, 1 dashed


FAMILIES: dict[str, Family] = {
    "ngram": Family("square", "#363D4B", "#363D4B", "#848688"),
    "class-ngram": Family("square", "#363D4B", "#363D4B", "#848688", dash=1),
    "ffnn": Family("up", "#B88E1A", "#846613", "#CDAE20"),
    "rnn": Family("down", "#802800", "#802800", "#FDC9AB"),
    "lstm": Family("diamond", "#4B826A", "#44755F", "#47BA8A"),
    "gru": Family("diamond", "#4B826A", "#44755F", "#47BA8A", dash=1),
    "elmo": Family("hexagon", "#169FD5", "#107299", "#86DEFF"),
    "bert": Family("circle", "#A10889", "#A10889", "#D866CF"),
    "gpt": Family("star", "#CF3002", "#CB2F02", "#E85737"),
    "vectors": Family("up", "#B88E1A", "#846613", "#CDAE20"),  # of the kind of an FFNN's table
}
"""By model name. Family colours mean families and nothing else."""

GROUPS: dict[str, tuple[str, ...]] = {
    "light": (
        "#B9645E", "#2D8AB8", "#84862D", "#A5679F", "#4A925C", "#6D7AC2", "#AA732B", "#009494",
    ),
    "dark": (
        "#E3928B", "#67B5E1", "#AEB164", "#CF94C9", "#7CBD89", "#98A6EA", "#D3A062", "#50BFBE",
    ),
}  # fmt: skip
"""Of groups of points where there are too many for shapes, by theme: one lightness, hues apart."""
