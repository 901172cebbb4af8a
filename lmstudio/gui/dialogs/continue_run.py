"""How much longer a run is to be trained: epochs or minutes more, or what is left of it."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QWidget

from lmstudio.gui import theme
from lmstudio.gui.dialogs.dialog import Dialog
from lmstudio.gui.widgets import DecimalBox, Segmented, WholeBox, label
from lmstudio.messages import tr

EPOCHS, MINUTES = 2, 1.0
"""Proposed."""


class ContinueDialog(Dialog):
    """Emits `chosen`: epochs and minutes, of which at most one is not zero."""

    chosen = Signal(int, float)

    def __init__(self, name: str, *, done: bool, parent: QWidget | None = None) -> None:
        """`done`: there is nothing left of what the run was to do."""
        super().__init__(tr("Continue training {name}", name=name), parent)
        rest = [] if done else [("rest", tr("to its end"))]
        choices = [*rest, ("epochs", tr("more epochs")), ("minutes", tr("more minutes"))]
        self.how = Segmented(choices, tr("How long"), self)
        self.epochs, self.minutes = WholeBox(self), DecimalBox(self)
        self._pages = QStackedWidget(self)
        self._lay_out()
        self.how.chosen.connect(self._show_page)
        self.accepted.connect(self._tell)
        self._show_page()

    def _lay_out(self) -> None:
        self.epochs.setRange(1, 10_000)
        self.epochs.setValue(EPOCHS)
        self.minutes.setRange(0.1, 100_000)
        self.minutes.setDecimals(1)
        self.minutes.setValue(MINUTES)
        for box, name in ((self.epochs, tr("Epochs")), (self.minutes, tr("Minutes"))):
            box.setAccessibleName(name)
            box.setFixedSize(theme.px(96), box.sizeHint().height())
        self._pages.addWidget(QWidget(self))
        for box in (self.epochs, self.minutes):
            self._pages.addWidget(box)
        row = QHBoxLayout()
        row.setSpacing(theme.px(12))
        row.addWidget(self.how)
        row.addWidget(self._pages)
        self._pages.setFixedHeight(self.epochs.height())
        row.addStretch()
        self.body.addLayout(row)
        self.body.addWidget(
            label(
                tr("It goes on from its last checkpoint. After a longer plan is taken up, the "
                   "learning rate warms up again."),
                size=12, tone="muted", wrap=True,
            )
        )  # fmt: skip
        self.setMinimumWidth(theme.px(440))
        self.add_cancel()
        self.add_primary(tr("Continue"))

    @Slot()
    def _show_page(self) -> None:
        pages = {"rest": 0, "epochs": 1, "minutes": 2}
        self._pages.setCurrentIndex(pages[self.how.value()])

    @Slot()
    def _tell(self) -> None:
        how = self.how.value()
        epochs = self.epochs.value() if how == "epochs" else 0
        self.chosen.emit(epochs, self.minutes.value() if how == "minutes" else 0.0)
