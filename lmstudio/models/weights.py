"""The checkpoints of a run folder: where they are, and the weights in them.

run_folder/checkpoints/best/    weights.safetensors, meta.json: what questions are asked of
                       last/    the same and trainer.pt: what training goes on from

A folder that is being replaced is called NAME.old for a moment; readers look there too.
"""

from pathlib import Path

from safetensors.torch import load_file
from torch import Tensor

from lmstudio.errors import AppError

WEIGHTS = "weights.safetensors"


def checkpoint(run_folder: Path, name: str) -> Path | None:
    """The folder of checkpoint `name` ("best" or "last"), None if there is none."""
    for folder in (run_folder / "checkpoints" / name, run_folder / "checkpoints" / f"{name}.old"):
        if (folder / "meta.json").exists():
            return folder
    return None


def load(run_folder: Path) -> dict[str, Tensor]:
    """The weights to ask: those of the best checkpoint, else of the last.

    Raises AppError where a run has neither.
    """
    folder = checkpoint(run_folder, "best") or checkpoint(run_folder, "last")
    if folder is None:
        raise AppError("This run has no checkpoint yet. Train it first.")
    return load_file(folder / WEIGHTS)
