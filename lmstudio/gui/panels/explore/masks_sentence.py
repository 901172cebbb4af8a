"""BlankCard: the sentence that is asked about, to be clicked or typed, and how it is filled."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QStackedWidget, QVBoxLayout, QWidget

from lmstudio.analysis.fill.question import MASK, Span
from lmstudio.analysis.fill.words import Units
from lmstudio.gui import theme
from lmstudio.gui.panels.explore.blank_question import BlankQuestion
from lmstudio.gui.widgets import Card, ElidedLabel, Segmented, button, scrolled, tool
from lmstudio.gui.widgets.blank_text import BlankText, TextUnit
from lmstudio.messages import tr
from lmstudio.operations import fill

_TEXT_HEIGHT = 50


class BlankCard(Card):
    """Writes what the user does into a BlankQuestion, and shows what that is then."""

    taken = Signal()  # the first candidate is to be put in
    another = Signal()  # another sentence of the corpus is wanted
    order_changed = Signal()  # blanks are to be filled in order, or each for itself

    def __init__(self, asked_for: BlankQuestion, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._asked = asked_for
        self._units = Units("", (), ())
        self.setAccessibleName(tr("Sentence"))
        self.view, self.line = BlankText(tr("Sentence with blanks"), self), QLineEdit(self)
        self.unit = Segmented([("word", tr("Word")), ("token", tr("Token"))],
                              tr("What a click hides"), self)  # fmt: skip
        self.order = Segmented([("apart", tr("Independent")), ("in_order", tr("Left to right"))],
                               tr("How several blanks are filled"), self)  # fmt: skip
        self.edit = tool("edit", tr("Change the sentence  F2"), parent=self)
        self.mark = button(MASK, "link", parent=self)
        self.next = button(tr("Another sentence"), "link", icon_name="swap", parent=self)
        self.more = button(tr("Hide one more"), "link", icon_name="plus", parent=self)
        self._hint = ElidedLabel(size=12, tone="muted")
        self._pages = QStackedWidget(self)
        self._lay_out()
        self._connect(asked_for)
        self.refresh()

    def _lay_out(self) -> None:
        self.line.setFont(theme.font(15))
        self.line.setAccessibleName(tr("Sentence"))
        self.line.setPlaceholderText(
            tr("Type a sentence; {mark} stands for a word to guess", mark=MASK)
        )
        self.mark.setToolTip(tr("Put a blank where the cursor is"))
        for value, told in (("apart", fill.INDEPENDENT), ("in_order", fill.IN_ORDER)):
            self.order.segment(value).setToolTip(tr(told))
        self.more.setToolTip(tr("Or hold Ctrl and click; that shows a hidden word again, too"))
        area = scrolled(self.view, self)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setMinimumHeight(theme.px(_TEXT_HEIGHT))
        editing = QWidget(self)
        typed = QVBoxLayout(editing)
        typed.setContentsMargins(0, 0, 0, 0)
        typed.addWidget(self.line)
        typed.addStretch(1)
        for page in (area, editing):
            self._pages.addWidget(page)
        row = QHBoxLayout()
        row.setSpacing(theme.px(8))
        row.addWidget(self._hint, 1)
        for widget in (self.order, self.unit, self.mark, self.next, self.more, self.edit):
            row.addWidget(widget)
        self.body.addWidget(self._pages, 1)
        self.body.addLayout(row)

    def _connect(self, asked_for: BlankQuestion) -> None:
        self.view.hidden.connect(self._hide)
        self.view.went.connect(asked_for.go)
        self.view.dropped.connect(asked_for.drop)
        self.view.stepped.connect(asked_for.step)
        self.view.extended.connect(asked_for.extend)
        self.view.taken.connect(self.taken)
        self.view.edit_wanted.connect(self.start_editing)
        self.edit.clicked.connect(self._switch_editing)
        self.mark.clicked.connect(self._insert_mark)
        self.next.clicked.connect(self.another)
        self.more.clicked.connect(asked_for.hide_one_more)
        self.line.editingFinished.connect(self._end_editing)
        self.unit.chosen.connect(self._use_units)
        self.order.chosen.connect(self.refresh)
        self.order.chosen.connect(self.order_changed)
        asked_for.changed.connect(self.refresh)

    # what is shown

    @property
    def in_order(self) -> bool:
        """Whether each blank is to know those before it."""
        return self.order.value() == "in_order" and len(self._asked.question.blanks) > 1

    def set_units(self, found: Units) -> None:
        """Where tokens and words of the sentence stand."""
        self._units = found
        self.unit.setVisible(found.tokens != found.words)
        self._use_units()

    def units(self) -> tuple[Span, ...]:
        """What a click hides."""
        return self._units.words if self.unit.value() == "word" else self._units.tokens

    @Slot()
    def _use_units(self) -> None:
        if self._units.text == self._asked.text:
            self._asked.set_units(self.units())

    @Slot()
    def refresh(self) -> None:
        """Draw the question."""
        units = [TextUnit(u.start, u.end, u.blank) for u in self._asked.units()]
        self.view.show_text(self._asked.text, units, self._asked.current)
        several = len(self._asked.question.blanks) > 1
        self.order.setVisible(several)
        editing = self._pages.currentIndex() == 1
        self.mark.setVisible(editing)
        told = tr("Click a word to hide it, drag over several; {mark} works too.", mark=MASK)
        if several:
            told = tr(fill.IN_ORDER) if self.in_order else tr(fill.INDEPENDENT)
        self._hint.setText(told)

    @Slot(int, int, bool)
    def _hide(self, start: int, end: int, more: bool) -> None:
        self._asked.hide(start, end, more=more)

    # the sentence itself

    @Slot()
    def start_editing(self) -> None:
        """Let the sentence be typed."""
        self.line.setText(self._asked.text)
        self._pages.setCurrentIndex(1)
        self.line.setFocus()
        self.refresh()

    @Slot()
    def _switch_editing(self) -> None:
        if self._pages.currentIndex() == 0:
            self.start_editing()
        else:
            self._end_editing()

    @Slot()
    def _end_editing(self) -> None:
        if self._pages.currentIndex() == 1 and not self.mark.hasFocus():
            self._pages.setCurrentIndex(0)
            self.view.setFocus()
            self._asked.set_text(self.line.text())
            self.refresh()

    @Slot()
    def _insert_mark(self) -> None:
        self.line.insert(MASK)
        self.line.setFocus()
