"""A checkpoint's weights into a module. Where checkpoints are: `models.checkpoint_folder`."""

from pathlib import Path

from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file
from torch import nn

from lmstudio.files import reading
from lmstudio.models.checkpoint_folder import TRAIN_AGAIN, WEIGHTS, asked


def load(run_folder: Path, module: nn.Module) -> None:
    """Put the weights to ask into `module`: of the best checkpoint, of the last before a first.

    Raises AppError where a run has neither, or the best is gone or damaged.
    """
    fill(module, asked(run_folder))


def rows_of(run_folder: Path, name: str) -> int:
    """How many rows a table of the checkpoint to ask has, 0 if it is not in there."""
    path = asked(run_folder) / WEIGHTS
    with reading(path, TRAIN_AGAIN, SafetensorError), safe_open(path, "pt") as file:
        return file.get_slice(name).get_shape()[0] if name in file.keys() else 0  # noqa: SIM118


def fill(module: nn.Module, folder: Path) -> None:
    """Put the weights of a checkpoint into `module`; AppError if they are damaged or do not fit."""
    path = folder / WEIGHTS
    with reading(path, TRAIN_AGAIN, SafetensorError, RuntimeError):
        module.load_state_dict(load_file(path))
