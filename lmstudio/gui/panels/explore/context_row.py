"""ContextRow: a text typed, or a frequent context picked, in; what stands before the blank out."""

from PySide6.QtCore import QSignalBlocker, QTimer, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from lmstudio.data.layout import BOS, SPECIALS
from lmstudio.gui import theme
from lmstudio.gui.captions import sentence_case
from lmstudio.gui.widgets import button, label
from lmstudio.gui.widgets.context_chips import ContextChips
from lmstudio.messages import tr
from lmstudio.operations.laboratory import FrequentContext, Table

DEBOUNCE_MS = 150


class ContextRow(QWidget):
    """A text stands anywhere in a sentence, and begins one where it begins with `<s>`."""

    changed = Signal()  # another context, or another word to list
    other_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text, self.also = QLineEdit(self), QLineEdit(self)
        self.chips = ContextChips(tr("History"), self)
        self.other = button(tr("Another context"), "link", icon_name="swap", parent=self)
        self._ids: tuple[int, ...] | None = None  # of a picked context
        self._pause = QTimer(self, interval=DEBOUNCE_MS, singleShot=True)
        self._pause.timeout.connect(self.changed)
        self.text.textEdited.connect(self._type)
        self.also.textEdited.connect(self._pause_anew)
        for field in (self.text, self.also):
            field.returnPressed.connect(self._at_once)
        self.other.clicked.connect(self.other_wanted)
        self._lay_out()

    def _lay_out(self) -> None:
        self.text.setAccessibleName(tr("History"))
        self.text.setPlaceholderText(tr("What stands before"))
        self.text.setToolTip(tr("<s> at the front: the sentence begins here"))
        self.text.setMinimumWidth(theme.px(150))
        self.also.setAccessibleName(tr("A word to list in any case"))
        self.also.setPlaceholderText(sentence_case(tr("also list…")))
        self.also.setToolTip(tr("A word to list in any case"))
        self.also.setFixedWidth(theme.px(96))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(8))
        row.addWidget(label(tr("History"), tone="muted"))
        row.addWidget(self.text, 3)
        row.addWidget(self.chips, 2)
        row.addWidget(self.also)
        row.addWidget(self.other)

    @property
    def waiting(self) -> bool:
        """Something was typed that is not asked yet."""
        return self._pause.isActive()

    @property
    def typed(self) -> bool:
        """The user has typed the context."""
        return self._ids is None and bool(self.text.text())

    def context(self) -> str | tuple[int, ...]:
        """What to ask about."""
        return self.text.text() if self._ids is None else self._ids

    def words(self) -> tuple[str, ...]:
        """What to list in any case."""
        word = self.also.text().strip()
        return (word,) if word else ()

    def set_picked(self, context: FrequentContext | None, *, spaced: bool) -> None:
        """Show a context of the text; None is the empty one. `spaced`: spaces part its tokens."""
        words = context.words if context else []
        begin = [word for word in words[:1] if word == SPECIALS[BOS]]
        rest = words[len(begin) :]
        with QSignalBlocker(self.text):
            self.text.setText(" ".join([*begin, " ".join(rest) if spaced else joined(rest)]))
        self._ids = tuple(context.ids) if context else ()
        self._pause.stop()

    def set_text(self, text: str) -> None:
        """Show a text as if it were typed; emits nothing."""
        self._ids = None
        self.text.setText(text)

    def show_table(self, table: Table | None) -> None:
        """Show what was made of it."""
        self.chips.set_words(table.context if table else [])

    @Slot()
    def _type(self) -> None:
        self._ids = None
        self._pause.start()

    @Slot()
    def _pause_anew(self) -> None:
        self._pause.start()

    @Slot()
    def _at_once(self) -> None:
        self._pause.stop()
        self.changed.emit()


def joined(words: list[str]) -> str:
    """Tokens as a text: a space only between what is written with spaces."""
    text = ""
    for word in words:
        apart = bool(text) and text[-1].isascii() and word[:1].isascii() and word[:1].isalnum()
        text += f" {word}" if apart else word
    return text
