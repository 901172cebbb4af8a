"""The records of word2vec's binary layout -> bytes of a word, bytes of its vector.

A record is a word, a space, the numbers and perhaps a line end. A word may hold spaces, which the
layout has no mark for: it ends at the first space after which there are numbers of usual size, and
a word again; where there is no such space, at the first one.
"""

from collections.abc import Iterator
from typing import BinaryIO

import numpy as np

LONGEST_WORD = 10_000  # bytes
_MOST_PARTS = 8  # of a word with spaces
_LEAST = 1e-12  # of numbers that a vector is made of
_BLOCK = 1 << 20


def records(file: BinaryIO, count: int, octets: int) -> Iterator[tuple[bytes, bytes]]:
    """At most `count` words with the `octets` bytes of each; fewer where the file is cut off."""
    ahead = _Ahead(file)
    for number in range(count):
        ahead.skip_line_end()
        end = _end_of_word(ahead, octets, last=number == count - 1)
        if end < 0 or not ahead.has(end + 1 + octets):
            return
        yield ahead.take(end), ahead.take(1 + octets)[1:]


class _Ahead:
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


def _end_of_word(ahead: _Ahead, octets: int, *, last: bool) -> int:
    """Where the word that begins here ends; -1 where none does."""
    ends = [ahead.space(0)]
    while ends[-1] >= 0 and len(ends) < _MOST_PARTS:
        end = ahead.space(ends[-1] + 1)
        if end < 0 or not _is_text(ahead.seen(0, end)):  # it stands amid the numbers
            break
        ends.append(end)
    if len(ends) > 1:
        for end in ends:
            if not ahead.has(end + 1 + octets):
                break
            numbers = np.frombuffer(ahead.seen(end + 1, end + 1 + octets), "<f4")
            if _usual(numbers) and _goes_on(ahead, end + 1 + octets, last=last):
                return end
    return ends[0]


def _usual(numbers: np.ndarray) -> bool:
    """Whether numbers are such as vectors have: those read amid a number are of any size."""
    sizes = np.abs(numbers[numbers != 0])
    return bool(np.isfinite(sizes).all() and np.all((sizes > _LEAST) & (sizes < 1 / _LEAST)))


def _goes_on(ahead: _Ahead, start: int, *, last: bool) -> bool:
    """Whether a word, or after the last one nothing, begins at a place."""
    while ahead.has(start + 1) and ahead.seen(start, start + 1) == b"\n":
        start += 1
    if last or not ahead.has(start + 1):
        return not ahead.has(start + 1)
    end = ahead.space(start)
    return end >= 0 and _is_text(ahead.seen(start, end))


def _is_text(octets: bytes) -> bool:
    try:
        return octets.decode("utf-8").isprintable()
    except UnicodeDecodeError:
        return False
