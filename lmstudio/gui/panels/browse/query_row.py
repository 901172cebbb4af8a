"""QueryRow: what kind of thing, what text and which part in; a Query out when Enter is pressed."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from lmstudio.data.browse.search import Query
from lmstudio.gui import theme
from lmstudio.gui.captions import sentence_case
from lmstudio.gui.panels.browse.query_field import QueryField
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Segmented, button, disable, enable, label
from lmstudio.messages import msg, tr

KINDS = {
    "text": (msg("Text"), msg("Characters as they stand in the text")),
    "regex": (msg("Regular expression"), msg("A regular expression, matched line by line")),
    "word": (msg("Word"), msg("A word, or several between spaces; * and ? stand for others")),
    "tag": (msg("Tag"), msg("A tag, or word/tag; several between spaces: v* 的/u n")),
}
"""Of each kind of query what it is called, and what the field says while it is empty."""

_PARTS = {
    "": msg("All parts"), "train": msg("Training part"), "valid": msg("Validation part"),
    "test": msg("Test part"),
}  # fmt: skip


class QueryRow(QWidget):
    """A fault of the query stands under its field until something else is typed."""

    wanted = Signal()

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        titles = [(kind, tr(title)) for kind, (title, _) in KINDS.items()]
        self.kind = Segmented(titles, tr("What is searched for"), self)
        self.field = QueryField(state, self)
        self.ignore_case = QCheckBox(tr("Ignore case"), self)
        self.part = part_choice(self)
        self.go = button(tr("Search"), "primary", icon_name="search", parent=self)
        self.fault = label(tone="bad", size=12, wrap=True, parent=self)
        self.fault.hide()
        self._lay_out()
        self.field.returnPressed.connect(self.wanted)
        self.field.textChanged.connect(self._typed)
        self.go.clicked.connect(self.wanted)
        self.kind.chosen.connect(self._choose_kind)
        self._choose_kind()

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(theme.px(8))
        row.addWidget(self.kind)
        row.addWidget(self.field, 1)
        for widget in (self.field.history_button(), self.ignore_case, self.part, self.go):
            row.addWidget(widget)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(4))
        column.addLayout(row)
        column.addWidget(self.fault)

    def query(self) -> Query:
        """What is asked for."""
        kind = next(kind for kind in KINDS if kind == self.kind.value())
        return Query(self.field.text(), kind, self.ignore_case.isChecked())  # type: ignore[arg-type]

    def part_name(self) -> str:
        """The part to search, "" for all."""
        return str(self.part.currentData())

    def set_query(self, query: Query) -> None:
        """Show a query that comes from elsewhere."""
        self.kind.set_value(query.kind)
        self.field.setText(query.text)
        self.ignore_case.setChecked(query.ignore_case)
        self._choose_kind()

    def say(self, fault: str) -> None:
        """Show what is wrong with the query; "" for nothing."""
        self.fault.setText(fault)
        self.fault.setVisible(bool(fault))
        self.field.say_fault(bool(fault))

    @Slot()
    def refresh(self) -> None:
        """Offer words where the corpus is segmented, and tags where it has any."""
        corpus, cut = self._state.corpus, self._state.segmentation
        _offer(self.kind.segment("word"), cut is not None,
               tr("Segment the corpus first: words are those of a segmentation."))  # fmt: skip
        tags = bool(corpus and corpus.facts.get("tags"))
        _offer(self.kind.segment("tag"), tags,
               tr("This corpus came without tags."))  # fmt: skip
        if not self.kind.segment(self.kind.value()).isEnabled():
            self.kind.set_value("text")
            self._choose_kind()

    @Slot()
    def _typed(self) -> None:
        self.say("")

    @Slot()
    def _choose_kind(self) -> None:
        self.field.setPlaceholderText(tr(KINDS[self.kind.value()][1]))
        self.say("")


def part_choice(parent: QWidget) -> QComboBox:
    """All of a corpus or one of its parts; the data of an entry is what operations take."""
    made = QComboBox(parent)
    for part, title in _PARTS.items():
        made.addItem(sentence_case(tr(title)), part)
    made.setAccessibleName(tr("Part of the corpus"))
    return made


def _offer(segment: QWidget, there: bool, reason: str) -> None:
    if there:
        enable(segment)
    else:
        disable(segment, reason)
