"""A plan for pieces of words into the same with their file: the one loaded, or one trained here.

What was trained is kept in a cache, so that a look, a count and the segmentation itself train once.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from lmstudio.data.cut_plan import CutPlan
from lmstudio.data.layout import CorpusText, refuse_absent
from lmstudio.files import written
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.text.marks import unmarked
from lmstudio.text.segment import stretches
from lmstudio.text.segment_options import SegmentOptions, applies
from lmstudio.text.sentences import trimmed
from lmstudio.text.subword import Subwords, kind_of, library_version
from lmstudio.text.subword_training import train

_MOST_BYTES = 30_000_000
_MOST_BYTES_UNIGRAM = 3_000_000  # it takes ten times as long
_BATCH = 1000  # sentences or so between two ticks
_KEPT = 40  # files in the cache
_VERSION = 1  # of the way we train


def with_pieces(corpus: Path, plan: CutPlan, cache: Path, *, job: Job) -> CutPlan:
    """`plan` with the tokenizer of its subword segmenter; `cache` is the folder of trained ones.

    A loaded file decides which segmenter it is. AppError if it is none, or there is no text.
    """
    if plan.tokenizer is not None:
        return replace(plan, options=replace(plan.options, by=kind_of(plan.tokenizer)))
    path = cache / f"{_key(corpus, plan.options)}.json"
    if not path.exists():
        made = train(lambda: _texts(corpus, plan.options, job), plan.options)
        with written(path) as temporary:
            temporary.write_text(made, encoding="utf-8")
        _prune(cache)
    return replace(plan, tokenizer=path)


def learnt_share(corpus: Path, by: str) -> float:
    """The share of the train part, by size, that pieces are learnt from: 1 where all of it."""
    most = _MOST_BYTES_UNIGRAM if by == "unigram" else _MOST_BYTES
    return min(1.0, most / max(1, _train_bytes(CorpusText(corpus))))


def _train_bytes(text: CorpusText) -> int:
    return int(text.lines["size"][text.lines["part"] == 0].sum(dtype=np.int64))


def _texts(corpus: Path, options: SegmentOptions, job: Job) -> Iterator[list[str]]:
    """Stretches of the train part in order, an even choice of them where there are too many."""
    text = CorpusText(corpus)
    share, total = learnt_share(corpus, options.by), _train_bytes(text)
    done = seen = 0
    batch: list[str] = []
    for number in np.flatnonzero(text.lines["part"] == 0).tolist():
        line = text.line(number)
        for start, end in _unmarked_stretches(line, options):
            seen += 1
            if int(seen * share) > int((seen - 1) * share):
                batch.append(line[start:end])
            if len(batch) >= _BATCH:
                job.tick(done, total, Message("Learning the pieces of words"))
                yield batch
                batch = []
        done += int(text.lines["size"][number])
    job.tick(done, total, Message("Learning the pieces of words"))
    yield batch


def _unmarked_stretches(line: str, options: SegmentOptions) -> Iterator[tuple[int, int]]:
    """What the segmenter will be given of a line, or nearly: sentences do not matter here."""
    start, end = trimmed(line, 0, len(line))
    for first, last, whole in unmarked(line[start:end], options.special_tokens):
        if not whole:
            yield from stretches(line, start + first, start + last, Subwords.longest)


def _key(corpus: Path, options: SegmentOptions) -> str:
    """Another text, split or option gives another name."""
    refuse_absent(corpus)
    files = [(corpus / name).stat() for name in ("text.utf8", "lines.idx")]
    heeded = [(name, getattr(options, name)) for name in applies(options.by) if name != "sentences"]
    known = [
        _VERSION, library_version(), str(corpus.absolute()), options.by, heeded,
        [(found.st_size, found.st_mtime_ns) for found in files],
    ]  # fmt: skip
    return hashlib.sha256(json.dumps(known).encode()).hexdigest()[:32]


def _prune(cache: Path) -> None:
    """Only the newest files stay."""
    files = sorted(cache.glob("*.json"), key=lambda path: path.stat().st_mtime)
    for path in files[:-_KEPT]:
        path.unlink(missing_ok=True)
