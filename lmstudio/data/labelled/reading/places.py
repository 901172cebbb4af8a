"""Where a string is said to stand in a text -> where it does.

Files count what they say in characters, but some in bytes, or in the units of UTF-16 of which an
emoji has two. What is off by more than a few characters is looked up in these first.
"""

from collections.abc import Iterator

_NEAR = 2  # characters, by which a start is off where blanks or marks were counted otherwise
_UNITS = (("utf-16-le", 2), ("utf-8", 1))  # encoding, bytes of a unit


def nearest(text: str, wanted: str, place: int) -> int | None:
    """Where `wanted` stands in `text`, the nearest to `place`; None if it does not."""
    best, at = None, text.find(wanted) if wanted else -1
    while at >= 0:
        if best is None or abs(at - place) < abs(best - place):
            best = at
        at = text.find(wanted, at + 1)
    if best is None or place < 0 or abs(best - place) <= _NEAR:
        return best
    return next((at for at in _in_units(text, place) if text.startswith(wanted, at)), best)


def _in_units(text: str, place: int) -> Iterator[int]:
    """The characters before a place that is counted in units of other kinds."""
    for encoding, size in _UNITS:
        before = text.encode(encoding, "surrogatepass")[: place * size]
        yield len(before.decode(encoding, "ignore"))
