"""CorpusLists: a corpus in; its documents, its files or its segmentations as a table out."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QToolButton, QVBoxLayout, QWidget

from lmstudio.gui import theme
from lmstudio.gui.panels.corpora.document_search import DocumentSearch
from lmstudio.gui.panels.corpora.documents import DocumentTable
from lmstudio.gui.panels.corpora.segmentation_table import SegmentationTable
from lmstudio.gui.panels.corpora.source_table import SourceTable
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Card, ElidedLabel, Segmented
from lmstudio.messages import tr
from lmstudio.store.rows import CorpusRow


class CorpusLists(Card):
    """One of three tables, with its tools beside the choice."""

    chosen = Signal(object)  # a DocumentRow, or None where no document is found

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.documents = DocumentTable(state, self)
        self.search = DocumentSearch(state, self)
        self.sources = SourceTable(state, self)
        self.cuts = SegmentationTable(state, self)
        choices = [("documents", tr("All documents")), ("sources", tr("Files")),
                   ("cuts", tr("Segmentations"))]  # fmt: skip
        self.which = Segmented(choices, tr("What is listed"), self)
        self._found = ElidedLabel(size=12, tone="muted")
        self._head = QHBoxLayout()
        self._pages = QStackedWidget(self)
        self._tools: dict[str, list[QToolButton]] = {
            "documents": [], "sources": [], "cuts": [self.cuts.rename_tool, self.cuts.delete_tool],
        }  # fmt: skip
        self._lay_out()
        self.which.chosen.connect(self.show_list)
        self.search.found.connect(self.documents.show_only)
        self.search.counted.connect(self._found.setText)
        self.documents.chosen.connect(self.chosen)

    def _lay_out(self) -> None:
        documents = QWidget(self)
        column = QVBoxLayout(documents)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(8))
        column.addWidget(self.search)
        column.addWidget(self.documents, 1)
        for page in (documents, self.sources, self.cuts):
            self._pages.addWidget(page)
        self._head.setSpacing(theme.px(8))
        self._head.addStrut(theme.px(32))
        self._head.addWidget(self.which)
        self._head.addWidget(self._found, 1)
        for widget in self._tools["cuts"]:
            self._head.addWidget(widget)
        self.body.addLayout(self._head)
        self.body.addWidget(self._pages, 1)
        self.show_list("documents")

    def add_tool(self, which: str, widget: QToolButton) -> None:
        """A tool of one of the tables ("documents", "sources", "cuts")."""
        self._tools[which].append(widget)
        self._head.addWidget(widget)
        widget.setVisible(self.which.value() == which)

    def show_corpus(self, corpus: CorpusRow | None) -> None:
        """Show the lists of another corpus."""
        self.documents.show_corpus(corpus)
        self.sources.show_corpus(corpus)
        self.search.set_corpus(corpus.id if corpus else 0)

    @Slot(str)
    def show_list(self, which: str) -> None:
        """Turn to one of the tables."""
        self.which.set_value(which)
        self._pages.setCurrentIndex(list(self._tools).index(which))
        for name, tools in self._tools.items():
            for widget in tools:
                widget.setVisible(name == which)
        self._found.setText(self.search.said if which == "documents" else "")

    def start_search(self) -> None:
        """Put the cursor into the search field."""
        self.show_list("documents")
        self.search.setFocus()
        self.search.selectAll()
