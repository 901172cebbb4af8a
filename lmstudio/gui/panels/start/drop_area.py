"""DropArea: what the corpora panel shows while there is no corpus: three ways to the first one."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from lmstudio.gui import file_kinds, theme
from lmstudio.gui.asking import Asking
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Picture, button, label
from lmstudio.messages import tr


class DropArea(QFrame):
    """The window takes the drop itself; this says so and offers what else can be done."""

    paste_wanted = Signal()

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "drop")
        self.setAccessibleName(tr("Drop area for text files"))
        self.choose = button(tr("Choose files…"), "primary", icon_name="folder", parent=self)
        self.choose.clicked.connect(Asking(state, self).choose_files)
        paste = button(tr("Paste text…"), parent=self)
        paste.clicked.connect(self.paste_wanted)
        sample = button(tr("Use the sample corpus"), parent=self)
        sample.clicked.connect(state.sample_wanted)
        centre = Qt.AlignmentFlag.AlignHCenter
        layout = QVBoxLayout(self)
        layout.setSpacing(theme.px(12))
        layout.addStretch(2)
        layout.addWidget(Picture("upload", "accent", 40), 0, centre)
        for text in (
            label(tr("Drop files or a folder here"), size=20, bold=True, wrap=True),
            label(file_kinds.sentence(), tone="muted", wrap=True),
        ):
            text.setAlignment(Qt.AlignmentFlag.AlignCenter)
            layout.addWidget(text)
        row = QHBoxLayout()
        row.setSpacing(theme.px(8))
        row.addStretch()
        for widget in (self.choose, paste, sample):
            row.addWidget(widget)
        row.addStretch()
        layout.addLayout(row)
        layout.addStretch(3)
