"""MasksAsking: questions of the panel of masks in; the answers of runs as they come out."""

import random
from collections.abc import Iterable
from functools import partial

from PySide6.QtCore import QObject, Signal

from lmstudio.analysis.fill.question import Question
from lmstudio.gui.jobs import Asker
from lmstudio.gui.many_asking import ManyAsker
from lmstudio.gui.state import AppState
from lmstudio.operations import fill


class MasksAsking(QObject):
    """Each kind of question for itself; a newer one of its kind drops an older."""

    cut = Signal(object)  # Units of a sentence
    sampled = Signal(object)  # a sentence of the corpus
    answered = Signal(int, object)  # the run, its Answer
    failed = Signal(int, object)  # the run, an AppError
    took = Signal(int)  # milliseconds, when all runs have answered
    compared = Signal(int, object)  # the run, its FillerSimilarity
    uncompared = Signal(int, object)  # the run, an AppError
    refused = Signal(object)  # an AppError: a sentence cannot be cut, or had

    def __init__(self, state: AppState, parent: QObject) -> None:
        super().__init__(parent)
        self._state = state
        self._cutter, self._sampler = Asker(state, self), Asker(state, self)
        self._fillers, self._pairs = ManyAsker(state, self), ManyAsker(state, self)
        self._cutter.answered.connect(self.cut)
        self._sampler.answered.connect(self.sampled)
        for asker in (self._cutter, self._sampler):
            asker.failed.connect(self.refused)
        self._fillers.answered.connect(self.answered)
        self._fillers.failed.connect(self.failed)
        self._fillers.finished.connect(self.took)
        self._pairs.answered.connect(self.compared)
        self._pairs.failed.connect(self.uncompared)

    @property
    def busy(self) -> bool:
        """An answer is awaited."""
        return (self._cutter.busy or self._sampler.busy or self._fillers.busy
                or self._pairs.busy)  # fmt: skip

    def ask_units(self, segmentation_id: int, text: str) -> None:
        """Where the tokens and words of a sentence stand."""
        self._cutter.ask(fill.units, self._state.workspace, segmentation_id, text)

    def ask_sentence(self, corpus_id: int) -> None:
        """Any sentence of a corpus."""
        seed = random.randrange(1 << 30)
        self._sampler.ask(fill.another_sentence, self._state.workspace, corpus_id, seed)

    def ask(self, question: Question, runs: Iterable[int], *, in_order: bool) -> None:
        """What runs put into the blanks."""
        ask, workspace = partial(fill.fill, in_order=in_order), self._state.workspace
        self._fillers.ask({run: (ask, workspace, run, question) for run in runs})

    def compare(
        self, question: Question, number: int, words: tuple[str, str], runs: Iterable[int]
    ) -> None:
        """How alike two words are in a blank."""
        workspace = self._state.workspace
        self._pairs.ask({run: (fill.similarity, workspace, run, question, number, words)
                         for run in runs})  # fmt: skip
