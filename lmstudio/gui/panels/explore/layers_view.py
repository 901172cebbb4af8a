"""LayerView: one way to look into a network, of those that the panel of layers chooses from."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from lmstudio.gui import theme
from lmstudio.gui.plot_export import Drawing
from lmstudio.gui.plots import Plot
from lmstudio.gui.state import AppState
from lmstudio.store.rows import Facts, RunRow


class LayerView(QWidget):
    """Shows what an operation found of a sentence. `place` and `layer` are what is chosen in it.

    `place` counts what the network reads, `<s>` being 0, so that it means the same in every view;
    `layer` counts from 0, which is what the first layer reads.
    """

    asks: ClassVar[str]  # the question of models.capabilities
    title: ClassVar[str]  # a catalogue sentence
    kind: ClassVar[str]  # of the finding that is kept, as of operations.findings.KINDS
    operation: Callable[..., Any]  # (ws, run, *question, job=...) -> what `take` shows
    save: Callable[..., None]  # (found, path, job=...): writes all of it as CSV
    needs_text: ClassVar[bool] = True

    asked = Signal()  # what is asked is another question now
    chosen = Signal()  # another place or layer was chosen
    said = Signal(str)  # the line that tells what was computed is another

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.state = state
        self.run: RunRow | None = None
        self.found: Any = None
        self.place = self.layer = 1
        self.tools = QWidget(self)  # stands in the title row while the view is shown
        row = QHBoxLayout(self.tools)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(8))
        self.tools.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def add_tool(self, widget: QWidget) -> None:
        """Put a widget into the title row."""
        layout = self.tools.layout()
        assert layout is not None
        layout.addWidget(widget)

    def question(self) -> Facts:
        """What is asked besides the text, by the names of the operation's arguments."""
        return {}

    def prepare(self, run: RunRow) -> None:
        """Offer what can be asked of another run."""
        self.run = run

    def take(self, found: Any) -> None:
        """Show what was found."""
        self.found = found
        self.redraw()

    @abstractmethod
    def redraw(self) -> None:
        """Draw anew, after another choice."""

    def redraw_choice(self) -> None:
        """Draw what depends on the place and the layer that are chosen."""
        self.redraw()

    @abstractmethod
    def line(self) -> str:
        """What was computed, in one line with its formula."""

    @abstractmethod
    def picture(self) -> Plot | Drawing:
        """What is exported as a picture."""

    def caption(self) -> str:
        """What is chosen, for the title of a picture."""
        return ""

    def step(self, right: int, down: int) -> None:
        """Arrow keys: another token, another layer."""
        self.choose(self.place + right, self.layer + down)

    def choose(self, place: int, layer: int) -> None:
        """Choose a place and a layer, the nearest that there are; tell if they are others."""
        before = self.place, self.layer
        (first, last), (lowest, highest) = self.places(), self.layers()
        self.place = min(max(place, first), last)
        self.layer = min(max(layer, lowest), highest)
        if (self.place, self.layer) != before:
            self.chosen.emit()
            if self.found is not None:
                self.redraw_choice()

    def places(self) -> tuple[int, int]:
        """The first and the last place that can be chosen."""
        return 0, max(0, len(self.found.tokens) - 1) if self.found is not None else 10**6

    def layers(self) -> tuple[int, int]:
        """The first and the last layer that can be chosen."""
        return 0, 10**6


def highest(values: np.ndarray) -> float:
    """The largest absolute value there is; 1 where there is none."""
    found = np.abs(values[np.isfinite(values)])
    return float(found.max()) if found.size else 1.0
