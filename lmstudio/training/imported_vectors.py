"""A file of word vectors -> the table of a run that was never trained here."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lmstudio.data.layout import SPECIALS
from lmstudio.data.vocab import Vocabulary
from lmstudio.errors import AppError
from lmstudio.formats.foreign import digest
from lmstudio.formats.vectors.vector_file import read_vectors
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.models.config import VectorsConfig

_VECTORS = "vectors.npy"


@dataclass(frozen=True)
class Looked:
    """What a file holds; the vectors are left beside."""

    words: list[str]
    notes: list[Message]


def look(path: Path, scratch: Path, *, job: Job) -> Looked:
    """Read a file once, and leave its vectors in the folder `scratch`. AppError if it has none."""
    found = read_vectors(path, job=job)
    np.save(scratch / _VECTORS, found.vectors)
    return Looked(found.words, found.notes)


def take(
    path: Path, scratch: Path, looked: Looked, segmentation_folder: Path, run_folder: Path, *,
    job: Job,
) -> dict[str, Any]:  # fmt: skip
    """Write the checkpoint of a run on a segmentation: rows for its words, zero for others.

    Returns "model", "config" and "facts", see `operations.imported_runs`. AppError where no word of
    the segmentation has a vector.
    """
    import torch

    from lmstudio.models.vectors import Vectors
    from lmstudio.training.imported import save_whole

    vectors = np.load(scratch / _VECTORS, mmap_mode="r")
    vocabulary = Vocabulary.load(segmentation_folder)
    number = {word: i for i, word in enumerate(looked.words)}
    pairs = np.array([(i, number[word]) for i, word in enumerate(vocabulary.types)
                      if word in number], np.int64).reshape(-1, 2)  # fmt: skip
    known = int((pairs[:, 0] >= len(SPECIALS)).sum())
    if not known:
        raise AppError("None of the words of the segmentation has a vector in {name}.",
                       name=path.name)  # fmt: skip
    config = VectorsConfig(vectors.shape[1])
    module = Vectors(config, vocabulary.rows)
    with torch.no_grad():
        table = torch.zeros_like(module.embedding.weight)
        table[pairs[:, 0]] = torch.from_numpy(np.array(vectors[pairs[:, 1]]))
        module.embedding.weight.copy_(table)
    save_whole(run_folder, "vectors", module)
    notes = [*looked.notes, Message(
        "{known} of {rows} words have a vector of {size} numbers.",
        {"known": known, "rows": vocabulary.rows - len(SPECIALS), "size": config.width},
    )]  # fmt: skip
    return {
        "model": "vectors",
        "config": asdict(config),
        "facts": {
            "parameters": module.embedding.weight.numel(), "seconds": 0.0, "step": 0,
            "imported": {"folder": path.name, "type": "word vectors",
                         "sha256": digest(path, job=job), "untrained": []},
            "notes": [note.to_json() for note in notes],
        },
    }  # fmt: skip
