"""PieceTable: the pieces of a sentence, one a row: number, text, piece, id, place."""

from PySide6.QtWidgets import QWidget

from lmstudio import figures
from lmstudio.data.token_preview import Piece
from lmstudio.gui.drag_sources import drag_sentences
from lmstudio.gui.tables import Cell, Column, Row, Table
from lmstudio.messages import tr


class PieceTable(Table):
    """Rows are keyed by the number of the piece."""

    def __init__(self, parent: QWidget | None = None) -> None:
        columns = [
            Column("number", "#", right=True, width=36),
            Column("text", tr("Original")),
            Column("piece", tr("Token")),
            Column("id", tr("Id"), right=True, show=figures.count, width=66),
            Column("start", tr("Place"), right=True, width=52,
                   note=tr("Characters of the sentence before it")),
        ]  # fmt: skip
        super().__init__(columns, tr("Tokens of the sentence"), parent, row_height=26)
        drag_sentences(self, "text")

    def show_pieces(self, pieces: list[Piece]) -> None:
        """Show these."""
        self.set_rows([_row(number, piece) for number, piece in enumerate(pieces)])


def _row(number: int, piece: Piece) -> Row:
    tone = "warn" if piece.unknown else ""
    return Row(number, {
        "number": Cell(number + 1), "text": Cell(piece.text, tip=piece.text),
        "piece": Cell(piece.piece, tone=tone, tip=piece.piece), "id": Cell(piece.id, tone=tone),
        "start": Cell(piece.start),
    })  # fmt: skip
