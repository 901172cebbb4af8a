"""LogBox: whether a training writes its curves for TensorBoard too."""

from PySide6.QtWidgets import QCheckBox, QWidget

from lmstudio.gui.forms import Form
from lmstudio.gui.widgets import label
from lmstudio.messages import tr


class LogBox(QCheckBox):
    """Off until somebody wants it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("write a log"), parent)
        self.setAccessibleName(tr("Write a log for TensorBoard"))
        self.setToolTip(
            tr("Curves go into the folder tensorboard of the workspace too, as they come; "
               "“tensorboard --logdir” and that folder shows them")
        )  # fmt: skip

    def stand_in(self, form: Form) -> None:
        """Take a place at the foot of what folds away of a form."""
        caption = label("TensorBoard", tone="muted")
        caption.setBuddy(self)
        form.add_rare(caption, self)
