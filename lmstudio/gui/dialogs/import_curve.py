"""ImportCurveDialog: the curves found in a file in; which of them to keep, and as what, out."""

from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QWidget,
)

from lmstudio import figures
from lmstudio.formats.curve_file import FileCurve
from lmstudio.gui import theme
from lmstudio.gui.captions import sentence_case
from lmstudio.gui.dialogs.dialog import Dialog
from lmstudio.gui.panels.compare.measures import MEASURES
from lmstudio.gui.panels.compare.run_series import PARTS
from lmstudio.gui.widgets import disable, enable, label
from lmstudio.messages import listed, tr
from lmstudio.operations import foreign_curves


class ImportCurveDialog(Dialog):
    """Emits `chosen`: the columns, the name of a single one, measure and part ("": as found)."""

    chosen = Signal(list, str, str, str)

    def __init__(self, path: Path, found: list[FileCurve], parent: QWidget | None = None) -> None:
        super().__init__(tr("Curves of {name}", name=path.name), parent)
        self._found = found
        self.columns = QListWidget(self)
        self.name, self.measure, self.part = QLineEdit(self), QComboBox(self), QComboBox(self)
        self.name.setMaxLength(100)
        self._lay_out()
        self.columns.itemChanged.connect(self._refresh)
        self.measure.activated.connect(self._refresh)
        self.accepted.connect(self._tell)
        self._refresh()

    def _lay_out(self) -> None:
        said = tr("They are drawn dashed beside the runs of this corpus. Nothing of them was "
                  "measured here: that they are of the same text is for you to know.")  # fmt: skip
        self.body.addWidget(label(said, size=12, tone="muted", wrap=True))
        self.columns.setAccessibleName(tr("Columns"))
        self.columns.setFixedHeight(theme.px(140))
        for curve in self._found:
            item = QListWidgetItem(_told(curve), self.columns)
            item.setFlags(Qt.ItemFlag.ItemIsUserCheckable | Qt.ItemFlag.ItemIsEnabled
                          | Qt.ItemFlag.ItemIsSelectable)  # fmt: skip
            known = curve.measure or len(self._found) == 1
            item.setCheckState(Qt.CheckState.Checked if known else Qt.CheckState.Unchecked)
        self.measure.addItem(sentence_case(tr("as its name says")), "")
        for name in foreign_curves.MEASURES:
            self.measure.addItem(tr(MEASURES[name].title), name)
        self.part.addItem(sentence_case(tr("as its name says")), "")
        for name in foreign_curves.PARTS:
            self.part.addItem(sentence_case(tr(PARTS[name])), name)
        grid = QGridLayout()
        grid.setHorizontalSpacing(theme.px(12))
        rows = ((tr("Name"), self.name), (tr("Measure"), self.measure), (tr("Part"), self.part))
        for row, (title, control) in enumerate(rows):
            control.setAccessibleName(title)
            caption = label(title, tone="muted")
            caption.setBuddy(control)
            grid.addWidget(caption, row, 0)
            grid.addWidget(control, row, 1)
        grid.setColumnStretch(1, 1)
        self.body.addWidget(self.columns)
        self.body.addLayout(grid)
        self.setMinimumWidth(theme.px(460))
        self.add_cancel()
        self.add = self.add_primary(tr("Add to the chart"))

    def checked(self) -> list[FileCurve]:
        """The curves that are to be kept."""
        return [curve for number, curve in enumerate(self._found)
                if self.columns.item(number).checkState() == Qt.CheckState.Checked]  # fmt: skip

    @Slot()
    def _refresh(self) -> None:
        """A single one can be named; what the columns do not say must be said."""
        chosen = self.checked()
        single = len(chosen) == 1
        self.name.setEnabled(single)
        self.name.setPlaceholderText(chosen[0].name if single else "")
        unknown = [curve.column for curve in chosen if not curve.measure]
        if not chosen:
            disable(self.add, tr("Choose a column first"))
        elif unknown and not self.measure.currentData():
            disable(self.add, tr("Say what {names} measures", names=listed(unknown)))
        else:
            enable(self.add)

    @Slot()
    def _tell(self) -> None:
        columns = [curve.column for curve in self.checked()]
        name = self.name.text().strip() if len(columns) == 1 else ""
        self.chosen.emit(columns, name, self.measure.currentData(), self.part.currentData())


def _told(curve: FileCurve) -> str:
    """The column, what it seems to be, and how long it is."""
    measure = tr(MEASURES[curve.measure].title) if curve.measure else tr("measure unknown")
    count = tr("{count} points", count=figures.count(len(curve.values)))
    return " · ".join([curve.column, measure, tr(PARTS[curve.part]), count])
