"""ViewsCard: the ways to look into a network, one of them shown, with what belongs to it."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QWidget

from lmstudio.gui import theme
from lmstudio.gui.panels.explore.layers_directions import DirectionsView
from lmstudio.gui.panels.explore.layers_inside import GatesView, NormsView
from lmstudio.gui.panels.explore.layers_lens import LensView
from lmstudio.gui.panels.explore.layers_positions import PositionsView
from lmstudio.gui.panels.explore.layers_reach import ReachView
from lmstudio.gui.panels.explore.layers_similarity import SimilarityView
from lmstudio.gui.panels.explore.layers_terms import TermsView
from lmstudio.gui.panels.explore.layers_view import LayerView
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Card, ElidedLabel, Segmented, disable, enable, label, tool
from lmstudio.messages import tr
from lmstudio.models.capabilities import reason
from lmstudio.store.rows import RunRow
from lmstudio.training.spec import RunSpec

VIEWS: dict[str, type[LayerView]] = {
    "gates": GatesView, "directions": DirectionsView, "norms": NormsView, "lens": LensView,
    "similarity": SimilarityView, "terms": TermsView, "positions": PositionsView,
    "reach": ReachView,
}  # fmt: skip
"""From what belongs to one family to what all have."""


class ViewsCard(Card):
    """Views that a network cannot answer are switched off with the reason."""

    asked = Signal()  # another view, or another question of it
    keep_wanted = Signal()
    table_wanted = Signal()
    picture_wanted = Signal()

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setAccessibleName(tr("Layers and gates"))
        self.views = {key: view(state, self) for key, view in VIEWS.items()}
        choices = [(key, tr(view.title)) for key, view in VIEWS.items()]
        self.view = Segmented(choices, tr("View"), self)
        self.told = ElidedLabel(size=12, tone="muted")
        self.said = label(tone="muted", wrap=True)
        self.said.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.stack, self._tools = QStackedWidget(self), QStackedWidget(self)
        self._lay_out()
        self.view.chosen.connect(self._change)
        for view in self.views.values():
            view.asked.connect(self.asked)
            view.said.connect(self._tell)

    def _lay_out(self) -> None:
        head, second = QHBoxLayout(), QHBoxLayout()
        head.setSpacing(theme.px(8))
        head.addWidget(self.view)
        head.addStretch(1)
        for icon, name, signal in (
            ("plus", tr("Keep as a finding"), self.keep_wanted),
            ("table", tr("Save every value as CSV  Ctrl+E"), self.table_wanted),
            ("export", tr("Export the chart"), self.picture_wanted),
        ):
            made = tool(icon, name, parent=self)
            made.clicked.connect(signal)
            head.addWidget(made)
        second.setSpacing(theme.px(8))
        second.addWidget(self.told, 1)
        second.addWidget(self._tools)
        for view in self.views.values():
            self.stack.addWidget(view)
            self._tools.addWidget(view.tools)
        self.stack.addWidget(self.said)
        self.body.addLayout(head)
        self.body.addLayout(second)
        self.body.addWidget(self.stack, 1)

    @property
    def shown(self) -> LayerView:
        """The view that is chosen."""
        return self.views[self.view.value()]

    def offer(self, run: RunRow) -> None:
        """Switch off views that its family cannot answer; show the first if that is the one."""
        config = RunSpec.from_json(run.spec).config
        able = []
        for key, view in self.views.items():
            why = reason(run.model, view.asks, config)
            segment = self.view.segment(key)
            if why is None:
                enable(segment)
                able.append(key)
            else:
                disable(segment, tr("{name}: {reason}", name=run.name, reason=str(why)))
        if self.view.value() not in able:
            self.view.set_value(able[0])

    def show_view(self) -> None:
        """The view chosen, with its tools, and the line that tells what it shows."""
        view = self.shown
        self.fit_tools()
        self.stack.setCurrentWidget(view)
        self._say_line(view.line() if view.found is not None or not view.kind else "")

    def say(self, text: str) -> None:
        """A sentence in its place."""
        self.said.setText(text)
        self.stack.setCurrentWidget(self.said)

    def fit_tools(self) -> None:
        """A stack is as wide as its widest page; this one as the page that is shown."""
        self._tools.setCurrentWidget(self.shown.tools)
        for view in self.views.values():
            view.tools.setVisible(view is self.shown)
        self._tools.setFixedWidth(self.shown.tools.sizeHint().width())

    @Slot()
    def _change(self) -> None:
        """Another view: of the same token and layer."""
        before, view = self.stack.currentWidget(), self.shown
        if isinstance(before, LayerView):
            view.place, view.layer = before.place, before.layer
            if view.found is not None and view.kind:
                view.choose(view.place, view.layer)
                view.redraw()
        self.asked.emit()

    @Slot(str)
    def _tell(self, line: str) -> None:
        if self.sender() is self.shown:
            self._say_line(line)

    def _say_line(self, line: str) -> None:
        """What was computed; first, what of the sentence was not read."""
        notes = map(str, getattr(self.shown.found, "notes", ()))
        self.told.setText(" ".join([*notes, line]))
