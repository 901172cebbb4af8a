"""AnswerColumn: what one run says of a blank in; its strip, how it went, and candidates out."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from lmstudio import figures
from lmstudio.analysis.fill.answer import Answer, BlankAnswer
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.widgets import Card, ContextStrip, ElidedLabel, Mark, hairline, label, scrolled
from lmstudio.gui.widgets.fading import fade
from lmstudio.gui.widgets.guess_list import GuessList, GuessRow
from lmstudio.messages import tr
from lmstudio.operations import fill
from lmstudio.store.rows import RunRow

WIDTH = 196
"""Pixels of a column at least."""


class AnswerColumn(Card):
    """The card of a run. Old answers stay, pale, until new ones are there."""

    picked = Signal(str)  # a word to be put into the blank

    def __init__(self, run: RunRow, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.run = run
        self.answer: Answer | None = None
        self.setAccessibleName(run.name)
        self.setMinimumWidth(theme.px(WIDTH))
        self.strip = ContextStrip(run.model, tr("What this question uses"), cell=8, parent=self)
        self.how, self.formula = (ElidedLabel(size=12, tone="muted") for _ in range(2))
        self.guesses = GuessList(run.model, run.name, self)
        self.unscored = label(size=12, tone="muted", wrap=True)
        self.unscored.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._error = label(tone="muted", wrap=True)
        self._error.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._error.hide()
        self._lay_out()
        self.guesses.picked.connect(self.picked)

    def _lay_out(self) -> None:
        head, foot = QHBoxLayout(), QHBoxLayout()
        head.setSpacing(theme.px(8))
        head.addWidget(Mark(self.run.model, self))
        head.addWidget(ElidedLabel(self.run.name, size=15, bold=True), 1)
        foot.addWidget(label(tr("Mass not scored"), size=12, tone="muted"))
        foot.addWidget(self.unscored, 1)
        area = scrolled(self.guesses, self)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area = area
        self.body.setSpacing(theme.px(4))
        self.body.addLayout(head)
        self.body.addWidget(self.strip)
        self.body.addWidget(self.how)
        self.body.addWidget(self.formula)
        self.body.addWidget(hairline(self))
        self.body.addWidget(self._error)
        self.body.addWidget(area, 1)
        self.body.addLayout(foot)

    # what is shown

    def wait(self) -> None:
        """An answer is on its way."""
        if self.answer is not None:
            fade(self.guesses, True)
        elif not self._error.text():
            self.how.setText(tr("Asking the model…"))

    def take(self, answer: Answer) -> None:
        """Keep an answer; `show_blank` draws it."""
        self.answer = answer
        self._error.setText("")
        self._error.hide()
        self._area.show()
        fade(self.guesses, False)

    def fail(self, error: AppError) -> None:
        """Show why there is none."""
        self.answer = None
        fade(self.guesses, False)
        self.guesses.show_rows([])
        self.how.setText("")
        self.formula.setText("")
        self.unscored.setText(figures.DASH)
        self._area.hide()
        self._error.setText(str(error))
        self._error.show()

    def blank(self, number: int) -> BlankAnswer | None:
        """What is said of a blank, if that is known."""
        known = self.answer is not None and number < len(self.answer.blanks)
        return self.answer.blanks[number] if known and self.answer else None

    def show_blank(self, number: int, truth: str) -> None:
        """Draw the candidates of a blank; `truth` is what stands there, "" behind a mark."""
        blank = self.blank(number)
        if blank is None or self.answer is None:
            return
        rows, gap = guess_rows(blank, truth)
        self.guesses.show_rows(rows, gap=gap)
        self.strip.set_use(blank.left, blank.right, rescored=self.answer.method == "rescored")
        self.how.setText(fill.how(self.answer, blank))
        self.formula.setText(fill.formula(self.answer, blank))
        self.strip.setToolTip(tr("{left} tokens before the blank, {right} after it",
                                 left=blank.left, right=blank.right))  # fmt: skip
        self.unscored.setText(fill.unscored(self.answer, blank))

    def most(self, number: int) -> float:
        """The largest probability drawn of a blank."""
        blank = self.blank(number)
        return max((g.probability for g in blank.guesses), default=0.0) if blank else 0.0


def guess_rows(blank: BlankAnswer, truth: str) -> tuple[list[GuessRow], bool]:
    """The rows of a blank, and whether the last one is the true word far down."""
    rows = [
        GuessRow(figures.count(rank), guess.text, guess.probability,
                 blank.truth is not None and rank == blank.rank, guess.known)
        for rank, guess in enumerate(blank.guesses, 1)
    ]  # fmt: skip
    own = blank.truth
    if own is None:
        return rows, False
    word = own.text if own.known else tr("{word} (unknown)", word=truth)
    if blank.rank <= len(rows):
        at = rows[blank.rank - 1]
        rows[blank.rank - 1] = GuessRow(at.rank, word, at.probability, True, own.known)
        return rows, False
    rank = f"{'≥' if blank.least else ''}{figures.count(blank.rank)}"
    return [*rows, GuessRow(rank, word, own.probability, True, own.known)], True
