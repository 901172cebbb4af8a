"""CostCard: what a spec takes: parameters term by term, time and memory."""

from dataclasses import dataclass

from PySide6.QtCore import QSize, Slot
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.widgets import (
    Card,
    ElidedLabel,
    ProgressLine,
    StackedBar,
    hairline,
    label,
    scrolled,
    set_tone,
)
from lmstudio.gui.widgets.bars import shade
from lmstudio.gui.widgets.labels import WrappedLabel
from lmstudio.messages import tr
from lmstudio.models.config import Term
from lmstudio.training.estimate import Estimate

_NEARLY_FULL = 0.8


@dataclass(frozen=True)
class Cost:
    """What is known at once: the terms of the parameters, exact or an upper bound."""

    family: str
    terms: list[Term]
    exact: bool
    note: str = ""


class CostCard(Card):
    """Parameters follow typing; time and memory come later and are grey until then."""

    def __init__(self, machine_memory: int, parent: QWidget | None = None) -> None:
        """`machine_memory` in bytes; 0 is unknown."""
        super().__init__(tr("What it takes"), parent=parent)
        self._machine = machine_memory
        self._cost: Cost | None = None
        self.total = label(figures.DASH, size=28, bold=True)
        self._unit = label(tr("parameters"), tone="muted")
        self._bar = StackedBar(tr("Shares of the parameters"), self)
        self._terms = QVBoxLayout()
        self._terms.setSpacing(theme.px(6))
        self._note = label(size=12, tone="muted", wrap=True)
        self.time, self.memory = label(bold=True), label(bold=True)
        self._memory_line = ProgressLine(tr("Share of the memory"), tone="muted", parent=self)
        self._basis = WrappedLabel(size=12, tone="muted")
        self._lay_out()

    def _lay_out(self) -> None:
        number = QHBoxLayout()
        number.addWidget(self.total)
        number.addWidget(self._unit)
        number.addStretch()
        inner = QWidget(self)
        layout = QVBoxLayout(inner)
        layout.setContentsMargins(0, 0, theme.px(4), 0)
        layout.setSpacing(theme.px(8))
        layout.addLayout(number)
        layout.addWidget(self._bar)
        layout.addLayout(self._terms)
        layout.addWidget(self._note)
        self._lower = QWidget(inner)
        self._lower.setLayout(self._estimate_rows())
        layout.addWidget(self._lower)
        layout.addStretch()
        self.body.addWidget(scrolled(inner, self), 1)

    def _estimate_rows(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(theme.px(6))
        grid.setColumnStretch(1, 1)
        grid.addWidget(hairline(self), 0, 0, 1, 3)
        for row, name, value in ((1, tr("Time"), self.time), (2, tr("Memory"), self.memory)):
            grid.addWidget(label(name, tone="muted"), row, 0)
            grid.addWidget(value, row, 2)
        grid.addWidget(self._memory_line, 3, 0, 1, 3)
        grid.addWidget(self._basis, 4, 0, 1, 3)
        return grid

    def show_cost(self, cost: Cost | None) -> None:
        """Show the parameters; None while the form has faults."""
        if cost == self._cost:
            return
        self._cost = cost
        terms = cost.terms if cost else []
        total = sum(count for _, _, count in terms)
        number = figures.count(total) if cost else figures.DASH
        self.total.setText(number if cost is None or cost.exact else f"≤ {number}")
        self._bar.set_parts([float(count) for _, _, count in terms], cost.family if cost else "")
        while (item := self._terms.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        for place, term in enumerate(terms):
            row = TermRow(term, cost.family if cost else "", place, self)
            self._terms.addWidget(row)
            row.show()  # at once: the layout alone would do it a frame later
        self._note.setText(cost.note if cost else "")
        self._note.setVisible(bool(cost and cost.note))

    @Slot()
    def expect_estimate(self, reason: str = "") -> None:
        """The figures on screen are of before: grey. `reason` says why none will come."""
        for figure in (self.time, self.memory):
            set_tone(figure, "off")
            if not self._known():
                figure.setText(figures.DASH)
        self._basis.setText(reason or tr("Measuring on this computer…"))

    def _known(self) -> bool:
        return self.time.text() not in ("", figures.DASH)

    def hide_estimate(self, hidden: bool) -> None:
        """Counting needs none."""
        self._lower.setVisible(not hidden)

    def show_estimate(self, found: Estimate) -> None:
        """Show what was measured."""
        self.time.setText(tr("about {time}", time=figures.duration(found.seconds)))
        share = found.memory_bytes / self._machine if self._machine else 0.0
        memory = figures.size(found.memory_bytes)
        of = f" / {figures.size(self._machine)}" if self._machine else ""
        self.memory.setText(memory + of)
        tone = "bad" if share > 1 else "warn" if share > _NEARLY_FULL else "muted"
        set_tone(self.time, "")
        set_tone(self.memory, "" if tone == "muted" else tone)
        self._memory_line.setVisible(self._machine > 0)
        self._memory_line.set_share(share, tone)
        self._basis.setText(self._advice(share, found))

    def _advice(self, share: float, found: Estimate) -> str:
        if share > _NEARLY_FULL:
            return tr("Too much for this computer: lower the batch, the length or the width.")
        steps = tr(
            "{steps} steps of {time} each, measured on this computer",
            steps=figures.count(found.steps),
            time=_milliseconds(found.seconds_per_step),
        )
        return "\n".join([*_what_fits(found), steps, *_scoring(found)])


def _what_fits(found: Estimate) -> list[str]:
    """How much of what was asked for there is time for, where it is not all."""
    if not found.steps_per_epoch or found.steps >= found.most_steps:
        return []
    epochs, every = (steps / found.steps_per_epoch for steps in (found.steps, found.most_steps))
    return [tr("{epochs} of {all} epochs fit into the minutes set.",
               epochs=figures.decimal(epochs, 1),
               all=figures.decimal(every, 0 if every.is_integer() else 1))]  # fmt: skip


def _scoring(found: Estimate) -> list[str]:
    """What comes after training, where it is felt."""
    if found.scoring < 1:
        return []
    return [tr("Scoring the held-out text afterwards takes about {time}.",
               time=figures.duration(found.scoring))]  # fmt: skip


class TermRow(QWidget):
    """A swatch, what is counted, its arithmetic, its number."""

    def __init__(self, term: Term, family: str, place: int, parent: QWidget) -> None:
        super().__init__(parent)
        name, arithmetic, count = term
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(8))
        row.addWidget(Swatch(family, place, self))
        row.addWidget(label(tr(name)))
        row.addWidget(ElidedLabel(arithmetic, size=12, tone="muted"), 1)
        row.addWidget(label(figures.count(count)))


class Swatch(QWidget):
    """A square in the colour of a part of the stacked bar."""

    def __init__(self, family: str, place: int, parent: QWidget) -> None:
        super().__init__(parent)
        self._family, self._place = family, place
        self.setFixedSize(theme.px(10), theme.px(10))

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(10), theme.px(10))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.fillRect(self.rect(), shade(self._family, self._place))
        painter.end()


def _milliseconds(seconds: float) -> str:
    return tr("{ms} ms", ms=figures.decimal(seconds * 1000, 1 if seconds < 0.01 else 0))
