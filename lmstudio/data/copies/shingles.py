"""Stretches of lines to what tells them apart: a digest, a set of shingles, the bands of a MinHash.

A shingle is SHINGLE units in a row as a 64-bit number; two of other units have the same number once
in 10^19. A unit is a word of an alphabet, or else a character: three Han characters in a row are
rare, but three letters stand in every text. White space is no unit. How alike two stretches are is
the Jaccard index of their sets of shingles, those in both over those in either (Broder 1997, On the
resemblance and containment of documents).

A MinHash of BANDS bands of ROWS values finds stretches that may be alike without comparing every
pair: two of index J share a band with probability 1 - (1 - J^ROWS)^BANDS, 0.99 for 0.6.

The library rensa (MIT, no dependencies, wheels for Linux, macOS and Windows) computes it straight
from an array of shingles. For the 3.8 million of 60,000 poems it took 1.4 s of CPU time, most of it
to hand the values over; the same in numpy, a pass for each value, took 2.9 s, and datasketch, which
wants scipy besides, 20 s.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from lmstudio.data.layout import CorpusText
from lmstudio.jobs import Job
from lmstudio.messages import Message

SHINGLE = 3
BANDS, ROWS = 32, 4

Stretch = tuple[int, int]
"""First line and number of lines, at least one."""

_AT_ONCE = 1 << 20  # bytes of text between two ticks
_LARGE = 1 << 24  # bytes above which a stretch is known by a sample of its shingles
_SAMPLED = np.uint64(64)  # one in so many
_KEPT = 1 << 23  # shingles of compared stretches that are held in memory
_SEED = 1
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SPACE = np.array([chr(code).isspace() for code in range(0x3002)])  # the last: all that follow
_LETTER = np.array([chr(code).isalnum() for code in range(0xE00)] + [False])  # Thai has no spaces


@dataclass
class Sketches:
    """What is known of N stretches, in their order."""

    digests: np.ndarray  # (N, 2) uint64, equal where the text without white space is
    bands: np.ndarray  # (N, BANDS) uint32
    shingles: np.ndarray  # (N,) int64, how many; none where a stretch is shorter than one


def sketches(text: CorpusText, stretches: Sequence[Stretch], *, job: Job) -> Sketches:
    """Sketch stretches that follow one another in the text."""
    found = Sketches(
        digests=np.zeros((len(stretches), 2), np.uint64),
        bands=np.zeros((len(stretches), BANDS), np.uint32),
        shingles=np.zeros(len(stretches), np.int64),
    )
    for first, end in batches(_starts(text, stretches)):
        digests, keys, offsets = _read(text, stretches[first:end], job)
        found.digests[first:end] = digests
        found.bands[first:end] = _bands(keys, offsets)
        found.shingles[first:end] = np.diff(offsets)
        job.tick(end, len(stretches), Message("Looking for text that stands twice"))
    return found


class Resemblance:
    """The Jaccard index of any two stretches, computed from their shingles, not estimated."""

    def __init__(self, text: CorpusText, stretches: Sequence[Stretch], *, job: Job) -> None:
        self._text, self._stretches, self._job = text, stretches, job
        self._known: dict[int, np.ndarray] = {}
        self._held = 0

    def jaccard(self, one: int, other: int) -> float:
        """Shingles in both over shingles in either; 0 where neither has any.

        Where one of them is over 16 MiB, of a sample of the shingles that is the same for both.
        """
        a, b = self._set(one), self._set(other)
        if any(_is_large(self._text, self._stretches[number]) for number in (one, other)):
            a, b = _sample(a), _sample(b)
        common = len(np.intersect1d(a, b, assume_unique=True))
        return common / max(len(a) + len(b) - common, 1)

    def _set(self, number: int) -> np.ndarray:
        """The sorted set of a stretch's shingles; those asked for last are kept."""
        known = self._known.get(number)
        if known is None:
            self._job.check()
            _, keys, _ = _read(self._text, [self._stretches[number]], self._job)
            keys.sort()
            known = keys[np.append(True, keys[1:] != keys[:-1])] if len(keys) else keys
            if self._held > _KEPT:
                self._known, self._held = {}, 0
            self._known[number] = known
            self._held += len(known)
        return known


def batches(starts: np.ndarray) -> Iterator[tuple[int, int]]:
    """(first, end) of items of about _AT_ONCE bytes together; a larger item is alone.

    `starts`: the byte where each begins, and, last, where the last ends.
    """
    first, count = 0, len(starts) - 1
    while first < count:
        end = int(np.searchsorted(starts, starts[first] + _AT_ONCE, side="right")) - 1
        end = max(end, first + 1)
        yield first, end
        first = end


def _starts(text: CorpusText, stretches: Sequence[Stretch]) -> np.ndarray:
    """The byte where each stretch begins, and, last, where the last one ends."""
    firsts = np.array([first for first, _ in stretches], np.int64)
    return np.append(text.lines["start"][firsts], _end(text, stretches[-1]))


def _end(text: CorpusText, stretch: Stretch) -> int:
    """The byte after a stretch."""
    last = text.lines[sum(stretch) - 1]
    return int(last["start"]) + int(last["size"]) + 1


def _read(
    text: CorpusText, stretches: Sequence[Stretch], job: Job
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Digests (N, 2), all shingles, and (N + 1,) where those of each stretch begin and end."""
    if len(stretches) == 1 and _size(text, stretches[0]) > _AT_ONCE:
        return _read_long(text, stretches[0], job)
    characters = _characters(text, stretches)
    ends = characters.ends.tolist()
    digests = b"".join(
        hashlib.blake2b(characters.codes[start:end].data, digest_size=16).digest()
        for start, end in pairwise([0, *ends])
    )
    return (np.frombuffer(digests, np.uint64).reshape(-1, 2), *_shingles(characters))


def _read_long(
    text: CorpusText, stretch: Stretch, job: Job
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """As `_read`, piece by piece; the few shingles that reach into the next piece are left out."""
    digest, keys = hashlib.blake2b(digest_size=16), []
    first, count = stretch
    starts = np.append(text.lines["start"][first : first + count], _end(text, stretch))
    for begin, end in batches(starts):
        characters = _characters(text, [(first + begin, end - begin)])
        digest.update(characters.codes.data)
        own, _ = _shingles(characters)
        keys.append(_sample(own) if _is_large(text, stretch) else own)
        job.check()
    found = np.concatenate(keys)
    return np.frombuffer(digest.digest(), np.uint64)[None], found, np.array([0, len(found)])


def _size(text: CorpusText, stretch: Stretch) -> int:
    return _end(text, stretch) - int(text.lines["start"][stretch[0]])


def _is_large(text: CorpusText, stretch: Stretch) -> bool:
    return _size(text, stretch) > _LARGE


def _sample(keys: np.ndarray) -> np.ndarray:
    return keys[keys % _SAMPLED == 0]


@dataclass
class _Characters:
    """The characters of some stretches that are not white space, and where each stretch ends."""

    codes: np.ndarray  # (C,) uint32 code points
    begins: np.ndarray  # (C,) bool: a unit begins here, see the module
    ends: np.ndarray  # (N,) characters before the end of each stretch


def _characters(text: CorpusText, stretches: Sequence[Stretch]) -> _Characters:
    """Read stretches that follow one another, all at once."""
    first, count = stretches[0][0], sum(lines for _, lines in stretches)
    codes = np.frombuffer(text.span(first, count).encode("utf-32-le"), np.uint32)
    line_ends = np.flatnonzero(codes == ord("\n"))
    lettered = _LETTER[np.minimum(codes, len(_LETTER) - 1)]
    inner = np.append(False, lettered[1:] & lettered[:-1])
    kept = ~_SPACE[np.minimum(codes, len(_SPACE) - 1)]
    last_lines = np.cumsum([lines for _, lines in stretches]) - 1
    return _Characters(codes[kept], ~inner[kept], np.cumsum(kept)[line_ends[last_lines]])


def _shingles(characters: _Characters) -> tuple[np.ndarray, np.ndarray]:
    """uint64 shingles of all stretches, and (N + 1,) where those of each begin and end."""
    units, before = _units(characters)
    ends = before[characters.ends]
    lengths = np.diff(ends, prepend=0)
    offsets = np.append(0, np.cumsum(np.maximum(lengths - SHINGLE + 1, 0)))
    if not offsets[-1]:
        return np.empty(0, np.uint64), offsets
    inside = np.ones(len(units), bool)
    last = ends[:, None] - np.arange(1, SHINGLE)
    inside[last[last >= 0]] = False  # a shingle from there would reach into the next stretch
    keys = np.zeros(len(units) - SHINGLE + 1, np.uint64)
    for place in range(SHINGLE):
        keys = _mixed(keys * _FACTOR + units[place : place + len(keys)])
    return keys[inside[: len(keys)]], offsets


def _units(characters: _Characters) -> tuple[np.ndarray, np.ndarray]:
    """uint64 units, and (C + 1,) how many begin before each character, and in all."""
    begins = np.flatnonzero(characters.begins)
    before = np.append(0, np.cumsum(characters.begins))
    if not len(begins):
        return np.empty(0, np.uint64), before
    place = np.arange(len(characters.codes)) - begins[before[1:] - 1]  # in its unit
    values = _mixed(characters.codes.astype(np.uint64) + (place << 21).astype(np.uint64))
    return np.add.reduceat(values, begins), before


def _mixed(values: np.ndarray) -> np.ndarray:
    """A permutation of uint64 after which every bit depends on all (the end of splitmix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _bands(keys: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """(N, BANDS) uint32: the MinHash of each stretch, each of its bands as a number."""
    from rensa import RMinHash  # only where text is compared

    matrix = RMinHash.digest_matrix_from_flat_token_hashes(
        keys, offsets.tolist(), BANDS * ROWS, _SEED
    )
    values = np.array(matrix.to_rows(), np.uint64).reshape(-1, BANDS, ROWS)
    bands = np.zeros(values.shape[:2], np.uint64)
    for row in range(ROWS):
        bands = _mixed(bands * _FACTOR + values[:, :, row])
    return bands.astype(np.uint32)
