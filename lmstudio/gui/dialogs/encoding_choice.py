"""EncodingChoice: doubtful encodings in; the one whose preview was clicked out."""

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from lmstudio.gui import theme
from lmstudio.gui.widgets import label
from lmstudio.messages import tr
from lmstudio.text.preview import Candidate, Preview

_SURE = 0.5  # confidence from which nothing is asked
_AHEAD = 0.25  # and by how much the likeliest must lead
_SHOWN = 26  # characters of a preview


class EncodingChoice(QFrame):
    """A strip that is hidden while the encoding is beyond doubt."""

    chosen = Signal(str)  # an encoding

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "warn")
        self._text = label(tone="warn", wrap=True)
        self._buttons: list[QPushButton] = []
        self._previews = QHBoxLayout()
        self._previews.setSpacing(theme.px(8))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(theme.px(12), theme.px(8), theme.px(12), theme.px(10))
        layout.setSpacing(theme.px(6))
        layout.addWidget(self._text)
        layout.addLayout(self._previews)
        self.hide()

    def show_candidates(self, seen: Preview) -> None:
        """Ask, if the encoding found is doubtful."""
        while self._buttons:
            old = self._buttons.pop()
            old.hide()
            old.deleteLater()
        doubtful = is_doubtful(seen)
        self.setVisible(doubtful)
        if not doubtful:
            return
        self._text.setText(tr("The encoding is not certain. Which of these can be read?"))
        for candidate in seen.candidates:
            made = _PreviewButton(candidate, self)
            made.picked.connect(self.chosen)
            self._previews.addWidget(made, 1)
            self._buttons.append(made)

    def buttons(self) -> list[QPushButton]:
        """The previews to click, likeliest first."""
        return list(self._buttons)


def is_doubtful(seen: Preview) -> bool:
    """Whether the user should look at the other candidates."""
    if len(seen.candidates) < 2:
        return False
    first, second = seen.candidates[:2]
    return first.confidence < _SURE or first.confidence - second.confidence < _AHEAD


class _PreviewButton(QPushButton):
    picked = Signal(str)

    def __init__(self, candidate: Candidate, parent: QWidget) -> None:
        super().__init__(parent)
        self._encoding = candidate.encoding
        lines = [line[:_SHOWN] for line in candidate.lines if line.strip()][:2]
        self.setText("\n".join([candidate.encoding.upper(), *lines]).replace("&", "&&"))
        self.setAccessibleName(f"{candidate.encoding}: {' '.join(lines)}")
        self.setAutoDefault(False)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self._pick)

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(theme.px(160), theme.px(70))  # three lines of text

    @Slot()
    def _pick(self) -> None:
        self.picked.emit(self._encoding)
