"""OccurrenceCard: a word in sentences in; which are chosen, marked, added and taken away, out."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QEvent, QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from lmstudio.data.browse.uses import Occurrence
from lmstudio.gui import theme
from lmstudio.gui.tables import Cell, Column, Row, Table
from lmstudio.gui.widgets import Card, button, label, tool
from lmstudio.gui.widgets.flow_layout import FlowLayout
from lmstudio.messages import tr

MARKS = ("1", "2", "3")
"""Meanings that are marked by hand."""
_BEFORE = 6  # characters before the word that are shown where it stands far in its sentence


class OccurrenceCard(Card):
    """A row for each occurrence. Keys 1 to 3 mark the rows chosen, 0 takes marks away, Del rows."""

    chosen = Signal(int)  # an occurrence, -1 if none is
    pointed = Signal(int)  # the one under the pointer, else the one chosen, -1 if there is none
    marked = Signal(list, str)  # occurrences, and the meaning they have; "" for none
    removed = Signal(list)  # occurrences
    added = Signal(str)  # a sentence that was typed
    word_wanted = Signal(str)  # a word whose meanings are known

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Occurrences"), parent=parent)
        self.table = _Keys(_columns(), tr("Occurrences"), self)
        self.typed = QLineEdit(self)
        self.typed.setPlaceholderText(tr("Add a sentence with the word, Enter"))
        self.typed.setAccessibleName(tr("A sentence with the word"))
        self.csv = tool("table", tr("Save every value as CSV  Ctrl+E"), parent=self)
        self.row.add_tool(self.csv)
        self._picks = QWidget(self)
        self._flow = FlowLayout(self._picks, gap=theme.px(6))
        self.body.addWidget(self._picks)
        self.body.addWidget(self.table, 1)
        self.body.addLayout(self._mark_row())
        self.body.addWidget(self.typed)
        self.table.chosen.connect(self._choose)
        self.table.pointed.connect(self._point)
        self.table.marked.connect(self._mark)
        self.typed.returnPressed.connect(self._add)
        self.show_words([])

    def _mark_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(theme.px(6))
        row.addWidget(label(tr("Mark the rows chosen"), size=12, tone="muted"))
        self.marks = []
        for mark in (*MARKS, ""):
            made = button(mark or tr("None"), "chip", parent=self)
            made.setToolTip(tr("They have meaning {mark}; key {mark}", mark=mark) if mark
                            else tr("Their meaning is not known; key 0"))  # fmt: skip
            made.clicked.connect(partial(self._mark, mark))
            self.marks.append(made)
            row.addWidget(made)
        row.addStretch()
        self.drop = tool("delete", tr("Take the rows chosen out of the list  Del"), parent=self)
        self.drop.clicked.connect(partial(self._mark, None))
        row.addWidget(self.drop)
        return row

    def show_words(self, words: Sequence[str]) -> None:
        """Offer words whose meanings are known."""
        while self._flow.count():
            item = self._flow.takeAt(0)
            if item is not None and (old := item.widget()):
                old.hide()
                old.deleteLater()
        if words:
            self._flow.addWidget(label(tr("Words with two meanings here"), size=12, tone="muted"))
        for word in words:
            made = button(word, "chip", parent=self._picks)
            made.clicked.connect(partial(self._want, word))
            self._flow.addWidget(made)
        self._picks.setVisible(bool(words))

    def show_occurrences(
        self, uses: Sequence[Occurrence], labels: Sequence[int], names: dict[int, str]
    ) -> None:
        """Show sentences with the groups they are in; `labels` may be none yet."""
        self.table.set_rows([
            _row(number, one, labels[number] if len(labels) else None, names)
            for number, one in enumerate(uses)
        ])  # fmt: skip

    @Slot(list)
    def _choose(self, keys: list[int]) -> None:
        self.chosen.emit(keys[0] if keys else -1)

    @Slot(int)
    def _point(self, key: int) -> None:
        chosen = self.table.selected()
        self.pointed.emit(key if key >= 0 or not chosen else chosen[0])

    def _mark(self, mark: str | None, _: bool = False) -> None:
        """Mark the rows chosen; None takes them out."""
        chosen = self.table.selected()
        if chosen and mark is None:
            self.removed.emit(chosen)
        elif chosen:
            self.marked.emit(chosen, mark)

    def _want(self, word: str, _: bool = False) -> None:
        self.word_wanted.emit(word)

    @Slot()
    def _add(self) -> None:
        if text := self.typed.text().strip():
            self.added.emit(text)


class _Keys(Table):
    """A table whose digits mark rows, and that tells the one under the pointer."""

    marked = Signal(object)  # a meaning, "" for none, None to take the rows out
    pointed = Signal(int)  # the row under the pointer, -1 where it has left

    def __init__(self, columns: list[Column], name: str, parent: QWidget) -> None:
        super().__init__(columns, name, parent, many=True)
        self.setMouseTracking(True)
        self.entered.connect(self._enter)

    @Slot(QModelIndex)
    def _enter(self, index: QModelIndex) -> None:
        self.pointed.emit(self._rows.rows[self._sorter.mapToSource(index).row()].key)

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802
        super().leaveEvent(event)
        self.pointed.emit(-1)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.text() in (*MARKS, "0"):
            self.marked.emit("" if event.text() == "0" else event.text())
        elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.marked.emit(None)
        else:
            super().keyPressEvent(event)


def _row(number: int, one: Occurrence, group: int | None, names: dict[int, str]) -> Row:
    start = one.start - _BEFORE if one.start > 2 * _BEFORE else 0
    shown = ("…" if start else "") + one.text[start:]
    cells = {
        "sentence": Cell(one.text, shown, tip=one.text),
        "sense": Cell(tr(one.sense) if one.sense else None),
    }
    if group is not None:
        cells["mark"] = Cell(group + 1, "", draw=("group", group))
        cells["group"] = Cell(group + 1, names.get(group, ""), tone="" if group >= 0 else "off")
    return Row(number, cells)


def _columns() -> list[Column]:
    return [
        Column("mark", "", width=32),
        Column("sentence", tr("Sentence")),
        Column("sense", tr("Sense"), width=64, note=tr("As it is known or was marked by hand")),
        Column("group", tr("Group"), width=80, note=tr("As the layer with the border parts them")),
    ]
