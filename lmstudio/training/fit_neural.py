"""A segmentation and a RunSpec -> a trained neural model in a run folder. Torch-free at import."""

import importlib
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lmstudio.data.batches import Batch, SentenceBatches, whole_sentences
from lmstudio.data.layout import BOS, EOS, UNK, SegmentationMeta, Tokens
from lmstudio.data.vocab import read_counts
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.models.registry import MODELS
from lmstudio.training.spec import RunSpec, TrainingConfig

if TYPE_CHECKING:
    from lmstudio.models.trainable import Trainable
    from lmstudio.training.loop import Training


def fit(
    segmentation_folder: Path, run_folder: Path, spec: RunSpec, *, resume: bool = False, job: Job
) -> dict[str, Any]:
    """Train the model of `spec` and leave its checkpoints in `run_folder`.

    Returns facts: parameters, seconds, step, tokens_per_step, device, best_step, best_valid_loss
    (nats per event, None without a valid part), why_ended and notes as [sentence, values].
    `resume` goes on from the last checkpoint. Raises Cancelled (after a last checkpoint) and
    AppError.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # read when torch is first imported
    import torch

    from lmstudio.training import device as devices

    device, absent = devices.choose(spec.training.device)
    notes = [absent] if absent else []
    if absent:  # said before any data is read
        job.tick(0, 0, absent)
    devices.use_threads()
    torch.manual_seed(spec.training.seed)
    counts = train_counts(segmentation_folder)
    module = build(spec, counts)
    data = TrainingData.of(segmentation_folder, counts, spec.training)
    training = _training(module, data, spec, run_folder, device)
    notes += [*data.notes, *_begin(training, resume)]
    for note in notes:
        job.tick(training.progress.step, training.total, note)
    why_ended = training.run(job)
    notes += training.progress.notes
    return {
        "parameters": sum(p.numel() for p in module.parameters()),
        "seconds": training.progress.seconds,
        "step": training.progress.step,
        "tokens_per_step": data.train.events / len(data.train),
        "device": str(device),
        "best_step": training.progress.early.best_step or training.progress.step,
        "best_valid_loss": training.progress.early.best_loss,
        "why_ended": [why_ended.sentence, why_ended.values],
        "notes": [[note.sentence, note.values] for note in notes],
    }


def build(spec: RunSpec, counts: np.ndarray) -> "Trainable":
    """A fresh module of the spec's model for a vocabulary whose ids occur `counts` times."""
    model = importlib.import_module(MODELS[spec.model].module)
    module: Trainable = model.build(spec.config, counts)
    return module


def train_counts(segmentation_folder: Path) -> np.ndarray:
    """(rows,) how often the train part has each id; <s> never."""
    counts = read_counts(segmentation_folder)
    train = SegmentationMeta.load(segmentation_folder).parts["train"]
    counts[[UNK, BOS, EOS]] = train.unknown, 0, train.sentences
    return counts


@dataclass
class TrainingData:
    """The batches of a segmentation, and what the user should know of them."""

    train: SentenceBatches
    valid: Callable[[], Iterable[Batch]] | None
    notes: list[Message]

    @classmethod
    def of(
        cls, segmentation_folder: Path, counts: np.ndarray, config: TrainingConfig
    ) -> "TrainingData":
        """Raises AppError where the train part has no sentence."""
        tokens = Tokens(segmentation_folder)
        tokens.check(len(counts))
        bounds, valid = tokens.bounds("train"), tokens.bounds("valid")
        if not len(bounds):
            raise AppError("The train part holds no sentence. Choose another split or corpus.")
        longest = int((bounds[:, 1] - bounds[:, 0]).max()) + 1  # with the sentence's end
        train = SentenceBatches(
            tokens.ids,
            bounds,
            rows=config.batch,
            length=min(longest, config.length),
            seed=config.seed,
            rare=_rare(counts),
        )
        notes = _notes(longest, config.length, has_valid=len(valid) > 0)
        if not len(valid):
            return cls(train, None, notes)
        return cls(train, lambda: whole_sentences(tokens.ids, valid, config.batch), notes)


def _rare(counts: np.ndarray) -> np.ndarray | None:
    """(rows,) bool: the words seen once, where the text has no unknown word to learn from."""
    if counts[UNK]:
        return None
    rare = counts == 1
    rare[[BOS, EOS]] = False
    return rare


def _notes(longest: int, length: int, *, has_valid: bool) -> list[Message]:
    notes = []
    if longest < length:
        notes.append(
            Message(
                "The longest sentence of the train part has {longest} tokens, its end included: "
                "the length {length} is shortened to that.",
                {"longest": longest, "length": length},
            )
        )
    if not has_valid:
        notes.append(
            Message(
                "The valid part is empty: trained without validation, and the last checkpoint "
                "counts as the best."
            )
        )
    return notes


def _training(
    module: "Trainable", data: TrainingData, spec: RunSpec, run_folder: Path, device: Any
) -> "Training":
    from lmstudio.training.checkpoint import Checkpoints
    from lmstudio.training.loop import Training

    checkpoints = Checkpoints(run_folder)
    return Training(module, data.train, data.valid, spec.training, checkpoints, device)


def _begin(training: "Training", resume: bool) -> list[Message]:
    """Bring a fresh training to where it starts; what is to be said of it."""
    if not resume:
        training.checkpoints.clear()
        return []
    if not training.checkpoints.exists("last"):
        return [Message("There is no checkpoint to continue from: training from the beginning.")]
    training.resume()
    return []
