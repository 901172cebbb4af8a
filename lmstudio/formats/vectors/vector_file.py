"""Files of word vectors <-> words and a matrix: word2vec's two layouts, and GloVe's.

text      "N D", then lines "word v1 ... vD"; GloVe's files lack the first line
binary    "N D", then of each word its bytes, a space, D little-endian float32, perhaps a line end

A word may hold spaces: lines are cut from the right; for the binary see binary_records. What is
broken in a file that people share is left out or mended, and told: lines of another size, values
that are no numbers, words that come twice, bytes that are not UTF-8. Pickles are refused. What the
first line promises is believed only as far as the file goes. Mikolov et al. 2013; Pennington,
Socher & Manning 2014.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import numpy as np

from lmstudio.errors import AppError
from lmstudio.files import unwritten, written
from lmstudio.formats.foreign import finish, opened
from lmstudio.formats.vectors.binary_records import LONGEST_WORD, Ahead, NoEnd, records
from lmstudio.jobs import Job
from lmstudio.messages import Message

MOST_WORDS = 20_000_000
MOST_SIZE = 100_000  # numbers of a vector
_FEWEST = 2  # numbers of a vector in a file that does not say how many
LOOKED_AT = 100  # lines by which the size is told where the file does not say it
SPACE = "\u2581"  # stands for a white space inside a word, as SentencePiece writes it
_MARK = b"\xef\xbb\xbf"  # of UTF-8
_PICKLE = (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05", b"PK\x03\x04")
_AT_ONCE = 1000  # words between two ticks


@dataclass
class VectorFile:
    """N words and their vectors, in the order of the file."""

    words: list[str]
    vectors: np.ndarray  # (N, D) float32
    notes: list[Message] = field(default_factory=list)  # what was left out or mended


def read_vectors(path: Path, *, job: Job) -> VectorFile:
    """The vectors of a file, also packed as .gz. AppError where it holds none."""
    with opened(path) as file:
        head = file.readline(1000)
        if head.startswith(_PICKLE):
            raise AppError(
                "{name} is a pickle or an archive, which can run code when it is opened. Save "
                "the vectors as word2vec text (gensim: save_word2vec_format) and open those.",
                name=path.name,
            )
        sizes = _sizes(head.removeprefix(_MARK), path)
        if sizes and _is_binary(file, sizes[1]):
            file.seek(len(head))
            return _binary(file, path, *sizes, job)
        file.seek(len(head) if sizes else len(_MARK) if head.startswith(_MARK) else 0)
        return _text(file, path, *(sizes or (0, 0)), job)


def write_vectors(
    path: Path, words: Sequence[str], vectors: np.ndarray, *, binary: bool = False,
    header: bool = True, job: Job,
) -> list[Message]:  # fmt: skip
    """Write word2vec's layout, without its `header` GloVe's; what had to be changed for it.

    White space inside a word is written as SPACE, since programs cut lines at it. AppError if the
    file cannot be written.
    """
    plain = [_one_word(word) for word in words]
    changed = sum(map(str.__ne__, plain, words))
    with unwritten(path), written(path) as temporary, temporary.open("wb") as file:
        if header:
            file.write(f"{len(plain)} {vectors.shape[1]}\n".encode())
        for number, (word, vector) in enumerate(zip(plain, vectors, strict=True)):
            if number % _AT_ONCE == 0:
                job.tick(number, len(plain))
            file.write(word.encode() + b" ")
            values = vector.astype("<f4")
            file.write(values.tobytes() if binary else " ".join(map(str, values)).encode())
            file.write(b"\n")
    if not changed:
        return []
    told = {"count": changed, "mark": SPACE}
    return [Message("{count} words hold white space, which is written as {mark}.", told)]


def _one_word(word: str) -> str:
    return "".join(SPACE if letter.isspace() else letter for letter in word) or SPACE


def _sizes(line: bytes, path: Path) -> tuple[int, int] | None:
    """(N, D) of a first line; None where it is that of a word."""
    parts = line.split()
    if len(parts) != 2 or not all(part.isdigit() for part in parts):
        return None
    count, size = map(int, parts)
    if not (0 < size <= MOST_SIZE and count <= MOST_WORDS):
        raise AppError("The first line of {name} says {count} vectors of {size} numbers, which "
                       "cannot be.", name=path.name, count=count, size=size)  # fmt: skip
    return count, size


def _is_binary(file: BinaryIO, size: int) -> bool:
    """Whether numbers follow the first word as bytes."""
    line = _spaced(file.read(LONGEST_WORD).split(b"\n", 1)[0])
    return _numbers(line.rsplit(b" ", size)[1:]) is None


# --- text -------------------------------------------------------------------------------------


def _text(file: BinaryIO, path: Path, count: int, size: int, job: Job) -> VectorFile:
    lines = iter(file)
    first: list[bytes] = []
    if not size:
        first = [line for line, _ in zip(lines, range(LOOKED_AT), strict=False)]
        size = _size_of(first)
    if not size:
        raise AppError("{name} holds no vectors: a line is a word and its numbers.", name=path.name)
    kept = _Kept()
    for number, line in enumerate(_chained(first, lines)):
        if number % _AT_ONCE == 0:
            job.tick(number)
        line = _spaced(line)
        word, *values = line.rsplit(b" ", size)
        numbers = _numbers(values) if len(values) == size else None
        if numbers is None:
            kept.left_out += bool(line.strip())
        else:
            kept.add(word, numbers)
    kept.cut_off = max(0, count - len(kept.rows) - kept.left_out - kept.twice)
    return kept.file(path, size)


def _spaced(line: bytes) -> bytes:
    """A line with spaces for tabs, which some programs write between numbers."""
    return line.rstrip(b"\r\n").replace(b"\t", b" ").rstrip(b" ")


def _chained(first: Iterable[bytes], others: Iterator[bytes]) -> Iterator[bytes]:
    yield from first
    yield from others


def _size_of(lines: Sequence[bytes]) -> int:
    """How many numbers stand at the end of most lines; 0 where that is no vector.

    A word may itself be, or end with, a number: such lines have more. One that is cut off has less.
    """
    counts = Counter(count for line in lines if (count := _trailing(line.split())))
    most = max(counts.values(), default=0)
    usual = min((count for count, times in counts.items() if times == most), default=0)
    return usual if usual >= _FEWEST else 0


def _trailing(parts: Sequence[bytes]) -> int:
    count = 0
    for part in reversed(parts[1:]):
        if _numbers([part]) is None:
            break
        count += 1
    return count


def _numbers(parts: Sequence[bytes]) -> np.ndarray | None:
    try:
        return np.array(parts, dtype="S").astype(np.float32) if parts else None
    except ValueError:
        return None


# --- binary -----------------------------------------------------------------------------------


def _binary(file: BinaryIO, path: Path, count: int, size: int, job: Job) -> VectorFile:
    kept = _Kept()
    found = 0
    ahead = Ahead(file)
    try:
        for word, values in records(ahead, count, 4 * size):
            if found % _AT_ONCE == 0:
                job.tick(found, count)
            kept.add(word, np.frombuffer(values, "<f4"))
            found += 1
    except NoEnd as error:
        raise AppError(
            "Word {number} of {name} begins with {word}, and it cannot be told where it ends. Save "
            "the vectors as word2vec text (gensim: save_word2vec_format) and open those.",
            number=found + 1, name=path.name, word=error.args[0].decode("utf-8", "replace"),
        ) from error  # fmt: skip
    kept.cut_off = count - found
    kept.goes_on = not kept.cut_off and not ahead.over()
    finish(file, job=job)
    return kept.file(path, size)


class _Kept:
    """What has been read, and what not."""

    def __init__(self) -> None:
        self.words: dict[str, int] = {}
        self.rows: list[np.ndarray] = []
        self.left_out = self.twice = self.mended = self.cut_off = 0
        self.goes_on = False  # after as many as the first line says

    def add(self, word: bytes, vector: np.ndarray) -> None:
        text = word.decode("utf-8", "replace")
        if not text or not np.isfinite(vector).all():
            self.left_out += 1
            return
        self.mended += "\ufffd" in text
        if text in self.words:
            self.twice += 1
            return
        self.words[text] = len(self.rows)
        self.rows.append(vector)

    def file(self, path: Path, size: int) -> VectorFile:
        if not self.rows and self.left_out:
            raise AppError(
                "{name} holds no vectors: none of its lines is a word and {size} numbers. NaN and "
                "infinity are none.", name=path.name, size=size,
            )  # fmt: skip
        if not self.rows and self.cut_off:
            raise AppError("{name} is cut off: it ends before the first of its vectors does. Get "
                           "the file again.", name=path.name)  # fmt: skip
        if not self.rows:
            raise AppError("{name} holds no vectors: a line is a word and its numbers.",
                           name=path.name)  # fmt: skip
        return VectorFile(list(self.words), np.stack(self.rows), list(self._notes(size)))

    def _notes(self, size: int) -> Iterator[Message]:
        if self.left_out:
            yield Message("{count} lines that are not a word and {size} numbers were left out.",
                          {"count": self.left_out, "size": size})  # fmt: skip
        if self.twice:
            yield Message("{count} words came again; the first vector was kept.",
                          {"count": self.twice})  # fmt: skip
        if self.mended:
            yield Message("{count} words are not valid UTF-8; what is broken is shown as \ufffd.",
                          {"count": self.mended})  # fmt: skip
        if self.cut_off:
            yield Message("The file ends {count} vectors too early.", {"count": self.cut_off})
        if self.goes_on:
            yield Message("The file goes on after the number of vectors that its first line says; "
                          "the rest was not read.")  # fmt: skip
