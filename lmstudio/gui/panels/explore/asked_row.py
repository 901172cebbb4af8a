"""AskedRow: the runs that a panel of Explore asks, as chips; the others with the reason why not."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Chip, button, label
from lmstudio.gui.widgets.flow_layout import FlowLayout
from lmstudio.gui.widgets.marks import mark_icon
from lmstudio.messages import tr
from lmstudio.models.capabilities import reason
from lmstudio.operations.asked import OF_THE_HEAD
from lmstudio.store.rows import RunRow
from lmstudio.training.spec import RunSpec


class RunChip(Chip):
    """The chip of one run, which may be one that cannot answer."""

    picked = Signal(int, bool)  # the run, and whether it is checked now

    def __init__(self, run: RunRow, why: str, parent: QWidget) -> None:
        super().__init__(_title(run, why), run.model, parent)
        self.run_id = run.id
        self.setEnabled(not why)
        self.clicked.connect(self._pick)

    @Slot()
    def _pick(self) -> None:
        self.picked.emit(self.run_id, self.isChecked())


class AskedRow(QWidget):
    """With `single`, one of the runs is asked, and a click asks another instead."""

    changed = Signal()  # other runs are asked

    def __init__(
        self, state: AppState, question: str, parent: QWidget | None = None, *, single: bool = False
    ) -> None:
        super().__init__(parent)
        self._state, self._question, self._single = state, question, single
        self._one = 0  # the run that is asked, of a single choice
        self._before: list[int] = []
        self._chips: dict[int, RunChip] = {}
        self.add = button(tr("Add"), "link", icon_name="plus", parent=self)
        self._menu = QMenu(self)
        self._took = label(size=12, tone="muted")
        self._said, self._asking = "", False
        self._lay_out()
        self._menu.aboutToShow.connect(self._offer)
        self._menu.triggered.connect(self._toggle)
        for signal in (state.asked.changed, state.selection_changed, state.runs_changed,
                       state.workspace_changed):  # fmt: skip
            signal.connect(self.refresh)
        self.refresh()

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(8))
        asked = tr("Ask this model") if self._single else tr("Ask these models")
        name = label(asked, tone="muted")
        for beside in (name, self._took):  # level with the first line of chips
            beside.setFixedHeight(theme.px(28))
            beside.setAlignment(Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(name, 0, Qt.AlignmentFlag.AlignTop)
        chips = QWidget(self)
        self._flow = FlowLayout(chips, gap=theme.px(8))
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        chips.setSizePolicy(policy)
        row.addWidget(chips, 1)
        row.addWidget(self._took, 0, Qt.AlignmentFlag.AlignTop)
        self.add.setMenu(self._menu)
        self._flow.addWidget(self.add)

    # what it tells

    def runs(self) -> list[RunRow]:
        """The runs that are asked and can answer, in the order of the row."""
        able = [run for run in self._shown() if self.reason(run) == ""]
        if self._single:
            return [run for run in able if run.id == self._one]
        return [run for run in able if self._state.asked.is_on(run.id)]

    def run(self) -> RunRow | None:
        """The run that is asked, of a single choice."""
        return next(iter(self.runs()), None)

    def reason(self, run: RunRow) -> str:
        """Why a run cannot answer; "" where it can."""
        if run.task is not None and self._question in OF_THE_HEAD:
            return tr("it is fine-tuned for a task and predicts no tokens")
        config = RunSpec.from_json(run.spec).config if run.spec else None
        return str(reason(run.model, self._question, config) or "")

    def known(self) -> list[RunRow]:
        """All runs of the corpus that could answer, in the row or not."""
        corpus = self._state.corpus
        found = self._state.asked.known(self._state.workspace, corpus.id) if corpus else []
        return [run for run in found if self.reason(run) == ""]

    def chip(self, run_id: int) -> RunChip:
        """The chip of a run."""
        return self._chips[run_id]

    def set_time(self, milliseconds: int) -> None:
        """Tell how long the last answer took."""
        self._said = figures.brief(milliseconds)
        self._write_note()

    def show_asking(self, asking: bool) -> None:
        """Tell at once that answers are awaited: a first one may need a process to be started."""
        self._asking = asking
        self._write_note()

    def _write_note(self) -> None:
        self._took.setText(tr("Asking…") if self._asking else self._said)

    # what it shows

    def _shown(self) -> list[RunRow]:
        corpus = self._state.corpus
        return self._state.asked.shown(self._state.workspace, corpus.id) if corpus else []

    @Slot()
    def refresh(self) -> None:
        """Draw the chips anew, and tell if other runs are asked now."""
        shown = [(run, self.reason(run)) for run in self._shown()]
        able = [run.id for run, why in shown if not why]
        if self._single and self._one not in able:
            self._one = able[-1] if able else 0
        titles = {run.id: _title(run, why) for run, why in shown}
        if titles != {run: chip.text() for run, chip in self._chips.items()}:  # the focus stays
            self._make_chips(shown)
        for run_id, chip in self._chips.items():
            on = run_id == self._one if self._single else self._state.asked.is_on(run_id)
            chip.setChecked(on and chip.isEnabled())
        self._tell()

    def _make_chips(self, shown: list[tuple[RunRow, str]]) -> None:
        for chip in self._chips.values():
            self._flow.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        self._flow.removeWidget(self.add)
        self._chips = {run.id: RunChip(run, why, self) for run, why in shown}
        for chip, (_, why) in zip(self._chips.values(), shown, strict=True):
            click = tr("Ask this one instead") if self._single else tr("Ask it or don't")
            chip.setToolTip(why or click)
            chip.picked.connect(self._click)
            self._flow.addWidget(chip)
            chip.show()
        self._flow.addWidget(self.add)

    @Slot(int, bool)
    def _click(self, run_id: int, checked: bool) -> None:
        if self._single:
            self._one = run_id
            self.refresh()
        else:
            self._state.asked.switch(run_id, on=checked)

    def _tell(self) -> None:
        asked = [run.id for run in self.runs()]
        if asked != self._before:
            self._before = asked
            self.changed.emit()

    # other runs

    @Slot()
    def _offer(self) -> None:
        """All runs of the corpus, those in the row checked."""
        self._menu.clear()
        corpus, shown = self._state.corpus, {run.id for run in self._shown()}
        for run in self._state.asked.known(self._state.workspace, corpus.id) if corpus else []:
            title = _title(run, self.reason(run))
            action = QAction(mark_icon(run.model), title, self._menu)
            action.setData(run.id)
            action.setCheckable(True)
            action.setChecked(run.id in shown)
            self._menu.addAction(action)
        if not self._menu.actions():
            self._menu.addAction(tr("No model has been trained on this corpus yet")).setEnabled(
                False
            )

    def take(self, run_id: int) -> None:
        """Put a run into the row, and ask it."""
        shown = [run.id for run in self._shown()]
        self._state.asked.show([*(one for one in shown if one != run_id), run_id])
        self._state.asked.switch(run_id, on=True)
        if self._single:
            self._click(run_id, True)

    @Slot(QAction)
    def _toggle(self, action: QAction) -> None:
        run_id = action.data()
        ids = [run.id for run in self._shown() if run.id != run_id]
        self._state.asked.show([*ids, run_id] if action.isChecked() else ids)
        if action.isChecked() and self._single:
            self._click(run_id, True)


def _title(run: RunRow, why: str) -> str:
    return tr("{name}: {reason}", name=run.name, reason=why) if why else run.name
