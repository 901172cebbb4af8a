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
from safetensors import SafetensorError
from safetensors.torch import save_file
from torch import nn

from lmstudio.errors import AppError, refusal
from lmstudio.files import read_json, reading, usual_rights, write_json
from lmstudio.models.checkpoint_folder import TRAIN_AGAIN, WEIGHTS, checkpoint
from lmstudio.models.weights import fill
from lmstudio.training.progress import Progress

VERSION = 1


@dataclass
class Checkpoints:
    """The checkpoints of one run folder."""

    run_folder: Path
    model: str = ""  # what kind of network it is, for whoever wants to begin with its weights

    def clear(self) -> None:
        """Forget what an earlier training of this run left."""
        shutil.rmtree(self.run_folder / "checkpoints", ignore_errors=True)

    def exists(self, name: str) -> bool:
        """Whether checkpoint `name` can be read."""
        return checkpoint(self.run_folder, name) is not None

    def any_left(self) -> bool:
        """Whether there is a checkpoint, readable or not."""
        names = ("best", "best.old", "last", "last.old")
        return any((self.run_folder / "checkpoints" / name).exists() for name in names)

    def save(
        self,
        name: str,
        module: nn.Module,
        progress: Progress,
        trainer: dict[str, Any] | None = None,
    ) -> None:
        """Write checkpoint `name`: the weights, `progress`, and `trainer` to go on from.

        Raises AppError where the disk is full; what was there before is there still.
        """
        folder = self.run_folder / "checkpoints" / f"{name}.new"
        shutil.rmtree(folder, ignore_errors=True)
        try:
            self._write(folder, module, progress, trainer)
        except (OSError, RuntimeError, SafetensorError) as error:
            shutil.rmtree(folder, ignore_errors=True)  # it takes the room that is missing
            if refusal(error) is None:
                raise
            raise AppError(
                "The disk that holds {path} is full. The checkpoint before is kept: free some "
                "space there, then continue the run.",
                path=self.run_folder,
            ) from error
        self._swap(name)

    def _write(
        self, folder: Path, module: nn.Module, progress: Progress, trainer: dict[str, Any] | None
    ) -> None:
        """The files, on the disk and not only on the way to it when this returns."""
        folder.mkdir(parents=True)
        tensors = {key: value.contiguous() for key, value in module.state_dict().items()}
        with usual_rights(folder / WEIGHTS):
            save_file(tensors, folder / WEIGHTS)
        if trainer is not None:
            torch.save(trainer, folder / "trainer.pt")
        meta = {"version": VERSION, "model": self.model, "progress": progress.to_json()}
        write_json(folder / "meta.json", meta)
        for path in folder.iterdir():
            with path.open("r+b") as file:
                os.fsync(file.fileno())

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
        return self.progress(name), trainer

    def progress(self, name: str) -> Progress:
        """How far the run was at checkpoint `name`; AppError as in `load`."""
        folder = checkpoint(self.run_folder, name) or self.run_folder / "checkpoints" / name
        path = folder / "meta.json"
        with reading(path, TRAIN_AGAIN):
            return Progress.from_json(read_json(path)["progress"])

    def _swap(self, name: str) -> None:
        """NAME -> NAME.old, NAME.new -> NAME: at each moment one of the first two is whole."""
        folder = self.run_folder / "checkpoints"
        new, current, old = folder / f"{name}.new", folder / name, folder / f"{name}.old"
        if current.exists():
            shutil.rmtree(old, ignore_errors=True)
            os.replace(current, old)
        os.replace(new, current)
        shutil.rmtree(old, ignore_errors=True)
