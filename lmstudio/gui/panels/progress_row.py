"""ProgressRow: a question under way in; how far it is and a way to stop it out."""

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.widgets import ElidedLabel, ProgressLine, button
from lmstudio.jobs import Job
from lmstudio.messages import tr

_PATIENCE_MS = 80  # what is faster needs no bar; what is not shows a sign within 100


class ProgressRow(QWidget):
    """Stands in a title row while something is counted."""

    cancelled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._says = ElidedLabel(size=12, tone="muted")
        self._line = ProgressLine(tr("Progress"), parent=self)
        self._line.setFixedWidth(theme.px(96))
        self.cancel = button(tr("Cancel"), "link", parent=self)
        self.cancel.clicked.connect(self.cancelled)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(8))
        for widget in (self._says, self._line, self.cancel):
            row.addWidget(widget)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._patience = QTimer(self, interval=_PATIENCE_MS, singleShot=True)
        self._patience.timeout.connect(self.show)
        self.hide()

    def begin(self) -> None:
        """A question was asked."""
        self._says.setText(tr("Waiting for other work"))
        self._line.set_share(0)
        if self.isHidden():
            self._patience.start()

    @Slot(object)
    def advance(self, job: Job) -> None:
        """Show how far `job` is."""
        share = job.done / job.total if job.total else 0.0
        percent = figures.percent(min(share, 1.0))
        self._says.setText(f"{job.note} {percent}" if job.note else tr("Reading the words"))
        self._line.set_share(share)

    def end(self) -> None:
        """The answer is there, or none will come."""
        self._patience.stop()
        self.hide()

    def said(self) -> str:
        """What stands beside the bar."""
        return self._says.full_text()
