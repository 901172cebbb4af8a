"""An ARPA file -> the model of a run that was never trained here."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from lmstudio.data.layout import BOS, SPECIALS
from lmstudio.data.vocab import Vocabulary
from lmstudio.formats import arpa, arpa_reading, ngram_file
from lmstudio.formats.foreign import digest
from lmstudio.jobs import Job
from lmstudio.messages import Message, msg
from lmstudio.models.ngram.model import NgramModel
from lmstudio.training.fit_ngram import MODEL_FILE

UNFAIR = msg(
    "After {context} the probabilities of all words sum to {sum}, not to 1: figures of this model "
    "are not comparable with others."
)
_CONTEXTS = 10  # words of which it is seen that what follows sums to 1
_NEAR = 1e-3


def take(path: Path, segmentation_folder: Path, run_folder: Path, *, job: Job) -> dict[str, Any]:
    """Write the model of a run on a segmentation with the words of the file.

    Returns "model", "config" and "facts", see `operations.imported_runs`. AppError as in
    `formats.arpa_reading.load`.
    """
    types = Vocabulary.load(segmentation_folder).types
    read = arpa_reading.load(path, arpa.spellings(types), job=job)
    ngram_file.save(run_folder / MODEL_FILE, read.model, job=job)
    notes = [*read.notes, *_unfair(read.model, types)]
    return {
        "model": "ngram",
        "config": asdict(read.model.config),
        "facts": {
            "parameters": read.model.smoothing.parameters,  # type: ignore[attr-defined]
            "seconds": 0.0, "ngrams": read.model.sizes, "discounts": [],
            "imported": {"folder": path.name, "type": "arpa", "sha256": digest(path, job=job),
                         "untrained": []},
            "notes": [note.to_json() for note in notes],
        },
    }  # fmt: skip


def _unfair(model: NgramModel, types: list[str]) -> list[Message]:
    """A note where the probabilities after some context do not sum to 1."""
    words = range(len(SPECIALS), min(len(types), len(SPECIALS) + _CONTEXTS))
    for context in [[], *([number] for number in words)]:
        total = float(model.next_probs(np.array(context, np.int32)).sum())
        if abs(total - 1) > _NEAR:
            name = types[context[0] if context else BOS]
            return [Message(UNFAIR, {"context": name, "sum": f"{total:.4f}"})]
    return []
