"""The files of a published ELMo <-> the checkpoint of a run."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from lmstudio.data.layout import SPECIALS
from lmstudio.data.vocab import Vocabulary
from lmstudio.files import reading
from lmstudio.formats import arpa, elmo_files
from lmstudio.formats.elmo_files import HEAD, ElmoFolder
from lmstudio.formats.elmo_weights import elmo_arrays, elmo_weights
from lmstudio.formats.foreign import digest
from lmstudio.jobs import Job
from lmstudio.messages import Message, msg
from lmstudio.models.checkpoint_folder import TRAIN_AGAIN, asked
from lmstudio.models.checkpoint_folder import WEIGHTS as CHECKPOINT
from lmstudio.models.config import ElmoConfig

_OUTPUT = ("head.weight", "head.bias", "unigrams")
"""Our names of HEAD."""
NO_HEAD = msg(
    "Its output layer is not in the files: it is untrained, and nothing is predicted. Vectors and "
    "fine-tuning work."
)
LEFT_OUT = msg(
    "The output layer is left out: files of ELMo have a place only for one that predicts word by "
    "word, each direction by itself."
)


def look(path: Path, *, job: Job) -> ElmoFolder:
    """What a folder holds, see `formats.elmo_files.find`."""
    job.check()
    return elmo_files.find(path)


def take(
    found: ElmoFolder, segmentation_folder: Path, run_folder: Path, *, job: Job
) -> dict[str, Any]:
    """Write the checkpoint of a run on a segmentation, whose words are spelled.

    Returns "model", "config" and "facts", see `operations.imported_runs`. AppError as in
    `formats.elmo_files.read`.
    """
    import torch

    from lmstudio.models.character_cnn import spellings
    from lmstudio.models.elmo import Elmo
    from lmstudio.training.imported import save_whole

    arrays = elmo_files.read(found, job=job)
    types = Vocabulary.load(segmentation_folder).types
    module = Elmo(found.config, len(types))
    state = {name: torch.from_numpy(array) for name, array in elmo_weights(arrays).items()}
    state["words.spelled"] = torch.from_numpy(spellings(types))
    if found.has_head:
        rows = _rows(found, types)
        state |= {ours: torch.from_numpy(arrays[theirs][rows])
                  for ours, theirs in zip(_OUTPUT, HEAD, strict=True)}  # fmt: skip
    module.load_state_dict(state, strict=False)
    save_whole(run_folder, "elmo", module)
    notes = [] if found.has_head else [Message(NO_HEAD)]
    return {
        "model": "elmo",
        "config": asdict(found.config),
        "facts": {
            "parameters": sum(p.numel() for p in module.parameters()), "seconds": 0.0, "step": 0,
            "imported": {"folder": found.weights.resolve().parent.name, "type": "elmo",
                         "sha256": digest(found.weights, job=job),
                         "untrained": [] if found.has_head else list(_OUTPUT[:2])},
            "notes": [note.to_json() for note in notes],
        },
    }  # fmt: skip


def _rows(found: ElmoFolder, types: list[str]) -> np.ndarray:
    """(V,) of each of our ids the line of vocab.txt."""
    number = {word: i + len(SPECIALS) for i, word in enumerate(found.words)}
    spelled = arpa.spellings(types)[len(SPECIALS) :]
    return np.array([*range(len(SPECIALS)), *(number[word] for word in spelled)])


def write(
    path: Path, run_folder: Path, segmentation_folder: Path, config: ElmoConfig, *, job: Job
) -> list[Message]:
    """Write the folder `path` from a run that spells its words; what is to be told of it.

    AppError where the run has no checkpoint, or `path` is there already.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    source = asked(run_folder) / CHECKPOINT
    job.tick(0, 1, Message("Reading the weights"))
    with reading(source, TRAIN_AGAIN, SafetensorError):
        weights = load_file(source)
        arrays = elmo_arrays(weights, config)
    alone = config.head == "separate" and set(_OUTPUT) <= weights.keys()
    if alone:
        arrays |= {theirs: weights[ours] for ours, theirs in zip(_OUTPUT, HEAD, strict=True)}
    types = arpa.spellings(Vocabulary.load(segmentation_folder).types)
    elmo_files.write(path, config, arrays, types, job=job)
    return [] if alone else [Message(LEFT_OUT)]
