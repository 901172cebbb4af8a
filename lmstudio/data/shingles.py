"""Stretches of lines to what tells them apart: a digest, a set of shingles, the bands of a MinHash.

A shingle is SHINGLE characters in a row, white space left out, as a 64-bit number; two of other
characters have the same number once in 10^19. How alike two stretches are is the Jaccard index of
their sets of shingles, those in both over those in either (Broder 1997, On the resemblance and
containment of documents).

A MinHash of BANDS bands of ROWS values finds stretches that may be alike without comparing every
pair: two of index J share a band with probability 1 - (1 - J^ROWS)^BANDS. The library rensa
computes it.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lmstudio.data.layout import CorpusText
from lmstudio.jobs import Job
from lmstudio.messages import Message

SHINGLE = 5
BANDS, ROWS = 21, 6

Stretch = tuple[int, int]
"""First line and number of lines, at least one."""

_AT_ONCE = 1 << 20  # bytes of text between two ticks
_LARGE = 1 << 24  # bytes above which a stretch is known by a sample of its shingles
_SAMPLED = np.uint64(64)  # one in so many
_KEPT = 1 << 23  # shingles of compared stretches that are held in memory
_SEED = 1
_FACTOR, _MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)
_UPPER = np.uint64(32)
_SPACE = np.array([chr(code).isspace() for code in range(0x3002)])  # the last stands for all after


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
    codes, ends = _characters(text, stretches)
    starts = [0, *ends[:-1].tolist()]
    digests = b"".join(
        hashlib.blake2b(codes[start:end].data, digest_size=16).digest()
        for start, end in zip(starts, ends.tolist(), strict=True)
    )
    return (np.frombuffer(digests, np.uint64).reshape(-1, 2), *_shingles(codes, ends))


def _read_long(
    text: CorpusText, stretch: Stretch, job: Job
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """As `_read`, piece by piece; the few shingles that reach into the next piece are left out."""
    digest, keys = hashlib.blake2b(digest_size=16), []
    first, count = stretch
    starts = np.append(text.lines["start"][first : first + count], _end(text, stretch))
    for begin, end in batches(starts):
        codes, ends = _characters(text, [(first + begin, end - begin)])
        digest.update(codes.data)
        own, _ = _shingles(codes, ends)
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


def _characters(text: CorpusText, stretches: Sequence[Stretch]) -> tuple[np.ndarray, np.ndarray]:
    """uint32 code points that are not white space, and where each stretch's end."""
    first, count = stretches[0][0], sum(lines for _, lines in stretches)
    codes = np.frombuffer(text.span(first, count).encode("utf-32-le"), np.uint32)
    line_ends = np.append(0, np.flatnonzero(codes == ord("\n")) + 1)
    kept = ~_SPACE[np.minimum(codes, len(_SPACE) - 1)]
    before = np.append(0, np.cumsum(kept))
    lines = np.cumsum([lines for _, lines in stretches])
    return codes[kept], before[line_ends[lines]]


def _shingles(codes: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """uint64 shingles of stretches that end at `ends` of `codes`, and (N + 1,) their bounds."""
    lengths = np.diff(ends, prepend=0)
    offsets = np.append(0, np.cumsum(np.maximum(lengths - SHINGLE + 1, 0)))
    if not offsets[-1]:
        return np.empty(0, np.uint64), offsets
    inside = np.ones(len(codes), bool)
    last = ends[:, None] - np.arange(1, SHINGLE)
    inside[last[last >= 0]] = False  # a shingle from there would reach into the next stretch
    keys = np.zeros(len(codes) - SHINGLE + 1, np.uint64)
    for place in range(SHINGLE):
        keys *= _FACTOR
        keys += codes[place : place + len(keys)]
    keys ^= keys >> _UPPER
    keys *= _MIX
    keys ^= keys >> _UPPER
    return keys[inside[: len(keys)]], offsets


def _bands(keys: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """(N, BANDS) uint32: the MinHash of each stretch, each of its bands as a number."""
    from rensa import RMinHash  # only where text is compared

    matrix = RMinHash.digest_matrix_from_flat_token_hashes(
        keys, offsets.tolist(), BANDS * ROWS, _SEED
    )
    values = np.array(matrix.to_rows(), np.uint64).reshape(-1, BANDS, ROWS)
    bands = np.zeros(values.shape[:2], np.uint64)
    for row in range(ROWS):
        bands = (bands + values[:, :, row]) * _FACTOR
        bands ^= bands >> _UPPER
    return (bands >> _UPPER).astype(np.uint32)
