"""Surveys: ways to cut a corpus in; what each would count out, once the whole text is cut."""

import time
from collections import OrderedDict
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from lmstudio.data.survey import Survey
from lmstudio.errors import AppError
from lmstudio.gui.jobs import Asker
from lmstudio.gui.panels.segment.segmenter_choice import Cut
from lmstudio.gui.state import AppState
from lmstudio.operations import segmentations

SIDES = ("a", "b", "characters")
DEBOUNCE_MS = 350
_KEPT = 30  # surveys

Key = tuple[int, Cut]


class Surveys(QObject):
    """Asks for the figures of both sides and of characters; remembers those it has seen."""

    changed = Signal()

    def __init__(self, state: AppState, parent: QObject) -> None:
        super().__init__(parent)
        self._state = state
        self._known: OrderedDict[Key, Survey] = OrderedDict()
        self._wanted: dict[str, Key] = {}
        self._shown: dict[str, Survey] = {}
        self._failed: dict[Key, AppError] = {}  # not asked again until `want` is called
        self._asked: Key | None = None  # whose survey is being made
        self._since = 0.0
        self.seconds: float | None = None  # that the last survey took
        self._asker = Asker(state, self, "bulk")
        self._asker.answered.connect(self._take)
        self._asker.failed.connect(self._fail)
        self._pause = QTimer(self, interval=DEBOUNCE_MS, singleShot=True)
        self._pause.timeout.connect(self._ask_next)

    def want(self, corpus_id: int, cuts: dict[str, Cut]) -> None:
        """Show the figures of these cuts, by side."""
        wanted = {side: (corpus_id, cut) for side, cut in cuts.items()}
        if self._wanted and wanted["a"][0] != self._wanted["a"][0]:
            self._shown.clear()
        if wanted == self._wanted and (self._asker.busy or self._pause.isActive()):
            return
        if self._asked is not None and self._asked not in wanted.values():
            self.stop()
        self._wanted = wanted
        self._failed.clear()
        for side, key in wanted.items():
            if key in self._known:
                self._shown[side] = self._known[key]
        if self.waiting():
            self._pause.start()
        self.changed.emit()

    def stop(self) -> None:
        """Ask nothing more until `want` is called again."""
        self._pause.stop()
        self._asker.cancel()
        self._asked = None

    def swap(self) -> None:
        """The sides have changed places."""
        one, two = self._shown.pop("a", None), self._shown.pop("b", None)
        for side, survey in (("a", two), ("b", one)):
            if survey is not None:
                self._shown[side] = survey

    def survey(self, side: str) -> Survey | None:
        """What is known of a side, also while better is on its way."""
        return self._shown.get(side)

    def waiting(self) -> list[str]:
        """The sides whose figures are still to come."""
        ended = self._known.keys() | self._failed.keys()
        return [side for side, key in self._wanted.items() if key not in ended]

    def fault(self) -> str:
        """Why a side has no figures, "" if all have or will have some."""
        return next((str(error) for error in self._failed.values()), "")

    @Slot()
    def _ask_next(self) -> None:
        waiting = self.waiting()
        if self._asker.busy or not waiting:
            return
        self._asked = self._wanted[waiting[0]]
        corpus_id, cut = self._asked
        question = partial(
            segmentations.statistics, dictionary=cut.dictionary, tokenizer=cut.tokenizer,
            stop_words=cut.stop_words,
        )  # fmt: skip
        self._since = time.monotonic()
        self._asker.ask(question, self._state.workspace, corpus_id, cut.options)

    @Slot(object)
    def _take(self, survey: Survey) -> None:
        assert self._asked is not None
        key, self._asked = self._asked, None
        self.seconds = time.monotonic() - self._since
        self._known[key] = survey
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)
        for side, wanted in self._wanted.items():
            if wanted == key:
                self._shown[side] = survey
        self.changed.emit()
        self._ask_next()

    @Slot(object)
    def _fail(self, error: AppError) -> None:
        assert self._asked is not None
        key, self._asked = self._asked, None
        self._failed[key] = error
        for side, wanted in self._wanted.items():
            if wanted == key:
                self._shown.pop(side, None)
        self.changed.emit()
        self._ask_next()
