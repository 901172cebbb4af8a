"""What the controls of the statistics panel say in; the operation's answer, a Listing, out."""

from dataclasses import dataclass
from pathlib import Path

from lmstudio.data.browse.collocations import Window
from lmstudio.data.browse.listing import Listing
from lmstudio.data.browse.words import WordFilter
from lmstudio.jobs import Job
from lmstudio.messages import msg
from lmstudio.operations import browse
from lmstudio.store.workspace import Workspace

VIEWS = {
    "words": msg("Word list"), "ngrams": msg("N-grams"), "collocations": msg("Collocations"),
    "keyness": msg("Keyness"),
}  # fmt: skip
"""What can be asked of a segmentation."""


@dataclass(frozen=True)
class StatisticsQuestion:
    """Equal ones have the same answer: what a view has no use for is left at its default."""

    view: str  # of VIEWS
    segmentation: int
    part: str = ""
    stop_words: Path | None = None
    letters_only: bool = False
    min_count: int = 1
    n: int = 2  # of n-grams
    node: str = ""  # of collocations
    window: Window = Window()
    reference: int = 0  # of keyness: a segmentation


def answer(ws: Workspace, asked: StatisticsQuestion, *, job: Job) -> Listing:
    """The rows that are asked for. Raises AppError as the operations do."""
    shown = browse.word_filter(asked.stop_words, letters_only=asked.letters_only)
    return _ANSWERS[asked.view](ws, asked, shown, job)


def _words(ws: Workspace, asked: StatisticsQuestion, shown: WordFilter, job: Job) -> Listing:
    return browse.frequencies(ws, asked.segmentation, part=asked.part, shown=shown, job=job)


def _ngrams(ws: Workspace, asked: StatisticsQuestion, shown: WordFilter, job: Job) -> Listing:
    return browse.ngrams(
        ws, asked.segmentation, asked.n, min_count=asked.min_count, part=asked.part, shown=shown,
        job=job,
    )  # fmt: skip


def _collocations(ws: Workspace, asked: StatisticsQuestion, shown: WordFilter, job: Job) -> Listing:
    return browse.collocations(
        ws, asked.segmentation, asked.node, window=asked.window, min_count=asked.min_count,
        part=asked.part, shown=shown, job=job,
    )  # fmt: skip


def _keyness(ws: Workspace, asked: StatisticsQuestion, shown: WordFilter, job: Job) -> Listing:
    return browse.keyness(
        ws, asked.segmentation, asked.reference, part=asked.part, min_count=asked.min_count,
        shown=shown, job=job,
    )  # fmt: skip


_ANSWERS = {
    "words": _words, "ngrams": _ngrams, "collocations": _collocations, "keyness": _keyness,
}  # fmt: skip
