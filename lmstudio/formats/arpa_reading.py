"""ARPA files of any program, also as .gz -> a back-off model with the words of the file.

Programs differ, and are all read: words stand between tabs or spaces; lines end in LF or CRLF;
what stands before \\data\\ and after \\end\\ is no matter; `<s>` has -99 (SRILM), 0 (KenLM) or any
other figure, for it is never scored; weights may be missing; a pruned file may lack the n-gram
that a longer one ends in; `<unk>` may be missing, or be called <UNK>. Only tab, space and line ends
part words, so that U+3000 may be one.
"""

import math
import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, NoReturn

import numpy as np

from lmstudio.data.layout import BOS, EOS, SPECIALS, UNK
from lmstudio.errors import AppError
from lmstudio.formats.arpa_tables import Tables
from lmstudio.formats.foreign import finish, opened
from lmstudio.jobs import Job
from lmstudio.messages import Message, msg
from lmstudio.models.config import NgramConfig
from lmstudio.models.config.ngram import STORED
from lmstudio.models.ngram.lookup import Lookup
from lmstudio.models.ngram.model import NgramModel
from lmstudio.models.ngram.smoothing.backoff import Backoff
from lmstudio.options import options_of

NEVER = -99.0  # log10 of no probability
MOST = int(options_of(NgramConfig)["order"][1].high or 0)
"""The longest n-grams that are read."""
_UNKNOWN = (b"<UNK>", b"[UNK]", b"UNK")  # what `<unk>` is called in files that have no `<unk>`
_SIZE = re.compile(rb"ngram\s+(\d+)\s*=\s*(\d+)")
_SECTION = re.compile(rb"\\(\d+)-grams:")
_DIGITS = 18  # of a size or an order; more do not fit 64 bits
_LONGEST_LINE = 1 << 20  # bytes
_BEFORE = 10_000  # lines that may stand before \data\
_ROUNDING = 1e-4  # a log p may be so far above 0
_HEAVIEST = 7.0  # log10 of a weight; float32 tells no larger one, for 1 less 1e-7 is 1 to it
_BINARY = (b"mmap lm http://kheafield.com/code", b"SRILM_BINARY")

DIFFERENT = msg("The header promises {promised} {order}-grams, but there are {found}.")
NO_UNKNOWN = msg("The file has no <unk>: an unknown word has probability 0.")
NO_END = msg("The file has no </s>: the end of a sentence has probability 0.")
TWICE = msg("{count} {order}-grams came again; the last counts.")


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


def load(path: Path, types: Sequence[str] = SPECIALS, *, job: Job) -> Arpa:
    """Read a file; its words get the ids that they have in `types`, others those after.

    AppError with the line number where it is not as it should, and for the binary files of other
    programs.
    """
    with opened(path) as file:
        reader = _Reader(path.name, file, types, job)
        sizes = reader.header()
        ids, probs, weights = reader.section(1)
        tables = Tables(len(reader.types))
        tables.add(ids, probs, weights)
        reader.note_twice(1, len(ids) - len(np.unique(ids)))
        for order in range(2, len(sizes) + 1):
            ids, probs, weights = reader.section(order)
            tables.add(ids, probs, weights)
            reader.note_twice(order, len(ids) - len(tables.keys[-1]))
        finish(file, job=job)
    tables.complete()
    lookup = Lookup(len(reader.types), tables.keys)
    config = NgramConfig(order=len(sizes), smoothing=STORED)
    model = NgramModel(config, lookup, Backoff(tables.probs, tables.weights[:-1]))
    return Arpa(reader.types, model, reader.notes)


def vocabulary(path: Path, *, job: Job) -> list[str]:
    """The words of a file in its order, the three marks left out. AppError as in `load`."""
    with opened(path) as file:
        reader = _Reader(path.name, file, SPECIALS, job)
        reader.header()
        reader.section(1)
        return reader.types[len(SPECIALS) :]


class _Reader:
    """Reads section by section; the words of an order are looked up in those below."""

    def __init__(self, name: str, file: BinaryIO, types: Sequence[str], job: Job) -> None:
        self._name, self._file, self._job = name, file, job
        self._number = 0
        self._sizes: list[int] = []  # promised, by order
        self._ended = False
        self.types = list(types)
        self._ids = {word.encode(): number for number, word in enumerate(types)}
        self.notes: list[Message] = []

    def header(self) -> list[int]:
        """The promised sizes of the orders 1, 2, ..."""
        line = self._next()
        if line is not None:
            self._refuse_others(line)
            line = line.removeprefix(b"\xef\xbb\xbf")
        while line is not None and line.strip() != b"\\data\\":
            line = None if self._number > _BEFORE else self._next()
        sizes = self._sizes
        while line is not None and not line.lstrip().startswith(b"\\1-grams:"):
            if found := _SIZE.fullmatch(line.strip()):
                if self._whole(found[1]) != len(sizes) + 1:
                    self._fault(msg("The orders are not counted from 1 upwards."))
                sizes.append(self._whole(found[2]))
            line = self._next()
        if line is None or not sizes:
            raise AppError("{name} is not an ARPA file: \\data\\ or \\1-grams: is missing.",
                           name=self._name)  # fmt: skip
        if len(sizes) > MOST:
            raise AppError("{name} holds n-grams of {order} words; at most {most} are read.",
                           name=self._name, order=len(sizes), most=MOST)  # fmt: skip
        return sizes

    def section(self, order: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(N, order) ids, (N,) p and (N,) weights, up to the line that ends the section.

        A section that is promised to be empty may be left out.
        """
        ids, logs, names = array("i"), array("d"), list[bytes]()
        if self._ended and not self._sizes[order - 1]:
            return _arrays(ids, logs, order)
        while (line := self._next()) is not None and not line.startswith(b"\\"):
            if fields := line.split():
                self._gram(fields, order, logs)
                if order == 1:
                    names.append(fields[1])
                else:
                    ids.extend(self._known(fields[1 : order + 1]))
        self._end(line, order)
        if order == 1:
            ids.extend(self._words(names))
        found, promised = len(logs) // 2, self._sizes[order - 1]
        if found != promised:
            self.notes.append(
                Message(DIFFERENT, {"promised": promised, "order": order, "found": found})
            )
        return _arrays(ids, logs, order)

    def note_twice(self, order: int, count: int) -> None:
        """Tell of n-grams that came again."""
        if count:
            self.notes.append(Message(TWICE, {"count": count, "order": order}))

    def _next(self) -> bytes | None:
        """The next line; None when there is none."""
        line = self._file.readline(_LONGEST_LINE)
        self._number += 1
        if len(line) == _LONGEST_LINE:
            self._fault(msg("The line is longer than any of an ARPA file."))
        if self._number % 20_000 == 0:
            self._job.tick(0, 0, Message("Reading n-grams"))
        return line or None

    def _refuse_others(self, line: bytes) -> None:
        if line.startswith(_BINARY):
            raise AppError(
                "{name} is a binary file of KenLM or SRILM, which only that program reads. Choose "
                "the ARPA file that it was made of.", name=self._name,
            )  # fmt: skip
        if b"\0" in line:
            raise AppError("{name} is not UTF-8 text.", name=self._name)

    def _fault(self, sentence: str) -> NoReturn:
        raise AppError(
            "{name}, line {line}: {fault}", name=self._name, line=self._number,
            fault=Message(sentence),
        )  # fmt: skip

    def _whole(self, digits: bytes) -> int:
        if len(digits) > _DIGITS:
            self._fault(msg("A size or an order has too many digits."))
        return int(digits)

    def _gram(self, fields: list[bytes], order: int, logs: "array[float]") -> None:
        """Take the log10 p and the log10 weight of a line."""
        if not order < len(fields) < order + 3:
            self._fault(msg("There are too few or too many words."))
        try:
            log = float(fields[0])
            weight = float(fields[-1]) if len(fields) == order + 2 else 0.0
        except ValueError:
            self._fault(msg("A probability or weight is not a number."))
        if math.isnan(log) or math.isnan(weight):
            self._fault(msg("A probability or weight is not a number."))
        if log > _ROUNDING:
            self._fault(msg("A log probability is above 0."))
        if weight > _HEAVIEST:
            self._fault(msg("A back-off weight is too large to be one."))
        logs.append(log)
        logs.append(weight)

    def _known(self, names: list[bytes]) -> list[int]:
        try:
            return [self._ids[name] for name in names]
        except KeyError:
            self._fault(msg("A word is not among the 1-grams."))

    def _end(self, line: bytes | None, order: int) -> None:
        """See that a section ends with the head of the next, or with the end of the file."""
        expected = _SECTION.match(line) if line else None
        self._ended = line is not None and line.strip() == b"\\end\\"
        if not (self._ended or expected):
            self._fault(msg("The file ends too early; is it whole?"))
        if expected and (self._whole(expected[1]) != order + 1 or order == len(self._sizes)):
            self._fault(msg("A section is missing or out of order."))

    def _words(self, names: list[bytes]) -> list[int]:
        """The ids of the 1-grams, UNK for the word that other programs write for `<unk>`.

        If the file has a `<unk>`, all others are words like any.
        """
        present = set(names)
        unknown = next((name for name in (b"<unk>", *_UNKNOWN) if name in present), None)
        if unknown is None:
            self.notes.append(Message(NO_UNKNOWN))
        else:
            self._ids[unknown] = UNK
        if b"</s>" not in present:
            self.notes.append(Message(NO_END))
        for name in names:
            if name not in self._ids:
                self._ids[name] = len(self.types)
                self.types.append(self._text(name))
        return [self._ids[name] for name in names]

    def _text(self, name: bytes) -> str:
        try:
            return name.decode()
        except UnicodeDecodeError:
            raise AppError("{name} is not UTF-8 text.", name=self._name) from None


def _arrays(
    ids: "array[int]", logs: "array[float]", order: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(N, order) ids, (N,) p and (N,) weights of what was read one after the other."""
    grams = np.array(ids, np.int64).reshape(-1, order)
    values = np.minimum(np.array(logs, np.float64).reshape(-1, 2), [0.0, np.inf])
    powers = np.where(values <= NEVER, 0.0, 10.0**values)
    return grams, powers[:, 0], powers[:, 1]
