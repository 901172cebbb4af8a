"""What layers know: four views of how much of a task stands in the layers of networks."""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QStackedWidget, QWidget

from lmstudio.gui import theme
from lmstudio.gui.choices import fill
from lmstudio.gui.panels.panel import Panel
from lmstudio.gui.panels.tasks.layer_views.perplexity import PerplexityView
from lmstudio.gui.panels.tasks.layer_views.probe import ProbeView
from lmstudio.gui.panels.tasks.layer_views.size import SizeView
from lmstudio.gui.panels.tasks.layer_views.view import LayerView
from lmstudio.gui.panels.tasks.layer_views.weights import WeightsView
from lmstudio.gui.panels.tasks.task_layout import narrow
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import EmptyState, Segmented, button, label
from lmstudio.messages import msg, tr

VIEWS = {
    "probe": msg("Probe"), "weights": msg("Layer weights"), "size": msg("Size and score"),
    "perplexity": msg("Perplexity and score"),
}  # fmt: skip


class LayersOfTasksPanel(Panel):
    """The task is the same in all views; weights of layers are those of all tasks."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.view = Segmented([(key, tr(title)) for key, title in VIEWS.items()], tr("View"), self)
        self.task = QComboBox(self)
        self._named = label(tr("Task"), tone="muted")
        self.views: dict[str, LayerView] = {
            "probe": ProbeView(state, self), "weights": WeightsView(state, self),
            "size": SizeView(state, self), "perplexity": PerplexityView(state, self),
        }  # fmt: skip
        self._lead = button("", "primary", parent=self)
        self._wanted = "tasks"  # the panel that `_lead` leads to
        self._stack, self._pages = QStackedWidget(self), QStackedWidget(self)
        self._lay_out()
        self.view.chosen.connect(self.show_view)
        self.task.activated.connect(self._choose_task)
        self._lead.clicked.connect(self._go)
        for signal in (state.runs_changed, state.tasks_changed, state.workspace_changed,
                       state.tuned.changed):  # fmt: skip
            signal.connect(self.refresh)
        self.refresh()

    def _lay_out(self) -> None:
        narrow(self.task, tr("Task"))
        top = QHBoxLayout()
        top.setSpacing(theme.px(12))
        top.addStrut(theme.px(32))  # the task comes and goes
        top.addWidget(self.view)
        top.addStretch()
        top.addWidget(self._named)
        top.addWidget(self.task)
        for view in self.views.values():
            self._stack.addWidget(view)
        self._empty = EmptyState("", "", [self._lead], family="elmo")
        for page in (self._stack, self._empty):
            self._pages.addWidget(page)
        column = self.page()
        column.addLayout(top)
        column.addWidget(self._pages, 1)

    @property
    def shown(self) -> LayerView:
        """The view that is shown."""
        return self.views[self.view.value()]

    @property
    def busy(self) -> bool:
        """Something is still to come."""
        return any(view.busy for view in self.views.values())

    @Slot()
    def refresh(self) -> None:
        """Draw everything from the state."""
        tasks = self.state.tasks()
        networks = self.shown.networks()
        self._pages.setCurrentIndex(0 if tasks and networks else 1)
        if not tasks:
            self._show_empty("tasks", tr("No task yet"), tr("Choose a task"))
            return
        if not networks:
            self._show_empty("new_run", tr("No network yet"), tr("Train a model"))
            return
        chosen = self.state.tuned.task(self.state.workspace)
        fill(self.task, [(task.name, task.id) for task in tasks])
        if chosen is not None:
            self.task.setCurrentIndex(self.task.findData(chosen.id))
        for view in self.views.values():
            view.show_task(chosen)
        self.show_view()

    def _show_empty(self, panel: str, title: str, action: str) -> None:
        self._wanted, self.primary = panel, self._lead
        self._lead.setText(action)
        self._empty.set_text(
            title,
            tr("With a task and a network it is measured which layers know of it, and what size "
               "and perplexity have to do with the score."),
        )  # fmt: skip

    @Slot()
    def show_view(self) -> None:
        """Show the view that is chosen."""
        self._stack.setCurrentWidget(self.shown)
        self.primary = self.shown.primary
        for widget in (self._named, self.task):
            widget.setVisible(self.view.value() != "weights")

    @Slot()
    def _choose_task(self) -> None:
        self.state.tuned.choose_task(int(self.task.currentData()))

    @Slot()
    def _go(self) -> None:
        self.state.panel_wanted.emit(self._wanted)

    def stop(self) -> bool:
        """Stop what the view shown is at."""
        return self.shown.stop()

    def export(self) -> None:
        """Save the picture of the view shown."""
        self.shown.export()
