"""A corpus folder and a plan into a segmentation folder: ids, offsets, sentences, vocabulary.

One pass over the text writes provisional ids in order of first sight; when the vocabulary is
known they are replaced where they stand. So memory is bounded by the table of types, whatever
the length of the text.
"""

import os
import shutil
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from lmstudio.data.cut_lines import CutLines, cut_corpus
from lmstudio.data.cut_plan import CutPlan
from lmstudio.data.layout import OFFSET, SENTENCE, SegmentationMeta, ranges
from lmstudio.data.type_table import Expansion, Spelling, TypeTable
from lmstudio.files import written_folder
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.text.segment_options import SegmentOptions
from lmstudio.text.subword import is_json

DICTIONARY = "dictionary.txt"  # copies in the segmentation folder
STOP_WORDS = "stop_words.txt"
TOKENIZERS = ("tokenizer.json", "vocab.txt")
_CHUNK = 1 << 20  # tokens


@dataclass
class Encoded:
    """What was written."""

    vocabulary: int  # V
    types: int  # different tokens in the train part
    meta: SegmentationMeta
    version: str  # of the segmenter
    stopped: int  # tokens that are stop words


def encode(
    corpus: Path, folder: Path, plan: CutPlan, *, spelling: Spelling | None, job: Job
) -> Encoded:
    """Write the segmentation `folder` (see `data.layout`) of a `corpus` folder.

    The folder is whole or not there. Raises AppError if the train part holds no token.
    """
    table = TypeTable()
    with written_folder(folder) as temporary:
        _write(temporary, cut_corpus(corpus, plan, job=job), table)
        job.tick(0, 1, Message("Counting the vocabulary"))
        stopped = table.tokens_of(plan.stopped())
        vocabulary, expansion = table.vocabulary(plan)
        if expansion is not None:
            _expand(temporary, expansion, job)
        ids = vocabulary.encode(table.words)
        _replace_ids(temporary / "tokens.bin", ids, job)
        vocabulary.save(temporary)
        meta = SegmentationMeta(
            plan.options.by, asdict(plan.options), table.axis(plan), table.parts(ids, spelling),
            corpus=Path(os.path.relpath(corpus, folder)).as_posix(),
        )  # fmt: skip
        meta.save(temporary)
        _copy(plan, temporary)
    types = int(np.count_nonzero(table.counts[0]))
    return Encoded(vocabulary.size, types, meta, plan.segmenter().version, stopped)


def _copy(plan: CutPlan, folder: Path) -> None:
    """Keep the files that a plan names with what they have made."""
    if plan.dictionary:
        shutil.copyfile(plan.dictionary, folder / DICTIONARY)
    if plan.stop_words:
        shutil.copyfile(plan.stop_words, folder / STOP_WORDS)
    if plan.tokenizer:
        written = plan.tokenizer.read_bytes()
        (folder / TOKENIZERS[not is_json(written)]).write_bytes(written)


def plan_of(folder: Path, options: SegmentOptions, cache: Path) -> CutPlan:
    """The plan that a segmentation folder was written by, with the files it keeps."""

    def kept(*names: str) -> Path | None:
        return next((folder / name for name in names if (folder / name).exists()), None)

    return CutPlan(options, kept(DICTIONARY), cache, kept(*TOKENIZERS), kept(STOP_WORDS))


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


def _expand(folder: Path, expansion: Expansion, job: Job) -> None:
    """Put what each type becomes in its place in tokens.bin, offsets.bin and sentences.idx."""
    path, places = folder / "tokens.bin", folder / "offsets.bin"
    tokens, offsets = np.memmap(path, "<i4", "r"), np.memmap(places, OFFSET, "r")
    sentences = np.fromfile(folder / "sentences.idx", SENTENCE)
    starts, written = sentences["token"].copy(), 0
    new_path, new_places = folder / "tokens.new", folder / "offsets.new"
    with new_path.open("wb") as ids, new_places.open("wb") as spans:
        for start in range(0, len(tokens), _CHUNK):
            chunk = tokens[start : start + _CHUNK]
            size = expansion.size[chunk]
            before = written + np.cumsum(size) - size
            here = slice(*np.searchsorted(starts, [start, start + len(chunk)]))
            sentences["token"][here] = before[starts[here] - start]
            found, moved = _expanded(chunk, offsets[start : start + _CHUNK], expansion)
            ids.write(found.tobytes())
            spans.write(moved.tobytes())
            written += int(size.sum())
            job.tick(start, len(tokens))
    sentences["token"][starts == len(tokens)] = written
    sentences.tofile(folder / "sentences.idx")
    del tokens, offsets  # closed before they are replaced, as Windows asks
    os.replace(new_path, path)
    os.replace(new_places, places)


def _expanded(
    tokens: np.ndarray, offsets: np.ndarray, expansion: Expansion
) -> tuple[np.ndarray, np.ndarray]:
    """int32 types, and OFFSET records, in the place of some tokens."""
    first, size = expansion.first[tokens], expansion.size[tokens]
    chosen = ranges(np.stack([first, first + size], axis=1))
    moved = np.repeat(offsets, size)
    apart = expansion.types[chosen] != np.repeat(tokens, size)
    moved["start"] += expansion.at[chosen]
    moved["end"] = np.where(apart, moved["start"] + 1, moved["end"])
    return expansion.types[chosen].astype("<i4"), moved
