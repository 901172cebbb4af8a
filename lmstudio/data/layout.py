"""The bulk files of a corpus and of a segmentation: names, types, and readers that map them.

corpora/<id>/   source/          the files as they came
                text.utf8        every line of every document, each ended by one \\n
                lines.idx        LINE records, one a line
                shifts.idx       SHIFT records: where characters of the original were left out
                words.idx        GIVEN records: words that the files gave; only if some did
                tags.json        names of the tags of those words; the first is "", for none
                speller.ngram    what spelling an unknown word costs; made at first need
segmentations/<id>/
                tokens.bin       int32 ids of all tokens, sentence after sentence
                offsets.bin      OFFSET records: where each token stands in its line
                sentences.idx    SENTENCE records; a last one closes the file
                vocab.json       the vocabulary
                tokenizer.json   or vocab.txt: the pieces of a subword segmenter
                dictionary.txt   the user dictionary of jieba
                stop_words.txt   what was kept out of the vocabulary
                words.bin        a byte a token: a word begins; made at first need
                meta.json        SegmentationMeta: counts, and what unknown words cost, by part

A corpus and a segmentation that came with the file of a run have no texts and no tokens, and a
file absent.json instead.
"""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from lmstudio.errors import AppError
from lmstudio.files import read_json, reading, write_json
from lmstudio.messages import msg

LINE = np.dtype([("start", "<i8"), ("size", "<i4"), ("document", "<i4"), ("part", "u1")])
"""Byte offset and size (without \\n) in text.utf8, document number, index into PART_NAMES."""

SHIFT = np.dtype([("line", "<i4"), ("character", "<i4"), ("shift", "<i8")])
"""From `character` of `line` on: original position in its document - position in its line."""

GIVEN = np.dtype([("line", "<i4"), ("start", "<i4"), ("end", "<i4"), ("tag", "<u2")])
"""A given word: its line, code points from the start of the line, its tag in tags.json."""

OFFSET = np.dtype([("start", "<i4"), ("end", "<i4")])
"""Code points from the start of the line."""

SENTENCE = np.dtype([("token", "<i8"), ("line", "<i4"), ("part", "u1")])
"""Index of its first token, its line, its part. Tokens end where the next sentence's begin."""

PART_NAMES = ("train", "valid", "test")
HELD_OUT = PART_NAMES[1:]

UNK, BOS, EOS = 0, 1, 2
SPECIALS = ("<unk>", "<s>", "</s>")

TEXT = "text.utf8"
ABSENT = "absent.json"


IMPORT_AGAIN = msg("{path} is missing or damaged. Import the texts of this corpus again.")
NOT_HERE = msg(
    "This needs the text of the corpus, which is not here: the run came as a file, without it."
)
SEGMENT_AGAIN = msg("{path} is missing or damaged. Segment the corpus again.")


class CorpusText:
    """The lines of a corpus, mapped, not read. AppError where a file is missing or damaged."""

    def __init__(self, folder: Path) -> None:
        self.lines = mapped(folder / "lines.idx", LINE, IMPORT_AGAIN)
        self._path = folder / TEXT
        self._text = mapped(self._path, np.dtype("u1"), IMPORT_AGAIN)
        last = self.lines[-1] if len(self.lines) else None
        end = 0 if last is None else int(last["start"]) + int(last["size"]) + 1
        with reading(self._path, IMPORT_AGAIN):
            _expect(end == len(self._text))  # else one of both was cut off

    def __len__(self) -> int:
        return len(self.lines)

    def line(self, number: int) -> str:
        """Line `number` without its end."""
        record = self.lines[number]
        start = int(record["start"])
        with reading(self._path, IMPORT_AGAIN):
            return self._text[start : start + int(record["size"])].tobytes().decode("utf-8")

    def span(self, first: int, count: int) -> str:
        """`count` lines from `first` on, one at least, each with its \\n.

        Read, not mapped: whoever goes through a whole corpus would have all of it in memory.
        """
        start, last = int(self.lines[first]["start"]), self.lines[first + count - 1]
        with reading(self._path, IMPORT_AGAIN), self._path.open("rb") as file:
            file.seek(start)
            return file.read(int(last["start"]) + int(last["size"]) + 1 - start).decode("utf-8")

    def texts(self, first: int, last: int) -> list[str]:
        """Lines `first` to `last` - 1, much faster than one by one."""
        starts = np.asarray(self.lines["start"][first:last])
        ends = starts + self.lines["size"][first:last]
        if first >= last or (starts[1:] != ends[:-1] + 1).any():
            return [self.line(number) for number in range(first, last)]
        with reading(self._path, IMPORT_AGAIN):
            text = self._text[int(starts[0]) : int(ends[-1])].tobytes().decode("utf-8")
            _expect(text.count("\n") == last - first - 1)
        return text.split("\n")


@dataclass
class PartCounts:
    """Counts of one part of a segmentation: the denominators of every evaluation."""

    tokens: int = 0
    sentences: int = 0
    characters: int = 0  # code points without line ends; white space only where pieces keep it
    unknown: int = 0  # tokens whose id is <unk>, literal ones included
    literal_unknown: int = 0  # tokens that are "<unk>" in the text itself: nothing to spell
    spelling_bits: float = 0.0  # -sum log2 p_spell over the unknown tokens that are not literal

    @property
    def events(self) -> int:
        """Scored predictions: every token and every sentence end."""
        return self.tokens + self.sentences


@dataclass
class SegmentationMeta:
    """What a run must know of its segmentation besides the tokens."""

    segmenter: str
    options: dict[str, Any] = field(default_factory=dict)
    axis: str = ""  # "": the shared one, else why not: a key of text.segment_options.AXES
    parts: dict[str, PartCounts] = field(default_factory=dict)
    corpus: str = ""  # its folder, seen from this one; "" in what older versions wrote

    def save(self, folder: Path) -> None:
        """Write meta.json."""
        write_json(folder / "meta.json", asdict(self))

    @classmethod
    def load(cls, folder: Path) -> "SegmentationMeta":
        """Read meta.json. AppError if it is missing or damaged."""
        path = folder / "meta.json"
        with reading(path, SEGMENT_AGAIN):
            data = read_json(path)
            parts = {name: PartCounts(**counts) for name, counts in data.pop("parts").items()}
            _expect(set(parts) == set(PART_NAMES))
            if data.pop("overlapping", False):  # what was written before there were more axes
                data["axis"] = "overlapping"
            return cls(parts=parts, **data)


class Tokens:
    """The tokens of a segmentation, mapped, not read. AppError where a file is damaged."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ids = mapped(folder / "tokens.bin", np.dtype("<i4"), SEGMENT_AGAIN)
        self.offsets = mapped(folder / "offsets.bin", OFFSET, SEGMENT_AGAIN)
        # with the closing record
        self.sentences = mapped(folder / "sentences.idx", SENTENCE, SEGMENT_AGAIN)
        with reading(folder / "offsets.bin", SEGMENT_AGAIN):
            _expect(len(self.offsets) == len(self.ids))
        with reading(folder / "sentences.idx", SEGMENT_AGAIN):
            _expect(self.sentences["token"][-1] == len(self.ids))
        self.meta = SegmentationMeta.load(folder)

    def check(self, rows: int) -> None:
        """AppError if the files do not belong together, or an id is none of a table of `rows`."""
        with reading(self.folder / "sentences.idx", SEGMENT_AGAIN):
            starts = self.sentences["token"]
            _expect(starts[0] == 0 and bool((np.diff(starts) >= 0).all()))
        with reading(self.folder / "tokens.bin", SEGMENT_AGAIN):
            _expect(self.ids.min(initial=0) >= 0 and self.ids.max(initial=0) < rows)

    def bounds(self, part: str) -> np.ndarray:
        """(S, 2) int64: first token and end of each sentence of a part, in corpus order."""
        chosen = np.flatnonzero(self.sentences["part"][:-1] == PART_NAMES.index(part))
        starts = self.sentences["token"]
        return np.stack([starts[chosen], starts[chosen + 1]], axis=1)

    def stream(self, part: str) -> np.ndarray:
        """int32: `<s> w ... </s>` of every sentence of a part, one after the other."""
        bounds = self.bounds(part)
        lengths = bounds[:, 1] - bounds[:, 0] + 2
        ends = np.cumsum(lengths)
        stream = np.empty(int(ends[-1]) if len(ends) else 0, np.int32)
        inside = np.ones(len(stream), bool)
        inside[ends - 1] = inside[ends - lengths] = False
        stream[ends - lengths], stream[ends - 1] = BOS, EOS
        stream[inside] = self.ids[ranges(bounds)]
        return stream


def has_text(folder: Path) -> bool:
    """Whether a corpus or segmentation is whole: one that came with a run's file has no text."""
    return not (folder / ABSENT).exists()


def refuse_absent(folder: Path) -> None:
    """AppError for a corpus or segmentation that came without its text."""
    if not has_text(folder):
        raise AppError(NOT_HERE)


def ranges(bounds: np.ndarray) -> np.ndarray:
    """The indices start, start + 1, ... end - 1 of every row, one after the other."""
    lengths = bounds[:, 1] - bounds[:, 0]
    skipped = bounds[:, 0] - np.concatenate([[0], np.cumsum(lengths)[:-1]])
    return np.arange(int(lengths.sum())) + np.repeat(skipped, lengths)


def mapped(path: Path, dtype: np.dtype, sentence: str) -> np.ndarray:
    """The records of a file. AppError `sentence` if it is missing or ends inside a record."""
    refuse_absent(path.parent)
    with reading(path, sentence):
        if path.stat().st_size == 0:
            return np.empty(0, dtype)
        return np.memmap(path, dtype, mode="r")


def _expect(whole: bool) -> None:
    """What a file must hold; inside `reading`."""
    if not whole:
        raise ValueError("damaged")
