"""Tour and Step: a guided tour as data. A panel in; the control that a step points at out."""

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from PySide6.QtWidgets import QWidget

from lmstudio.gui.panels.panel import Panel
from lmstudio.gui.state import AppState

Check = Callable[[AppState, Any], bool]  # of the panel that the step is in
Act = Callable[[AppState, Any], None]


@dataclass(frozen=True)
class Step:
    """One thing to do, or with no `done` to look at, in a panel of the window."""

    panel: str  # a key of gui.rooms
    control: str  # attributes of the panel ("row.start"), or "#name" of an object in it
    text: str  # a catalogue sentence or two
    done: Check | None = None  # whether the work of the step is there
    act: Act | None = None  # does it by the panel's own controls
    optional: bool = False  # may be passed over
    read: bool = False  # explains something: is shown, even where its work is there already
    waits: str = ""  # what it waits for, where doing it takes time: a catalogue sentence
    told: str = ""  # what is so once it is done, where that is not all of it: the same
    arrange: Check | None = None  # brings what it speaks of into sight; False: not yet

    def find(self, panel: Panel) -> QWidget:
        """The control, in the panel of the step."""
        if self.control.startswith("#"):
            found = panel.findChild(QWidget, self.control[1:])
        else:
            found = attrgetter(self.control)(panel)
        assert isinstance(found, QWidget), self.control
        return found

    def is_done(self, state: AppState, panel: Panel) -> bool:
        """Its work is there; what is only to be looked at never is."""
        return self.done is not None and state.has_workspace and self.done(state, panel)


@dataclass(frozen=True)
class Tour:
    """The last step is one to look at."""

    key: str
    title: str  # a catalogue sentence
    about: str  # what one will see: a catalogue sentence
    minutes: int
    steps: tuple[Step, ...]
