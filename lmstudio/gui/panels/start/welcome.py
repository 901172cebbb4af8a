"""WelcomePanel: from nothing to the first text in ten seconds, to the first curve in a minute."""

from pathlib import Path

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from lmstudio import figures
from lmstudio.files import DATABASE
from lmstudio.gui import file_kinds, theme
from lmstudio.gui.asking import Asking
from lmstudio.gui.panels.panel import Panel
from lmstudio.gui.panels.start.tour_cards import TourCards
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import (
    Card,
    Picture,
    button,
    disable,
    enable,
    label,
    scrolled,
)
from lmstudio.messages import listed, tr

SHOWN_RECENT = 3


class WelcomePanel(Panel):
    """One sentence, the drop area, the tours, recent workspaces, this computer."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        content = QWidget()
        layout = QVBoxLayout(content)
        margin = theme.px(32)
        layout.setContentsMargins(margin, theme.px(28), margin, theme.px(16))
        layout.setSpacing(theme.px(16))
        layout.addLayout(self._headline())
        layout.addWidget(self._drop_area())
        self.tours = TourCards(state, self)
        layout.addLayout(self._tours())
        layout.addLayout(self._facts())
        layout.addStretch()
        page = QVBoxLayout(self)
        page.setContentsMargins(0, 0, 0, 0)
        page.addWidget(scrolled(content, self))
        state.machine_changed.connect(self._show_machine)
        state.workspace_changed.connect(self._refresh)
        state.jobs.started.connect(self._refresh)
        state.jobs.finished.connect(self._refresh)
        self._show_machine()
        self._refresh()

    def _headline(self) -> QVBoxLayout:
        lines = QVBoxLayout()
        lines.setSpacing(theme.px(4))
        sentence = tr("Drop in a text, train models from n-grams to GPT, compare them on one axis.")
        lines.addWidget(label(sentence, size=20, bold=True, wrap=True))
        note = tr("No code to write. The first curve is there after about 20 seconds.")
        lines.addWidget(label(note, tone="muted", wrap=True))
        return lines

    def _drop_area(self) -> QFrame:
        area = QFrame(self)
        area.setProperty("kind", "drop")
        area.setAccessibleName(tr("Drop area for text files"))
        choose = button(tr("Choose files…"), "primary", icon_name="folder", parent=area)
        choose.clicked.connect(Asking(self.state, self).choose_files)
        self.primary = choose
        self.sample = button(tr("Use the sample corpus"), parent=area)
        self.sample.clicked.connect(self.state.sample_wanted)
        words = QVBoxLayout()
        words.setSpacing(theme.px(4))
        words.addWidget(label(tr("Drop files or a folder here"), size=20, bold=True, wrap=True))
        words.addWidget(label(file_kinds.sentence(), tone="muted", wrap=True))
        row = QHBoxLayout(area)
        side = theme.px(32)
        row.setContentsMargins(side, theme.px(24), side, theme.px(24))
        row.setSpacing(theme.px(24))
        row.addWidget(Picture("upload", "accent", 32))
        row.addLayout(words, 1)
        buttons = QHBoxLayout()
        buttons.setSpacing(theme.px(8))
        buttons.addWidget(choose)
        buttons.addWidget(self.sample)
        row.addLayout(buttons)
        return area

    def _tours(self) -> QVBoxLayout:
        lines = QVBoxLayout()
        lines.setSpacing(theme.px(8))
        lines.addWidget(label(tr("Or take a short tour:"), size=15, bold=True))
        lines.addWidget(self.tours)
        return lines

    def _facts(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(theme.px(16))
        recent = Card(tr("Recent workspaces"), parent=self)
        self._recent = QVBoxLayout()
        self._recent.setSpacing(theme.px(4))
        recent.body.addLayout(self._recent)
        recent.body.addStretch()
        computer = Card(tr("This computer"), parent=self)
        self._machine = label(tr("Looking for devices…"), wrap=True)
        computer.body.addLayout(_with_picture("chip", "muted", self._machine))
        offline = label(
            tr("Works offline. Texts and models stay in the workspace folder."), wrap=True
        )
        computer.body.addLayout(_with_picture("check", "ok", offline))
        computer.body.addStretch()
        for card in (recent, computer):
            row.addWidget(card, 1)
        return row

    @Slot()
    def _refresh(self) -> None:
        if not self.state.has_workspace:
            disable(self.sample, tr("Open a workspace first."))
        elif self.state.jobs.jobs():
            disable(self.sample, tr("A job is running. Wait for it, or stop it."))
        else:
            enable(self.sample)
        self._list_recent()

    def _list_recent(self) -> None:
        while item := self._recent.takeAt(0):
            if taken := item.widget():
                taken.hide()
                taken.deleteLater()
        for folder in self.state.settings.recent[:SHOWN_RECENT]:
            self._recent.addWidget(_RecentButton(self.state, Path(folder), self))
        if not self.state.settings.recent:
            self._recent.addWidget(label(tr("None yet."), tone="muted"))

    @Slot()
    def _show_machine(self) -> None:
        found = self.state.machine
        if found is None:
            return
        cpu = tr("CPU with {cores} cores, {memory} of memory.", cores=found.cores,
                 memory=figures.size(found.memory_bytes))  # fmt: skip
        cards = listed(str(d["title"]) for d in found.devices[1:])
        gpu = cards or (str(found.no_gpu) if found.no_gpu else "")
        self._machine.setText(f"{cpu} {gpu}")


class _RecentButton(QPushButton):
    """Opens a workspace; the open one says so."""

    def __init__(self, state: AppState, folder: Path, parent: QWidget) -> None:
        super().__init__(parent)
        self._state, self._folder = state, folder
        self.setProperty("kind", "link")
        is_open = state.has_workspace and state.workspace.folder == folder
        words = tr("{name} · open now", name=folder.name) if is_open else folder.name
        self.setText(f"{words}   {folder.parent}")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setToolTip(str(folder))
        self.clicked.connect(self._open)
        if is_open:
            disable(self, tr("This workspace is open."))
        elif not (folder / DATABASE).exists():
            disable(self, tr("The folder is no longer there."))

    @Slot()
    def _open(self) -> None:
        self._state.open_workspace(self._folder)


def _with_picture(name: str, token: str, words: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(theme.px(8))
    row.addWidget(Picture(name, token, 18), 0, Qt.AlignmentFlag.AlignTop)
    row.addWidget(words, 1)
    return row
