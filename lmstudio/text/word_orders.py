"""A sentence and its words in; the same words in other orders, less and less like a sentence, out.

What stands between the words, such as white space, keeps its place; so does punctuation.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from lmstudio.text.segment import Span

Order = Literal["swapped", "shuffled", "nonsense"]
_TRIES = 20  # at an order that is not there yet


@dataclass(frozen=True)
class Variant:
    """A sentence in another order."""

    order: Order
    text: str


def word_orders(text: str, words: Sequence[Span], seed: int = 1) -> list[Variant]:
    """Swapped, the first and the last word have changed places: 我爱你 and 你爱我.

    Shuffled, the words stand at random; nonsense, all their characters do. An order that gives
    nothing new, as of a single word, is left out.
    """
    spans = [span for span in words if any(c.isalnum() for c in text[slice(*span)])]
    found = [text[start:end] for start, end in spans]
    cells = [(place, place + 1) for start, end in spans for place in range(start, end)
             if not text[place].isspace()]  # fmt: skip
    chance = random.Random(seed)
    made: list[Variant] = []
    seen = {text}

    def add(order: Order, where: Sequence[Span], filled: Sequence[str]) -> bool:
        new = _filled(text, where, filled)
        if new not in seen:
            seen.add(new)
            made.append(Variant(order, new))
        return bool(made) and made[-1].order == order

    if len(found) > 1:
        add("swapped", spans, [found[-1], *found[1:-1], found[0]])
    places: dict[Order, list[Span]] = {"shuffled": spans, "nonsense": cells}
    for order, where in places.items():
        own = [text[start:end] for start, end in where]
        for _ in range(_TRIES):
            if add(order, where, chance.sample(own, len(own))):
                break
    return made


def _filled(text: str, spans: Sequence[Span], words: Sequence[str]) -> str:
    """`text` with `words` in the place of its spans."""
    parts, done = [], 0
    for (start, end), word in zip(spans, words, strict=True):
        parts += [text[done:start], word]
        done = end
    return "".join([*parts, text[done:]])
