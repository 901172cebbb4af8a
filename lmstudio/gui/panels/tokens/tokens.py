"""Tokens: a typed sentence in; its pieces and ids out, and what a network looks up for one."""

from pathlib import Path

from PySide6.QtCore import QSignalBlocker, QTimer, Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QWidget

from lmstudio import figures
from lmstudio.data.layout import CorpusText, has_text
from lmstudio.data.token_preview import Piece, TokenPreview
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.captions import sentence_case
from lmstudio.gui.jobs import Asker
from lmstudio.gui.panels.panel import Panel
from lmstudio.gui.panels.tokens.lookup_card import LookupCard
from lmstudio.gui.panels.tokens.piece_table import PieceTable
from lmstudio.gui.state import AppState
from lmstudio.gui.table_export import TableExport
from lmstudio.gui.widgets import Card, EmptyState, button, label, scrolled
from lmstudio.gui.widgets.piece_boxes import PieceBox, PieceBoxes
from lmstudio.messages import tr
from lmstudio.operations import segmentations

DEBOUNCE_MS = 150
_SAMPLE = 40  # characters of the corpus's first line that are shown at first


class TokensPanel(Panel):
    """The segmentation is the one selected at the top; old answers stay until the new one comes."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.text = QLineEdit(self)
        self.cut = QComboBox(self)
        self.boxes = PieceBoxes(tr("Tokens of the sentence"), self)
        self.table = PieceTable(self)
        self.lookup = LookupCard(state, self)
        self.preview: TokenPreview | None = None
        self._asker = Asker(state, self)
        self._pause = QTimer(self, interval=DEBOUNCE_MS, singleShot=True)
        self._typed = False
        self._corpus_id = 0
        self._lead = button(tr("Go to Segment"), "primary")
        self._lay_out()
        self._connect()
        self.refresh()

    def _lay_out(self) -> None:
        self.text.setPlaceholderText(tr("Type a sentence"))
        self.text.setAccessibleName(tr("Sentence"))
        self.text.setFont(theme.font(15))
        self.cut.setAccessibleName(tr("Segmentation"))
        self.cut.setMinimumWidth(theme.px(220))
        self.cut.setMaximumWidth(theme.px(320))
        asked = QHBoxLayout()
        asked.setSpacing(theme.px(8))
        asked.addWidget(self.text, 1)
        asked.addWidget(label(sentence_case(tr("cut by")), tone="muted"))
        asked.addWidget(self.cut)
        self._pieces = Card(tr("Tokens of the sentence"), parent=self)
        self.export_table = TableExport(
            self.state, self.table, tr("Save the pieces as CSV"), "pieces", self
        )
        self._pieces.row.add_tool(self.export_table.button())
        self._pieces.body.addWidget(scrolled(self.boxes), 1)
        listed = Card(tr("List"), parent=self)
        listed.body.addWidget(self.table, 1)
        listed.setFixedWidth(theme.px(340))
        upper = QHBoxLayout()
        upper.setSpacing(theme.px(12))
        upper.addWidget(self._pieces, 1)
        upper.addWidget(listed)
        self._empty = Card(parent=self)
        self._empty.body.addWidget(EmptyState(
            tr("No segmentation yet"),
            tr("Cut a text first; then any sentence can be turned into pieces and ids here."),
            [self._lead],
        ), 1)  # fmt: skip
        self._parts = [self.text, self.cut, self._pieces, listed, self.lookup]
        page = self.page()
        page.addLayout(asked)
        page.addLayout(upper, 1)
        page.addWidget(self.lookup)
        page.addWidget(self._empty, 1)

    def _connect(self) -> None:
        self.text.textEdited.connect(self._type)
        self.text.textChanged.connect(self._changed)
        self._pause.timeout.connect(self.ask)
        self.cut.currentIndexChanged.connect(self._choose_cut)
        self.boxes.chosen.connect(self._choose)
        self.table.chosen.connect(self._choose_row)
        self._asker.answered.connect(self._take)
        self._asker.failed.connect(self._fail)
        self._lead.clicked.connect(self._go_to_segment)
        state = self.state
        for signal in (state.selection_changed, state.segmentations_changed, state.runs_changed):
            signal.connect(self.refresh)

    @property
    def busy(self) -> bool:
        """An answer is awaited."""
        return self._asker.busy or self._pause.isActive() or self.lookup.busy

    # what is asked

    @Slot()
    def refresh(self) -> None:
        """Show the segmentation selected, and what there is to choose from."""
        chosen = self.state.segmentation
        for part in self._parts:
            part.setVisible(chosen is not None)
        self._empty.setVisible(chosen is None)
        self.primary = self._lead if chosen is None else None
        with QSignalBlocker(self.cut):
            self.cut.clear()
            for row in self.state.segmentations(chosen.corpus_id) if chosen else []:
                self.cut.addItem(row.name, row.id)
            self.cut.setCurrentIndex(self.cut.findData(chosen.id) if chosen else -1)
        if chosen is None or not self.isVisible():
            return
        if chosen.corpus_id != self._corpus_id and not self._typed:
            self._corpus_id = chosen.corpus_id
            self.text.setText(_first_line(self.state.workspace.corpus_folder(chosen.corpus_id)))
        self.ask()

    @Slot()
    def _type(self) -> None:
        self._typed = True

    @Slot()
    def _changed(self) -> None:
        self._pause.start()

    @Slot()
    def ask(self) -> None:
        """Cut what is typed."""
        chosen = self.state.segmentation
        if chosen is not None and self.isVisible():
            self._pause.stop()
            if self.preview is None:
                self._pieces.row.set_note(tr("Asking…"))
            ws = self.state.workspace
            self._asker.ask(segmentations.tokens, ws, chosen.id, self.text.text())

    @Slot()
    def _choose_cut(self) -> None:
        if self.cut.currentData() is not None:
            self.state.select_segmentation(self.cut.currentData())

    @Slot()
    def _go_to_segment(self) -> None:
        self.state.panel_wanted.emit("segment")

    # what comes of it

    @Slot(object)
    def _take(self, preview: TokenPreview) -> None:
        self.preview = preview
        self.boxes.set_boxes(_boxes(preview.pieces))
        self.table.show_pieces(preview.pieces)
        self._pieces.row.set_note(_said(preview))
        if self.boxes.chosen_number() < 0 and preview.pieces:
            self.boxes.choose(0)
        self._look_up()

    @Slot(object)
    def _fail(self, error: AppError) -> None:
        self._pieces.row.set_note(str(error))

    @Slot(int)
    def _choose(self, number: int) -> None:
        self.table.select([number])
        self._look_up()

    @Slot(list)
    def _choose_row(self, keys: list[int]) -> None:
        if keys:
            self.boxes.choose(keys[0])
            self._look_up()

    def _look_up(self) -> None:
        number = self.boxes.chosen_number()
        pieces = self.preview.pieces if self.preview else []
        self.lookup.show_piece(pieces[number] if 0 <= number < len(pieces) else None)

    def search(self) -> None:
        """Ctrl+F: the sentence."""
        self.text.setFocus()
        self.text.selectAll()

    def export(self) -> None:
        """Ctrl+E: the pieces."""
        self.export_table.ask()


def _first_line(corpus: Path) -> str:
    """The beginning of the text of a corpus; empty where it is not here."""
    if not has_text(corpus):
        return ""
    text = CorpusText(corpus)
    return text.line(0)[:_SAMPLE] if len(text) else ""


def _boxes(pieces: list[Piece]) -> list[PieceBox]:
    """Pieces that share one character show it once."""
    spans = [(piece.start, piece.end) for piece in pieces]
    before = [None, *spans]
    return [
        PieceBox(piece.text, piece.piece, piece.id, piece.unknown, again=span == last)
        for piece, span, last in zip(pieces, spans, before, strict=False)
    ]


def _said(preview: TokenPreview) -> str:
    count = figures.count(len(preview.pieces))
    if preview.unknown:
        return tr("{count} pieces, {unknown} of them unknown", count=count,
                  unknown=figures.count(preview.unknown))  # fmt: skip
    return tr("{count} pieces, none unknown", count=count)
