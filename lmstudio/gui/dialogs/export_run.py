"""ExportRunDialog: a run in; a layout of another program and its settings, and the file out."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Slot
from PySide6.QtWidgets import QFileDialog, QListWidget, QListWidgetItem, QStackedWidget, QWidget

from lmstudio.gui import theme
from lmstudio.gui.dialogs.dialog import Dialog
from lmstudio.gui.forms import Form
from lmstudio.gui.save_as import SaveAs, chosen_path
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import disable, enable, label
from lmstudio.messages import tr
from lmstudio.operations import exporting
from lmstudio.operations.export_format import ExportOptions, Format
from lmstudio.store.rows import RunRow

_ROW = 26  # height of a layout in the list


class ExportRunDialog(Dialog):
    """Lists all layouts: those that the run can have, and why it cannot have the others."""

    def __init__(self, state: AppState, row: RunRow, save: SaveAs, parent: QWidget) -> None:
        """`save` writes, and outlives the dialog."""
        super().__init__(tr("Export {name}", name=row.name), parent)
        self._state, self._row, self._save = state, row, save
        self._reasons = {name: str(exporting.why_not(state.workspace, row, name) or "")
                         for name in exporting.FORMATS}  # fmt: skip
        self.layouts = QListWidget(self)
        self.layouts.setAccessibleName(tr("Layout of the files"))
        self.layouts.setFixedHeight(theme.px(_ROW * len(exporting.FORMATS) + 4))
        self.forms = QStackedWidget(self)
        self.note = label(size=12, tone="muted", wrap=True)
        self.note.setMinimumHeight(theme.px(36))
        self._fill()
        self.body.addWidget(self.layouts)
        self.body.addWidget(self.forms)
        self.body.addWidget(self.note)
        self.setMinimumWidth(theme.px(460))
        self.add_cancel()
        self.choose = self.add_primary(tr("Choose where to…"))
        self.layouts.currentRowChanged.connect(self._refresh)
        self.accepted.connect(self._ask)
        possible = [number for number, why in enumerate(self._reasons.values()) if not why]
        self.layouts.setCurrentRow(possible[0] if possible else 0)
        self._refresh()

    def _fill(self) -> None:
        self._forms: dict[tuple[str, ...], QWidget] = {(): QWidget(self)}
        for name, layout in exporting.FORMATS.items():
            item = QListWidgetItem(tr(layout.title), self.layouts)
            item.setSizeHint(QSize(0, theme.px(_ROW)))
            if self._reasons[name]:
                item.setForeground(theme.colour("off"))
                item.setToolTip(self._reasons[name])
            if layout.settings not in self._forms:
                form = Form(ExportOptions(), self, only=layout.settings)
                self._forms[layout.settings] = form
        for widget in self._forms.values():
            self.forms.addWidget(widget)
        self.forms.setFixedHeight(self.forms.sizeHint().height())

    def layout_name(self) -> str:
        """The key of the layout chosen."""
        return list(exporting.FORMATS)[self.layouts.currentRow()]

    def options(self) -> ExportOptions:
        """What is set of it."""
        form = self._forms[self._format().settings]
        return form.value() if isinstance(form, Form) else ExportOptions()

    def _format(self) -> Format:
        return exporting.FORMATS[self.layout_name()]

    @Slot()
    def _refresh(self) -> None:
        why, layout = self._reasons[self.layout_name()], self._format()
        self.forms.setCurrentWidget(self._forms[layout.settings])
        self.note.setText(why or (tr("A file ({suffix})", suffix=layout.suffix) if layout.suffix
                                  else tr("A new folder")))  # fmt: skip
        if why:
            disable(self.choose, why)
        else:
            enable(self.choose)

    @Slot()
    def _ask(self) -> None:
        layout, over = self._format(), self.parentWidget()
        path: Path | None = None
        if layout.suffix:
            kinds = f"{tr(layout.title)} (*{layout.suffix})"
            path = chosen_path(over, tr("Save as"), self._row.name, kinds)
        else:
            title = tr("Name of the new folder")
            chosen, _ = QFileDialog.getSaveFileName(over, title, self._row.name)
            path = Path(chosen) if chosen else None
        if path:
            self.write(path)

    def write(self, path: Path) -> None:
        """Write there, in the background."""
        function = partial(exporting.export, options=self.options())
        self._save.save(path, function, self._state.workspace, self._row.id, self.layout_name())
