"""ExportDialog: a plot, a size and a place in; a picture file out."""

from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Slot
from PySide6.QtWidgets import QComboBox, QFormLayout, QWidget

from lmstudio import figures
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.dialogs.dialog import Dialog
from lmstudio.gui.picture_size import MOST, RESOLUTIONS, UNITS, PictureSize
from lmstudio.gui.plot_export import Drawing, export
from lmstudio.gui.plots import Plot
from lmstudio.gui.save_as import chosen_path
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import DecimalBox, disable, enable, label
from lmstudio.messages import tr

_KINDS = "PNG (*.png);;SVG (*.svg);;PDF (*.pdf)"
_DECIMALS = {"px": 0, "mm": 1, "in": 2}


class ExportDialog(Dialog):
    """Asks how large the picture shall be, then where to, then draws it in the light theme."""

    def __init__(
        self, state: AppState, plot: Plot | Drawing, caption: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(tr("Export the chart"), parent)
        self._state, self._plot, self._caption = state, plot, caption
        self.width_, self.height_ = self._side(tr("Width")), self._side(tr("Height"))
        self.unit = self._choice(tr("Unit of length"), list(UNITS), list(UNITS))
        told = [tr("{count} pixels an inch", count=dpi) for dpi in RESOLUTIONS]
        self.resolution = self._choice(tr("Resolution of a PNG"), told, RESOLUTIONS)
        self.note = label(size=12, tone="muted", wrap=True)
        self._unit = "px"
        fields = QFormLayout()
        for control in (self.width_, self.height_, self.unit, self.resolution):
            fields.addRow(control.accessibleName(), control)
        self.body.addLayout(fields)
        self.body.addWidget(self.note)
        self.setMinimumWidth(theme.px(380))
        self.add_cancel()
        self.choose = self.add_primary(tr("Choose a file…"))
        self._show(PictureSize())
        self.unit.currentIndexChanged.connect(self._convert)
        self.resolution.currentIndexChanged.connect(self._refresh)
        for side in (self.width_, self.height_):
            side.valueChanged.connect(self._refresh)
        self.accepted.connect(self._choose)

    def _side(self, name: str) -> DecimalBox:
        made = DecimalBox(self)
        made.setRange(0, MOST)
        made.setAccessibleName(name)
        return made

    def _choice(self, name: str, texts: list[str], values: object) -> QComboBox:
        made = QComboBox(self)
        for text, value in zip(texts, values, strict=True):  # type: ignore[call-overload]
            made.addItem(text, value)
        made.setAccessibleName(name)
        return made

    def size_(self) -> PictureSize:
        """What is asked for."""
        return PictureSize(self.width_.value(), self.height_.value(), self._unit,
                           self.resolution.currentData())  # fmt: skip

    @Slot()
    def _convert(self) -> None:
        """Another unit, the same size."""
        self._show(self.size_().converted(self.unit.currentData()))

    def _show(self, size: PictureSize) -> None:
        self._unit = size.unit
        for side, value in ((self.width_, size.width), (self.height_, size.height)):
            with QSignalBlocker(side):
                side.setDecimals(_DECIMALS[size.unit])
                side.setValue(value)
        self._refresh()

    @Slot()
    def _refresh(self) -> None:
        size = self.size_()
        pixels = size.pixels()
        self.note.setText(
            tr("PNG: {width} × {height} pixels. SVG and PDF are sharp at any size; type is of 9 "
               "points.", width=figures.count(pixels.width()),
               height=figures.count(pixels.height()))
        )  # fmt: skip
        if size.possible():
            enable(self.choose)
        else:
            disable(self.choose, tr("The picture is too small, or more than {most} pixels wide or "
                                    "high.", most=figures.count(MOST)))  # fmt: skip

    @Slot()
    def _choose(self) -> None:
        if path := chosen_path(self.parentWidget(), tr("Export the chart"), "chart", _KINDS):
            self.save(path)

    def save(self, path: Path) -> None:
        """Draw into `path` and tell the user."""
        size = self.size_()
        try:
            export(self._plot, path, size.layout(), self._caption, scale=size.scale)
        except AppError as error:
            self._state.report(error)
        else:
            self._state.told.emit(tr("Saved {path}", path=path))
