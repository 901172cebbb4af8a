"""TourCard: what is to be said of a step in; a card with it, and what the user answers, out."""

from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from lmstudio.gui import reading_order, theme
from lmstudio.gui.widgets import (
    ElidedLabel,
    ProgressLine,
    button,
    disable,
    enable,
    label,
    set_tone,
    tool,
)
from lmstudio.messages import tr

WIDTH = 376


@dataclass(frozen=True)
class Shown:
    """A step as it is now. A reason is "" where nothing stands against the button."""

    title: str
    number: int  # from 1
    total: int
    text: str
    done: bool  # the work of the step is there
    here: bool  # its panel is on screen
    can_do: bool  # it can be had done
    next_text: str
    not_next: str = ""  # why one cannot go on yet
    not_do: str = ""  # why it cannot be had done now
    told: str = ""  # how the step stands, "" where there is nothing to say
    share: float | None = None  # of the job that runs
    job: str = ""  # what it is at


class TourCard(QFrame):
    """Lies over the window and never takes the focus by itself; F6 leads to it."""

    back_wanted = Signal()
    next_wanted = Signal()
    do_wanted = Signal()
    way_wanted = Signal()  # to the panel of the step
    leave_wanted = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("kind", "tour")
        self.setFixedWidth(theme.px(WIDTH))
        self._shown: Shown | None = None
        self._title = ElidedLabel(size=15, bold=True)
        self._where = label(size=12, tone="muted")
        self._text = label(wrap=True)
        self._state = ElidedLabel(size=12, tone="muted")
        self._line = ProgressLine(tr("Progress"), parent=self)
        self.close_tool = tool("close", tr("Leave the tour  Esc"), parent=self)
        self.leave = button(tr("Leave"), "link", parent=self)
        self.back = button(tr("Back"), parent=self)
        self.do = button(tr("Do it for me"), parent=self)
        self.way = button(tr("Take me there"), parent=self)
        self.next = button("", parent=self)
        self._lay_out()
        for one, wanted in (
            (self.close_tool, self.leave_wanted), (self.leave, self.leave_wanted),
            (self.back, self.back_wanted), (self.do, self.do_wanted),
            (self.way, self.way_wanted), (self.next, self.next_wanted),
        ):  # fmt: skip
            one.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the focus where it is
            one.clicked.connect(wanted)
        self.hide()

    def _lay_out(self) -> None:
        head, foot = QHBoxLayout(), QHBoxLayout()
        for row in (head, foot):
            row.setSpacing(theme.px(8))
        head.addWidget(self._title, 1)
        head.addWidget(self._where)
        head.addWidget(self.close_tool)
        foot.addWidget(self.leave)
        foot.addStretch()
        for one in (self.back, self.way, self.do, self.next):
            foot.addWidget(one)
        layout = QVBoxLayout(self)
        side = theme.px(16)
        layout.setContentsMargins(side, theme.px(8), side, theme.px(12))
        layout.setSpacing(theme.px(8))
        layout.addLayout(head)
        layout.addWidget(self._text)
        layout.addWidget(self._line)
        layout.addWidget(self._state)
        layout.addLayout(foot)

    def show_step(self, shown: Shown) -> bool:
        """Show a step; whether anything of it is new."""
        before, self._shown = self._shown, shown
        if shown == before:
            return False
        self._title.setText(shown.title)
        self._where.setText(tr("Step {number} of {total}", number=shown.number, total=shown.total))
        self._text.setText(shown.text)
        self._tell_state(shown)
        self.back.setVisible(shown.number > 1)
        self.way.setVisible(not shown.here)
        self.do.setVisible(shown.here and shown.can_do and not shown.done)
        self.next.setText(shown.next_text)
        for one, reason in ((self.next, shown.not_next), (self.do, shown.not_do)):
            if reason:
                disable(one, reason)
            else:
                enable(one)
        main = self._main(shown)
        for one in (self.next, self.do, self.way):
            _set_kind(one, "primary" if one is main else "")
        self._fit()
        if before is None or (before.title, before.number) != (shown.title, shown.number):
            self._announce(shown)
        return True

    def shown(self) -> Shown | None:
        """What it shows."""
        return self._shown

    def forget(self) -> None:
        """Show nothing any longer."""
        self._shown = None
        self.hide()

    def focusNextPrevChild(self, forward: bool) -> bool:  # noqa: FBT001, N802
        return reading_order.step(self, forward=forward)

    def _main(self, shown: Shown) -> QPushButton:
        """The button of what is to be done next."""
        if shown.done:
            return self.next
        if not shown.here:
            return self.way
        return self.next if self.do.isHidden() else self.do

    def _tell_state(self, shown: Shown) -> None:
        runs = shown.share is not None and not shown.done
        self._line.setVisible(runs)
        self._line.set_share(shown.share or 0.0)
        told = shown.job if runs else shown.told
        if not runs and not shown.done and not shown.here:
            told = tr("This step is in another panel.")
        set_tone(self._state, "ok" if shown.done else "muted")
        self._state.setText(told)
        self._state.setVisible(bool(told))

    def _fit(self) -> None:
        """As high as the text takes at the width that is given."""
        inner = self.width() - 2 * theme.px(16)
        self._text.setFixedHeight(self._text.heightForWidth(inner))
        layout = self.layout()
        assert layout is not None
        layout.activate()
        self.resize(self.width(), layout.totalSizeHint().height())

    def _announce(self, shown: Shown) -> None:
        """A screen reader reads the step without the focus being here."""
        self.setAccessibleName(f"{shown.title}: {self._where.text()}")
        self.setAccessibleDescription(shown.text)
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))


def _set_kind(one: QPushButton, kind: str) -> None:
    if one.property("kind") != kind:
        one.setProperty("kind", kind)
        one.style().unpolish(one)
        one.style().polish(one)
