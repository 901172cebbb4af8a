"""ConfusionCard: the scores of a part in; who is taken for whom, and what is chosen of it, out."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QWidget

from lmstudio import figures
from lmstudio.analysis.tasks.errors import BOUNDS, PartScores
from lmstudio.gui import theme
from lmstudio.gui.dialogs.export_plot import ExportDialog
from lmstudio.gui.panels.tasks.class_names import class_name, told
from lmstudio.gui.panels.tasks.task_layout import add_tool
from lmstudio.gui.save_as import SaveAs
from lmstudio.gui.state import AppState
from lmstudio.gui.tables import Cell, Column, Row, Table
from lmstudio.gui.widgets import Card, label, scrolled
from lmstudio.gui.widgets.confusion import Confusion, ConfusionMatrix
from lmstudio.messages import tr
from lmstudio.operations import task_scores

_MATRIX = 275  # pixels of its height that are seen in any case


class ConfusionCard(Card):
    """A matrix, and below it a row for each label. Of spans these are types; of questions there
    are two, those with an answer and those without."""

    chosen = Signal(str, str)  # labels: what is right, what was guessed; "" for all of them

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(tr("What is taken for what"), parent=parent)
        self._state = state
        self.found: PartScores | None = None
        self.caption = ""
        self.matrix = ConfusionMatrix(tr("What is taken for what"), self)
        self.table = Table(_columns(), tr("By label"), self)
        self.figures = label(size=12, tone="muted", wrap=True)
        self.save = SaveAs(state, self)
        self._rows: tuple[str, ...] = ()  # labels of the matrix
        self._columns: tuple[str, ...] = ()
        self._lay_out()
        self.matrix.chosen.connect(self._take_cell)
        self.matrix.export_wanted.connect(self.export)
        self.table.chosen.connect(self._take_row)

    def _lay_out(self) -> None:
        add_tool(self, "export", tr("Export the chart"), self.export)
        add_tool(self, "table", tr("Save the scores as CSV"), self.save_csv)
        self._area = scrolled(self.matrix)
        self._by_label = label(tr("By label"), bold=True)
        self.body.addWidget(self.figures)
        self.body.addWidget(self._area, 3)
        self.body.addWidget(self._by_label)
        self.body.addWidget(self.table, 2)
        self.body.addStretch()

    def show_scores(self, found: PartScores | None, caption: str) -> None:
        """Show the scores of a run; None while they are not known. `caption` is of its picture."""
        self.found, self.caption = found, caption
        self.matrix.choose(-1, -1)
        self.figures.setText(told(found) if found else "")
        tagged = found is not None and found.task == "tag"
        self.figures.setToolTip(
            tr("conlleval counts broken tags as spans too: its F1 may be the lower one.")
            if tagged else ""
        )  # fmt: skip
        self._rows = self._columns = found.labels if found else ()
        if found and found.task == "tag":  # nothing is right that ends elsewhere
            self._rows = tuple(name for name in found.labels if name != BOUNDS)
        self.matrix.show_counts(_confusion(found, self._rows) if found else Confusion())
        self.table.set_rows(_class_rows(found) if found else [])
        self._area.setMaximumHeight(self.matrix.sizeHint().height() + theme.px(8))
        self._area.setMinimumHeight(min(self.matrix.minimumHeight() + 4, theme.px(_MATRIX)))
        self._area.setVisible(found is not None)
        for widget in (self._by_label, self.table):
            widget.setVisible(bool(found and found.rows))

    def forget(self) -> None:
        """Nothing is chosen any more; emits nothing."""
        self.matrix.choose(-1, -1)
        self.table.select([])

    @Slot(int, int)
    def _take_cell(self, row: int, column: int) -> None:
        gold = self._rows[row] if row >= 0 else ""
        self.table.select([gold] if gold and column < 0 else [])
        self.chosen.emit(gold, self._columns[column] if column >= 0 else "")

    @Slot(list)
    def _take_row(self, keys: list[str]) -> None:
        if keys:
            self.matrix.choose(self._rows.index(keys[0]), -1)
            self.chosen.emit(keys[0], "")

    @Slot()
    def export(self) -> None:
        """Save the matrix as a picture."""
        if self.found is not None:
            ExportDialog(self._state, self.matrix, self.caption, self.window()).open()

    @Slot()
    def save_csv(self) -> None:
        """Save the row of each label, and the matrix beside it, as CSV."""
        if self.found is not None:
            self.save.ask(self.caption, task_scores.save_scores, self.found)


def _confusion(found: PartScores, rows: tuple[str, ...]) -> Confusion:
    kept = [number for number, name in enumerate(found.labels) if name in rows]
    return Confusion(found.confusion[kept], tuple(class_name(found.task, name) for name in rows),
                     tuple(class_name(found.task, name) for name in found.labels))  # fmt: skip


def _columns() -> list[Column]:
    return [
        Column("label", tr("Label")),
        *(Column(name, title, right=True, show=_percent, width=66)
          for name, title in (("precision", tr("Precision")), ("recall", tr("Recall")),
                              ("f1", "F1"))),
        Column("support", tr("Support"), right=True, show=figures.count, width=66,
               note=tr("How many there are")),
    ]  # fmt: skip


def _percent(share: float) -> str:
    return figures.percent(share, 1)


def _class_rows(found: PartScores) -> list[Row]:
    return [
        Row(name, {
            "label": Cell(class_name(found.task, name)), "precision": Cell(one.precision),
            "recall": Cell(one.recall), "f1": Cell(one.f1, draw=("bar", one.f1, "accent")),
            "support": Cell(one.gold),
        })
        for name, one in found.rows.items()
    ]  # fmt: skip
