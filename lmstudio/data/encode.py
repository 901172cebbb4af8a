"""A corpus folder and a plan into a segmentation folder: ids, offsets, sentences, vocabulary.

One pass over the text writes provisional ids in order of first sight; when the vocabulary is
known they are replaced where they stand. So memory is bounded by the table of types, whatever
the length of the text.
"""

import shutil
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from lmstudio.data.cut_lines import CutLines, CutPlan, Numbers, cut_corpus
from lmstudio.data.layout import PART_NAMES, SENTENCE, UNK, PartCounts, SegmentationMeta
from lmstudio.data.vocab import Vocabulary, choose
from lmstudio.files import written_folder
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.text.marks import UNKNOWN

Spelling = Callable[[list[str]], np.ndarray]
"""Words to bits (float64): what it costs to spell each, its end included."""

DICTIONARY = "dictionary.txt"  # the user dictionary's copy in the segmentation folder
_CHUNK = 1 << 20  # tokens


@dataclass
class Encoded:
    """What was written."""

    vocabulary: int  # V
    types: int  # different tokens in the train part
    meta: SegmentationMeta
    version: str  # of the segmenter


class TypeTable:
    """Every type seen so far with its counts by part, and what else is counted by part."""

    def __init__(self) -> None:
        self._numbers = Numbers()
        self._counts = np.zeros((len(PART_NAMES), 1024), np.int64)
        self.characters = np.zeros(len(PART_NAMES), np.int64)
        self.sentences = np.zeros(len(PART_NAMES), np.int64)

    def add(self, cut: CutLines) -> np.ndarray:
        """Count a batch; (T,) int32: the numbers of its types here."""
        numbers = np.fromiter(map(self._numbers.__getitem__, cut.types), np.int32, len(cut.types))
        if len(self._numbers) > self._counts.shape[1]:
            room = np.zeros((len(PART_NAMES), 2 * len(self._numbers)), np.int64)
            room[:, : self._counts.shape[1]] = self._counts
            self._counts = room
        self._counts[:, numbers] += cut.counts
        self.characters += cut.characters
        self.sentences += np.bincount(cut.sentences["part"], minlength=len(PART_NAMES))
        return numbers

    @property
    def words(self) -> list[str]:
        """(T,) the types, by number."""
        return list(self._numbers)

    @property
    def counts(self) -> np.ndarray:
        """(parts, T) int64."""
        return self._counts[:, : len(self._numbers)]

    def vocabulary(self, min_count: int, max_size: int) -> Vocabulary:
        """The vocabulary of the train part alone."""
        return choose(
            self.words, self.counts[0], sentences=int(self.sentences[0]),
            min_count=min_count, max_size=max_size,
        )  # fmt: skip

    def parts(self, ids: np.ndarray, spelling: Spelling | None) -> dict[str, PartCounts]:
        """Counts by part, where type t has id `ids[t]`; `spelling` prices the unknown ones."""
        words = self.words
        unknown = np.flatnonzero(ids == UNK)
        literal = np.array([words[t] == UNKNOWN for t in unknown], bool)
        spelled, written = unknown[~literal], unknown[literal]
        bits = np.zeros(len(spelled))
        if spelling and len(spelled):
            bits = spelling([words[t] for t in spelled])
        return {
            name: PartCounts(
                tokens=int(counts.sum()),
                sentences=int(self.sentences[part]),
                characters=int(self.characters[part]),
                unknown=int(counts[unknown].sum()),
                literal_unknown=int(counts[written].sum()),
                spelling_bits=float(counts[spelled] @ bits),
            )
            for part, (name, counts) in enumerate(zip(PART_NAMES, self.counts, strict=True))
        }


def encode(
    corpus: Path, folder: Path, plan: CutPlan, *, spelling: Spelling | None, job: Job
) -> Encoded:
    """Write the segmentation `folder` (see `data.layout`) of a `corpus` folder.

    The folder is whole or not there. Raises AppError if the train part holds no token.
    """
    table = TypeTable()
    options = plan.options
    with written_folder(folder) as temporary:
        _write(temporary, cut_corpus(corpus, plan, job=job), table)
        job.tick(0, 1, Message("Counting the vocabulary"))
        vocabulary = table.vocabulary(options.min_count, options.max_size)
        ids = vocabulary.encode(table.words)
        _replace_ids(temporary / "tokens.bin", ids, job)
        vocabulary.save(temporary)
        meta = SegmentationMeta(
            options.by, asdict(options), options.overlapping, table.parts(ids, spelling)
        )
        meta.save(temporary)
        if plan.dictionary:
            shutil.copyfile(plan.dictionary, temporary / DICTIONARY)
    types = int(np.count_nonzero(table.counts[0]))
    return Encoded(vocabulary.size, types, meta, plan.segmenter().version)


def _write(folder: Path, cuts: Iterable[CutLines], table: TypeTable) -> None:
    """tokens.bin with numbers of `table`, offsets.bin, sentences.idx."""
    tokens = line = 0
    with ExitStack() as stack:
        names = ("tokens.bin", "offsets.bin", "sentences.idx")
        ids, offsets, sentences = (stack.enter_context((folder / n).open("wb")) for n in names)
        for cut in cuts:
            ids.write(table.add(cut)[cut.ids].tobytes())
            offsets.write(cut.offsets.tobytes())
            cut.sentences["token"] += tokens
            sentences.write(cut.sentences.tobytes())
            tokens += len(cut.ids)
            line = int(cut.sentences["line"][-1]) + 1 if len(cut.sentences) else line
        sentences.write(np.array([(tokens, line, 0)], SENTENCE).tobytes())


def _replace_ids(path: Path, ids: np.ndarray, job: Job) -> None:
    """Put `ids[t]` in the place of every t, chunk by chunk."""
    if not path.stat().st_size:
        return
    tokens = np.memmap(path, np.dtype("<i4"), mode="r+")
    for start in range(0, len(tokens), _CHUNK):
        tokens[start : start + _CHUNK] = ids[tokens[start : start + _CHUNK]]
        job.tick(start, len(tokens))
    tokens.flush()
