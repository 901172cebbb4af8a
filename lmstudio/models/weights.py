"""A checkpoint's weights into a module. Where checkpoints are: `models.checkpoint_folder`.

Of a fine-tuned run, whose file holds a whole models.tasks.TaskModel, a network alone takes its
encoder.
"""

from pathlib import Path

from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file
from torch import Tensor, nn

from lmstudio.files import reading
from lmstudio.models.checkpoint_folder import ENCODER, TRAIN_AGAIN, WEIGHTS, asked


def load(run_folder: Path, module: nn.Module) -> None:
    """Put the weights to ask into `module`: of the best checkpoint, of the last before a first.

    Raises AppError where a run has neither, or the best is gone or damaged.
    """
    fill(module, asked(run_folder))


def rows_of(run_folder: Path, name: str) -> int:
    """How many rows a table of the checkpoint to ask has, 0 if it is not in there."""
    path = asked(run_folder) / WEIGHTS
    with reading(path, TRAIN_AGAIN, SafetensorError), safe_open(path, "pt") as file:
        known = {name, ENCODER + name} & set(file.keys())
        return file.get_slice(known.pop()).get_shape()[0] if known else 0


def fill(module: nn.Module, folder: Path) -> None:
    """Put the weights of a checkpoint into `module`; AppError if they are damaged or do not fit."""
    path = folder / WEIGHTS
    with reading(path, TRAIN_AGAIN, SafetensorError, RuntimeError):
        found = load_file(path)
        if not any(name.startswith(ENCODER) for name in module.state_dict()):
            found = of_network(found)
        module.load_state_dict(found)


def of_network(found: dict[str, Tensor]) -> dict[str, Tensor]:
    """The weights of a file that are those of a network alone, as it calls them."""
    if not any(name.startswith(ENCODER) for name in found):
        return found
    return {name.removeprefix(ENCODER): weight for name, weight in found.items()
            if name.startswith(ENCODER)}  # fmt: skip
