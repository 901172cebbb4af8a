"""A segmentation and a RunSpec -> how long training will take here, and how much memory."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Estimate:
    """Measured on this machine with the real shapes."""

    seconds: float  # of the whole run, validations included
    memory_bytes: int  # weights, gradients, optimiser, activations of a step
    seconds_per_step: float
    steps: int
