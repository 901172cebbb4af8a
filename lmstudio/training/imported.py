"""A model of another program -> the checkpoint of a run that was never trained here."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lmstudio.formats.huggingface import importing
from lmstudio.jobs import Job

if TYPE_CHECKING:
    from torch import nn


def take(
    chosen: Path, segmentation_folder: Path, run_folder: Path, new_words: Sequence[str] = (), *,
    job: Job,
) -> dict[str, Any]:  # fmt: skip
    """Write the checkpoint "best" of a run on a segmentation by the model's own pieces.

    Returns "config" and "facts" of the run, see `formats.huggingface.importing.take`.
    """
    from lmstudio.training.checkpoint import Checkpoints
    from lmstudio.training.early_stopping import EarlyStopping
    from lmstudio.training.plan import Plan
    from lmstudio.training.progress import Progress

    def save(model: str, module: "nn.Module") -> None:
        Checkpoints(run_folder, model).save("best", module, Progress(EarlyStopping(0), Plan(0, 1)))

    return importing.take(chosen, segmentation_folder, save, new_words, job=job)
