"""StartRow: the name of a new run, what is wrong with its settings, and the button that starts."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from lmstudio.gui import theme
from lmstudio.gui.widgets import ElidedLabel, button, disable, enable, label
from lmstudio.messages import phrases, tr


class StartRow(QWidget):
    """The foot of the panel. Emits what the user does; what it shows is set from outside."""

    started = Signal()
    renamed = Signal()
    mend_wanted = Signal()  # lead to the first fault
    sweep_wanted = Signal()  # show the sweep that was queued last

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._proposed = ""
        self.name = QLineEdit(self)
        self.name.setFixedWidth(theme.px(240))
        self.name.setAccessibleName(tr("Name of the run"))
        self.name.textEdited.connect(self.renamed)
        self.mend = button("", "link", parent=self)
        self.mend.clicked.connect(self.mend_wanted)
        self.note = ElidedLabel(size=12, tone="muted")
        self.sweep = button(tr("Show the sweep under Scaling"), "link", parent=self)
        self.sweep.clicked.connect(self.sweep_wanted)
        self.sweep.hide()
        self.start = button("", "primary", icon_name="play", parent=self)
        self.start.clicked.connect(self.started)
        caption = label(tr("Name"), tone="muted")
        caption.setBuddy(self.name)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(8))
        for widget in (caption, self.name, self.mend):
            row.addWidget(widget)
        row.addWidget(self.note, 1)
        row.addWidget(self.sweep)
        row.addWidget(self.start)

    def typed(self) -> str:
        """The name in the field."""
        return self.name.text().strip()

    def is_own(self) -> bool:
        """The user typed it: proposals no longer replace it."""
        return self.name.text() not in ("", self._proposed)

    def propose(self, name: str) -> None:
        """Put a name into the field."""
        self._proposed = name
        self.name.setText(name)

    def show_faults(self, faults: list[str], *, waiting: int) -> None:
        """Say the first fault, and all of them in the tool tip of the button that is off."""
        start = tr("Add to queue") if waiting else tr("Start training")
        self.start.setText(f"{start}  Ctrl+↵")
        if faults:
            disable(self.start, phrases(faults))
        else:
            enable(self.start)
        self.mend.setVisible(bool(faults))
        self.mend.setText(_first(faults))
        self.note.setText(
            tr("{count} in the queue", count=waiting) if waiting and not faults else ""
        )


def _first(faults: list[str]) -> str:
    if len(faults) < 2:
        return "".join(faults)
    return tr("{fault} (and {count} more)", fault=faults[0], count=len(faults) - 1)
