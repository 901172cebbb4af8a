"""Back-off n-gram models to ARPA files and back, the text format of SRILM, KenLM and others.

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
import math
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from lmstudio.data.layout import BOS, EOS, SPECIALS, UNK
from lmstudio.errors import AppError
from lmstudio.files import unwritten, written
from lmstudio.formats.arpa_tables import Tables
from lmstudio.jobs import Job
from lmstudio.messages import Message, msg
from lmstudio.models.config import NgramConfig
from lmstudio.models.ngram.lookup import Lookup
from lmstudio.models.ngram.model import NgramModel
from lmstudio.models.ngram.smoothing.backoff import Backoff

_NEVER = -99.0  # log10 of no probability
_SCALE = 1_000_000  # six decimals
_DECIMALS = 10  # bytes of -98.765432
_BLOCK = 1 << 16  # lines written at a time
_SPACE = "\u2581"
_WIDTHS = (8, 16)  # bytes set aside for a word and what parts it, if they do for the line's longest
_UNKNOWN = ("<UNK>", "[UNK]", "UNK")  # what `<unk>` is called in files that have no `<unk>`
_SECTION = re.compile(r"\\(\d+)-grams:")
_DIGITS = 18  # of a size or an order; more do not fit 64 bits
_ROUNDING = 1e-4  # a log p may be so far above 0
_HEAVIEST = 7.0  # log10 of a weight; float32 tells no larger one, for 1 less 1e-7 is 1 to it

NOT_BACKOFF = msg(
    "An ARPA file holds probabilities and back-off weights, and {smoothing} has none. Train with a "
    "smoothing that asks shorter n-grams, such as modified-kneser-ney."
)
DIFFERENT = msg("The header promises {promised} {order}-grams, but there are {found}.")
NO_UNKNOWN = msg("The file has no <unk>: an unknown word has probability 0.")


def save(path: Path, model: NgramModel, types: list[str], *, job: Job) -> None:
    """Write a model whose vocabulary is `types` (rows,).

    AppError if it has no back-off weights, or if nothing can be written there.
    """
    smoothing = model.smoothing
    if not isinstance(smoothing, Backoff) or not smoothing.proper:
        raise AppError(NOT_BACKOFF, smoothing=model.config.smoothing)
    spelled = _Spelled(spellings(types))
    done, total = 0, sum(model.sizes)
    with unwritten(path), written(path) as temporary, temporary.open("wb") as file:
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


@dataclass
class Arpa:
    """An ARPA file that was read: a model with its own vocabulary."""

    types: list[str]  # by id; <unk>, <s>, </s> first
    model: NgramModel
    notes: list[Message] = field(default_factory=list)

    def stream(self, lines: list[str]) -> np.ndarray:
        """int32 `<s> w ... </s>` of lines of words; those the file lacks are `<unk>`."""
        known = {word: number for number, word in enumerate(self.types)}
        ids = [i for line in lines for i in (BOS, *(known.get(w, UNK) for w in words(line)), EOS)]
        return np.array(ids, np.int32)


def words(line: str) -> list[str]:
    """The words of a line; `<s>` and `</s>` that are written there are none (as in a corpus)."""
    return [word for word in line.split() if word not in (SPECIALS[BOS], SPECIALS[EOS])]


def load(path: Path, *, job: Job) -> Arpa:
    """Read a file, or a .gz of one. AppError with the line number where it is not as it should."""
    try:
        opened = gzip.open if path.suffix.lower() == ".gz" else open
        with opened(path, "rt", encoding="utf-8-sig", newline=None) as file:
            return _Reader(path.name, enumerate(file, 1), job).read()
    except OSError as error:
        reason = error.strerror or str(error)
        raise AppError("{path} cannot be read: {error}.", path=path, error=reason) from error
    except (EOFError, zlib.error) as error:
        raise AppError(
            "{name} is damaged or incomplete: it cannot be unpacked.", name=path.name
        ) from error
    except UnicodeDecodeError as error:
        raise AppError("{name} is not UTF-8 text.", name=path.name) from error


class _Reader:
    """Reads section by section; the words of an order are looked up in those below."""

    def __init__(self, name: str, lines: Iterator[tuple[int, str]], job: Job) -> None:
        self._name, self._lines, self._job = name, lines, job
        self._number = 0
        self._types = list(SPECIALS)
        self._ids = {word: number for number, word in enumerate(SPECIALS)}
        self._notes: list[Message] = []

    def read(self) -> Arpa:
        promised = self._header()
        sections = [self._section(order, size) for order, size in enumerate(promised, 1)]
        rows = len(self._types)
        tables = Tables(rows)
        for words, probs, weights in sections:
            tables.add(words, probs, weights)
        tables.complete()
        lookup = Lookup(rows, tables.keys)
        smoothing = Backoff(tables.probs, tables.weights[:-1])
        model = NgramModel(NgramConfig(order=len(promised)), lookup, smoothing)
        return Arpa(self._types, model, self._notes)

    def _next(self) -> str | None:
        """The next line without its end; None when there is none."""
        self._number, line = next(self._lines, (self._number, None))
        if self._number % 20_000 == 0:
            self._job.tick(0, 0, Message("Reading n-grams"))
        return line if line is None else line.strip("\r\n")

    def _fault(self, sentence: str) -> AppError:
        return AppError(
            "{name}, line {line}: {fault}", name=self._name, line=self._number,
            fault=Message(sentence),
        )  # fmt: skip

    def _header(self) -> list[int]:
        """The promised sizes of the orders 1, 2, ..."""
        line = self._next()
        while line is not None and line.strip() != "\\data\\":
            line = self._next()
        sizes: list[int] = []
        while line is not None and not line.startswith("\\1-grams:"):
            if found := re.fullmatch(r"ngram\s+(\d+)\s*=\s*(\d+)\s*", line):
                if self._whole(found[1]) != len(sizes) + 1:
                    raise self._fault(msg("The orders are not counted from 1 upwards."))
                sizes.append(self._whole(found[2]))
            line = self._next()
        if line is None or not sizes:
            raise AppError("{name} is not an ARPA file: \\data\\ or \\1-grams: is missing.",
                           name=self._name)  # fmt: skip
        return sizes

    def _whole(self, digits: str) -> int:
        if len(digits) > _DIGITS:
            raise self._fault(msg("A size or an order has too many digits."))
        return int(digits)

    def _section(self, order: int, promised: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(N, order) ids, (N,) p and (N,) weights, up to the line that ends the section."""
        words: list[list[int]] = []
        logs: list[tuple[float, float]] = []
        while (line := self._next()) is not None and not line.startswith("\\"):
            if line.strip():
                ids, pair = self._gram(line.split(), order)
                words.append(ids)
                logs.append(pair)
        expected = _SECTION.match(line) if line else None
        if line is None or (line.strip() != "\\end\\" and not expected):
            raise self._fault(msg("The file ends too early; is it whole?"))
        if expected and self._whole(expected[1]) != order + 1:
            raise self._fault(msg("A section is missing or out of order."))
        if len(words) != promised:
            self._notes.append(
                Message(DIFFERENT, {"promised": promised, "order": order, "found": len(words)})
            )
        ids_of = np.array(words, np.int64).reshape(len(words), order)
        if order == 1:
            ids_of = self._unknown(ids_of)
        values = np.array(logs, np.float64).reshape(len(words), 2)
        np.minimum(values[:, 0], 0.0, out=values[:, 0])
        powers = np.where(values <= _NEVER, 0.0, 10.0**values)
        return ids_of, powers[:, 0], powers[:, 1]

    def _gram(self, fields: list[str], order: int) -> tuple[list[int], tuple[float, float]]:
        """The ids of a line's words, its log10 p and log10 weight."""
        if not order < len(fields) < order + 3:
            raise self._fault(msg("There are too few or too many words."))
        try:
            log = float(fields[0])
            weight = float(fields[-1]) if len(fields) == order + 2 else 0.0
        except ValueError:
            raise self._fault(msg("A probability or weight is not a number.")) from None
        if math.isnan(log) or math.isnan(weight):
            raise self._fault(msg("A probability or weight is not a number."))
        if log > _ROUNDING:
            raise self._fault(msg("A log probability is above 0."))
        if weight > _HEAVIEST:
            raise self._fault(msg("A back-off weight is too large to be one."))
        if order == 1:
            return [self._id(fields[1])], (log, weight)
        try:
            return [self._ids[word] for word in fields[1 : order + 1]], (log, weight)
        except KeyError:
            raise self._fault(msg("A word is not among the 1-grams.")) from None

    def _id(self, word: str) -> int:
        """The id of a word of the 1-grams, a new one if need be."""
        if word not in self._ids:
            self._ids[word] = len(self._types)
            self._types.append(word)
        return self._ids[word]

    def _unknown(self, ids: np.ndarray) -> np.ndarray:
        """The ids of the 1-grams, with UNK for the word that other programs write for `<unk>`.

        If the file has a `<unk>`, all others are words like any.
        """
        if UNK in ids:
            return ids
        other = next((word for word in _UNKNOWN if word in self._ids), None)
        if other is None:
            self._notes.append(Message(NO_UNKNOWN))
            return ids
        gone = self._ids[other]
        del self._types[gone]
        self._ids = {word: number for number, word in enumerate(self._types)} | {other: UNK}
        return np.where(ids == gone, UNK, ids - (ids > gone))
