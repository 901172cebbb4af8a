"""RunForm: a page for each model in; the RunSpec of the page shown and its faults out."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from lmstudio.errors import Fault
from lmstudio.gui.panels.train.model_page import ModelPage
from lmstudio.models.registry import TRAINABLE
from lmstudio.store.rows import RunRow
from lmstudio.training.spec import RunSpec


class RunForm(QWidget):
    """A page for each model; what was typed on a page stays there."""

    changed = Signal()

    def __init__(self, device: str, parent: QWidget | None = None) -> None:
        """`device` is what new runs train on."""
        super().__init__(parent)
        self._pages = {key: ModelPage(key, device, self) for key in TRAINABLE}
        self._stack = QStackedWidget(self)
        for page in self._pages.values():
            self._stack.addWidget(page)
            page.changed.connect(self.changed)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._stack)

    def page(self, model: str = "") -> ModelPage:
        """The page of a model, or the one shown."""
        if model:
            return self._pages[model]
        shown = self._stack.currentWidget()
        assert isinstance(shown, ModelPage)
        return shown

    def show_model(self, model: str) -> None:
        """Show the page of a model."""
        self._stack.setCurrentWidget(self._pages[model])

    def set_device(self, device: str) -> None:
        """What new runs train on from now on."""
        for page in self._pages.values():
            page.set_device(device)

    def load(self, spec: RunSpec, begins_with: int | None = None) -> None:
        """Show a spec, and the run whose weights it begins with."""
        page = self._pages[spec.model]
        page.load(spec)
        page.begin_with(begins_with)
        self.show_model(spec.model)

    def offer(self, runs: list[RunRow]) -> None:
        """Let networks begin with the weights of `runs` of their own kind, or with word vectors."""
        for model, page in self._pages.items():
            page.begins.offer([run for run in runs if run.model in (model, "vectors")])
            page.begin_with(page.begins.value())

    def begins_with(self) -> int | None:
        """The id of the run whose weights the page shown begins with."""
        return self.page().begins.value()

    def logs(self) -> bool:
        """Curves are to be written for TensorBoard too."""
        return self.page().log.isChecked()

    def spec(self) -> RunSpec:
        """What is set on the page shown; it may have faults."""
        return self.page().spec()

    def faults(self) -> list[Fault]:
        """What is wrong on the page shown."""
        return self.page().faults()

    @Slot()
    def restore(self) -> None:
        """Go back to the preset."""
        self.page().restore()
