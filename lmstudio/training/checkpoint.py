"""A run at one moment <-> a folder that is whole whenever the program is killed.

The layout is described in models/checkpoint_folder.py. What is in trainer.pt is plain tensors and
numbers, so that it loads with weights_only.
"""

import os
import pickle
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import nn

from lmstudio.errors import AppError
from lmstudio.files import read_json, reading, write_json
from lmstudio.models.checkpoint_folder import TRAIN_AGAIN, WEIGHTS, checkpoint
from lmstudio.models.weights import fill
from lmstudio.training.progress import Progress

VERSION = 1


@dataclass
class Checkpoints:
    """The checkpoints of one run folder."""

    run_folder: Path

    def clear(self) -> None:
        """Forget what an earlier training of this run left."""
        shutil.rmtree(self.run_folder / "checkpoints", ignore_errors=True)

    def exists(self, name: str) -> bool:
        """Whether checkpoint `name` can be read."""
        return checkpoint(self.run_folder, name) is not None

    def save(
        self,
        name: str,
        module: nn.Module,
        progress: Progress,
        trainer: dict[str, Any] | None = None,
    ) -> None:
        """Write checkpoint `name`: the weights, `progress`, and `trainer` to go on from."""
        folder = self.run_folder / "checkpoints" / f"{name}.new"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        tensors = {key: value.contiguous() for key, value in module.state_dict().items()}
        save_file(tensors, folder / WEIGHTS)
        if trainer is not None:
            torch.save(trainer, folder / "trainer.pt")
        write_json(folder / "meta.json", {"version": VERSION, "progress": progress.to_json()})
        self._swap(name)

    def load(self, name: str, module: nn.Module) -> tuple[Progress, dict[str, Any]]:
        """Put the weights of checkpoint `name` into `module`; its progress and trainer state.

        Raises AppError where one of its files is missing or damaged.
        """
        folder = checkpoint(self.run_folder, name)
        if folder is None:
            raise AppError(TRAIN_AGAIN, path=self.run_folder / "checkpoints" / name)
        fill(module, folder)
        path = folder / "trainer.pt"
        with reading(path, TRAIN_AGAIN, pickle.UnpicklingError, RuntimeError):
            trainer = torch.load(path, map_location="cpu", weights_only=True)
        path = folder / "meta.json"
        with reading(path, TRAIN_AGAIN):
            return Progress.from_json(read_json(path)["progress"]), trainer

    def _swap(self, name: str) -> None:
        """NAME -> NAME.old, NAME.new -> NAME: at each moment one of the first two is whole."""
        folder = self.run_folder / "checkpoints"
        new, current, old = folder / f"{name}.new", folder / name, folder / f"{name}.old"
        if current.exists():
            shutil.rmtree(old, ignore_errors=True)
            os.replace(current, old)
        os.replace(new, current)
        shutil.rmtree(old, ignore_errors=True)


def random_state(device: torch.device) -> dict[str, torch.Tensor]:
    """Torch's random numbers as they stand, for the CPU and for `device`."""
    state = {"cpu": torch.get_rng_state()}
    if device.type == "cuda":
        state["cuda"] = torch.cuda.get_rng_state(device)
    if device.type == "mps":
        state["mps"] = torch.mps.get_rng_state()
    return state


def set_random_state(state: dict[str, torch.Tensor], device: torch.device) -> None:
    """Go on with the random numbers of `state`, as far as it knows `device`."""
    torch.set_rng_state(state["cpu"])
    if device.type == "cuda" and "cuda" in state:
        torch.cuda.set_rng_state(state["cuda"], device)
    if device.type == "mps" and "mps" in state:
        torch.mps.set_rng_state(state["mps"])
