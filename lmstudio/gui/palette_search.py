"""What was typed and all choices of the palette in; those that it may mean out, best first."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from lmstudio.gui.initials import initials

_SPREAD = 3
"""Letters that were typed may stand among so many times as many; more would find everything."""


@dataclass(frozen=True)
class Choice:
    """A line of the palette: what it is, what it is called, its shortcut, and what it does."""

    kind: str
    title: str
    shortcut: str
    go: Callable[[], object]
    also: str = ""  # what else it is found by: its name in other languages

    @cached_property
    def words(self) -> str:
        """All that is searched in."""
        return f"{self.title} {self.also} {self.kind}".casefold()

    @cached_property
    def letters(self) -> str:
        """The same by its pinyin."""
        return initials(f"{self.title} {self.also}")


def search(text: str, choices: Sequence[Choice]) -> list[Choice]:
    """Words anywhere; else by initials of pinyin; else letters that follow one another in it."""
    words = text.casefold().split()
    if not words:
        return list(choices)
    ranked = [(_rank(words, choice), number) for number, choice in enumerate(choices)]
    return [choices[number] for rank, number in sorted(ranked) if rank < _NONE]


_NONE = 5


def _rank(words: list[str], choice: Choice) -> int:
    if all(word in choice.words for word in words):
        title = choice.title.casefold()
        if title.startswith(words[0]):
            return 0
        return 1 if all(word in title for word in words) else 2
    if all(word in choice.letters for word in words):
        return 3
    typed = "".join(words)
    return 4 if len(typed) > 2 and _follows(typed, choice.words) else _NONE


def _follows(typed: str, words: str) -> bool:
    """The letters stand there in this order, near each other, from the start of a word on."""
    start = words.find(typed[0])
    while start >= 0:
        if start == 0 or not words[start - 1].isalnum():
            place = start
            for letter in typed[1:]:
                place = words.find(letter, place + 1, start + _SPREAD * len(typed))
                if place < 0:
                    break
            else:
                return True
        start = words.find(typed[0], start + 1)
    return False
