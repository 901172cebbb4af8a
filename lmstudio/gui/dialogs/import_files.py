"""ImportDialog: paths in; what importing them would find, and the order to do so, out."""

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from lmstudio.data.import_options import ImportOptions
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.asking import Asking
from lmstudio.gui.dialogs.column_roles import with_roles
from lmstudio.gui.dialogs.files_dialog import FilesDialog
from lmstudio.gui.dialogs.found_files import FoundFiles
from lmstudio.gui.dialogs.import_fields import ImportFields
from lmstudio.gui.dialogs.import_more import MoreSettings
from lmstudio.gui.dialogs.import_sample import ImportSample
from lmstudio.gui.jobs import Asker
from lmstudio.gui.panels.corpora.importing import ImportOrder, Parts, look, try_steps
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import disable, enable, label, scrolled
from lmstudio.messages import tr
from lmstudio.operations import corpora
from lmstudio.store.rows import CorpusRow
from lmstudio.text.document import ReadOptions
from lmstudio.text.normalize import NormaliseOptions
from lmstudio.text.normalize_sample import NormalisedSample
from lmstudio.text.preview import Preview

_WIDTH, _MORE_WIDTH, _HIGHEST = 760, 480, 680


class ImportDialog(FilesDialog):
    """Everything is filled in: Enter imports. What is rarely changed stands behind "More"."""

    ordered = Signal(object)  # an ImportOrder

    def __init__(
        self, state: AppState, paths: list[Path], parent: QWidget | None = None, *,
        again: CorpusRow | None = None, options: ImportOptions | None = None,
    ) -> None:  # fmt: skip
        """`again`: the corpus whose files these are, imported as `options` say."""
        title = tr("Import {name} again", name=again.name) if again else tr("Import files")
        super().__init__(title, parent)
        self._state, self._paths, self._again = state, list(paths), again
        self._seen: Preview | None = None
        self._parts: Parts | None = None
        self._looker, self._trier = Asker(state, self), Asker(state, self)
        options = options or ImportOptions()
        self._reading = options.reading
        self._recalled = options.reading != ReadOptions()  # chosen before: no need to recall
        self.files = FoundFiles(self)
        self.sample = ImportSample(self)
        self.fields = ImportFields(options.reading, options.split, self._proposed(), self)
        self.more = MoreSettings(options, self)
        self._fault = label(size=12, tone="bad", wrap=True)
        self._fault.hide()
        self._lay_out()
        self._connect()
        self._look()

    def _lay_out(self) -> None:
        self.setAcceptDrops(self.takes_files)
        self._right = scrolled(self.more, self)
        self._right.setFixedWidth(theme.px(_MORE_WIDTH))
        self._right.hide()
        left = QVBoxLayout()
        left.setSpacing(theme.px(8))
        for widget in (self.files, self.sample, self.fields, self._fault):
            left.addWidget(widget)
        left.addStretch()
        halves = QHBoxLayout()
        halves.setSpacing(theme.px(12))
        halves.addLayout(left, 1)
        halves.addWidget(self._right)
        self.body.addLayout(halves)
        self.fold: QPushButton = self.add_button("", "link", left=True)
        self.fold.setCheckable(True)
        self._add_files = self.add_button(tr("Add files…"), "link", left=True)
        self._add_files.setVisible(self.takes_files)
        self.add_cancel()
        self.accept_button = self.add_primary(tr("Import"))
        self.setMinimumWidth(theme.px(_WIDTH))

    def _connect(self) -> None:
        self._looker.answered.connect(self._show)
        self._looker.failed.connect(self._failed)
        self._trier.answered.connect(self._show_steps)
        self._trier.failed.connect(self._failed)
        self.fields.reading_changed.connect(self._look)
        self.fields.changed.connect(self._check)
        self.sample.changed.connect(self._columns_changed)
        self.sample.encodings.chosen.connect(self.fields.set_encoding)
        self.sample.wrapped.chosen.connect(self.fields.set_lines)
        self.more.steps_changed.connect(self._try_steps)
        self.more.changed.connect(self._check)
        self.fold.toggled.connect(self._unfold)
        self._add_files.clicked.connect(Asking(self._state, self).choose_files)  # to `add`
        self.accepted.connect(self._order)
        self.finished.connect(self._looker.cancel)
        self.finished.connect(self._trier.cancel)

    # looking

    @property
    def busy(self) -> bool:
        """An answer is awaited."""
        return self._looker.busy or self._trier.busy

    @property
    def takes_files(self) -> bool:
        """More files may be added."""
        return self._again is None

    def add(self, paths: list[Path]) -> None:
        """More files were dropped or chosen."""
        self._paths += [path for path in paths if path not in self._paths]
        self._look()

    def refuse(self, error: AppError) -> None:
        """Say why what was dropped cannot be taken."""
        self._say(str(error))

    def reading(self) -> ReadOptions:
        """How the files are to be read."""
        return replace(
            self._reading, encoding=self.fields.encoding.currentData(),
            format=self.fields.format.currentData(), lines=self.fields.lines.currentData(),
        )  # fmt: skip

    @Slot()
    def _look(self) -> None:
        reading = replace(self.reading(), lines="auto")  # what is found, whatever was chosen
        self._looker.ask(look, list(self._paths), reading)
        self._check()

    @Slot(object)
    def _show(self, answer: tuple[Preview, Parts | None]) -> None:
        seen, parts = answer
        self._seen = seen
        if self._recall_columns(seen):
            self._look()
            return
        self.files.show_files(seen)
        self.fields.show_preview(seen)
        self.sample.show_preview(seen, found=self.reading().encoding == "auto")
        self._parts = None if self._again else parts
        self.fields.offer_parts(self._parts)
        named = "part" in seen.table.guess if seen.table else len(seen.files) > 1
        self.more.offer_column(named)
        self._try_steps()
        self._check()
        self._fit()

    def _recall_columns(self, seen: Preview) -> bool:
        """The roles that columns of these names had last time; True if that changes anything."""
        if seen.table is None or not seen.table.header or self._recalled:
            return False
        self._recalled = True
        roles = self._state.settings.columns_of(seen.table.columns)
        if roles is None or roles == seen.table.guess:
            return False
        self._reading = with_roles(self._reading, roles)
        return True

    def _fit(self) -> None:
        """As high as what it says, or as a small screen; then the first lines give way."""
        for widget in (self.sample.columns, self.sample, self):  # from within: each asks its own
            if (layout := widget.layout()) is not None:
                layout.activate()
        height, more = self.sizeHint().height(), 0
        if not self._right.isHidden():
            more = _MORE_WIDTH + 12
            height = max(height, self.more.sizeHint().height() + theme.px(120))
        self.resize(theme.px(_WIDTH + more), min(height, theme.px(_HIGHEST)))

    @Slot()
    def _try_steps(self) -> None:
        """Ask what the steps do to the lines in sight, if that is shown anywhere."""
        normalise = self.more.normalise()
        if self._seen is not None and (self.fold.isChecked() or normalise != NormaliseOptions()):
            self._trier.ask(try_steps, self._seen.lines, normalise)
        elif self._seen is not None:
            self.sample.text.show_lines(self._seen.lines)

    @Slot(object)
    def _show_steps(self, found: NormalisedSample) -> None:
        self.more.show_counts(found)
        self.sample.show_changes(found)
        self._fit()

    @Slot(object)
    def _failed(self, error: AppError) -> None:
        self._seen = None
        self._check()
        disable(self.accept_button, str(error))
        self._say(str(error))

    # what can be changed

    @Slot()
    def _columns_changed(self) -> None:
        self._recalled = True
        self._reading = self.sample.columns.written_in(self._reading)
        if "text" in self.sample.columns.roles():
            self._look()
        self._check()

    @Slot(bool)
    def _unfold(self, shown: bool) -> None:  # noqa: FBT001
        self._right.setVisible(shown)
        self._try_steps()
        self._fit()

    @property
    def _keeps_parts(self) -> bool:
        """The parts are those of the files, now or when they were first imported."""
        if self._again is not None:
            return self._again.split_rule == "files"
        return self._parts is not None and self.fields.given.isChecked()

    @Slot()
    def _check(self) -> None:
        """The import button, and what stands under the fields."""
        kept = tr("The files are the parts.") if self._keeps_parts else ""
        column = tr("The part column says what goes where.") if self._splits_by_column() else ""
        self.fields.split.switch_off(kept or column)
        self.more.switch_off_split(kept)
        self.sample.wrapped.set_rule(self.fields.lines.currentData())
        count, changed = self.more.settings(), self.more.changes()
        self.fold.setText(
            tr("More settings ({count}, {changed} changed)", count=count, changed=changed)
            if changed else tr("More settings ({count})", count=count)
        )  # fmt: skip
        reason, wrong = "", ""
        if self._looker.busy or self._seen is None:
            reason = tr("The files are being looked at.")
        else:
            wrong = self._fault_of(self._seen)
        if reason or wrong:
            disable(self.accept_button, reason or wrong)
        else:
            enable(self.accept_button)
        self._say(wrong)

    def _splits_by_column(self) -> bool:
        by, named = self.more.split.value().by, "part" in self.sample.columns.roles()
        return by == "column" or (by == "auto" and named)

    def _fault_of(self, seen: Preview) -> str:
        """Why it cannot be imported, if so."""
        if not seen.files:
            return tr("None of the files can be imported.")
        if not self.sample.columns.isHidden() and "text" not in self.sample.columns.roles():
            return tr("Choose which column is the text.")
        if not self.fields.name.text().strip():
            return ""
        try:
            self._state.workspace.check_name("corpus", self.fields.name.text().strip())
        except AppError as error:
            return str(error)
        return ""

    def _say(self, wrong: str) -> None:
        self._fault.setText(wrong)
        self._fault.setVisible(bool(wrong))

    # what comes of it

    def order(self) -> ImportOrder:
        """What is set."""
        options = replace(self.more.value(self.fields.split.value()), reading=self.reading())
        return ImportOrder(
            tuple(self._paths), self.fields.name.text().strip() or self._proposed(), options,
            parts=self._parts if self._keeps_parts else None,
            again=self._again.id if self._again else None,
        )  # fmt: skip

    def _proposed(self) -> str:
        """The name an import without one would get."""
        if self._again:
            return self._state.workspace.free_name("corpus", self._again.name)
        return corpora.name_for(self._state.workspace, self._paths)

    @Slot()
    def _order(self) -> None:
        table = self._seen.table if self._seen is not None else None
        if table is not None and table.header:
            roles = self.sample.columns.roles()
            self._state.settings.remember_columns(table.columns, roles)
        self.ordered.emit(self.order())
