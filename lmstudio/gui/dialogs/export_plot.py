"""ExportDialog: a plot, a size and a place in; a picture file out."""

from pathlib import Path

from PySide6.QtCore import QSize, Slot
from PySide6.QtWidgets import QFileDialog, QFormLayout, QSpinBox, QWidget

from lmstudio.errors import AppError
from lmstudio.gui.dialogs.dialog import Dialog
from lmstudio.gui.plot_export import Drawing, export
from lmstudio.gui.plots import Plot
from lmstudio.gui.state import AppState
from lmstudio.messages import tr


class ExportDialog(Dialog):
    """Asks how large the picture shall be, then where to, then draws it in the light theme."""

    def __init__(
        self, state: AppState, plot: Plot | Drawing, caption: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(tr("Export the chart"), parent)
        self._state, self._plot, self._caption = state, plot, caption
        self._width = self._pixels(1600, tr("Width"))
        self._height = self._pixels(900, tr("Height"))
        fields = QFormLayout()
        fields.addRow(tr("Width"), self._width)
        fields.addRow(tr("Height"), self._height)
        self.body.addLayout(fields)
        self.add_cancel()
        self.add_primary(tr("Choose a file…"))
        self.accepted.connect(self._choose)

    def _pixels(self, value: int, name: str) -> QSpinBox:
        made = QSpinBox(self)
        made.setRange(200, 20000)
        made.setValue(value)
        made.setSuffix(tr(" px"))
        made.setAccessibleName(name)
        return made

    @Slot()
    def _choose(self) -> None:
        kinds = "PNG (*.png);;SVG (*.svg);;PDF (*.pdf)"
        name, kind = QFileDialog.getSaveFileName(
            self.parentWidget(), tr("Export the chart"), "chart.png", kinds
        )
        if not name:
            return
        path = Path(name)
        if not path.suffix:
            path = path.with_suffix(kind[-5:-1])
        self.save(path)

    def save(self, path: Path) -> None:
        """Draw into `path` and tell the user."""
        try:
            size = QSize(self._width.value(), self._height.value())
            export(self._plot, path, size, self._caption)
        except AppError as error:
            self._state.report(error)
        else:
            self._state.told.emit(tr("Saved {path}", path=path))
