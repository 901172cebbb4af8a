"""RankCard: where models have the true word, or how alike two words are in the blank."""

from collections.abc import Sequence

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QStackedWidget, QVBoxLayout, QWidget

from lmstudio import figures
from lmstudio.analysis.fill.similarity import FillerSimilarity
from lmstudio.gui import theme
from lmstudio.gui.widgets import Card, ElidedLabel, Mark, Segmented, label, scrolled
from lmstudio.gui.widgets.rank_axis import RankAxis, Ranked
from lmstudio.messages import tr
from lmstudio.store.rows import RunRow

_PAUSE_MS = 300


class RankCard(Card):
    """Two pages. The second asks by itself once two words are there."""

    compared = Signal()  # other words are to be compared, or these for the first time

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setAccessibleName(tr("Rank of the true word"))
        self.page = Segmented([("rank", tr("Rank")), ("alike", tr("Alike"))], tr("What is shown"),
                              self)  # fmt: skip
        self.axis = RankAxis(tr("Rank of the true word"), self)
        self.words = QLineEdit(self), QLineEdit(self)
        self._title = ElidedLabel(size=12, tone="muted")
        self._none = label(tr("Nobody knows what stood here."), size=12, tone="muted", wrap=True)
        self._pages = QStackedWidget(self)
        self._lines = QVBoxLayout()
        self._told: dict[int, str] = {}
        self._rank_title = ""
        self._pause = QTimer(self, interval=_PAUSE_MS, singleShot=True)
        self._lay_out()
        self.page.chosen.connect(self._turn)
        self._pause.timeout.connect(self._ask)
        for word in self.words:
            word.textEdited.connect(self._pause.start)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(self.page)
        rank = QWidget(self)
        column = QVBoxLayout(rank)
        column.setContentsMargins(0, 0, 0, 0)
        column.addStretch(1)
        column.addWidget(self._none)
        column.addWidget(self.axis)
        alike, typed = QWidget(self), QHBoxLayout()
        for name, word in zip((tr("One word"), tr("Another word")), self.words, strict=True):
            word.setPlaceholderText(name)
            word.setAccessibleName(name)
            typed.addWidget(word)
        inner = QWidget(self)
        self._lines = QVBoxLayout(inner)
        self._lines.setContentsMargins(0, 0, 0, 0)
        self._lines.setSpacing(theme.px(2))
        below = QVBoxLayout(alike)
        below.setContentsMargins(0, 0, 0, 0)
        below.addLayout(typed)
        below.addWidget(scrolled(inner, self), 1)
        for page in (rank, alike):
            self._pages.addWidget(page)
        self.body.addLayout(head)
        self.body.addWidget(self._pages, 1)

    # ranks

    def show_ranks(self, truth: str, ranked: Sequence[Ranked]) -> None:
        """Of the models that have answered; `truth` is "" behind a mark."""
        self._rank_title = tr("Rank of the true word “{word}”", word=truth) if truth else ""
        self.axis.setVisible(bool(truth))
        self._none.setVisible(not truth)
        self.axis.show_ranks(ranked)
        self._name()

    def _name(self) -> None:
        alike = tr("Cosines, layer by layer")
        self._title.setText(alike if self.alike else self._rank_title)

    # two words

    @property
    def alike(self) -> bool:
        """Whether two words are compared."""
        return self.page.value() == "alike"

    def fillers(self) -> tuple[str, str]:
        """The two words."""
        first, second = (word.text().strip() for word in self.words)
        return first, second

    def propose(self, first: str, second: str) -> None:
        """Compare these where nobody typed others."""
        for word, text in zip(self.words, (first, second), strict=True):
            if not word.isModified() and text:
                word.setText(text)
                word.setModified(False)

    @Slot()
    def _turn(self) -> None:
        self._pages.setCurrentIndex(int(self.alike))
        self._name()
        if self.alike:
            self._ask()

    @Slot()
    def _ask(self) -> None:
        if all(self.fillers()):
            self.compared.emit()

    def clear_alike(self) -> None:
        """Forget what was found."""
        while (item := self._lines.takeAt(0)) is not None:
            if widget := item.widget():
                widget.hide()
                widget.deleteLater()
        self._told = {}

    def show_alike(self, run: RunRow, found: FillerSimilarity | str) -> None:
        """A line for a run: its cosines, or why it has none."""
        told = found if isinstance(found, str) else "  ".join(
            figures.decimal(value, 2) for value in found.cosines
        )  # fmt: skip
        self._told[run.id] = told
        line = QWidget(self)
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(6))
        row.addWidget(Mark(run.model, line))
        row.addWidget(label(run.name, size=12))
        row.addWidget(ElidedLabel(told, size=12, tone="muted"), 1)
        self._lines.addWidget(line)

    def alike_lines(self) -> dict[int, str]:
        """What is told, by run."""
        return self._told
