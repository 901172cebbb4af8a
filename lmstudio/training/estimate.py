"""A segmentation and a RunSpec -> how long training will take here, and how much memory.

A few real steps are timed. Torch-free at import.
"""

from dataclasses import dataclass
from pathlib import Path

from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.training.spec import RunSpec


@dataclass(frozen=True)
class Estimate:
    """Of a whole run on this machine as busy as it is now."""

    seconds: float  # of training and validating all steps
    memory_bytes: int  # on the device: weights, optimiser, and what a step keeps for its gradients
    seconds_per_step: float
    steps: int
    batch: int  # rows, where the spec asks for as many as fit
    steps_per_epoch: int = 0
    most_steps: int = 0  # that its epochs would take, were there no minutes to keep to
    notes: tuple[Message, ...] = ()  # what the run will say for itself, such as shortened windows
    scoring: float = 0.0  # seconds that held-out text is scored afterwards


def estimate(segmentation_folder: Path, spec: RunSpec, *, job: Job) -> Estimate:
    """Measure some steps of the run that `spec` describes; nothing is written.

    Takes about two seconds, after torch is loaded. Raises AppError where `fit` would.
    """
    from lmstudio.training import device as devices
    from lmstudio.training.assembly import Assembly
    from lmstudio.training.distributed import Alone

    device, absent = devices.choose(spec.training.device)
    devices.use_threads()
    assembly = Assembly(segmentation_folder, segmentation_folder, spec, Alone(device), job)
    speed, course, data = assembly.measured()
    return Estimate(
        seconds=course.seconds(speed, data.valid_events),
        memory_bytes=speed.memory,
        seconds_per_step=speed.step,
        steps=course.total,
        batch=course.batch,
        steps_per_epoch=len(data.train),
        most_steps=course.most,
        notes=(*([absent] if absent else []), *assembly.notes, *data.notes),
    )
