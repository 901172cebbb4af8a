"""Files of weights -> tensors by name. Files are not trusted.

A safetensors file is checked against its size before anything is read. pytorch_model.bin is a
pickle: only tensors are taken from it, never code (torch's weights_only).
"""

import pickle
import warnings
import zipfile
from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from lmstudio.errors import AppError
from lmstudio.files import reading
from lmstudio.formats.huggingface.model_folder import DAMAGED
from lmstudio.formats.weight_shapes import shapes
from lmstudio.jobs import Job

_MOST_BLOWN_UP = 4
"""A zip of torch is not packed; one that grows by more than this is none of its own."""


def read_weights(files: Sequence[Path], *, job: Job) -> dict[str, Tensor]:
    """All tensors of `files`, floating ones as float32. AppError where one is damaged or unsafe."""
    found: dict[str, Tensor] = {}
    for number, path in enumerate(files):
        job.tick(number, len(files))
        read = _safetensors if path.suffix == ".safetensors" else _pickled
        for name, tensor in read(path).items():
            found[name] = tensor.float() if tensor.is_floating_point() else tensor
    return found


def _safetensors(path: Path) -> dict[str, Tensor]:
    shapes(path)
    with reading(path, DAMAGED, SafetensorError):
        return load_file(path)


def _pickled(path: Path) -> dict[str, Tensor]:
    """The tensors of a pickle, of today's zips and of the layout before torch 1.6."""
    packed = zipfile.is_zipfile(path)
    with reading(path, DAMAGED, RuntimeError, zipfile.BadZipFile, MemoryError):
        if packed:
            _refuse_bomb(path)
        try:
            with warnings.catch_warnings(action="ignore"):  # of pickles that are refused anyway
                found = torch.load(path, map_location="cpu", weights_only=True, mmap=packed or None)
        except pickle.UnpicklingError as error:
            raise AppError(
                "{path} holds more than weights, or is damaged. It was not opened, as it could "
                "carry out anything. Get a model.safetensors, or the file again.", path=path,
            ) from error  # fmt: skip
        found = found.get("state_dict", found)
        tensors = {str(name): value for name, value in found.items() if isinstance(value, Tensor)}
        if not all(map(_is_whole, tensors.values())):
            raise ValueError("tensors without all their numbers")
        return tensors


def _is_whole(tensor: Tensor) -> bool:
    """Whether the file holds each number: a pickle can tell of a few that they are 2^40."""
    if tensor.layout != torch.strided or tensor.is_meta:
        return False
    return tensor.numel() * tensor.element_size() <= tensor.untyped_storage().nbytes()


def _refuse_bomb(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        whole = sum(entry.file_size for entry in archive.infolist())
    if whole > _MOST_BLOWN_UP * path.stat().st_size:
        raise AppError("{path} would unpack to {size} bytes; it is not opened.",
                       path=path, size=whole)  # fmt: skip
