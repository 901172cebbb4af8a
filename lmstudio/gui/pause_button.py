"""PauseButton: a job that runs in; two bars while it works, a triangle while it waits."""

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QToolButton, QWidget

from lmstudio.gui import theme
from lmstudio.gui.icons import icon
from lmstudio.jobs import Job
from lmstudio.messages import tr


class PauseButton(QToolButton):
    """Its owner calls `show_job` when the job, or how it stands with it, is another."""

    toggled_job = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._job: Job | None = None
        self._shown: bool | None = None
        self.setIconSize(QSize(theme.px(18), theme.px(18)))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.clicked.connect(self.toggle)
        self.show_job(None)

    def show_job(self, job: Job | None) -> None:
        """Draw it for `job`; hidden where there is none that could wait."""
        self._job = job
        self.setVisible(job is not None and job.state == "running" and not job.cancelling)
        paused = job is not None and job.paused
        if paused == self._shown:
            return
        self._shown = paused
        self.setIcon(icon("play" if paused else "pause"))
        name = tr("Go on") if paused else tr("Pause; it stays in memory")
        self.setToolTip(name)
        self.setAccessibleName(name)

    @Slot()
    def toggle(self) -> None:
        """Let the job wait, or go on."""
        if self._job is None:
            return
        if self._job.paused:
            self._job.resume_work()
        else:
            self._job.pause()
        self.show_job(self._job)
        self.toggled_job.emit()
