"""ComparedRuns: the runs that are set head to head, as chips; those that cannot be, with why."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QWidget

from lmstudio.gui import theme
from lmstudio.gui.panels.compare.corpus_runs import corpus_runs
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Chip, button, label
from lmstudio.gui.widgets.flow_layout import FlowLayout
from lmstudio.gui.widgets.marks import mark_icon
from lmstudio.messages import tr
from lmstudio.operations import comparison
from lmstudio.operations.comparison import Chosen
from lmstudio.operations.run_names import own_axis
from lmstudio.operations.runs import has_model
from lmstudio.store.rows import RunRow

FIRST = 2  # runs that are chosen where nobody chose


class ComparedRuns(QWidget):
    """A click on a chip takes a run out; the menu puts others in."""

    changed = Signal()

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._ids: list[int] = []
        self._corpus_id = 0
        self._taken: tuple[int, ...] = ()  # the selection that was taken over last
        self.add = button(tr("Choose runs"), "link", icon_name="plus", parent=self)
        self._menu = QMenu(self)
        self.add.setMenu(self._menu)
        self._menu.aboutToShow.connect(self._offer)
        self._menu.triggered.connect(self._toggle)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(8))
        name = label(tr("Compared"), tone="muted")
        name.setFixedHeight(theme.px(28))  # level with the first line of chips
        name.setAlignment(Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(name, 0, Qt.AlignmentFlag.AlignTop)
        chips = QWidget(self)
        self._flow = FlowLayout(chips, gap=theme.px(8))
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        chips.setSizePolicy(policy)
        row.addWidget(chips, 1)
        self._flow.addWidget(self.add)
        self._chips: dict[int, Chip] = {}

    def ids(self) -> list[int]:
        """The runs that are asked for, those that cannot be compared with them."""
        return self._ids

    def known(self) -> list[RunRow]:
        """The runs of the corpus that have a model."""
        return [run for run in corpus_runs(self._state) if has_model(self._state.workspace, run)]

    def chosen(self) -> Chosen:
        """Which of them can be set against each other, and why others cannot."""
        if not self._ids:  # perhaps without a workspace
            return comparison.Chosen([], {})
        return comparison.choose(self._state.workspace, self._ids)

    def set_ids(self, ids: list[int]) -> None:
        """Compare these."""
        if ids != self._ids:
            self._ids = ids
            self._draw()
            self.changed.emit()

    @Slot()
    def refresh(self) -> None:
        """Take over what is selected in the run table; forget what is gone; propose the best."""
        known, corpus = {run.id for run in self.known()}, self._state.corpus
        if corpus is None or corpus.id != self._corpus_id:
            self._ids, self._corpus_id = [], corpus.id if corpus else 0
        selected = tuple(number for number in self._state.run_ids if number in known)
        ids = [number for number in self._ids if number in known]
        if len(selected) >= FIRST and selected != self._taken:
            ids = list(selected)
        self._taken = selected
        if len(ids) < FIRST:
            others = [number for number in self._best() if number not in (*selected, *ids)]
            ids = [*ids, *(n for n in selected if n not in ids), *others][: max(FIRST, len(ids))]
        changed, self._ids = ids != self._ids, ids
        self._draw()
        if changed:
            self.changed.emit()

    def _best(self) -> list[int]:
        """The runs on the axis, fewest bits per character first."""
        found = []
        for run in self.known():  # none without a workspace
            ws = self._state.workspace
            if not own_axis(run, ws.segmentation(run.segmentation_id)):
                figures = ws.evaluation(run.id, "valid") or {}
                found.append((figures.get("bits_per_character", float("inf")), run.id))
        return [number for _, number in sorted(found)]

    def _draw(self) -> None:
        for chip in self._chips.values():
            self._flow.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        self._flow.removeWidget(self.add)
        self._chips = {}
        left_out = self.chosen().left_out
        rows = {run.id: run for run in self.known()}
        for number in self._ids:
            row = rows[number]
            why = left_out.get(row.name)
            title = tr("{name}: left out", name=row.name) if why else row.name
            chip = Chip(title, row.model, self)
            chip.setChecked(not why)
            chip.setToolTip(str(why) if why else tr("Take it out of the comparison"))
            chip.setProperty("run", number)
            chip.clicked.connect(self._take_out)
            self._chips[number] = chip
            self._flow.addWidget(chip)
            chip.show()
        self._flow.addWidget(self.add)

    def chip(self, run_id: int) -> Chip:
        """The chip of a run."""
        return self._chips[run_id]

    @Slot()
    def _take_out(self) -> None:
        number = self.sender().property("run")
        self.set_ids([one for one in self._ids if one != number])

    @Slot()
    def _offer(self) -> None:
        self._menu.clear()
        for run in self.known():
            action = QAction(mark_icon(run.model), run.name, self._menu)
            action.setData(run.id)
            action.setCheckable(True)
            action.setChecked(run.id in self._ids)
            self._menu.addAction(action)

    @Slot(QAction)
    def _toggle(self, action: QAction) -> None:
        others = [number for number in self._ids if number != action.data()]
        self.set_ids([*others, action.data()] if action.isChecked() else others)
