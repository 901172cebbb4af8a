"""Documents, as lists of sentence numbers, to pairs of sentences that do or do not follow.

The pairs of next sentence prediction (Devlin et al. 2019, BERT): in half of them the second
sentence follows the first, in the others it is a random one.
"""

from collections.abc import Sequence

import numpy as np

from lmstudio.errors import AppError
from lmstudio.messages import Message


class NextSentencePairs:
    """Draws pairs; a sentence and the one that follows it are never called strangers.

    A stranger stands in another document. With one document only, which `notice` then tells, it is
    any sentence of it but the first of the pair and the one that follows that.
    """

    def __init__(self, documents: Sequence[Sequence[int]]) -> None:
        """`documents`: the numbers of the sentences of each, in order.

        AppError if no sentence has one that follows it, or none a stranger.
        """
        sizes = [len(document) for document in documents if len(document)]
        self._sentences = [number for document in documents for number in document]
        self._ends = np.cumsum(sizes)
        self._firsts = np.setdiff1d(np.arange(len(self._sentences)), self._ends - 1)
        self.notice: Message | None = None
        if not len(self._firsts):
            raise AppError(
                "No sentence has one that follows it in its document, so there are no pairs to "
                "learn from. Import the text so that a document holds several lines."
            )
        if len(sizes) == 1:
            self.notice = Message(
                "There is only one document, so the sentences that do not follow come from the "
                "same text, which is harder to tell. Import the text as several documents to draw "
                "them from others."
            )
            if len(self._sentences) < 3:
                raise AppError("Pairs of sentences take three sentences or two documents at least.")

    @property
    def neighbours(self) -> int:
        """Different pairs in which the second sentence follows the first."""
        return len(self._firsts)

    def draw(self, rng: np.random.Generator) -> tuple[int, int, bool]:
        """(a sentence, another one, whether it follows), which it does in half of the draws."""
        place = int(self._firsts[rng.integers(len(self._firsts))])
        follows = bool(rng.random() < 0.5)
        other = place + 1 if follows else self._stranger(place, rng)
        return self._sentences[place], self._sentences[other], follows

    def _stranger(self, place: int, rng: np.random.Generator) -> int:
        """A place outside the document of `place`; in the only document, outside the pair."""
        first, end = place, place + 2
        if len(self._ends) > 1:
            own = int(np.searchsorted(self._ends, place, side="right"))
            first, end = int(self._ends[own - 1]) if own else 0, int(self._ends[own])
        other = int(rng.integers(len(self._sentences) - (end - first)))
        return other if other < first else other + end - first
