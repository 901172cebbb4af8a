"""WelcomePanel: from nothing to the first text in ten seconds, to the first curve in a minute."""

from pathlib import Path

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from lmstudio import figures
from lmstudio.gui import file_kinds, theme
from lmstudio.gui.asking import Asking
from lmstudio.gui.panels.panel import Panel
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import (
    Card,
    ElidedLabel,
    Picture,
    button,
    disable,
    draw_mark,
    enable,
    label,
    scrolled,
)
from lmstudio.messages import tr
from lmstudio.store.workspace import DATABASE

SHOWN_RECENT = 4


class WelcomePanel(Panel):
    """One sentence, the drop area, the tour, recent workspaces, this computer."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        content = QWidget()
        layout = QVBoxLayout(content)
        margin = theme.px(32)
        layout.setContentsMargins(margin, theme.px(28), margin, theme.px(16))
        layout.setSpacing(theme.px(16))
        layout.addLayout(self._headline())
        layout.addWidget(self._drop_area())
        row = QHBoxLayout()
        row.setSpacing(theme.px(16))
        row.addWidget(self._tour_card(), 1)
        row.addLayout(self._facts(), 1)
        layout.addLayout(row)
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
        self._sample = button(tr("Use the sample corpus"), parent=area)
        self._sample.clicked.connect(self.state.sample_wanted)
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
        buttons.addWidget(self._sample)
        row.addLayout(buttons)
        return area

    def _tour_card(self) -> Card:
        card = Card(parent=self)
        card.body.addWidget(_TourPicture(card))
        title = tr("Two minutes, from n-gram to GPT")
        card.body.addWidget(label(title, size=15, bold=True, wrap=True))
        text = tr("Train a model of each kind on the sample corpus and see the curves near the "
                  "limit of the language itself.")  # fmt: skip
        card.body.addWidget(label(text, tone="muted", wrap=True))
        self._start = button(tr("Start"), parent=card)
        self._start.setAccessibleName(title)
        self._start.clicked.connect(self.state.tour_wanted)
        foot = QHBoxLayout()
        steps = tr("about 2 minutes · text, words, models, curves")
        foot.addWidget(ElidedLabel(steps, size=12, tone="muted"), 1)
        foot.addWidget(self._start)
        card.body.addLayout(foot)
        return card

    def _facts(self) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(theme.px(16))
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
        column.addWidget(recent, 1)
        column.addWidget(computer)
        return column

    @Slot()
    def _refresh(self) -> None:
        for control in (self._start, self._sample):
            if not self.state.has_workspace:
                disable(control, tr("Open a workspace first."))
            elif self.state.jobs.jobs():
                disable(control, tr("A job is running. Wait for it, or stop it."))
            else:
                enable(control)
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
        cards = ", ".join(str(d["title"]) for d in found.devices[1:])
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


class _TourPicture(QWidget):
    """What the tour will show: two counted models, a learning one, and the limit."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFixedHeight(theme.px(150))
        self.setAccessibleName(tr("A falling curve between two lines"))

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(320), theme.px(150))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.font(12))
        right, height = self.width() - theme.px(70), self.height()
        ink, green = theme.family_colour("ngram"), theme.family_colour("lstm")
        for share in (0.32, 0.46):
            y = height * share
            painter.setPen(QPen(ink, 1))
            painter.drawLine(QPointF(theme.px(10), y), QPointF(right, y))
            draw_mark(painter, QPointF(theme.px(10), y), "ngram", theme.px(9))
        xs = [theme.px(26) + (right - theme.px(34)) * n / 40 for n in range(41)]
        ys = [height * (0.08 + 0.66 * (1 - 2.72 ** (-n / 11))) for n in range(41)]
        painter.setPen(QPen(green, 1.6))
        painter.drawPolyline(QPolygonF([QPointF(x, y) for x, y in zip(xs, ys, strict=True)]))
        draw_mark(painter, QPointF(xs[-1], ys[-1]), "lstm", theme.px(10))
        painter.setPen(QPen(theme.colour("text"), 1, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(0, height * 0.86), QPointF(right, height * 0.86))
        labels = ((0.46, tr("trigram"), ink), (0.72, "LSTM", green),
                  (0.86, tr("limit"), theme.colour("muted")))  # fmt: skip
        for share, text, colour in labels:
            painter.setPen(colour)
            box = QRectF(right + theme.px(6), height * share - 10, theme.px(64), 20)
            painter.drawText(box, int(Qt.AlignmentFlag.AlignVCenter), text)
        painter.end()


def _with_picture(name: str, token: str, words: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(theme.px(8))
    row.addWidget(Picture(name, token, 18), 0, Qt.AlignmentFlag.AlignTop)
    row.addWidget(words, 1)
    return row
