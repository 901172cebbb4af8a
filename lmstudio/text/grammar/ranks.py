"""A place in a list -> how often what stands there is drawn: the first most often, as in language.

Weights fall as 1 / (rank + offset) ** exponent (Zipf 1935; the offset is Mandelbrot's, 1953). Two
laws are enough. `ENTRIES`, nearly flat, is for the words that fill one slot: with all slots
together it gives a few words that are everywhere and a long tail. `HABITS`, steep, is for all
else (topics, templates, alternatives, people): what is written about and how it is put.

The constants were set so that 300 kB of text use 2,000 words and yet repeat themselves enough to
be learned from in minutes: steeper habits make models better and the text poorer.
"""

from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from random import Random
from typing import NamedTuple


class Law(NamedTuple):
    """How fast weights fall with the rank."""

    offset: float
    exponent: float


ENTRIES = Law(offset=1, exponent=0.5)
HABITS = Law(offset=8, exponent=6)


@cache
def shares(count: int, law: Law = HABITS) -> tuple[float, ...]:
    """The probabilities of `count` things, from the likeliest to the rarest."""
    weights = [1 / (rank + law.offset) ** law.exponent for rank in range(1, count + 1)]
    total = sum(weights)
    return tuple(weight / total for weight in weights)


def draw(random: Random, count: int) -> int:
    """A random place among `count`, by `shares`."""
    return pick(random, _sums(count))


def pick(random: Random, sums: Sequence[float]) -> int:
    """A random place, by running sums of weights.

    Built on `random()`, whose values no Python version changes.
    """
    return bisect_right(sums, random.random() * sums[-1], hi=len(sums) - 1)


@cache
def _sums(count: int) -> tuple[float, ...]:
    return tuple(accumulate(shares(count)))
