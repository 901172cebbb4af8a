"""Segment: a corpus in; two ways to cut it, seen and counted, out; the better one is kept."""

from functools import partial

from PySide6.QtCore import Slot
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from lmstudio import figures
from lmstudio.data.layout import CorpusText
from lmstudio.errors import AppError
from lmstudio.gui import theme
from lmstudio.gui.panels.comparison import Comparison
from lmstudio.gui.panels.corpus_card import CorpusCard
from lmstudio.gui.panels.documents import DocumentTable
from lmstudio.gui.panels.panel import Panel
from lmstudio.gui.panels.segment_figures import FigureCards
from lmstudio.gui.panels.segmenter_choice import Cut, SegmenterChoice, proposed
from lmstudio.gui.panels.shared_options import SharedOptions
from lmstudio.gui.panels.split_bar import SplitBar
from lmstudio.gui.panels.surveys import Surveys
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import (
    Card,
    EmptyState,
    Strip,
    button,
    disable,
    enable,
    hairline,
    tool,
)
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.operations import segmentations
from lmstudio.store.rows import CorpusRow, DocumentRow

_SEEN_LINES, _SEEN_CHARACTERS = 20, 300  # of a corpus, to tell its script


class SegmentPanel(Panel):
    """Side A is what Ctrl+Enter keeps."""

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(state, parent)
        self.card = CorpusCard(state, self)
        self.split = SplitBar(self)
        self.documents = DocumentTable(state, self)
        self.choices = (
            SegmenterChoice(state, tr("A"), self), SegmenterChoice(state, tr("B"), self)
        )  # fmt: skip
        self.shared = SharedOptions(self)
        self.comparison = Comparison(state, self)
        self.surveys = Surveys(state, self)
        self.figures = FigureCards(state, self.surveys, self)
        self.overlap = Strip("warn", self)
        self.save_a = button(tr("Save A and train") + "  Ctrl+↵", "primary", parent=self)
        self.save_b = button(tr("Save B"), parent=self)
        self._corpus: CorpusRow | None = None
        self._touched = False  # the user has chosen a segmenter
        self._jobs: dict[Job, str] = {}  # those that keep a side
        self._pages = QStackedWidget(self)
        self._lay_out()
        self._connect()
        self._refresh()

    # layout

    def _lay_out(self) -> None:
        right = QVBoxLayout()
        right.setSpacing(theme.px(12))
        right.addWidget(self._comparison_card(), 1)
        right.addWidget(self.figures)
        right.addLayout(self.action_row(self.save_b, self.save_a))
        for widget in (self.split, self.documents):
            self.card.body.addWidget(widget)
        self.card.body.insertWidget(2, hairline(self))
        self.card.list.setMaximumHeight(theme.px(212))
        self.card.body.setStretchFactor(self.documents, 1)
        main = QWidget(self)
        row = QHBoxLayout(main)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(12))
        row.addWidget(self.card)
        row.addLayout(right, 1)
        self._pages.addWidget(main)
        self._pages.addWidget(self._empty_page())
        self.page().addWidget(self._pages)

    def _comparison_card(self) -> Card:
        card = self._compared = Card(tr("Two ways to cut"), parent=self)
        self.more = button(tr("More settings"), "link", parent=self)
        self.more.setCheckable(True)
        following = tool("down", tr("Next difference  N"), parent=self)
        following.clicked.connect(self.comparison.next_difference)
        swap = tool("swap", tr("Swap the sides  S"), parent=self)
        swap.clicked.connect(self.swap)
        for widget in (self.more, following, swap):
            card.row.add_tool(widget)
        choosers = QHBoxLayout()
        choosers.setSpacing(theme.px(33))
        for choice in self.choices:
            choosers.addWidget(choice, 1)
        self.shared.hide()
        card.body.addWidget(self.shared)
        card.body.addLayout(choosers)
        card.body.addWidget(self.overlap)
        card.body.addWidget(self.comparison, 1)
        return card

    def _empty_page(self) -> QWidget:
        self._lead = button(tr("Go to Corpora"), "primary")
        self._lead.clicked.connect(self._go_to_corpora)
        text = tr("Drop a text on the window; then it can be cut into characters or words here.")
        card = Card(parent=self)
        card.body.addWidget(EmptyState(tr("No text to segment"), text, [self._lead]), 1)
        return card

    def _connect(self) -> None:
        for choice in self.choices:
            choice.changed.connect(self._chosen)
        self.more.toggled.connect(self.shared.setVisible)
        self.shared.changed.connect(self._chosen)
        self.comparison.moved.connect(self._say_place)
        self.comparison.failed.connect(self._failed)
        self.comparison.swap_wanted.connect(self.swap)
        self.surveys.changed.connect(self._say_state)
        self.surveys.failed.connect(self._failed)
        self.documents.chosen.connect(self._show_document)
        self.save_a.clicked.connect(self._save_a)
        self.save_b.clicked.connect(self._save_b)
        self.card.paste_wanted.connect(self._go_to_corpora)
        state = self.state
        state.selection_changed.connect(self._refresh)
        state.corpora_changed.connect(self._refresh)
        state.jobs.finished.connect(self._job_ended)

    # what is shown

    @Slot()
    def _refresh(self) -> None:
        corpus = self.state.corpus
        self._pages.setCurrentIndex(1 if corpus is None else 0)
        self.primary = self._lead if corpus is None else self.save_a
        if corpus is not None and not self.isVisible():
            return  # showing it refreshes it
        before, self._corpus = self._corpus, corpus
        if corpus is None:
            self.comparison.clear()
            self.surveys.stop()
            return
        self.split.show_corpus(corpus)
        if before is None or before.id != corpus.id:
            self.documents.show_corpus(corpus)
            if not self._touched:
                for choice, key in zip(self.choices, self._proposed(corpus), strict=True):
                    choice.choose(key)
        self._show()

    def _proposed(self, corpus: CorpusRow) -> tuple[str, str]:
        text = CorpusText(self.state.workspace.corpus_folder(corpus.id))
        seen = (text.line(n)[:_SEEN_CHARACTERS] for n in range(min(len(text), _SEEN_LINES)))
        return proposed("".join(seen))

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self._refresh()
        if self.primary is not None and self.window().focusWidget() is None:
            self.primary.setFocus()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        super().hideEvent(event)
        self.surveys.stop()

    def cuts(self) -> tuple[Cut, Cut]:
        """What both sides are set to."""
        one, two = (choice.cut(self.shared.value()) for choice in self.choices)
        return one, two

    def _show(self) -> None:
        """Cut and count, if anybody sees it."""
        corpus = self._corpus
        if corpus is None:
            return
        a, b = self.cuts()
        self.comparison.show_cuts(corpus.id, (a, b))
        self.figures.set_titles(*(choice.title() for choice in self.choices))
        characters = Cut(self.shared.value())
        if not self._jobs:
            self.surveys.want(corpus.id, {"a": a, "b": b, "characters": characters})
        overlapping = a.options.overlapping or b.options.overlapping
        self.overlap.say(
            tr(
                "Full and search mode count some characters more than once: runs on them are not "
                "comparable with runs on other segmentations."
            )
            if overlapping else ""
        )  # fmt: skip
        self._check()

    @Slot()
    def _chosen(self) -> None:
        self._touched = True
        count = self.shared.changed_count()
        self.more.setText(
            tr("More settings · {count} changed", count=count) if count else tr("More settings")
        )
        self._show()

    @Slot()
    def swap(self) -> None:
        """Let the sides change places."""
        self.choices[0].swap(self.choices[1])
        self.surveys.swap()
        self.comparison.swap()
        self._touched = True
        self._show()

    @Slot(object)
    def _show_document(self, document: DocumentRow) -> None:
        self.comparison.show_line(document.first_line)

    @Slot()
    def _say_place(self) -> None:
        place, corpus = self.comparison.place(), self._corpus
        if place is None or corpus is None:
            self._compared.row.set_note("")
            return
        first, last = (figures.count(line) for line in place)
        total = figures.count(corpus.lines)
        if first == last:
            note = tr("line {first} of {total} · underlined where the sides differ",
                      first=first, total=total)  # fmt: skip
        else:
            note = tr("lines {first}–{last} of {total} · underlined where the sides differ",
                      first=first, last=last, total=total)  # fmt: skip
        self._compared.row.set_note(note)

    @Slot()
    def _say_state(self) -> None:
        if self._jobs:
            self.note.setText(tr("The whole text is being cut; progress stands below."))
        elif self.surveys.waiting():
            self.note.setText(tr("The sentences are cut; the whole text is being counted."))
        elif self.surveys.seconds is not None:
            time = figures.duration(self.surveys.seconds)
            self.note.setText(tr("Counting the whole text took {time}.", time=time))

    @Slot(object)
    def _failed(self, error: AppError) -> None:
        self.note.setText(str(error))

    # keeping a side

    def _check(self) -> None:
        for control, side in ((self.save_a, "A"), (self.save_b, "B")):
            if side in self._jobs.values():
                disable(control, tr("It is being cut."))
            else:
                enable(control)
        self._say_state()

    @Slot()
    def _save_a(self) -> None:
        self._save(0)

    @Slot()
    def _save_b(self) -> None:
        self._save(1)

    def _save(self, side: int) -> None:
        corpus = self._corpus
        if corpus is None:
            return
        cut = self.cuts()[side]
        self.surveys.stop()  # they would be waited for
        name = self.state.workspace.free_name(
            "segmentation", f"{corpus.name} · {self.choices[side].title()}"
        )
        job = Job(tr("Segment {name}", name=corpus.name))
        self._jobs[job] = "AB"[side]
        question = partial(segmentations.create, name=name, dictionary=cut.dictionary)
        ws = self.state.workspace
        self.state.run("bulk", job, question, ws, corpus.id, cut.options)
        self._check()

    @Slot(object)
    def _job_ended(self, job: Job) -> None:
        side = self._jobs.pop(job, "")
        if not side:
            return
        self._check()
        if job.state == "done" and side == "A" and self.isVisible():
            self.state.panel_wanted.emit("new_run")
        elif self.isVisible():
            self._show()

    @Slot()
    def _go_to_corpora(self) -> None:
        self.state.panel_wanted.emit("corpora")

    def export(self) -> None:
        """Ctrl+E: the statistics."""
        self.figures.export()
