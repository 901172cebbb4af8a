"""HitCard: the hit chosen in; its line, and the lines before and after, out. All bounded."""

from PySide6.QtCore import Slot
from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from lmstudio import figures
from lmstudio.data.browse.concordance import Concordance
from lmstudio.data.browse.hit_context import HitContext
from lmstudio.gui import theme
from lmstudio.gui.jobs import Asker
from lmstudio.gui.panels.corpora.split_bar import PART_TITLES
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Card
from lmstudio.messages import tr
from lmstudio.operations import browse


class HitCard(Card):
    """Shows at once what the concordance holds of the hit, and more when it has been read."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(tr("In the text"), parent=parent)
        self._state = state
        self._shown: HitContext | None = None
        self.text = QPlainTextEdit(self)
        self.text.setReadOnly(True)
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setProperty("kind", "bare")
        self.text.document().setDocumentMargin(0)
        self.text.setTabChangesFocus(True)
        self.text.setAccessibleName(tr("The hit in its line"))
        self.text.setMinimumHeight(theme.px(64))
        self.text.setPlaceholderText(tr("Choose a hit to see it in its line."))
        self.body.addWidget(self.text, 1)
        self._asker = Asker(state, self)
        self._asker.answered.connect(self._take)
        theme.signals.changed.connect(self._draw)

    @property
    def busy(self) -> bool:
        """More of the text is being read."""
        return self._asker.busy

    def show_hit(self, corpus_id: int, found: Concordance | None, number: int) -> None:
        """Show hit `number` of a concordance; -1 shows nothing."""
        self._asker.cancel()
        if found is None or number < 0:
            self._shown = None
            self.row.set_note("")
            self._draw()
            return
        line, start, end = (int(getattr(found, name)[number]) for name in ("line", "start", "end"))
        self.row.set_note(
            tr("{document} · line {line} · {part}", document=found.name[number],
               line=figures.count(line + 1), part=tr(PART_TITLES[found.part[number]]))
        )  # fmt: skip
        left, hit, right = found.left[number], found.hit[number], found.right[number]
        self._take(HitContext("", left, hit, right, "", start == len(left), False))
        self._asker.ask(browse.hit_context, self._state.workspace, corpus_id, line, start, end)

    @Slot()
    def read(self) -> None:
        """Put the cursor into the text."""
        self.text.setFocus()

    @Slot(object)
    def _take(self, context: HitContext) -> None:
        self._shown = context
        self._draw()

    @Slot()
    def _draw(self) -> None:
        """Lines before and after in grey, the hit in the accent's colour."""
        self.text.clear()
        if (shown := self._shown) is None:
            return
        plain, muted, hit = QTextCharFormat(), QTextCharFormat(), QTextCharFormat()
        plain.setForeground(theme.colour("text"))
        muted.setForeground(theme.colour("muted"))
        hit.setForeground(theme.colour("accent"))
        hit.setFont(theme.font(13, bold=True))
        cursor = QTextCursor(self.text.document())
        if shown.before:
            cursor.insertText(shown.before + "\n", muted)
        cursor.insertText(("" if shown.begins else "… ") + shown.left, plain)
        cursor.insertText(shown.hit, hit)
        cursor.insertText(shown.right + ("" if shown.ends else " …"), plain)
        if shown.after:
            cursor.insertText("\n" + shown.after, muted)
        before = self.text.document().findBlockByNumber(1 if shown.before else 0)
        self.text.setTextCursor(QTextCursor(before))
