"""Prediction: what a fine-tuned model says of one example, as plain data.

classify, pair   `label` and the `probabilities` of all labels
tag              `spans`, and every token with its tag
qa               `answers`, the best first; "" among them: the passage does not say
"""

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class FoundSpan:
    """A stretch of a text that the model found."""

    start: int  # code points of the text
    end: int
    type: str
    p: float  # the lowest probability among the tags of its tokens


@dataclass(frozen=True)
class TaggedToken:
    """A token that was read and the tag that it was given."""

    start: int
    end: int
    tag: str
    p: float  # of the tag
    others: tuple[tuple[str, float], ...] = ()  # the likeliest other tags


@dataclass(frozen=True)
class Answer:
    """A stretch of the passage; text "" and no stretch: there is no answer."""

    text: str
    start: int
    end: int
    p: float  # among the answers listed
    score: float  # logit of the start plus logit of the end


@dataclass(frozen=True)
class Prediction:
    """What is said of one example; fields that its kind of task lacks are empty."""

    text: str
    other: str = ""
    label: str = ""
    probabilities: tuple[float, ...] = ()  # by label, in the order of the task's labels
    spans: tuple[FoundSpan, ...] = ()
    tokens: tuple[TaggedToken, ...] = ()
    answers: tuple[Answer, ...] = ()
    read: int = 0  # tokens of the text (of the passage) that the model saw
    cut: bool = False  # there are others
    unknown: int = 0  # of those read, that the vocabulary has not

    @property
    def answer(self) -> str:
        """The best answer, "" where there is none."""
        return self.answers[0].text if self.answers else ""

    @property
    def confidence(self) -> float:
        """The probability of what is said; the least certain token's of tags."""
        if self.probabilities:
            return max(self.probabilities)
        if self.answers:
            return self.answers[0].p
        return min((token.p for token in self.tokens), default=0.0)

    def to_json(self) -> dict[str, Any]:
        """Plain data without what is empty."""
        return {name: value for name, value in asdict(self).items() if value not in ("", ())}
