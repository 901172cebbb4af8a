"""GrowthCard: a smoothing's config in; its figures against a knob, its order or its text, drawn."""

from dataclasses import replace
from typing import cast

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QWidget

from lmstudio import figures
from lmstudio.analysis.ngram_growth import Point
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.captions import sentence_case
from lmstudio.gui.dialogs.export_plot import ExportDialog
from lmstudio.gui.jobs import Asker
from lmstudio.gui.panels.explore.growth_plot import MEASURES, VIEWS, growth_plot, knob_plot
from lmstudio.gui.panels.explore.smoothing_names import SHORT
from lmstudio.gui.panels.progress_row import ProgressRow
from lmstudio.gui.plots import Plot
from lmstudio.gui.save_as import SaveAs
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Card, ElidedLabel, Segmented, tool
from lmstudio.gui.widgets.fading import fade
from lmstudio.messages import tr
from lmstudio.models.config import NgramConfig
from lmstudio.operations import laboratory

Row = tuple[float, float, float]  # a knob's value, bits per character, perplexity
Curve = list[Row] | list[Point]
DEBOUNCE_MS = 400  # a column passed over with the arrows trains no models


class GrowthCard(Card):
    """Curves are kept: what was drawn once is there at once."""

    curve_known = Signal(str)  # of a knob

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(tr("Bits against"), parent=parent)
        self._state = state
        self._segmentation = 0
        self._config = NgramConfig()
        self._stands: dict[str, tuple[float, float]] = {}  # by knob, its value and its bits
        self._kept: dict[tuple[int, str, NgramConfig], Curve] = {}
        self._asked: tuple[int, str, NgramConfig] | None = None
        self.view = Segmented([(v, tr(t)) for v, t in VIEWS.items()], tr("Against"), self)
        self.measure = QComboBox(self)
        self.plot = Plot(tr("Figures of a smoothing"), self)
        self.progress = ProgressRow(self)
        self._said = ElidedLabel(size=12, tone="muted")
        self.save = SaveAs(state, self)
        self._knob_asker, self._grower = Asker(state, self), Asker(state, self, "bulk")
        self._pause = QTimer(self, interval=DEBOUNCE_MS, singleShot=True)
        self._lay_out()
        self._connect()
        self._show_view()

    def _lay_out(self) -> None:
        picture = tool("export", tr("Export the chart"), parent=self)
        picture.clicked.connect(self.export)
        self.row.add_tool(self.view)
        self.measure.setAccessibleName(tr("Measure"))
        self.measure.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.measure.setMinimumContentsLength(8)  # the longest title must not widen the column
        for key, title in MEASURES.items():
            self.measure.addItem(sentence_case(tr(title)), key)
        self.csv = tool("table", tr("Save the figures as CSV"), parent=self)
        below = QHBoxLayout()
        below.setSpacing(theme.px(4))
        below.addWidget(self.measure, 1)
        below.addWidget(self._said, 1)
        below.addWidget(self.csv)
        below.addWidget(picture)
        self.body.addLayout(below)
        self.body.addWidget(self.progress)
        self.body.addWidget(self.plot, 1)

    def _connect(self) -> None:
        self.view.chosen.connect(self._show_view)
        self.measure.currentIndexChanged.connect(self._draw)
        self.csv.clicked.connect(self.save_table)
        self.plot.export_wanted.connect(self.export)
        self.progress.cancelled.connect(self.cancel)
        self._pause.timeout.connect(self._ask)
        for asker in (self._knob_asker, self._grower):
            asker.answered.connect(self._take)
            asker.failed.connect(self._fail)
            asker.advanced.connect(self.progress.advance)

    @property
    def busy(self) -> bool:
        """A curve is awaited."""
        return self._knob_asker.busy or self._grower.busy or self._pause.isActive()

    def curve(self, view: str = "") -> Curve | None:
        """What is known for a view, or for the one shown."""
        return self._kept.get(self._key(view or self.view.value()))

    def best(self, knob: str) -> tuple[float, float] | None:
        """(value, bits) where the curve of a knob is lowest; None: not known."""
        found = self._kept.get(self._key(knob)) or []
        finite = [(row[1], row[0]) for row in found if isinstance(row, tuple) and row[1] < 1e9]
        return min(finite)[::-1] if finite else None

    def show_for(self, segmentation: int, config: NgramConfig) -> None:
        """Draw the curves of a smoothing, after a moment; its order is that of the panel."""
        before = self._key(self.view.value())
        self._segmentation, self._config = segmentation, config
        if self._key(self.view.value()) != before:
            self._show_view()

    def stand(self, k: float, discount: float, k_bits: float, d_bits: float) -> None:
        """Mark where the knobs stand."""
        self._stands = {"k": (k, k_bits), "discount": (discount, d_bits)}
        self._draw_mark()

    @Slot()
    def cancel(self) -> None:
        """Stop training; what was drawn stays."""
        for asker in (self._knob_asker, self._grower):
            asker.cancel()
        self._pause.stop()
        self._asked = None
        self._rest()
        if self.curve() is None:
            self._said.setText(tr("Stopped"))

    def _key(self, view: str) -> tuple[int, str, NgramConfig]:
        """Of a curve: whatever does not change it is left at its default."""
        config = self._config
        if view == "k":
            config = NgramConfig(config.order, "add-k")
        elif view == "discount":
            own = config.smoothing == "kneser-ney"
            config = NgramConfig(config.order, "kneser-ney" if own else "absolute-discounting")
        elif view == "order":
            config = replace(config, order=1)
        return self._segmentation, view, config

    @Slot()
    def _show_view(self) -> None:
        grown = self.view.value() in ("order", "size")
        self.measure.setVisible(grown)
        self._said.setVisible(not grown)
        self.row.set_title(tr("Bits against") if not grown else tr("Figures by"))
        for asker in (self._knob_asker, self._grower):
            asker.cancel()
        self._asked = None
        if self.curve() is None and self._segmentation:
            self._pause.start()
            self.progress.begin()
            fade(self.plot, True)
        else:
            self._pause.stop()
            self._rest()
        self._draw()

    @Slot()
    def _ask(self) -> None:
        view = self.view.value()
        self._asked = self._key(view)
        ws, (cut, _, config) = self._state.workspace, self._asked
        if view in ("k", "discount"):
            self._knob_asker.ask(laboratory.against_knob, ws, cut, config, view)
        else:
            grow = laboratory.against_order if view == "order" else laboratory.against_size
            self._grower.ask(grow, ws, cut, config)

    @Slot(object)
    def _take(self, curve: Curve) -> None:
        asked, self._asked = self._asked, None
        self._rest()
        if asked is not None:
            self._kept[asked] = curve
            self._draw()
            self.curve_known.emit(asked[1])
        if self.view.value() in ("k", "discount"):
            self._ask_other_knob()

    def _ask_other_knob(self) -> None:
        """Its best value stands beside its slider; it is there before it is looked at."""
        for knob in ("k", "discount"):
            key = self._key(knob)
            if key not in self._kept and not self._knob_asker.busy:
                self._asked = key
                self._knob_asker.ask(
                    laboratory.against_knob, self._state.workspace, key[0], key[2], knob
                )

    @Slot(object)
    def _fail(self, error: AppError) -> None:
        self._asked = None
        self._rest()
        self._said.setVisible(True)
        self._said.setText(str(error))

    def _rest(self) -> None:
        self.progress.end()
        fade(self.plot, False)

    @Slot()
    def _draw(self) -> None:
        view, curve = self.view.value(), self.curve()
        self.csv.setEnabled(curve is not None)
        if not curve:
            if not self.busy:
                self.plot.set_series([])
                self.plot.set_mark(None)
            return
        drawn = (
            growth_plot(cast(list[Point], curve), view, self.measure.currentData())
            if view in ("order", "size")
            else knob_plot(cast(list[Row], curve), view)
        )
        self.plot.set_axes(drawn.axes)
        self.plot.set_series(drawn.series)
        name = tr(SHORT[self._key(view)[2].smoothing])
        self._said.setText(name)
        self.row.set_note("")
        self.plot.setToolTip(name)
        self._draw_mark()

    def _draw_mark(self) -> None:
        value, bits = self._stands.get(self.view.value(), (0.0, 0.0))
        text = figures.decimal(bits, 3)
        self.plot.set_mark((value, bits, text) if value and self.curve() else None)

    # files

    @Slot()
    def export(self) -> None:
        """Save the plot as a picture."""
        ExportDialog(self._state, self.plot, self._caption(), self.window()).open()

    def _caption(self) -> str:
        view = self.view.value()
        grown = view in ("order", "size")
        measure = self.measure.currentText() if grown else tr("Bits per character")
        smoothing = tr(SHORT[self._key(view)[2].smoothing])
        return tr("{smoothing}: {measure} against {view}", smoothing=smoothing, measure=measure,
                  view=tr(VIEWS[view]))  # fmt: skip

    @Slot()
    def save_table(self) -> None:
        """Save the figures, all of them, as CSV."""
        curve, view = self.curve(), self.view.value()
        if curve is None:
            return
        if view in ("order", "size"):
            self.save.ask(f"against-{view}", laboratory.save_points, curve)
        else:
            self.save.ask(f"against-{view}", laboratory.save_curve, curve, view)
