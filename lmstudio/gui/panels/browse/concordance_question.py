"""A query and what is selected in; the operation's answer out: what the concordance panel asks."""

from dataclasses import dataclass

from lmstudio.data.browse.concordance import Concordance, Side, View
from lmstudio.data.browse.search import Query
from lmstudio.gui.state import AppState
from lmstudio.jobs import Job
from lmstudio.operations import browse
from lmstudio.store.workspace import Workspace

Order = tuple[Side, int]
"""By the nth word, or character, of a side."""

PAGE = View(limit=200, stop_at=20)  # what is shown first
WHOLE = View()


@dataclass(frozen=True)
class Question:
    """What is searched for, and in what."""

    corpus: int
    segmentation: int | None  # of a query for words
    query: Query
    part: str


def question(state: AppState, query: Query, part: str) -> Question | None:
    """The query asked of what is selected; None where nothing is."""
    corpus, cut = state.corpus, state.segmentation
    if corpus is None:
        return None
    words = cut.id if cut is not None and query.kind == "word" else None
    return Question(corpus.id, words, query, part)


def hits(ws: Workspace, asked: Question, view: View, order: Order, *, job: Job) -> Concordance:
    """The hits in an order. Raises AppError as the operation does."""
    found = browse.concordance(
        ws, asked.corpus, asked.query, segmentation=asked.segmentation, part=asked.part,
        view=view, job=job,
    )  # fmt: skip
    return sorted_hits(found, order, job=job)


def sorted_hits(found: Concordance, order: Order, *, job: Job) -> Concordance:
    """The same hits in another order."""
    job.check()
    return found.sorted_by(*order)
