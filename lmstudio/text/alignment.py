"""Edits of a text to the new text, and each of its characters to where it came from.

Shifts are pairs (character, shift): from that character of the new text on, its position in the old
one is its own position plus the shift. The first pair is at 0; a text without pairs did not move.
"""

from collections.abc import Iterable, Sequence

import numpy as np

Shift = tuple[int, int]
Edit = tuple[int, int, str]
"""Start and end in the old text, and what stands there in the new one."""


def edited(text: str, edits: Iterable[Edit]) -> tuple[str, list[Shift]]:
    """The text after edits that are in order and apart, and its shifts.

    An edit replaces one old character or more. Of n that became m, the first come from each other
    in turn, and more new ones from the last old one: places never go back.
    """
    pieces: list[str] = []
    shifts: list[Shift] = []
    done = size = 0  # in the old text, in the new one
    for start, end, new in edits:
        pieces += text[done:start], new
        size += start - done
        old = end - start
        shifts += [(place, end - 1 - place) for place in range(size + old, size + len(new))]
        size, done = size + len(new), end
        shifts.append((size, end - size))
    pieces.append(text[done:])
    whole = "".join(pieces)
    return whole, _fewest(shifts, len(whole))


def _fewest(shifts: Iterable[Shift], size: int) -> list[Shift]:
    """The same without pairs that change nothing; of several at one character the last holds."""
    last = dict(shifts)
    kept: list[Shift] = []
    for character, shift in sorted(last.items()):
        if character < size and shift != (kept[-1][1] if kept else 0):
            kept.append((character, shift))
    return kept


def composed(first: Sequence[Shift], second: Sequence[Shift]) -> list[Shift]:
    """The shifts of two steps, one after the other, as those of one: new text to oldest."""
    if not second:
        return list(first)
    found: list[Shift] = []
    begun = [(0, 0), *second] if second[0][0] else list(second)
    index, before = 0, 0  # of `first`, and the shift it has reached
    for number, (character, shift) in enumerate(begun):
        while index < len(first) and first[index][0] <= character + shift:
            before = first[index][1]
            index += 1
        found.append((character, shift + before))
        end = begun[number + 1][0] if number + 1 < len(begun) else None
        while index < len(first) and (end is None or first[index][0] < end + shift):
            place, before = first[index]
            found.append((place - shift, shift + before))
            index += 1
    return found


def moved(spans: Sequence[tuple[int, int]], shifts: Sequence[Shift], size: int) -> np.ndarray:
    """(S, 2) int64: where spans of the old text stand in the new one, of `size` characters.

    A span of which nothing is left is empty (its start is its end).
    """
    origins = np.arange(size)
    bounds = [*(character for character, _ in shifts), size]
    for (character, shift), end in zip(shifts, bounds[1:], strict=True):
        origins[character:end] += shift
    return np.searchsorted(origins, np.asarray(spans, np.int64).reshape(-1, 2))
