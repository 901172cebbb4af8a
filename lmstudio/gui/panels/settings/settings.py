"""SettingsPanel: language, looks, device, workspace and log; each change takes effect at once."""

from PySide6.QtCore import QSignalBlocker, Qt, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QVBoxLayout,
    QWidget,
)

import lmstudio
from lmstudio import messages
from lmstudio.gui import theme
from lmstudio.gui.asking import Asking
from lmstudio.gui.captions import sentence_case
from lmstudio.gui.panels.panel import Panel
from lmstudio.gui.panels.settings.work_rows import (
    MemoryChoice,
    ThreadsChoice,
    awake_box,
    notify_box,
)
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import (
    Card,
    ElidedLabel,
    Segmented,
    button,
    disable,
    enable,
    label,
    scrolled,
)
from lmstudio.messages import tr
from lmstudio.store.settings import log_file

_ROW = 28  # pixels that each has at least, at scale 1
SCALES = (0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.8, 2.0)


class SettingsPanel(Panel):
    """Shows the settings of the state and forwards what is chosen to it."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        content = QWidget()
        column = QVBoxLayout(content)
        column.setSpacing(theme.px(12))
        column.setContentsMargins(0, 0, 0, 0)
        for card in (self._looks(), self._training(), self._places()):
            column.addWidget(card)
        about = tr("LM Workbench {version}. Works offline.", version=lmstudio.__version__)
        column.addWidget(label(about, size=12, tone="muted"))
        column.addStretch()
        self.page().addWidget(scrolled(content, self))
        state.machine_changed.connect(self._show_machine)
        state.workspace_changed.connect(self._refresh)
        state.jobs.started.connect(self._refresh)
        state.jobs.finished.connect(self._refresh)
        self._show_machine()
        self._refresh()

    def _looks(self) -> Card:
        card, rows = _card(tr("Looks"), self)
        language = Segmented(list(messages.LANGUAGES.items()), tr("Language"))
        language.set_value(messages.language())
        language.chosen.connect(self.state.set_language)
        rows.addRow(_caption(tr("Language")), language)
        modes = [("system", tr("As the system")), ("light", tr("Light")), ("dark", tr("Dark"))]
        mode = Segmented(modes, tr("Theme"))
        mode.set_value(self.state.settings.theme)
        mode.chosen.connect(self.state.set_theme)
        rows.addRow(_caption(tr("Theme")), mode)
        self._scale = QComboBox(self)
        self._scale.setAccessibleName(tr("Size"))
        for scale in SCALES:
            self._scale.addItem(f"{scale * 100:.0f} %", scale)
        self._scale.setCurrentIndex(self._scale.findData(self.state.settings.scale))
        self._scale.activated.connect(self._choose_scale)
        rows.addRow(_caption(tr("Size")), _left(self._scale))
        return card

    def _training(self) -> Card:
        card, rows = _card(tr("Training"), self)
        self._device = QComboBox(self)
        self._device.setMinimumWidth(theme.px(240))
        self._device.setAccessibleName(tr("Device"))
        self._device.activated.connect(self._choose_device)
        rows.addRow(_caption(tr("Device")), _left(self._device))
        self._why = label(size=12, tone="muted", wrap=True)
        self._why.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        rows.addRow(_caption(""), self._why)
        self._reasons = rows
        self.threads, self.memory = ThreadsChoice(self.state, self), MemoryChoice(self.state, self)
        rows.addRow(_caption(tr("Threads")), _left(self.threads))
        rows.addRow(_caption(tr("Memory")), _left(self.memory))
        self.notify, self.awake = notify_box(self.state, self), awake_box(self.state, self)
        rows.addRow(_caption(tr("While jobs run")), _left(self.awake, self.notify))
        return card

    def _places(self) -> Card:
        card, rows = _card(tr("Folders"), self)
        self._folder = _line()
        self._open = button(tr("Open another…"), parent=self)
        asking = Asking(self.state, self)
        self._open.clicked.connect(asking.open_workspace)
        self._new = button(tr("New…"), parent=self)
        self._new.clicked.connect(asking.new_workspace)
        rows.addRow(_caption(tr("Workspace")), self._folder)
        rows.addRow(_caption(""), _left(self._open, self._new))
        rows.addRow(_caption(tr("Log file")), _line(str(log_file())))
        show = button(tr("Open the log file"), parent=self)
        show.clicked.connect(asking.open_log)
        rows.addRow(_caption(""), _left(show))
        return card

    @Slot()
    def _refresh(self) -> None:
        state = self.state
        self._folder.setText(str(state.workspace.folder) if state.has_workspace else tr("none"))
        for control in (self._open, self._new):
            if state.jobs.jobs():
                disable(control, tr("A job is running. Wait for it, or stop it."))
            else:
                enable(control)

    @Slot()
    def _show_machine(self) -> None:
        found = self.state.machine
        if found is None:
            self._reasons.setRowVisible(self._why, False)
            self._device.setPlaceholderText(tr("Looking for devices…"))
            disable(self._device, tr("Looking for devices…"))
            return
        enable(self._device)
        with QSignalBlocker(self._device):
            self._device.clear()
            self._device.addItem(sentence_case(tr("choose by itself")), "auto")
            for device in found.devices:
                self._device.addItem(str(device["title"]), device["name"])
            place = self._device.findData(self.state.settings.device)
            self._device.setCurrentIndex(max(place, 0))
        self._why.setText(str(found.no_gpu) if found.no_gpu else "")
        self._reasons.setRowVisible(self._why, bool(found.no_gpu))

    @Slot(int)
    def _choose_scale(self, row: int) -> None:
        self.state.set_scale(self._scale.itemData(row))

    @Slot(int)
    def _choose_device(self, row: int) -> None:
        self.state.set_device(self._device.itemData(row))


def _card(title: str, parent: QWidget) -> tuple[Card, QFormLayout]:
    card, rows = Card(title, parent=parent), QFormLayout()
    rows.setLabelAlignment(Qt.AlignmentFlag.AlignVCenter)
    rows.setHorizontalSpacing(theme.px(24))
    rows.setVerticalSpacing(theme.px(8))
    card.body.addLayout(rows)
    return card, rows


def _caption(text: str) -> QLabel:
    """The name of a row; as wide in all cards."""
    made = label(text, tone="muted")
    made.setMinimumWidth(theme.px(88))
    made.setMinimumHeight(theme.px(_ROW))
    return made


def _line(text: str = "") -> ElidedLabel:
    """A text that stands in line with its caption."""
    made = ElidedLabel(text)
    made.setMinimumHeight(theme.px(_ROW))
    return made


def _left(*widgets: QWidget) -> QLayout:
    row = QHBoxLayout()
    row.setSpacing(theme.px(16) if isinstance(widgets[0], QCheckBox) else theme.px(8))
    for widget in widgets:
        widget.setMinimumHeight(theme.px(_ROW))
        row.addWidget(widget)
    row.addStretch()
    return row
