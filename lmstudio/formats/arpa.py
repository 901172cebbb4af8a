"""Back-off n-gram models to ARPA files, the text format of SRILM, KenLM and others.

    \\data\\
    ngram 1=6
    ngram 2=3

    \\1-grams:
    -0.602060 <TAB> 我 <TAB> -0.176091        log10 p, words, log10 of the back-off weight
    ...
    \\end\\

`<s>` is context only: it is written with -99. The highest order has no weights. A word that holds
white space or a zero is written with U+2581 in its place, for the format has no other way. Words
come by id; longer n-grams in no order, for lines that take like room are set together.
"""

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

import numpy as np

from lmstudio.data.layout import BOS
from lmstudio.errors import AppError
from lmstudio.files import unwritten, written
from lmstudio.jobs import Job
from lmstudio.messages import Message, msg
from lmstudio.models.ngram.lookup import Lookup
from lmstudio.models.ngram.model import NgramModel
from lmstudio.models.ngram.smoothing.backoff import Backoff

_NEVER = -99.0  # log10 of no probability
_SCALE = 1_000_000  # six decimals
_DECIMALS = 10  # bytes of -98.765432
_BLOCK = 1 << 16  # lines written at a time
_SPACE = "\u2581"
_WIDTHS = (8, 16)  # bytes set aside for a word and what parts it, if they do for the line's longest

NOT_BACKOFF = msg(
    "An ARPA file holds probabilities and back-off weights, and {smoothing} has none. Train with a "
    "smoothing that asks shorter n-grams, such as modified-kneser-ney."
)


def save(path: Path, model: NgramModel, types: list[str], *, job: Job) -> None:
    """Write a model whose vocabulary is `types` (rows,), packed where the name ends in .gz.

    AppError if it has no back-off weights, or if nothing can be written there.
    """
    smoothing = model.smoothing
    if not isinstance(smoothing, Backoff) or not smoothing.proper:
        raise AppError(NOT_BACKOFF, smoothing=model.config.smoothing)
    spelled = _Spelled(spellings(types))
    done, total = 0, sum(model.sizes)
    with unwritten(path), written(path) as temporary, _opened(temporary, path) as file:
        file.write(b"\\data\\\n")
        for order, size in enumerate(model.sizes, 1):
            file.write(f"ngram {order}={size}\n".encode())
        for order, size in enumerate(model.sizes, 1):
            file.write(f"\n\\{order}-grams:\n".encode())
            for start in range(0, size, _BLOCK):
                numbers = np.arange(start, min(start + _BLOCK, size))
                ids = list(_words(model.lookup, order, numbers))
                for chosen, table in spelled.by_width(ids):
                    columns = [table.take(column[chosen]) for column in ids]
                    file.write(_lines(smoothing, order, numbers[chosen], columns))
                done += len(numbers)
                job.tick(done, total, Message("Writing n-grams"))
        file.write(b"\n\\end\\\n")


@contextmanager
def _opened(temporary: Path, path: Path) -> Iterator[IO[bytes]]:
    """A file to write to, packed if its name will end in .gz; inside it is called as without."""
    with temporary.open("wb") as file:
        if path.suffix.lower() != ".gz":
            yield file
            return
        with gzip.GzipFile(path.stem, "wb", compresslevel=6, fileobj=file) as packed:
            yield cast(IO[bytes], packed)


def spellings(types: list[str]) -> list[str]:
    """How words stand in a file, no two alike."""
    spelled: dict[str, None] = {}
    for word in types:
        text = _SPACE.join(word.replace("\0", " ").split()) or _SPACE
        while text in spelled:
            text += _SPACE
        spelled[text] = None
    return list(spelled)


class _Spelled:
    """Words by id as bytes to be set side by side: a space before each, zeros behind it."""

    def __init__(self, words: list[str]) -> None:
        spelled = [b" " + word.encode() for word in words]
        self._sizes = np.array([len(word) for word in spelled])
        longest = int(self._sizes.max())
        self._widths = [*(width for width in _WIDTHS if width < longest), longest]
        self._tables = [np.array(spelled, f"S{width}").view(f"V{width}") for width in self._widths]

    def by_width(self, ids: list[np.ndarray]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """The places of lines, those with short words first, and the (W,) table for their words.

        Given are the (N,) ids of each column. A single column stays as it is.
        """
        if len(ids) == 1:
            yield np.arange(len(ids[0])), self._tables[-1]
            return
        room = np.searchsorted(self._widths, np.maximum.reduce([self._sizes[i] for i in ids]))
        for number, table in enumerate(self._tables):
            if len(chosen := np.flatnonzero(room == number)):
                yield chosen, table


def _lines(smoothing: Backoff, order: int, numbers: np.ndarray, words: list[np.ndarray]) -> bytes:
    """The lines of n-grams: padded columns side by side, then all padding is taken out."""
    probs = _log10(smoothing.by_order[order - 1][numbers])
    if order == 1:
        probs[numbers == BOS] = _NEVER
    width = words[0].dtype.itemsize
    tail = _DECIMALS + order * width
    lines = np.zeros((len(numbers), tail + 1 + _DECIMALS + 1), np.uint8)
    lines[:, :_DECIMALS] = _decimals(probs)
    for start, column in zip(range(_DECIMALS, tail, width), words, strict=True):
        lines[:, start : start + width].view(column.dtype)[:, 0] = column
    lines[:, _DECIMALS] = ord("\t")  # in place of the first word's space
    if order < len(smoothing.by_order):
        lines[:, tail] = ord("\t")
        lines[:, tail + 1 : -1] = _decimals(_log10(smoothing.backoffs[order - 1][numbers]))
    lines[:, -1] = ord("\n")
    return lines.tobytes().translate(None, b"\0")


def _words(lookup: Lookup, order: int, numbers: np.ndarray) -> Iterator[np.ndarray]:
    """(N,) ids of the first word of each n-gram, then of the second, and so on."""
    for length in range(order, 1, -1):
        keys = lookup.keys[length - 2][numbers]
        numbers = keys // lookup.rows
        yield keys - numbers * lookup.rows
    yield numbers


def _log10(values: np.ndarray) -> np.ndarray:
    """(N,) float64; -99 for 0."""
    positive = values > 0
    found = np.full(len(values), _NEVER)
    np.log10(values, out=found, where=positive, dtype=np.float64, casting="unsafe")
    return found


def _decimals(values: np.ndarray) -> np.ndarray:
    """(N, _DECIMALS) bytes of numbers from -99 to 99, zeros where nothing stands."""
    whole = np.rint(np.abs(values) * _SCALE).astype(np.uint32)
    digits = np.empty((len(values), _DECIMALS), np.uint8)
    for place in (9, 8, 7, 6, 5, 4, 2, 1):
        whole, digit = np.divmod(whole, np.uint32(10))
        digits[:, place] = digit + 48
    digits[:, 3] = 46
    digits[digits[:, 1] == 48, 1] = 0  # no leading zero
    digits[:, 0] = np.where(values < 0, 45, 0)
    return digits
