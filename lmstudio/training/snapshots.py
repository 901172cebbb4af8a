"""A network while it is trained -> the vectors of its most frequent words, kept at each validation.

run_folder/snapshots.json   the ids of the words and how long a vector is
           snapshots.bin    a record a validation: step, seconds, the vectors in 16 bits

Half a megabyte at most a validation. Nothing here draws from the random numbers of the training,
and what a resumed run does once more is forgotten first, as with probes. Free of torch at import.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lmstudio.data.layout import SPECIALS
from lmstudio.data.vocab import read_counts
from lmstudio.errors import AppError
from lmstudio.files import read_json, reading, write_json
from lmstudio.models.checkpoint_folder import TRAIN_AGAIN
from lmstudio.models.word_table import word_table

if TYPE_CHECKING:
    from torch import nn

WORDS, VECTORS = "snapshots.json", "snapshots.bin"
MOST = 500  # words


@dataclass(frozen=True)
class Snapshot:
    """The vectors at one step."""

    step: int
    seconds: float  # of training
    vectors: np.ndarray  # (N, D) float16


@dataclass(frozen=True)
class SnapshotRecord:
    """All that was kept of a run, by step."""

    ids: np.ndarray  # (N,) of the words, the most frequent first
    snapshots: list[Snapshot]


def read(run_folder: Path) -> SnapshotRecord:
    """What was kept of a run; nothing where it has not been validated yet.

    AppError where the files are damaged.
    """
    if not (run_folder / WORDS).exists() or not (run_folder / VECTORS).exists():
        return SnapshotRecord(np.zeros(0, np.int64), [])
    with reading(run_folder / WORDS, TRAIN_AGAIN):
        facts = read_json(run_folder / WORDS)
        ids, kind = np.array(facts["ids"], np.int64), _kind(len(facts["ids"]), facts["width"])
    records = _records(run_folder / VECTORS, kind)
    return SnapshotRecord(
        ids, [Snapshot(int(r["step"]), float(r["seconds"]), r["vectors"]) for r in records]
    )


class Snapshots:
    """The record of one run, as it grows."""

    def __init__(self, run_folder: Path, segmentation_folder: Path) -> None:
        self._folder = run_folder
        counts = read_counts(segmentation_folder)
        counts[: len(SPECIALS)] = 0
        order = np.argsort(-counts, kind="stable")[:MOST]
        self.ids: np.ndarray = order[counts[order] > 0]

    def forget_after(self, step: int) -> None:
        """Drop the records of steps that will be done once more."""
        path = self._folder / VECTORS
        try:
            kept = [one for one in read(self._folder).snapshots if one.step <= step]
        except AppError:  # the film is damaged: the training goes on without its beginning
            kept = []
        if kept:
            os.truncate(path, len(kept) * _kind(*kept[0].vectors.shape).itemsize)
        else:
            path.unlink(missing_ok=True)

    def ask(self, module: "nn.Module", step: int, seconds: float) -> None:
        """Add a record."""
        vectors = word_table(module, self.ids)
        if not len(self.ids):
            return
        kind = _kind(*vectors.shape)
        record = np.zeros((), kind)
        record["step"], record["seconds"] = step, seconds
        record["vectors"] = np.clip(vectors, -60_000, 60_000)  # what 16 bits can hold
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / VECTORS
        if not path.exists():
            facts = {"ids": self.ids.tolist(), "width": vectors.shape[1]}
            write_json(self._folder / WORDS, facts)
        with path.open("ab") as file:
            file.write(record.tobytes())


def _kind(words: int, width: int) -> np.dtype:
    return np.dtype([("step", "<i8"), ("seconds", "<f8"), ("vectors", "<f2", (words, width))])


def _records(path: Path, kind: np.dtype) -> np.ndarray:
    """Whole records of the file; the last may have been cut short by a kill."""
    if not path.exists():
        return np.zeros(0, kind)
    whole = path.stat().st_size // kind.itemsize
    return np.fromfile(path, kind, whole)
