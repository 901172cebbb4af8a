"""The records of word2vec's binary layout -> bytes of a word, bytes of its vector.

A record is a word, a space, the numbers and perhaps a line end. A word may hold spaces, which the
layout has no mark for: it ends at the first space after which there are numbers of usual size, and
text again. What is not UTF-8, or of odd size, is believed where nothing else fits; where no space
fits at all, NoEnd is raised: all that follows would be garbage.
"""

import re
from collections.abc import Callable, Iterator
from typing import BinaryIO

import numpy as np

LONGEST_WORD = 10_000  # bytes
_MOST_PARTS = 8  # of a word with spaces
_LEAST = 1e-12  # of numbers that a vector is made of
_BLOCK = 1 << 20
_CONTROL = re.compile(rb"[\x00-\x1f\x7f]")  # none is in a word, whatever its encoding


class NoEnd(ValueError):
    """It cannot be told where a word ends; the argument is what it begins with, as bytes."""


def records(ahead: "Ahead", count: int, octets: int) -> Iterator[tuple[bytes, bytes]]:
    """At most `count` words with the `octets` bytes of each; fewer where the file is cut off.

    NoEnd where a word ends nowhere.
    """
    for number in range(count):
        ahead.skip_line_end()
        end = _end_of_word(ahead, octets, last=number == count - 1)
        if end < 0 or not ahead.has(end + 1 + octets):
            return
        yield ahead.take(end), ahead.take(1 + octets)[1:]


class Ahead:
    """A file of which more can be seen than is taken."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._held, self._at = b"", 0

    def has(self, count: int) -> bool:
        """Whether so many bytes are left; they are held from now on."""
        if len(self._held) - self._at < count:
            self._held = self._held[self._at :] + self._file.read(max(count, _BLOCK))
            self._at = 0
        return len(self._held) - self._at >= count

    def over(self) -> bool:
        """Whether nothing but line ends is left; those are taken."""
        self.skip_line_end()
        return not self.has(1)

    def take(self, count: int) -> bytes:
        self._at += count
        return self._held[self._at - count : self._at]

    def skip_line_end(self) -> None:
        while self.has(1) and self._held[self._at : self._at + 1] == b"\n":
            self._at += 1

    def seen(self, start: int, end: int) -> bytes:
        """What is held between two places from here on."""
        return self._held[self._at + start : self._at + end]

    def space(self, start: int) -> int:
        """Where from `start` on the first space stands; -1 where no word is so long."""
        self.has(start + LONGEST_WORD)
        found = self._held.find(b" ", self._at + start, self._at + start + LONGEST_WORD)
        return found - self._at if found >= 0 else -1


def _end_of_word(ahead: Ahead, octets: int, *, last: bool) -> int:
    """Where the word that begins here ends; -1 where the file does before it."""
    ends = [ahead.space(0)]
    while ends[-1] >= 0 and len(ends) < _MOST_PARTS:
        end = ahead.space(ends[-1] + 1)
        if end < 0 or not _is_clean(ahead.seen(0, end)):  # it stands amid the numbers
            break
        ends.append(end)
    if len(ends) == 1:
        return ends[0]
    whole = [end for end in ends if ahead.has(end + 1 + octets)]
    usual = [end for end in whole if _usual(ahead.seen(end + 1, end + 1 + octets))]
    as_meant: Callable[[bytes], bool] = (lambda rest: not rest) if last else _is_text
    for among, fits in ((usual, as_meant), (usual, _is_clean), (whole, _is_text)):
        for end in among:
            if fits(_next(ahead, end + 1 + octets)):
                return end
    if len(whole) < len(ends):
        return -1
    raise NoEnd(ahead.seen(0, ends[0]))


def _usual(octets: bytes) -> bool:
    """Whether numbers are such as vectors have: those read amid a number are of any size."""
    numbers = np.frombuffer(octets, "<f4")
    sizes = np.abs(numbers[numbers != 0])
    return bool(np.isfinite(sizes).all() and np.all((sizes > _LEAST) & (sizes < 1 / _LEAST)))


def _next(ahead: Ahead, start: int) -> bytes:
    """What stands before the next space, or the end of the file, from a place on."""
    while ahead.has(start + 1) and ahead.seen(start, start + 1) == b"\n":
        start += 1
    end = ahead.space(start)
    return ahead.seen(start, end if end >= 0 else start + LONGEST_WORD)


def _is_clean(octets: bytes) -> bool:
    return _CONTROL.search(octets) is None


def _is_text(octets: bytes) -> bool:
    try:
        octets.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return _is_clean(octets)
