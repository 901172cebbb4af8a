"""TagsDialog: a corpus or a run in; the tags that the user types, on it."""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QLineEdit, QWidget

from lmstudio.gui import renaming, theme
from lmstudio.gui.dialogs.dialog import Dialog
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import label
from lmstudio.messages import tr
from lmstudio.operations import tags
from lmstudio.store.tags import Noun


class TagsDialog(Dialog):
    """One line, with white space or commas between the tags; those in use stand below it."""

    def __init__(
        self, state: AppState, noun: Noun, row_id: int, name: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(tr("Tags of {name}", name=name), parent)
        self._state, self._noun, self._id, self._name = state, noun, row_id, name
        known = tags.tags(state.workspace, noun)
        self.field = QLineEdit(" ".join(known.get(row_id, ())), self)
        self.field.setAccessibleName(tr("Tags"))
        self.field.setPlaceholderText(tr("Tags, with spaces between"))
        self.field.setMinimumWidth(theme.px(360))
        self.body.addWidget(self.field)
        used = sorted({word for words in known.values() for word in words})
        if used:
            text = tr("In use: {tags}", tags=" ".join(used))
            self.body.addWidget(label(text, tone="muted", size=12, wrap=True))
        self.add_cancel()
        self.add_primary(tr("Save"))
        self.accepted.connect(self.keep)

    @Slot()
    def keep(self) -> None:
        """Put what is typed on it, instead of the tags that it had."""
        words = tags.words_of(self.field.text())
        renaming.set_tags(self._state, self._noun, self._id, self._name, words)
