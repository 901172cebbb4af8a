"""A segmentation and a RunSpec -> how long training will take here, and how much memory.

A few real steps are timed. Torch-free at import.
"""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lmstudio.data.layout import SegmentationMeta
from lmstudio.jobs import Job
from lmstudio.training.feeds import TrainingData, feed, train_counts
from lmstudio.training.fit_neural import build
from lmstudio.training.spec import RunSpec

if TYPE_CHECKING:
    from lmstudio.training.loop import Training

SECONDS = 1.0  # of steps to time, after one to warm up
FORWARD_SHARE = 0.4  # of a training step that scoring the same events takes
COPIES = 4  # of each weight: itself, its gradient, two averages of AdamW


@dataclass(frozen=True)
class Estimate:
    """Of a whole run on this machine as busy as it is now."""

    seconds: float  # of training and validating all steps
    memory_bytes: int  # on the device: weights, optimiser, and what a step keeps for its gradients
    seconds_per_step: float
    steps: int


def estimate(segmentation_folder: Path, spec: RunSpec, *, job: Job) -> Estimate:
    """Measure some steps of the run that `spec` describes; nothing is written.

    Takes about a second, after torch is loaded. Raises AppError where `fit` would.
    """
    import torch

    from lmstudio.training import device as devices
    from lmstudio.training.checkpoint import Checkpoints
    from lmstudio.training.loop import Training

    device, _ = devices.choose(spec.training.device)
    devices.use_threads()
    counts = train_counts(segmentation_folder)
    module = build(spec, counts, segmentation_folder)
    data = feed(spec, segmentation_folder, counts)
    unused = Checkpoints(segmentation_folder)  # a step saves nothing
    training = Training(module, data.train, data.valid, spec.training, unused, device)
    kept = 0

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        nonlocal kept
        kept += tensor.nbytes
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        training.step(job)
    weights = sum(parameter.nbytes for parameter in module.parameters())
    per_event = _seconds_per_event(training, data, job)
    per_step = per_event * data.train.events / len(data.train)
    valid = SegmentationMeta.load(segmentation_folder).parts["valid"].events
    validating = training.validations * valid * FORWARD_SHARE * per_event
    return Estimate(
        seconds=training.total * per_step + validating,
        memory_bytes=COPIES * weights + kept,
        seconds_per_step=per_step,
        steps=training.total,
    )


def _seconds_per_event(training: "Training", data: TrainingData, job: Job) -> float:
    """Timed over steps of all lengths; at least two of them."""
    events, began = 0, time.monotonic()
    for count in range(1, 1000):
        events += int((data.train.at(training.progress.step)["targets"] >= 0).sum())
        training.step(job)
        job.check()
        if count >= 2 and time.monotonic() - began > SECONDS:
            break
    training.recent.loss()  # wait for the device
    return (time.monotonic() - began) / events
