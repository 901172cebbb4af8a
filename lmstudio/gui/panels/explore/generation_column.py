"""GenerationColumn: one model's next tokens as bars, and below them the texts that it writes."""

from functools import partial

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QMenu, QWidget

from lmstudio import figures
from lmstudio.analysis.generation.generate import Generated
from lmstudio.analysis.generation.next_table import NextTable
from lmstudio.analysis.generation.token import Candidate, Continuation, Token
from lmstudio.data.layout import EOS, UNK
from lmstudio.gui import theme
from lmstudio.gui.widgets import Card, ContextStrip, ElidedLabel, Mark, hairline, label, scrolled
from lmstudio.gui.widgets.fading import fade
from lmstudio.gui.widgets.guess_bars import Guess, GuessBars
from lmstudio.gui.widgets.written_layout import END, Shown
from lmstudio.gui.widgets.written_text import WrittenText
from lmstudio.messages import tr
from lmstudio.operations.generation import ENDS, bits
from lmstudio.store.rows import RunRow

ROWS = 8  # of next tokens
WIDTH = 178  # the least, at scale 1
SHOWN = 1000  # tokens of a text: laying out more would stop the window


class GenerationColumn(Card):
    """Shows what it is given; tells what was clicked."""

    taken = Signal(str)  # a next token, as it would be written
    branched = Signal(int, list)  # the run, the ids that its text is to begin with

    def __init__(self, run: RunRow, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.run = run
        self.table: NextTable | None = None
        self.found: Generated | None = None
        self.may_branch = True
        self.setAccessibleName(run.name)
        self.setMinimumWidth(theme.px(WIDTH))
        self.bars = GuessBars(tr("Next token for {name}", name=run.name), run.model, ROWS, self)
        self.text = WrittenText(tr("Text of {name}", name=run.name), self._tell, self)
        self.said = label(size=12, tone="muted", wrap=True)
        self.ended = label(size=12, tone="muted", wrap=True)
        self._menu = QMenu(self)
        self._lay_out()
        self.bars.taken.connect(self._take)
        self.text.picked.connect(self.offer)

    def _lay_out(self) -> None:
        side = theme.px(12)
        self.body.setContentsMargins(side, theme.px(10), side, theme.px(10))
        self.body.setSpacing(theme.px(6))
        head = QHBoxLayout()
        head.setSpacing(theme.px(8))
        head.addWidget(Mark(self.run.model))
        head.addWidget(ElidedLabel(self.run.name, size=15, bold=True), 1)
        self.body.addLayout(head)
        strip = ContextStrip(self.run.model, tr("What {name} sees", name=self.run.name), cell=9)
        if self.run.model in ("ngram", "class-ngram") and self.run.spec:
            strip.set_order(int(self.run.spec["config"].get("order", 3)))
        strip.keep_left()
        self.body.addWidget(strip)
        self.body.addWidget(self.bars)
        self.body.addWidget(self.said)
        self.body.addWidget(hairline())
        self._area = scrolled(self.text)
        self._area.setMinimumHeight(theme.px(80))
        self.body.addWidget(self._area, 1)
        self.body.addWidget(self.ended)

    # next tokens

    def wait(self) -> None:
        """Another table is on its way."""
        fade(self.bars, self.table is not None)
        if self.table is None:
            self._say("", tr("Asking the model…"))

    def show_table(self, table: NextTable) -> None:
        """Show next tokens."""
        fade(self.bars, False)
        self.table = table
        self.bars.set_guesses([_guess(one) for one in table.guesses])
        said = tr("others {rest} · entropy {bits} bits", rest=figures.decimal(table.rest, 3),
                  bits=figures.decimal(table.entropy, 1))  # fmt: skip
        notes = [str(note) for note in table.notes]
        if not table.proper:
            notes.append(tr("Scores of stupid back-off: they do not sum to one"))
        self._say("", said, *notes)

    def show_fault(self, text: str) -> None:
        """Say why there are no next tokens."""
        fade(self.bars, False)
        self.table = None
        self.bars.set_guesses([])
        self._say("bad", text)

    def largest(self) -> float:
        """The highest p that is shown; 0 if there is none."""
        return max((guess.p for guess in self.bars.guesses()), default=0.0)

    def _say(self, tone: str, *texts: str) -> None:
        self.said.setText("\n".join(texts))
        self.said.setProperty("tone", tone or "muted")
        self.said.style().polish(self.said)

    @Slot(int)
    def _take(self, row: int) -> None:
        if self.table is not None:
            guess = self.table.guesses[row]
            self.taken.emit("\n" if guess.id == EOS else self.table.written[row])

    # texts

    def show_texts(self, found: Generated | None, *, growing: bool = False) -> None:
        """Show what was written; None: nothing."""
        self.found = found
        fade(self.text, False)
        self.text.set_texts([_shown(text) for text in found.texts] if found else [])
        self.ended.setText("\n".join(_ending(found, growing=growing)) if found else "")
        if growing:
            bar = self._area.verticalScrollBar()
            bar.setValue(bar.maximum())

    def _tell(self, text: int, place: int) -> str:
        """What the pointer over a token says."""
        written = self.found.texts[text] if self.found is not None else None
        if written is None or place >= len(written.tokens):
            return ""
        others = written.alternatives[place] if written.alternatives else ()
        return _told(written.tokens[place], others)

    @Slot(int, int)
    def offer(self, text: int, place: int) -> None:
        """Offer what else could stand in the place of a token."""
        if self.found is None or not self.may_branch:
            return
        written = self.found.texts[text]
        if place >= len(written.alternatives):
            return
        self._menu.clear()
        here = written.tokens[place]
        ids = [token.id for token in written.tokens[:place]]
        for other in written.alternatives[place]:
            action = self._menu.addAction(_choice(other))
            action.setCheckable(True)
            action.setChecked(other.id == here.id)
            action.triggered.connect(partial(self.branch, [*ids, other.id]))
        self._menu.setAccessibleName(tr("Go on from here with another token"))
        self._menu.popup(self.text.place_of_menu(text, place))

    def menu(self) -> QMenu:
        """What `offer` fills."""
        return self._menu

    def branch(self, ids: list[int], *_: bool) -> None:
        """Ask for a text that begins with `ids`."""
        self.branched.emit(self.run.id, ids)


def name_of(number: int, piece: str) -> str:
    """How a token is called where it stands alone."""
    return f"{END} {tr('end')}" if number == EOS else piece


def _guess(one: Candidate) -> Guess:
    return Guess(name_of(one.id, one.piece), one.p, one.id in (EOS, UNK))


def _choice(other: Candidate) -> str:
    piece = name_of(other.id, other.piece).replace("&", "&&")
    return f"{piece}\t{figures.decimal(other.p, 4)}"


def _shown(text: Continuation) -> list[Shown]:
    return [
        Shown(token.text, token.p, token.id == EOS, token.text.endswith("\n"))
        for token in text.tokens[:SHOWN]
    ]


def _told(token: Token, others: tuple[Candidate, ...]) -> str:
    lines = [
        tr("{token}: p = {p}, rank {rank}, {bits} bits", token=name_of(token.id, token.piece),
           p=figures.decimal(token.p, 4), rank=figures.count(token.rank),
           bits=figures.decimal(bits(token.p), 1)),
        tr("drawn with {share}", share=figures.percent(token.share, 1)),
    ]  # fmt: skip
    lines += [f"{name_of(o.id, o.piece)}  {figures.decimal(o.p, 4)}" for o in others[:5]]
    return "\n".join(lines)


def _ending(found: Generated, *, growing: bool) -> list[str]:
    """How long the texts are, how fast they came, and how the first of them ended.

    Of a run that could not write, why.
    """
    if not found.texts:
        return list(map(str, found.notes))
    text = found.texts[0]
    said = [
        tr("{count} tokens · {speed} a second", count=figures.count(found.written),
           speed=figures.count(found.tokens_per_second))
    ]  # fmt: skip
    if len(text.tokens) > SHOWN:
        shown, written = figures.count(SHOWN), figures.count(len(text.tokens))
        said.append(
            tr("The first {shown} of {all} tokens; the CSV has them all.", shown=shown, all=written)
        )
    elif not growing:
        said.append(tr("ended by: {end} · ln p {log}", end=tr(ENDS[text.end]),
                       log=figures.decimal(text.log_p, 1)))  # fmt: skip
    return [*said, *map(str, found.notes)]
