"""SplitBar: the parts of a corpus in; a sentence with their shares and a bar out."""

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.widgets import ElidedLabel
from lmstudio.messages import msg, tr
from lmstudio.store.rows import PARTS, CorpusRow

PART_TITLES = {
    "train": msg("train"), "valid": msg("valid"), "test": msg("test"), "mixed": msg("blocks"),
}  # fmt: skip
"""What the part of a document is called; "mixed" where blocks of its lines are in all parts."""


class SplitBar(QWidget):
    """Train, valid and test of a corpus by characters."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = ElidedLabel(size=12, tone="muted")
        self._bar = _Bar(self)
        self._bar.setAccessibleName(tr("Part"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(6))
        layout.addWidget(self._text)
        layout.addWidget(self._bar)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_corpus(self, corpus: CorpusRow | None, *, long: bool = False) -> None:
        """Show the parts of a corpus; `long` with the number of characters of each."""
        counts = {part: characters_of(corpus, part) for part in PARTS} if corpus else {}
        total = sum(counts.values()) or 1
        shares = [count / total for count in counts.values()]
        said = [
            f"{tr(PART_TITLES[part])} {_share(count / total)}"
            + (f" ({tr('{count} characters', count=figures.count(count))})" if long else "")
            for part, count in counts.items()
        ]
        self._text.setText(" · ".join(said))
        self._text.setToolTip(corpus.split_rule if corpus else "")
        self._bar.set_shares(shares)
        self._bar.setAccessibleName(self.text())

    def text(self) -> str:
        """The sentence above the bar."""
        return self._text.full_text()


def characters_of(corpus: CorpusRow, part: str) -> int:
    """How many characters a part holds."""
    return int(corpus.facts.get("parts", {}).get(part, {}).get("characters", 0))


def _share(share: float) -> str:
    """A whole percentage, except where that would say 0 or 100 of what is neither."""
    rounded = 100 * share
    exact = 0 < rounded < 1 or 99 < rounded < 100
    return figures.percent(share, 1 if exact else 0)


class _Bar(QWidget):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._shares: list[float] = []
        self.setFixedHeight(theme.px(8))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_shares(self, shares: list[float]) -> None:
        self._shares = shares
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(120), theme.px(8))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        gap = theme.px(2)
        room, x = self.width() - gap * (len(self._shares) - 1), 0.0
        for share, colour in zip(self._shares, part_colours(), strict=False):
            width = room * share
            painter.fillRect(QRectF(x, 0, width, self.height()), colour)
            x += width + gap
        painter.end()


def part_colours() -> list[QColor]:
    """Of train, valid and test."""
    accent, surface = theme.colour("accent"), theme.colour("surface")
    return [
        accent,
        theme.mix(theme.colour("muted"), surface, 0.35),
        theme.mix(accent, surface, 0.7),
    ]
