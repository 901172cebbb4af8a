"""CorpusFacts: a corpus in; its figures, its parts and what was done to its text out."""

from collections.abc import Iterator

from PySide6.QtWidgets import QGridLayout, QWidget

from lmstudio import figures
from lmstudio.gui import theme
from lmstudio.gui.panels.corpora.corpus_list import encoding_name
from lmstudio.gui.panels.corpora.split_bar import SplitBar
from lmstudio.gui.widgets import Card, label
from lmstudio.gui.widgets.labels import WrappedLabel
from lmstudio.messages import Message, msg, tr
from lmstudio.operations import leaks
from lmstudio.options import options_of
from lmstudio.store.rows import CorpusRow, Facts
from lmstudio.text.normalize import NormaliseOptions

LINES_RULES = {
    "sentence": msg("a sentence a line"),
    "paragraph": msg("a paragraph a line"),
    "wrapped": msg("wrapped lines joined"),
}
_FIGURES = (
    ("characters", msg("Characters")), ("lines", msg("Lines")), ("documents", msg("Documents")),
)  # fmt: skip


SHOWN = 2  # sentences; the others are in the tool tip


class CorpusFacts(Card):
    """The head of the corpora panel."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(" ", parent=parent)
        self._values = {key: label(size=15, bold=True) for key, _ in _FIGURES}
        self.split = SplitBar(self)
        self._done = WrappedLabel(size=12, tone="muted")
        self._told: list[str] = []
        grid = QGridLayout()
        grid.setHorizontalSpacing(theme.px(24))
        grid.setVerticalSpacing(theme.px(2))
        for column, (key, title) in enumerate(_FIGURES):
            grid.addWidget(label(tr(title), size=12, tone="muted"), 0, column)
            grid.addWidget(self._values[key], 1, column)
        grid.addWidget(self.split, 0, len(_FIGURES), 2, 1)
        grid.setColumnStretch(len(_FIGURES), 1)
        self.body.addLayout(grid)
        self.body.addWidget(self._done)

    def show_corpus(self, corpus: CorpusRow) -> None:
        """Show a corpus."""
        self.row.set_title(corpus.name)
        rule = LINES_RULES.get(corpus.lines_rule)
        parts = [encoding_name(corpus.encoding), figures.size(corpus.bytes),
                 tr(rule) if rule else corpus.lines_rule]  # fmt: skip
        self.row.set_note(" · ".join(parts))
        for key, value in self._values.items():
            value.setText(figures.count(getattr(corpus, key)))
        self.split.show_corpus(corpus, long=True)
        told = self._told = list(_told(corpus))
        shown = told[:SHOWN] + ([tr("and {count} more", count=len(told) - SHOWN)]
                                if len(told) > SHOWN else [])  # fmt: skip
        self._done.setText(" ".join(shown) or tr("Nothing was skipped or changed at the import."))
        self._done.setToolTip("\n".join(told) if len(told) > SHOWN else "")

    def text(self) -> str:
        """What was skipped, joined or left out."""
        return " ".join(self._told) or self._done.text()


def _told(corpus: CorpusRow) -> Iterator[str]:
    """What happened to the text at its import, a sentence each."""
    facts = corpus.facts
    if count := facts.get("empty_lines"):
        yield tr("{count} empty lines were skipped.", count=figures.count(count))
    if count := facts.get("joined_lines"):
        yield tr("{count} line ends were joined.", count=figures.count(count))
    if count := facts.get("marks"):
        yield tr(
            "{count} lines hold <s>, </s> or <unk>. They are taken for marks, not for words.",
            count=figures.count(count),
        )
    yield from _copies(facts)
    for step, done in facts.get("normalise", {}).items():
        count = figures.count(done["changed"])
        yield tr("{step}: {count} characters changed.", step=_step(step), count=count)
    for name, sentence, values in facts.get("skipped", []):
        reason = Message(sentence, values)
        yield tr("{name} was left out. {reason}", name=name, reason=reason)


def _copies(facts: Facts) -> Iterator[str]:
    """What stands in the corpus more than once."""
    copies = facts.get("duplicates", {})
    if count := copies.get("exact_documents"):
        yield tr("{count} documents are exact copies of others.", count=figures.count(count))
    if count := copies.get("near_documents"):
        yield tr("{count} documents are nearly the same as others.", count=figures.count(count))
    yield from map(str, leaks.notes(facts.get("leaks", {})).values())


def _step(name: str) -> str:
    known = options_of(NormaliseOptions)
    return tr(known[name][1].label) if name in known else name
