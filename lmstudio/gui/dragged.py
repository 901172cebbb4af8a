"""Dragged: a run or a sentence on its way from one panel to another, and the one mime type of it.

A sentence is plain text too, so that any field, in this program or another, takes it.
"""

import json
from dataclasses import dataclass

from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPixmap

from lmstudio.gui import theme

MIME = "application/x-lmstudio-row"
RUN, SENTENCE = "run", "sentence"
_LONGEST = 100_000  # characters of a sentence
_LARGEST = 2**63 - 1  # that the database can be asked for


@dataclass(frozen=True)
class Dragged:
    """`kind` is RUN or SENTENCE; a run has its `number`, and either a `text` to be read."""

    kind: str
    text: str
    number: int = 0

    def mime(self) -> QMimeData:
        """What Qt carries."""
        data = QMimeData()
        facts = {"kind": self.kind, "text": self.text, "number": self.number}
        data.setData(MIME, json.dumps(facts).encode("ascii"))
        if self.kind == SENTENCE:
            data.setText(self.text)
        return data

    @classmethod
    def of(cls, data: QMimeData) -> "Dragged | None":
        """What is carried; None for anything else, garbage of another program included."""
        if not data.hasFormat(MIME):
            return None
        try:
            facts = json.loads(bytes(data.data(MIME).data()))
            kind, text, number = facts["kind"], facts["text"], facts["number"]
        except (ValueError, TypeError, KeyError, RecursionError):
            return None
        if kind not in (RUN, SENTENCE) or type(number) is not int or type(text) is not str:
            return None
        whole = len(text) <= _LONGEST and 0 <= number <= _LARGEST
        return cls(kind, text, number) if whole else None

    def picture(self) -> QPixmap:
        """What hangs on the pointer."""
        font, edge = theme.font(13), theme.px(8)
        metrics = QFontMetrics(font)
        text = metrics.elidedText(self.text, Qt.TextElideMode.ElideRight, theme.px(320))
        made = QPixmap(metrics.horizontalAdvance(text) + 2 * edge, metrics.height() + edge)
        made.fill(theme.colour("tint"))
        painter = QPainter(made)
        painter.setFont(font)
        painter.setPen(theme.colour("text"))
        painter.drawText(made.rect(), int(Qt.AlignmentFlag.AlignCenter), text)
        painter.end()
        return made
