"""What this computer offers for training, found out in a worker."""

from lmstudio.jobs import Job
from lmstudio.training import machine
from lmstudio.training.machine import Machine


def survey(*, job: Job) -> Machine:
    """Cores, memory and devices, and why there is no GPU if there is none."""
    return job.call(machine.survey)
