"""An n-gram model of word classes: which class comes next, and which of its words.

    p(w | h) = p(c(w) | classes of h) p(w | c(w)),   p(w | c) = c(w) / sum of its members' counts

Brown et al. 1992. A word that the training text lacks counts as half an occurrence of its class.
"""

from typing import Literal, Self

import numpy as np

from lmstudio.data.layout import BOS, SPECIALS
from lmstudio.models.config import ClassNgramConfig, NgramConfig
from lmstudio.models.ngram.counts import Progress, count, stage
from lmstudio.models.ngram.model import NgramModel
from lmstudio.models.ngram.smoothing import Arrays, Facts
from lmstudio.models.ngram.word_classes import Found, Keep, WordClasses
from lmstudio.models.reading import WindowReading

FINDING = 0.9
"""Share of the work that finding the classes is taken for."""
_UNSEEN = 0.5


class ClassNgramModel:
    """A trained class-based model; obeys `models.base.LanguageModel`."""

    context: Literal["sentence", "document"] = "sentence"

    def __init__(
        self, config: ClassNgramConfig, inner: NgramModel, class_of: np.ndarray, members: np.ndarray
    ) -> None:
        """`inner` over classes; `class_of` (rows,) of each id; `members` (rows,) p(w | c(w))."""
        self.config, self.inner = config, inner
        self.class_of, self.members = np.asarray(class_of), np.asarray(members)

    @classmethod
    def fit(
        cls, stream: np.ndarray, rows: int, config: ClassNgramConfig, progress: Progress,
        held_out: np.ndarray | None = None, *, begun: Found | None = None,
        keep: Keep = lambda found: None,
    ) -> tuple[Self, Facts]:  # fmt: skip
        """Learn classes and their n-grams; see `NgramModel.fit` and `WordClasses.fit`."""
        class_of, information = classes(
            stream, rows, config, stage(progress, 0.0, FINDING), begun=begun, keep=keep
        )
        inner, facts = NgramModel.fit(
            class_of[stream], int(class_of.max()) + 1, NgramConfig(config.order, config.smoothing),
            stage(progress, FINDING, 1 - FINDING), None if held_out is None else class_of[held_out],
        )  # fmt: skip
        counts = np.maximum(np.bincount(stream, minlength=rows).astype(float), _UNSEEN)
        members = counts / np.bincount(class_of, weights=counts)[class_of]
        facts.parameters += 2 * (rows - 1)
        facts.information = information
        return cls(config, inner, class_of, members.astype(np.float32)), facts

    @classmethod
    def load(cls, arrays: Arrays, rows: int, config: ClassNgramConfig) -> Self:
        """The model that `arrays()` was asked of."""
        class_of = arrays["class_of"]
        inner = NgramModel.load(
            arrays, int(class_of.max()) + 1, NgramConfig(config.order, config.smoothing)
        )
        return cls(config, inner, class_of, arrays["members"])

    def arrays(self) -> Arrays:
        """What there is to be stored, by name."""
        return self.inner.arrays() | {"class_of": self.class_of, "members": self.members}

    @property
    def rows(self) -> int:
        """Ids of the vocabulary, `<s>` included."""
        return len(self.class_of)

    @property
    def proper(self) -> bool:
        """Its figures are probabilities, if those of the classes are."""
        return self.inner.proper

    @property
    def sizes(self) -> list[int]:
        """How many n-grams of classes there are of each order."""
        return self.inner.sizes

    def logprobs(self, stream: np.ndarray) -> np.ndarray:
        """Natural log p of every event of the stream."""
        words = stream[stream != BOS]
        return self.inner.logprobs(self.class_of[stream]) + np.log(self.members[words])

    def next_probs(self, prefix: np.ndarray) -> np.ndarray:
        """(rows,) p of each id after `<s>` and `prefix`."""
        probs = self.inner.next_probs(self.class_of[np.asarray(prefix, np.int64)])
        return probs[self.class_of] * self.members

    def begin(self, prefix: np.ndarray) -> WindowReading:
        """See models.base.WritingModel."""
        return WindowReading(self.next_probs, self.inner.lookup.order - 1, prefix)

    def fill_logs(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """See `blank.fill_logs`: the right side sees no more of a word than its class."""
        sides = (self.class_of[np.asarray(side, np.int64)] for side in (left, right))
        return self.inner.fill_logs(*sides)[self.class_of] + np.log(self.members)


def classes(
    stream: np.ndarray, rows: int, config: ClassNgramConfig, progress: Progress, *,
    begun: Found | None = None, keep: Keep = lambda found: None,
) -> tuple[np.ndarray, float]:  # fmt: skip
    """(rows,) int32 the class of each id, and the mutual information between them in bits."""
    bigrams = count(stream, rows, 2, stage(progress, 0.0, 0.1))[1]
    wanted = min(config.classes, rows - len(SPECIALS))
    found = WordClasses(bigrams.keys % rows, bigrams.keys // rows, bigrams.counts, rows, wanted)
    class_of = found.fit(config.sweeps, stage(progress, 0.1, 0.9), begun=begun, keep=keep)
    return class_of.astype(np.int32), found.mutual_information
