"""The bulk files of a corpus and of a segmentation: names, types, and readers that map them.

corpora/<id>/   source/          the files as they came
                text.utf8        every line of every document, each ended by one \\n
                lines.idx        LINE records, one a line
                shifts.idx       SHIFT records: where characters of the original were left out
                speller.ngram    what spelling an unknown word costs; made at first need
segmentations/<id>/
                tokens.bin       int32 ids of all tokens, sentence after sentence
                offsets.bin      OFFSET records: where each token stands in its line
                sentences.idx    SENTENCE records; a last one closes the file
                vocab.json       the vocabulary
                meta.json        SegmentationMeta: counts, and what unknown words cost, by part
"""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from lmstudio.files import read_json, write_json

LINE = np.dtype([("start", "<i8"), ("size", "<i4"), ("document", "<i4"), ("part", "u1")])
"""Byte offset and size (without \\n) in text.utf8, document number, part (index into PARTS)."""

SHIFT = np.dtype([("line", "<i4"), ("character", "<i4"), ("shift", "<i8")])
"""From `character` of `line` on: original position in its document - position in its line."""

OFFSET = np.dtype([("start", "<i4"), ("end", "<i4")])
"""Code points from the start of the line."""

SENTENCE = np.dtype([("token", "<i8"), ("line", "<i4"), ("part", "u1")])
"""Index of its first token, its line, its part. Tokens end where the next sentence's begin."""

PART_NAMES = ("train", "valid", "test")

UNK, BOS, EOS = 0, 1, 2
SPECIALS = ("<unk>", "<s>", "</s>")


class CorpusText:
    """The lines of a corpus, mapped, not read."""

    def __init__(self, folder: Path) -> None:
        self.lines = _mapped(folder / "lines.idx", LINE)
        self._text = _mapped(folder / "text.utf8", np.dtype("u1"))

    def __len__(self) -> int:
        return len(self.lines)

    def line(self, number: int) -> str:
        """Line `number` without its end."""
        record = self.lines[number]
        start = int(record["start"])
        return self._text[start : start + int(record["size"])].tobytes().decode("utf-8")


@dataclass
class PartCounts:
    """Counts of one part of a segmentation: the denominators of every evaluation."""

    tokens: int = 0
    sentences: int = 0
    characters: int = 0  # code points without line ends and white space
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
    overlapping: bool = (
        False  # jieba full/search: text is covered more than once; an axis of its own
    )
    parts: dict[str, PartCounts] = field(default_factory=dict)

    def save(self, folder: Path) -> None:
        """Write meta.json."""
        write_json(folder / "meta.json", asdict(self))

    @classmethod
    def load(cls, folder: Path) -> "SegmentationMeta":
        """Read meta.json."""
        data = read_json(folder / "meta.json")
        parts = {name: PartCounts(**counts) for name, counts in data.pop("parts").items()}
        return cls(parts=parts, **data)


class Tokens:
    """The tokens of a segmentation, mapped, not read."""

    def __init__(self, folder: Path) -> None:
        self.ids = _mapped(folder / "tokens.bin", np.dtype("<i4"))
        self.offsets = _mapped(folder / "offsets.bin", OFFSET)
        self.sentences = _mapped(folder / "sentences.idx", SENTENCE)  # with the closing record
        self.meta = SegmentationMeta.load(folder)

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
        stream[inside] = self.ids[_ranges(bounds)]
        return stream


def _ranges(bounds: np.ndarray) -> np.ndarray:
    """The indices start, start + 1, ... end - 1 of every row, one after the other."""
    lengths = bounds[:, 1] - bounds[:, 0]
    skipped = bounds[:, 0] - np.concatenate([[0], np.cumsum(lengths)[:-1]])
    return np.arange(int(lengths.sum())) + np.repeat(skipped, lengths)


def _mapped(path: Path, dtype: np.dtype) -> np.ndarray:
    if path.stat().st_size == 0:
        return np.empty(0, dtype)
    return np.memmap(path, dtype, mode="r")
