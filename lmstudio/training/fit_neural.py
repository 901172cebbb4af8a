"""A segmentation and a RunSpec -> a trained neural model in a run folder. Torch-free at import."""

import importlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.models.registry import MODELS
from lmstudio.training.feeds import TrainingData, feed, train_counts
from lmstudio.training.spec import RunSpec

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
    module = build(spec, counts, segmentation_folder)
    data = feed(spec, segmentation_folder, counts)
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


def build(spec: RunSpec, counts: np.ndarray, segmentation_folder: Path) -> "Trainable":
    """A fresh module of the spec's model for a vocabulary whose ids occur `counts` times."""
    model = importlib.import_module(MODELS[spec.model].module)
    module: Trainable = model.build(spec.config, counts, segmentation_folder)
    return module


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
