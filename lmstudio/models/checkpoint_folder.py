"""The checkpoints of a run folder: where they are, and which one questions are asked of.

run_folder/checkpoints/best/    weights.safetensors, meta.json: what questions are asked of
                       last/    the same and trainer.pt: what training goes on from

A folder that is being replaced is called NAME.old for a moment; readers look there too.
"""

from pathlib import Path

from lmstudio.errors import AppError
from lmstudio.files import read_json, reading
from lmstudio.messages import msg

WEIGHTS = "weights.safetensors"
ENCODER = "encoder."
"""What the names of a network begin with in the file of a fine-tuned run."""
TRAIN_AGAIN = msg("{path} is missing or damaged. Train a new run to replace this one.")


def checkpoint(run_folder: Path, name: str) -> Path | None:
    """The folder of checkpoint `name` ("best" or "last"), None if there is none."""
    for folder in (run_folder / "checkpoints" / name, run_folder / "checkpoints" / f"{name}.old"):
        if (folder / "meta.json").exists():
            return folder
    return None


def asked(run_folder: Path) -> Path:
    """The folder of the checkpoint to ask: the best, the last before there was a first best.

    Raises AppError where a run has neither, or the best is gone.
    """
    best, last = checkpoint(run_folder, "best"), checkpoint(run_folder, "last")
    folder = best or last
    if folder is None:
        raise AppError("This run has no checkpoint yet. Train it first.")
    if best is None and _had_best(folder / "meta.json"):
        raise AppError(TRAIN_AGAIN, path=run_folder / "checkpoints" / "best")
    return folder


def _had_best(meta: Path) -> bool:
    """Whether a best checkpoint was written before this last one."""
    with reading(meta, TRAIN_AGAIN):
        return read_json(meta)["progress"]["early"]["best_loss"] is not None
