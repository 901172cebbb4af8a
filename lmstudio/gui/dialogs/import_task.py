"""TaskImportDialog: paths of labelled files in; what they hold, and the order to import it, out."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from lmstudio.data.labelled.importing import NAMED
from lmstudio.data.labelled.label_options import LabelOptions
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.captions import sentence_case
from lmstudio.gui.choices import fill
from lmstudio.gui.dialogs.files_dialog import FilesDialog
from lmstudio.gui.forms import Form
from lmstudio.gui.jobs import Asker
from lmstudio.gui.panels.tasks import example_rows
from lmstudio.gui.panels.tasks.kind_names import KIND_TITLES, kind_title
from lmstudio.gui.state import AppState
from lmstudio.gui.tables import Table
from lmstudio.gui.widgets import ElidedLabel, button, disable, enable, label, scrolled
from lmstudio.messages import listed, msg, tr
from lmstudio.operations import tasks
from lmstudio.operations.tasks import TaskPreview
from lmstudio.text.document import NO_COLUMN

_PARTS = (
    ("train", msg("Train")), ("valid", msg("Valid")), ("test", msg("Test")),
    (NAMED, msg("names of labels")), ("", msg("leave out")),
)  # fmt: skip
_ROLES = (("text", msg("Text")), ("other", msg("Second text")), ("label", msg("Label")),
          ("part", msg("Part")))  # fmt: skip
_OPTIONS = ("header", "scheme", "valid_share", "test_share", "seed", "encoding")
_NAMES = {"auto": msg("as found"), "yes": msg("yes"), "no": msg("no")}
_PAUSE_MS = 200
_PROBLEMS = 4  # that are told
_WIDTH, _HEIGHT, _FILES = 1000, 600, 130
_CAPTION, _SHORT_CAPTION = 130, 76


@dataclass(frozen=True)
class TaskOrder:
    """What `operations.tasks.import_task` is to be given."""

    name: str
    kind: str
    files: dict[str, list[Path]]
    options: LabelOptions


class TaskImportDialog(FilesDialog):
    """What the files are is found out and shown; whatever was guessed wrong can be chosen."""

    ordered = Signal(object)  # a TaskOrder

    def __init__(self, state: AppState, paths: list[Path], parent: QWidget | None = None) -> None:
        super().__init__(tr("Import labelled examples"), parent)
        self._state = state
        self._files: list[tuple[Path, QComboBox]] = []
        self.seen: TaskPreview | None = None
        self.name, self.kind = QLineEdit(self), QComboBox(self)
        self.columns = {role: QComboBox(self) for role, _ in _ROLES}
        self.options: Form[LabelOptions] = Form(
            LabelOptions(), self, only=_OPTIONS, choice_names=_NAMES, widths=(_CAPTION, 130)
        )
        self.table = Table(example_rows.columns(), tr("First examples"), self)
        self._said = label(size=12, tone="muted", wrap=True)
        self._fault = label(size=12, tone="bad", wrap=True)
        self._looker = Asker(state, self)
        self._pause = QTimer(self, interval=_PAUSE_MS, singleShot=True)
        self.setAcceptDrops(True)
        self._lay_out()
        self._connect()
        self.add(paths)

    def _lay_out(self) -> None:
        self.kind.addItem(sentence_case(tr("as found")), "auto")
        for key, title in KIND_TITLES.items():
            self.kind.addItem(sentence_case(tr(title)), key)
        left, right = QVBoxLayout(), QVBoxLayout()
        left.setSpacing(theme.px(12))
        right.setSpacing(theme.px(8))
        left.addLayout(_grid((tr("Name"), self.name), (tr("Kind of task"), self.kind)))
        left.addWidget(self._files_box(), 1)
        left.addWidget(scrolled(self.options, self), 2)
        self._roles = self._columns_box()
        for widget in (self._roles, label(tr("First examples"), bold=True)):
            right.addWidget(widget)
        right.addWidget(self.table, 1)
        right.addWidget(self._said)
        right.addWidget(self._fault)
        both = QHBoxLayout()
        both.setSpacing(theme.px(24))
        both.addLayout(left, 2)
        both.addLayout(right, 3)
        self.body.addLayout(both, 1)
        self.add_cancel()
        self.accept_button = self.add_primary(tr("Import"))
        self.resize(theme.px(_WIDTH), theme.px(_HEIGHT))

    def _files_box(self) -> QWidget:
        """The names of the files, the part of each beside it."""
        made, files = QWidget(self), QWidget(self)
        self._list = QGridLayout()
        self._list.setVerticalSpacing(theme.px(4))
        self._list.setColumnStretch(0, 1)
        within = QVBoxLayout(files)
        within.setContentsMargins(0, 0, theme.px(8), 0)
        within.addLayout(self._list)
        within.addStretch()
        self.more = button(tr("More files…"), "link", parent=self)
        top = QHBoxLayout()
        top.addWidget(label(tr("Files"), bold=True), 1)
        top.addWidget(self.more)
        column = QVBoxLayout(made)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(4))
        column.addLayout(top)
        column.addWidget(scrolled(files, self), 1)
        made.setMinimumHeight(theme.px(_FILES))
        return made

    def _columns_box(self) -> QWidget:
        """What the columns of a table are, two and two."""
        made = QWidget(self)
        column = QVBoxLayout(made)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(8))
        column.addWidget(label(tr("Columns"), bold=True))
        halves = QHBoxLayout()
        halves.setSpacing(theme.px(20))
        pairs = [(tr(title), self.columns[role]) for role, title in _ROLES]
        for some in (pairs[:2], pairs[2:]):
            halves.addLayout(_grid(*some, caption=_SHORT_CAPTION), 1)
        column.addLayout(halves)
        for box in self.columns.values():
            box.setMinimumContentsLength(8)
            box.setSizeAdjustPolicy(
                QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
            )
        return made

    def _connect(self) -> None:
        self.more.clicked.connect(self._choose_more)
        self.kind.activated.connect(self._look_soon)
        self.name.textEdited.connect(self._check)
        for box in self.columns.values():
            box.activated.connect(self._look_soon)
        self.options.changed.connect(self._look_soon)
        self._pause.timeout.connect(self.look)
        self._looker.answered.connect(self._take)
        self._looker.failed.connect(self.refuse)
        self.accepted.connect(self._order)

    # files

    def add(self, paths: list[Path]) -> None:
        """Take more files; their parts are guessed by their names, beside those that are there."""
        for part, files in tasks.parts_of([*(path for path, _ in self._files), *paths]).items():
            for path in files:
                if all(path != known for known, _ in self._files):
                    self._add(path, part)
        if not self.name.text():
            self.name.setPlaceholderText(tasks.name_for(self._state.workspace, self.files()))
        self._look_soon()

    def _add(self, path: Path, part: str) -> None:
        box = QComboBox(self)
        for key, title in _PARTS:
            box.addItem(sentence_case(tr(title)), key)
        box.setCurrentIndex(max(0, box.findData(part)))
        box.setAccessibleName(tr("Part of {name}", name=path.name))
        box.activated.connect(self._look_soon)
        row = len(self._files)
        caption = ElidedLabel(path.name, parent=self)
        caption.setToolTip(str(path))
        self._list.addWidget(caption, row, 0)
        self._list.addWidget(box, row, 1)
        self._files.append((path, box))

    def files(self) -> dict[str, list[Path]]:
        """The files by part, without those that are left out."""
        found: dict[str, list[Path]] = {}
        for path, box in self._files:
            if part := str(box.currentData() or ""):
                found.setdefault(part, []).append(path)
        return found

    @Slot()
    def _choose_more(self) -> None:
        names, _ = QFileDialog.getOpenFileNames(self, tr("Import labelled examples"))
        self.add([Path(name) for name in names])

    # looking at them

    def order(self) -> TaskOrder:
        """What is set."""
        chosen: dict[str, Any] = {f"{role}_column": str(box.currentData() or "")
                  for role, box in self.columns.items()}  # fmt: skip
        options = replace(self.options.value(), **chosen)
        return TaskOrder(self.name.text().strip(), str(self.kind.currentData()), self.files(),
                         options)  # fmt: skip

    @Slot()
    def _look_soon(self) -> None:
        self._pause.start()
        self._check()

    @Slot()
    def look(self) -> None:
        """Read the first examples."""
        order = self.order()
        self._looker.cancel()
        if order.files and not self.options.faults():
            self._looker.ask(tasks.preview_task, order.files, order.kind, order.options)
        self._check()

    @Slot(object)
    def _take(self, found: TaskPreview) -> None:
        self.seen = found
        self._roles.setVisible(bool(found.names))
        for role, box in self.columns.items():
            name = found.columns.get(role, "")
            off = box.currentData() == NO_COLUMN
            guess = tr("as found: {name}", name=name) if name else tr("as found")
            without = (
                [(sentence_case(tr("none")), NO_COLUMN)] if role == "part" and (name or off) else []
            )
            fill(box, [(sentence_case(guess if name or off else tr("none")), ""), *without,
                       *((title, title) for title in found.names)])  # fmt: skip
        examples = [one for rows in found.examples.values() for one in rows]
        self.table.set_rows(example_rows.rows(found.kind, examples))
        told = [tr("Found: {kind}", kind=kind_title(found.kind)),
                tr("tags as {scheme}", scheme=found.scheme) if found.scheme else "",
                *_told(found)]  # fmt: skip
        self._said.setText(" · ".join(filter(None, told)))
        self._fault.setText("")
        self._check()

    @Slot(object)
    def refuse(self, error: AppError) -> None:
        """Say why they cannot be imported."""
        self.seen = None
        self.table.set_rows([])
        self._said.setText("")
        self._fault.setText(str(error))
        self._check()

    @Slot()
    def _check(self) -> None:
        """The import button."""
        reason = ""
        if self._pause.isActive() or self._looker.busy:
            reason = tr("The files are being looked at.")
        elif not self.files().get("train"):
            reason = tr("Choose a file to train on.")
        elif self.seen is None:
            reason = self._fault.text() or tr("The files are being looked at.")
        elif self.name.text().strip():
            try:
                self._state.workspace.check_name("task", self.name.text().strip())
            except AppError as error:
                reason = str(error)
        if reason:
            disable(self.accept_button, reason)
        else:
            enable(self.accept_button)

    @Slot()
    def _order(self) -> None:
        self.ordered.emit(self.order())


def _told(found: TaskPreview) -> Iterator[str]:
    """Parts that a column names, and what is wrong with the first examples."""
    if "part" in found.columns:
        counts = listed(
            (f"{tr(part)} {len(rows)}" for part, rows in found.examples.items()), clauses=True
        )
        yield tr("parts of the first rows: {counts}", counts=counts)
    for problem in found.problems[:_PROBLEMS]:
        yield str(problem.message)
    if len(found.problems) > _PROBLEMS:
        yield tr("and {count} more kinds of problems", count=len(found.problems) - _PROBLEMS)


def _grid(*rows: tuple[str, QWidget], caption: int = _CAPTION) -> QGridLayout:
    """Controls below each other with their captions before them."""
    grid = QGridLayout()
    grid.setVerticalSpacing(theme.px(6))
    grid.setHorizontalSpacing(theme.px(12))
    grid.setColumnMinimumWidth(0, theme.px(caption))
    grid.setColumnStretch(1, 1)
    for row, (title, control) in enumerate(rows):
        made = label(title, tone="muted")
        made.setBuddy(control)
        control.setAccessibleName(title)
        grid.addWidget(made, row, 0)
        grid.addWidget(control, row, 1)
    return grid
