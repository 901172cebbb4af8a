"""How far back the run asked sees: its curve alone, measured on demand, and the way to them all."""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from lmstudio import figures
from lmstudio.analysis.context_reach import ContextReach
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.jobs import Asker
from lmstudio.gui.panels.explore.layers_view import LayerView
from lmstudio.gui.panels.progress_row import ProgressRow
from lmstudio.gui.plots import Axes, Plot, Series
from lmstudio.gui.rooms import find
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import ElidedLabel, button
from lmstudio.messages import msg, tr
from lmstudio.operations import inside
from lmstudio.store.rows import RunRow


class ReachView(LayerView):
    """Measuring takes half a minute, so it is not done unasked."""

    asks, title, kind = "context", msg("Reach"), ""
    operation, save = staticmethod(inside.reach), staticmethod(inside.save_reach)
    needs_text = False

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.measured: dict[int, ContextReach] = {}
        self.plot = Plot(tr("Bits per character by distance"), self)
        self.plot.set_axes(Axes(log_x=True, end_values=False, whole=True, show_x=figures.short))
        self.measure = button(tr("Measure, half a minute"), parent=self)
        self.all = button("", "link", parent=self)
        self.all.setText(tr("All runs in “{panel}”", panel=tr(find("reach")[1].title)))
        self.progress = ProgressRow(self)
        self._said = ElidedLabel(tone="muted")
        self._asker = Asker(state, self, "bulk")
        row = QHBoxLayout()
        row.setSpacing(theme.px(12))
        for widget in (self.measure, self.all, self.progress):
            row.addWidget(widget)
        row.addWidget(self._said, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(8))
        column.addLayout(row)
        column.addWidget(self.plot, 1)
        self.measure.clicked.connect(self._ask)
        self.all.clicked.connect(self._go_to_reach)
        self.progress.cancelled.connect(self._cancel)
        self._asker.answered.connect(self._know)
        self._asker.failed.connect(self._fail)
        self._asker.advanced.connect(self.progress.advance)

    def prepare(self, run: RunRow) -> None:
        if self.run is None or run.id != self.run.id:
            self._cancel()
        super().prepare(run)
        self.found = self.measured.get(run.id)
        self._said.setText("")
        self.redraw()

    def redraw(self) -> None:
        found: ContextReach | None = self.found
        self.measure.setVisible(found is None)
        curves = []
        if found is not None and self.run is not None:
            for key, name, losses in (
                ("cut", tr("cut off"), found.cut),
                ("shuffled", tr("shuffled"), found.shuffled),
            ):
                bits = found.bits_per_character(losses)
                left, dash = found.distances.astype(float), int(key == "shuffled")
                curves.append(Series(key, name, left, bits, self.run.model, dash, dots=True))
        self.plot.set_series(curves)
        self.said.emit(self.line())

    @Slot()
    def _ask(self) -> None:
        if self.run is not None:
            self.progress.begin()
            self._asker.ask(inside.reach, self.state.workspace, self.run.id, "valid")

    @Slot()
    def _cancel(self) -> None:
        self._asker.cancel()
        self.progress.end()

    @Slot(object)
    def _know(self, found: ContextReach) -> None:
        self.progress.end()
        if self.run is not None:
            self.measured[self.run.id] = self.found = found
            self.redraw()

    @Slot(object)
    def _fail(self, error: AppError) -> None:
        self.progress.end()
        self._said.setText(str(error))

    @Slot()
    def _go_to_reach(self) -> None:
        self.state.panel_wanted.emit("reach")

    def line(self) -> str:
        return tr("Bits per character of the valid part where all that stands further away than so "
                  "many tokens is cut off, or in a random order")  # fmt: skip

    def picture(self) -> Plot:
        return self.plot
