"""ImportDialog: paths in; what importing them would find, and the order to do so, out."""

from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)

from lmstudio.data.split import SplitRule
from lmstudio.errors import AppError
from lmstudio.gui import drop, theme
from lmstudio.gui.asking import Asking
from lmstudio.gui.dialogs.dialog import Dialog
from lmstudio.gui.dialogs.encoding_choice import EncodingChoice
from lmstudio.gui.dialogs.found_files import FoundFiles
from lmstudio.gui.dialogs.split_fields import SplitFields
from lmstudio.gui.dialogs.wrapped_lines import WrappedLines
from lmstudio.gui.jobs import Asker
from lmstudio.gui.panels.importing import ImportOrder, look
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import disable, enable, label
from lmstudio.messages import msg, tr
from lmstudio.operations import corpora
from lmstudio.store.rows import Part
from lmstudio.text.preview import Preview
from lmstudio.text.read import shown

ENCODINGS = ("utf-8", "gb18030", "big5", "utf-16-le", "utf-16-be")
LINES = {
    "auto": msg("as found"),
    "sentence": msg("one sentence a line"),
    "paragraph": msg("one paragraph a line"),
    "wrapped": msg("wrapped at the page's width: join"),
}
"""What a line of the files is; the values are those of `operations.corpora`."""
_HIGHEST = 680


class ImportDialog(Dialog):
    """Everything is filled in: Enter imports."""

    ordered = Signal(object)  # an ImportOrder

    def __init__(self, state: AppState, paths: list[Path], parent: QWidget | None = None) -> None:
        super().__init__(tr("Import files"), parent)
        self._state, self._paths = state, list(paths)
        self._seen: Preview | None = None
        self._parts: dict[Part, list[Path]] | None = None
        self.setAcceptDrops(True)
        self.setMinimumWidth(theme.px(760))
        self._asker = Asker(state, self)
        self.files = FoundFiles(self)
        self.encodings = EncodingChoice(self)
        self.wrapped = WrappedLines(self)
        self.text = QPlainTextEdit(self)
        self.name = QLineEdit(self)
        self.encoding, self.lines = QComboBox(self), QComboBox(self)
        self.split = SplitFields(SplitRule(), self)
        self.given = QCheckBox(self)
        self._fault = label(size=12, tone="bad", wrap=True)
        self._lay_out()
        self._more = self.add_button(tr("Add files…"), "link", left=True)
        self.add_cancel()
        self.accept_button = self.add_primary(tr("Import"))
        self._connect()
        self._look()

    def _lay_out(self) -> None:
        self.text.setReadOnly(True)
        self.text.setAccessibleName(tr("First lines"))
        self.text.setMinimumHeight(theme.px(56))
        self.text.setMaximumHeight(theme.px(150))
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.name.setAccessibleName(tr("Name of the corpus"))
        self.name.setPlaceholderText(_proposed(self._state, self._paths))
        self.encoding.setAccessibleName(tr("Encoding"))
        self.lines.setAccessibleName(tr("Lines"))
        self.encoding.addItem(tr("found by itself"), "auto")
        for encoding in ENCODINGS:
            self.encoding.addItem(encoding.upper(), encoding)
        for rule, title in LINES.items():
            self.lines.addItem(tr(title), rule)
        self.given.hide()
        self._fault.hide()
        for widget in (self.files, self.encodings, self.text, self.wrapped):
            self.body.addWidget(widget)
        fields = QGridLayout()
        fields.setHorizontalSpacing(theme.px(12))
        fields.setVerticalSpacing(theme.px(8))
        rows = ((tr("Name"), self.name), (tr("Encoding"), self.encoding),
                (tr("Lines"), self.lines), (tr("Held out"), self.split))  # fmt: skip
        for number, (title, field) in enumerate(rows):
            fields.addWidget(_caption(title, field), number, 0)
            fields.addWidget(field, number, 1)
        fields.setColumnStretch(1, 1)
        self.body.addLayout(fields)
        self.body.addWidget(self.given)
        self.body.addWidget(self._fault)

    def _connect(self) -> None:
        self._asker.answered.connect(self._show)
        self._asker.failed.connect(self._failed)
        self.encoding.currentIndexChanged.connect(self._look)
        self.encodings.chosen.connect(self._choose_encoding)
        self.wrapped.chosen.connect(self._choose_lines)
        self.lines.currentIndexChanged.connect(self._lines_changed)
        self.given.toggled.connect(self._check)
        self.name.textChanged.connect(self._check)
        self.split.changed.connect(self._check)
        self._more.clicked.connect(Asking(self._state, self).choose_files)  # they come by `add`
        self.accepted.connect(self._order)
        self.finished.connect(self._asker.cancel)

    # looking

    def add(self, paths: list[Path]) -> None:
        """More files were dropped or chosen."""
        self._paths += [path for path in paths if path not in self._paths]
        self._look()

    @Slot()
    def _look(self) -> None:
        self._asker.ask(look, list(self._paths), self.encoding.currentData())
        self._check()

    @Slot(object)
    def _show(self, seen: Preview) -> None:
        self._seen = seen
        self.files.show_files(seen)
        if self.encoding.currentData() == "auto":
            found = seen.encoding.upper()
            text = tr("found by itself: {encoding}", encoding=found) if found else ""
            self.encoding.setItemText(0, text or tr("found by itself"))
            self.encodings.show_candidates(seen)
        self.text.setPlainText("\n".join(seen.lines))
        rule = tr(LINES[seen.lines_rule]) if seen.lines_rule else ""
        self.lines.setItemText(0, tr("as found: {rule}", rule=rule) if rule else tr(LINES["auto"]))
        self.wrapped.show_share(seen.unended if seen.lines_rule == "wrapped" else None)
        self._offer_parts([file.path for file in seen.files])
        self._check()
        self._fit()

    def _fit(self) -> None:
        """As high as what it says, or as a small screen; then the first lines give way."""
        if (layout := self.layout()) is not None:
            layout.activate()
        self.resize(self.width(), min(self.sizeHint().height(), theme.px(_HIGHEST)))

    def _offer_parts(self, files: list[Path]) -> None:
        self._parts = corpora.parts_by_name(files)
        self.given.setVisible(self._parts is not None)
        if self._parts is not None:
            names = "; ".join(
                f"{part}: {', '.join(map(shown, paths))}"
                for part, paths in self._parts.items() if paths
            )  # fmt: skip
            self.given.setText(tr("Keep the parts as the files are named: {names}", names=names))
            self.given.setChecked(True)

    @Slot(object)
    def _failed(self, error: AppError) -> None:
        self._seen = None
        self._check()
        disable(self.accept_button, str(error))
        self._say(str(error))

    # what can be changed

    @Slot(str)
    def _choose_encoding(self, encoding: str) -> None:
        if self.encoding.findData(encoding) < 0:
            self.encoding.addItem(encoding.upper(), encoding)
        self.encoding.setCurrentIndex(self.encoding.findData(encoding))

    @Slot(str)
    def _choose_lines(self, rule: str) -> None:
        self.lines.setCurrentIndex(self.lines.findData(rule))

    @Slot()
    def _lines_changed(self) -> None:
        self.wrapped.set_rule(self.lines.currentData())

    @property
    def _keeps_parts(self) -> bool:
        return self._parts is not None and self.given.isChecked()

    @Slot()
    def _check(self) -> None:
        """The import button, and what stands under the fields."""
        kept = tr("The files are the parts.") if self._keeps_parts else ""
        self.split.switch_off(kept)
        reason, wrong = "", ""
        if self._asker.busy or self._seen is None:
            reason = tr("The files are being looked at.")
        elif not self._seen.files:
            wrong = tr("None of the files can be imported.")
        else:
            wrong = self._name_fault()
        if reason or wrong:
            disable(self.accept_button, reason or wrong)
        else:
            enable(self.accept_button)
        self._say(wrong)

    def _name_fault(self) -> str:
        if not self.name.text().strip():
            return ""
        try:
            self._state.workspace.check_name("corpus", self.name.text().strip())
        except AppError as error:
            return str(error)
        return ""

    def _say(self, wrong: str) -> None:
        self._fault.setText(wrong)
        self._fault.setVisible(bool(wrong))

    # what comes of it

    def order(self) -> ImportOrder:
        """What is set."""
        return ImportOrder(
            tuple(self._paths),
            self.name.text().strip() or _proposed(self._state, self._paths),
            self.encoding.currentData(), self.lines.currentData(), self.split.value(),
            self._parts if self._keeps_parts else None,
        )  # fmt: skip

    @Slot()
    def _order(self) -> None:
        self.ordered.emit(self.order())

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802
        event.acceptProposedAction()
        try:
            self.add(drop.paths(event.mimeData()))
        except AppError as error:
            self._say(str(error))


def _proposed(state: AppState, paths: list[Path]) -> str:
    """The name an import without one would get."""
    return corpora.name_for(state.workspace, paths)


def _caption(text: str, field: QWidget) -> QLabel:
    made = label(text, tone="muted")
    made.setBuddy(field)
    return made
