"""The small parts that every panel is made of."""

from lmstudio.gui.widgets.bars import ProgressLine, StackedBar
from lmstudio.gui.widgets.buttons import Chip, Segmented, button, disable, enable, tool
from lmstudio.gui.widgets.cards import (
    Card,
    EmptyState,
    Picture,
    Strip,
    TitleRow,
    hairline,
    scrolled,
)
from lmstudio.gui.widgets.labels import ElidedLabel, label, set_tone
from lmstudio.gui.widgets.marks import ContextStrip, Mark, draw_mark, mark_icon, mark_path
from lmstudio.gui.widgets.number_box import DecimalBox, WholeBox
from lmstudio.gui.widgets.spark import Spark

__all__ = [
    "Card", "Chip", "ContextStrip", "DecimalBox", "ElidedLabel", "EmptyState", "Mark", "Picture",
    "ProgressLine", "Segmented", "Spark", "StackedBar", "Strip", "TitleRow", "WholeBox", "button",
    "disable", "draw_mark", "enable", "hairline", "label", "mark_icon", "mark_path", "scrolled",
    "set_tone", "tool",
]  # fmt: skip
