"""WorkRows: how much of the computer jobs may take, and how they treat the desktop meanwhile."""

import os

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QCheckBox, QComboBox, QWidget

from lmstudio import figures, limits
from lmstudio.gui import theme
from lmstudio.gui.captions import sentence_case
from lmstudio.gui.state import AppState
from lmstudio.messages import tr
from lmstudio.training.machine import memory

GIGABYTES = (1, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256, 512)
"""Below the first, limits.LEAST, torch alone does not fit."""


class ThreadsChoice(QComboBox):
    """All cores, or fewer."""

    def __init__(self, state: AppState, parent: QWidget) -> None:
        super().__init__(parent)
        self._state = state
        self.setAccessibleName(tr("Threads"))
        self.setToolTip(tr("How many cores training and other jobs keep busy"))
        self.setMinimumWidth(theme.px(240))
        cores, chosen = os.cpu_count() or 1, state.settings.threads
        self.addItem(sentence_case(tr("all {count}", count=cores)), 0)
        for number in sorted({*range(1, cores), *_also(chosen)}):
            self.addItem(figures.count(number), number)
        self.setCurrentIndex(self.findData(chosen))
        self.activated.connect(self._choose)

    @Slot(int)
    def _choose(self, row: int) -> None:
        self._state.habits.set_limits(self.itemData(row), self._state.settings.memory)


class MemoryChoice(QComboBox):
    """All of it, or so many GB for the process of a job."""

    def __init__(self, state: AppState, parent: QWidget) -> None:
        super().__init__(parent)
        self._state = state
        self.setAccessibleName(tr("Memory"))
        self.setToolTip(
            tr("What the process of a job may take; one that wants more ends with a sentence")
        )
        self.setMinimumWidth(theme.px(240))
        all_there_is, chosen = memory(), state.settings.memory
        size = figures.size(all_there_is)
        self.addItem(sentence_case(tr("all there is ({size})", size=size)) if all_there_is else
                     tr("all there is"), 0.0)  # fmt: skip
        below = (float(one) for one in GIGABYTES if one * limits.GB < (all_there_is or 1e18))
        for number in sorted({*below, *_also(chosen)}):
            self.addItem(f"{number:g} GB", number)
        self.setCurrentIndex(self.findData(chosen))
        self.activated.connect(self._choose)

    @Slot(int)
    def _choose(self, row: int) -> None:
        self._state.habits.set_limits(self._state.settings.threads, self.itemData(row))


def _also(chosen: float) -> set[float]:
    """A choice that was written by hand, or on a larger computer."""
    return {chosen} if chosen else set()


def notify_box(state: AppState, parent: QWidget) -> QCheckBox:
    """Switches notices."""
    box = QCheckBox(tr("Tell when they end, if the window is not in front"), parent)
    box.setChecked(state.settings.notify)
    box.toggled.connect(state.habits.set_notify)
    box.setAccessibleName(box.text())
    return box


def awake_box(state: AppState, parent: QWidget) -> QCheckBox:
    """Switches the sleep of the computer off."""
    box = QCheckBox(tr("Keep the computer from sleeping"), parent)
    box.setChecked(state.settings.keep_awake)
    box.toggled.connect(state.habits.set_keep_awake)
    box.setAccessibleName(box.text())
    return box
