"""How many are right, are there and were found -> precision, recall and F1."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Counts:
    """Of one class or type, or of all; a share of nothing is 0, as scikit-learn has it."""

    correct: int
    gold: int
    found: int

    @property
    def precision(self) -> float:
        """The share of what was found that is right."""
        return share(self.correct, self.found)

    @property
    def recall(self) -> float:
        """The share of what there is that was found."""
        return share(self.correct, self.gold)

    @property
    def f1(self) -> float:
        """Their harmonic mean."""
        return share(2 * self.correct, self.gold + self.found)

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(self.correct + other.correct, self.gold + other.gold,
                      self.found + other.found)  # fmt: skip


def share(part: float, whole: float) -> float:
    """A part of a whole, 0 of nothing."""
    return part / whole if whole else 0.0
