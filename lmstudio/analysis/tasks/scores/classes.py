"""Gold and guessed classes -> accuracy, macro F1, a row for each class, who is taken for whom.

The figures are those of scikit-learn. Macro F1 is the mean over the classes that occur, be it as
gold or as guess.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lmstudio.analysis.tasks.scores.counts import Counts, share


@dataclass(frozen=True)
class ClassScores:
    """How well classes were guessed."""

    labels: tuple[str, ...]  # those of the task, then what else is gold
    confusion: np.ndarray  # (C, C) int64: gold down, guess across

    @property
    def total(self) -> int:
        """Examples that were scored."""
        return int(self.confusion.sum())

    @property
    def accuracy(self) -> float:
        """The share that is right."""
        return share(int(np.trace(self.confusion)), self.total)

    @property
    def majority(self) -> float:
        """The accuracy of who always says the class that is gold most often."""
        return share(int(self.confusion.sum(1).max(initial=0)), self.total)

    @cached_property
    def classes(self) -> dict[str, Counts]:
        """The counts of each class, in the order of `labels`."""
        right, gold, found = np.diag(self.confusion), self.confusion.sum(1), self.confusion.sum(0)
        counts = zip(right.tolist(), gold.tolist(), found.tolist(), strict=True)
        return {label: Counts(*one) for label, one in zip(self.labels, counts, strict=True)}

    @property
    def macro_f1(self) -> float:
        """The mean F1 of the classes that occur."""
        found = [one.f1 for one in self.classes.values() if one.gold or one.found]
        return share(sum(found), len(found))

    @property
    def figures(self) -> dict[str, float]:
        """The figures of the whole, by the names that are kept with a run."""
        return {"accuracy": self.accuracy, "macro_f1": self.macro_f1, "majority": self.majority,
                "examples": self.total}  # fmt: skip


def score(gold: Sequence[str], guess: Sequence[str], labels: Sequence[str] = ()) -> ClassScores:
    """The scores of `guess`, example by example beside `gold`. ValueError: not as many of each."""
    pairs = Counter(zip(gold, guess, strict=True))
    names = tuple(dict.fromkeys([*labels, *sorted({*gold, *guess})]))
    place = {name: number for number, name in enumerate(names)}
    confusion = np.zeros((len(names), len(names)), np.int64)
    for (right, said), count in pairs.items():
        confusion[place[right], place[said]] = count
    return ClassScores(names, confusion)
