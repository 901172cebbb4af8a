"""A labelled example: what every file of a task becomes, whatever its layout.

Positions are code points of `text`; ends are exclusive.

    kind       text       other           label     spans
    classify   sentence                   its class
    tag        sentence                             what is tagged: entities, slots, words
    pair       sentence   the second one  relation
    qa         passage    question                  answers, type ""; none: there is no answer
"""

from dataclasses import asdict, dataclass
from typing import Any

PARTS = ("train", "valid", "test")


@dataclass(frozen=True, order=True)
class Span:
    """A stretch of a text and what it is."""

    start: int
    end: int
    type: str = ""  # of an entity, slot or word; "" of an answer, and of words without tags


@dataclass(frozen=True)
class Example:
    """One example of a task."""

    text: str
    other: str = ""
    label: str = ""
    spans: tuple[Span, ...] = ()  # in order; those of a tagging do not overlap
    words: tuple[tuple[int, int], ...] = ()  # of a tagging whose file gives words; () where not
    place: str = ""  # where it stands: "train.csv, row 12"; of qa its id
    labelled: bool = True  # False: to be predicted only

    @property
    def strings(self) -> tuple[str, ...]:
        """All of it that is text."""
        types = (span.type for span in self.spans)
        return self.text, self.other, self.label, self.place, *types

    def to_json(self) -> dict[str, Any]:
        """Plain data that `from_json` reads back."""
        return {name: value for name, value in asdict(self).items() if value not in ("", ())}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Example":
        """The example in `data`."""
        spans = tuple(Span(**span) for span in data.get("spans", ()))
        words = tuple((start, end) for start, end in data.get("words", ()))
        return cls(**({"text": ""} | data | {"spans": spans, "words": words}))
