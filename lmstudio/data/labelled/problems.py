"""What is wrong with examples, counted problem by problem, with the first places of each."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from lmstudio.messages import Message

Level = Literal["dropped", "repaired", "noticed"]
"""What became of it: left out, mended, or kept as it is."""

LISTED = 50  # places of a problem that are kept


@dataclass
class Problem:
    """Something that was found `count` times in a part."""

    sentence: str  # of the catalogue, with {count} and {part} in it where it needs them
    level: Level
    part: str  # "" where it is about all parts
    count: int = 0
    examples: int = 0  # that were left out for it; a part of an example may be, too
    places: list[tuple[str, str]] = field(default_factory=list)  # "train.csv:12", what is there
    values: dict[str, Any] = field(default_factory=dict)  # other values of the sentence

    @property
    def message(self) -> Message:
        """What to say of it."""
        values = {"count": self.count, "part": Message(self.part), **self.values}
        return Message(self.sentence, values)

    def to_json(self) -> dict[str, Any]:
        """Plain data that `from_json` reads back."""
        return dict(self.__dict__)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Problem":
        """The problem in `data`."""
        places = [(place, detail) for place, detail in data.get("places", ())]
        return cls(**(data | {"places": places}))


class Problems:
    """The problems of one part after another; `part` is the one that is being read."""

    def __init__(self) -> None:
        self.part = ""
        self._found: dict[tuple[str, str], Problem] = {}

    def add(
        self, sentence: str, level: Level, place: str = "", detail: str = "", *, count: int = 1,
        examples: int | None = None, **values: Any,  # noqa: ANN401 - of a sentence
    ) -> None:  # fmt: skip
        """Count something, and keep where it is unless LISTED places are kept already.

        `examples` are left out for it: as many as `count` where it is of the level "dropped".
        """
        key = (sentence, self.part)
        problem = self._found.setdefault(key, Problem(sentence, level, self.part, values=values))
        problem.count += count
        dropped = count if level == "dropped" else 0
        problem.examples += dropped if examples is None else examples
        if (place or detail) and len(problem.places) < LISTED:
            problem.places.append((_whole(place), _whole(detail)))

    def __iter__(self) -> Iterator[Problem]:
        return iter(self._found.values())

    def dropped(self, part: str) -> int:
        """How many examples of a part were left out."""
        return sum(problem.examples for problem in self if problem.part == part)


def _whole(text: str) -> str:
    """With "?" for each half a character, which no file can hold."""
    return text.encode(errors="replace").decode()
