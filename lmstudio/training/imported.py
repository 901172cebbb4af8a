"""A model of another program -> the checkpoint of a run that was never trained here."""

from collections.abc import Sequence
from functools import partial
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
    return importing.take(
        chosen, segmentation_folder, partial(save_whole, run_folder), new_words, job=job
    )


def save_whole(run_folder: Path, model: str, module: "nn.Module") -> None:
    """Write the checkpoint "best" of a run: `module`, a network of the kind `model`."""
    from lmstudio.training.checkpoint import Checkpoints
    from lmstudio.training.early_stopping import EarlyStopping
    from lmstudio.training.plan import Plan
    from lmstudio.training.progress import Progress

    Checkpoints(run_folder, model).save("best", module, Progress(EarlyStopping(0), Plan(0, 1)))
