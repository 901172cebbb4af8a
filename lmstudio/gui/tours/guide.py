"""Guide: the step of a tour that is taken in; its card and the ring around its control out.

It looks ten times a second where the control stands, and whether the work of the step is there:
by hand or by the card's own button makes no difference.
"""

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer, Slot
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QScrollArea, QWidget

from lmstudio import figures
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.panels.panel import Panel
from lmstudio.gui.tours import find
from lmstudio.gui.tours.card import Shown, TourCard
from lmstudio.gui.tours.placing import place
from lmstudio.gui.tours.ring import Ring
from lmstudio.gui.tours.step import Step, Tour
from lmstudio.messages import tr

if TYPE_CHECKING:
    from lmstudio.gui.window import Window

LOOK_MS = 100
GAP = 14  # between the control and the card
SETTLING = 4  # looks in which a panel that has just come may still be laid out


class Guide(QObject):
    """One for each window; how far a tour was taken is kept in the settings."""

    def __init__(self, window: "Window") -> None:
        super().__init__(window)
        self._window, self._state = window, window.state
        self._tour: Tour | None = None
        self._at = self._reached = 0  # the step shown, and the furthest that was
        self._looks = 0  # since the step came
        self._was_done = self._arranged = False  # when it came; what it speaks of is in sight
        self._placed: object = None
        self.ring, self.card = Ring(window), TourCard(window)
        self.card.back_wanted.connect(self.back)
        self.card.next_wanted.connect(self.go_on)
        self.card.do_wanted.connect(self.do)
        self.card.way_wanted.connect(self.lead)
        self.card.leave_wanted.connect(self.leave)
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self.look)
        self._state.tour_wanted.connect(self.begin)
        self._state.workspace_changed.connect(self.stop)
        window.installEventFilter(self)

    # which tour, and which step of it

    @property
    def step(self) -> Step | None:
        """The step that is shown."""
        return self._tour.steps[self._at] if self._tour else None

    @Slot(QAction)
    def take(self, action: QAction) -> None:
        """Begin the tour of a menu's entry."""
        self.begin(action.data())

    @Slot(str)
    def begin(self, key: str) -> None:
        """Take a tour up where it was left, or where something that it needs is no longer there."""
        if not self._state.has_workspace:
            self._state.report(AppError("Open a workspace first."))
            return
        tour = self._tour = find(key)
        left = self._state.settings.tour_step(key)
        start = left if left < len(tour.steps) else 0
        missing = (n for n, step in enumerate(tour.steps[:start])
                   if step.done and not step.optional and not self._is_done(step))  # fmt: skip
        start = next(missing, start)
        self._reached = start - 1
        self._show(self._ahead(start))

    def follow(self, other: "Guide") -> None:
        """Show what the guide of the window before this one has shown."""
        self._tour, self._at, self._reached = other._tour, other._at, other._reached
        self._was_done, self._arranged = other._was_done, False
        other.stop()
        if self._tour is not None:
            self._begin_looking()

    @Slot()
    def stop(self) -> None:
        """Show no tour any longer."""
        self._tour = None
        self._timer.stop()
        self.ring.enclose(None)
        self.card.forget()

    @Slot()
    def leave(self) -> None:
        """End the tour, to be taken up again."""
        if self._tour is not None:
            self.stop()
            self._state.told.emit(tr("The tour can be taken up again on the start page."))

    @Slot()
    def back(self) -> None:
        """Show the step before."""
        if self._tour is not None and self._at > 0:
            self._show(self._at - 1)

    @Slot()
    def go_on(self) -> None:
        """Show the next step whose work is not there yet, or that was shown before."""
        if self._tour is None:
            return
        ahead = self._ahead(self._at + 1)
        if ahead < len(self._tour.steps):
            self._show(ahead)
            return
        self._keep(len(self._tour.steps))
        self.stop()

    def _ahead(self, number: int) -> int:
        """Step `number`, or the first behind it that does not pass by itself."""
        steps = self._tour.steps if self._tour else ()
        while self._reached < number < len(steps) and (
            self._is_done(steps[number]) and not steps[number].read
        ):
            number += 1
        return number

    def _is_done(self, step: Step) -> bool:
        return step.is_done(self._state, self._window.panel(step.panel))

    def _show(self, number: int) -> None:
        self._at, self._reached = number, max(self._reached, number)
        self._was_done, self._arranged = self.step is not None and self._is_done(self.step), False
        self._keep(number)
        self.lead()

    def _keep(self, number: int) -> None:
        if self._tour is not None:
            self._state.settings.toured(self._tour.key, number)
            self._state.tour_moved.emit()

    # what the card asks for

    @Slot()
    def lead(self) -> None:
        """Show the panel of the step."""
        if self.step is not None:
            self._window.show_panel(self.step.panel)
            self._begin_looking()

    @Slot()
    def do(self) -> None:
        """Do the step by the controls of its panel."""
        if self.step is not None and self.step.act is not None:
            self.step.act(self._state, self._window.panel(self.step.panel))
            self.look()

    # what is seen of it

    def _begin_looking(self) -> None:
        self._looks, self._placed = 0, None
        self.look()
        for part in (self.ring, self.card):
            part.raise_()
        self._timer.start()

    @Slot()
    def look(self) -> None:
        """See where the control is now, and whether the work is done."""
        if self._tour is None or self.step is None:
            return
        panel = self._window.panel(self.step.panel)
        control = self.step.find(panel)
        if self._looks < SETTLING:
            self._looks += 1
            _scroll_to(control)
        if self.step.arrange is not None and panel.isVisible() and not self._arranged:
            self._arranged = self.step.arrange(self._state, panel)
        self.card.show_step(self._shown(self._tour, self.step, panel, control))
        around = self._seen(control)
        self.ring.enclose(around)
        self._place(around, panel)
        if self.card.isHidden():
            self.card.show()

    def _shown(self, tour: Tour, step: Step, panel: Panel, control: QWidget) -> Shown:
        done, last = step.is_done(self._state, panel), self._at == len(tour.steps) - 1
        waits = step.done is not None and not done and not step.optional
        skips = step.optional and not done
        share, job = self._job()
        return Shown(
            tr(tour.title), self._at + 1, len(tour.steps), tr(step.text), done,
            here=panel.isVisible(), can_do=step.act is not None,
            next_text=tr("Finish") if last else tr("Skip") if skips else tr("Next"),
            not_next=_why_not(step) if waits else "",
            not_do="" if control.isEnabled() else control.toolTip(),
            told=self._told(step, done=done), share=share, job=job,
        )  # fmt: skip

    def _told(self, step: Step, *, done: bool) -> str:
        """How the step stands."""
        if not done:
            return tr(step.waits) if step.waits else ""
        if step.told:
            return tr(step.told)
        if self._was_done:
            return tr("It is so already. Read it, and go on.")
        return tr("Done. Go on when you like.")

    def _job(self) -> tuple[float | None, str]:
        """How far the job that runs is, and what it is at."""
        running = [job for job in self._state.jobs.jobs() if job.state == "running"]
        if not running:
            return None, ""
        job = min(running, key=lambda one: one.run_id is None)
        share = job.done / job.total if job.total else 0.0
        told = [job.title, figures.percent(share)]
        if (left := job.seconds_left()) is not None:
            told.append(tr("{time} left", time=figures.duration(left)))
        return share, " · ".join(told)

    def _seen(self, control: QWidget) -> QRect | None:
        """The part of a control that can be seen, in the window's coordinates.

        None in a window of its own too: there is the card's place, not the ring's.
        """
        if not control.isVisible() or control.window() is not self._window:
            return None
        seen, at = _rect_in(control, self._window), control.parentWidget()
        while at is not None and at is not self._window:
            seen = seen.intersected(_rect_in(at, self._window))
            at = at.parentWidget()
        return seen if not seen.isEmpty() else None

    def _place(self, around: QRect | None, panel: Panel) -> None:
        """Move the card only where something has changed: it must not jump about."""
        room = _rect_in(self._window.stack, self._window)
        now = (around, room, self.card.size())
        if now == self._placed:
            return
        self._placed = now
        primary = panel.primary
        beside = around is not None and primary is not None and primary.isVisible()
        others = [_rect_in(primary, self._window)] if primary is not None and beside else []
        edge = theme.px(8)
        inside = room.adjusted(edge, edge, -edge, -edge)
        self.card.move(place(self.card.size(), inside, around, theme.px(GAP), others))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Esc, where nothing in the window has taken it, leaves the tour."""
        if isinstance(event, QKeyEvent) and self._leaves(event):
            self.leave()
            return True
        return super().eventFilter(watched, event)

    def _leaves(self, event: QKeyEvent) -> bool:
        pressed = event.type() == QEvent.Type.KeyPress
        return pressed and self._tour is not None and event.key() == Qt.Key.Key_Escape


def _why_not(step: Step) -> str:
    """What is to be done, or waited for, before one can go on."""
    if step.act is None and step.waits:
        return tr(step.waits)
    return tr("Do this step first, or have it done.")


def _rect_in(widget: QWidget, window: QWidget) -> QRect:
    return QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())


def _scroll_to(control: QWidget) -> None:
    """Bring a control into view in everything that scrolls around it."""
    at = control.parentWidget()
    while at is not None:
        if isinstance(at, QScrollArea):
            at.ensureWidgetVisible(control)
        at = at.parentWidget()
