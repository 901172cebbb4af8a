"""FilmRow: the film of a training in; a slider that chooses one of its steps out."""

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QSlider, QWidget

from lmstudio import figures
from lmstudio.analysis.film import Film
from lmstudio.gui import theme
from lmstudio.gui.widgets import disable, enable, label, tool
from lmstudio.messages import tr

FRAME_MS = 250


class FilmRow(QWidget):
    """At the right end stands what is now; everything left of it is the past."""

    moved = Signal(int)  # the frame to show, -1 for what is now

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.found: Film | None = None
        self.play = tool("play", tr("Play the training like a film"), parent=self)
        self.slider = QSlider(Qt.Orientation.Horizontal, self)
        self.slider.setAccessibleName(tr("Course of training"))
        self.slider.setPageStep(1)
        self._when = label(tone="muted")
        self._timer = QTimer(self, interval=FRAME_MS)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(12))
        for widget in (
            self.play,
            label(tr("Course of training"), tone="muted"),
            self.slider,
            self._when,
        ):
            row.addWidget(widget, 1 if widget is self.slider else 0)
        self.play.clicked.connect(self._play)
        self.slider.valueChanged.connect(self._moved)
        self._timer.timeout.connect(self._next)
        self.take(None)

    def take(self, found: Film | None) -> None:
        """Show the film of another run; None or an empty one switches the row off."""
        self._timer.stop()
        self.found = found if found is not None and len(found.steps) > 1 else None
        with QSignalBlocker(self.slider):
            self.slider.setRange(0, len(self.found.steps) - 1 if self.found else 0)
            self.slider.setValue(self.slider.maximum())
        why = tr("Nothing was kept of this training: networks keep their vectors at each "
                 "validation, from this version on.")  # fmt: skip
        for widget in (self.play, self.slider):
            enable(widget) if self.found else disable(widget, why)
        self._tell()

    def frame(self) -> int:
        """The frame shown, -1 for what is now."""
        value = self.slider.value()
        return -1 if self.found is None or value == self.slider.maximum() else value

    def said(self) -> str:
        """What stands at the right end."""
        return self._when.text()

    def _tell(self) -> None:
        if self.found is None:
            self._when.setText(tr("not kept"))
            return
        step, last = self.found.steps[self.slider.value()], self.found.steps[-1]
        self._when.setText(
            tr("step {step} / {last}", step=figures.count(step), last=figures.count(last))
        )

    @Slot()
    def _moved(self) -> None:
        self._tell()
        self.moved.emit(self.frame())

    @Slot()
    def _play(self) -> None:
        """From the beginning if it stands at the end; again to stop."""
        if self._timer.isActive():
            self._timer.stop()
            return
        if self.slider.value() == self.slider.maximum():
            self.slider.setValue(0)
        self._timer.start()

    @Slot()
    def _next(self) -> None:
        self.slider.setValue(self.slider.value() + 1)
        if self.slider.value() == self.slider.maximum():
            self._timer.stop()
