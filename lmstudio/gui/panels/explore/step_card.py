"""StepCard: one scored event in; what made its probability, and the formula, out.

Of an n-gram model that is which order answered and what was paid.
"""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from lmstudio.gui import theme
from lmstudio.gui.panels.explore import walk_texts
from lmstudio.gui.widgets import Card, hairline, label, scrolled
from lmstudio.gui.widgets.labels import WrappedLabel
from lmstudio.messages import tr
from lmstudio.operations.laboratory import Walk


class StepCard(Card):
    """Where the probability of the chosen token comes from."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Where p comes from"), parent=parent)
        self.setFixedWidth(theme.px(320))
        content = QWidget(self)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(theme.px(12))
        self._grid.setVerticalSpacing(theme.px(6))
        self._grid.setColumnStretch(1, 1)
        self.formula = WrappedLabel(size=15, bold=True)
        self.formula.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        layout = QVBoxLayout(content)
        layout.setContentsMargins(0, 0, theme.px(4), 0)
        layout.setSpacing(theme.px(10))
        layout.addLayout(self._grid)
        layout.addStretch()
        self._lines: list[tuple[QLabel, QLabel]] = []
        self.body.addWidget(scrolled(content, self), 1)
        self.body.addWidget(hairline(self))
        self.body.addWidget(self.formula)

    def show_step(self, walk: Walk, number: int) -> None:
        """Show step `number` of a walk."""
        step = walk.steps[number]
        known = number < len(walk.texts)
        title = walk.texts[number] if known else walk.types[step.token]
        self.show_lines(title, walk_texts.details(step, walk.types), f"p = {step.formula}")

    def show_lines(self, title: str, found: Sequence[tuple[str, str]], formula: str) -> None:
        """Show (what, how much) of anything."""
        self.row.set_title(title)
        while len(self._lines) < len(found):
            name, value = label(tone="muted", size=12, wrap=True), label(wrap=True)
            self._grid.addWidget(name, len(self._lines), 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(value, len(self._lines), 1)
            self._lines.append((name, value))
        for place, (name, value) in enumerate(self._lines):
            shown = found[place] if place < len(found) else ("", "")
            name.setText(shown[0])
            value.setText(shown[1])
            for one in (name, value):
                one.setVisible(place < len(found))
        self.formula.setText(formula)

    def lines(self) -> dict[str, str]:
        """What is shown."""
        return {name.text(): value.text() for name, value in self._lines if name.text()}
