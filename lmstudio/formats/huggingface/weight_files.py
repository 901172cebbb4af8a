"""Files of weights -> tensors by name. Files are not trusted.

A safetensors file is checked against its size before anything is read. pytorch_model.bin is a
pickle: only tensors are taken from it, never code (torch's weights_only).
"""

import json
import math
import pickle
import warnings
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from lmstudio.errors import AppError
from lmstudio.files import reading
from lmstudio.formats.huggingface.model_folder import DAMAGED
from lmstudio.jobs import Job

_LONGEST_HEADER = 100_000_000  # bytes; the limit of the safetensors library
_BYTES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U8": 1,
          "BOOL": 1}  # fmt: skip
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


def shapes(path: Path) -> dict[str, tuple[int, ...]]:
    """The shapes that the header of a safetensors file tells, checked against the file's size."""
    with reading(path, DAMAGED), path.open("rb") as file:
        size = path.stat().st_size
        length = int.from_bytes(file.read(8), "little")
        if size < 8 or not 2 <= length <= _LONGEST_HEADER:
            raise AppError(
                "{path} is no safetensors file: its header would have {length} bytes. Get the file "
                "again.", path=path, length=length,
            )  # fmt: skip
        _expect_size(path, size, 8 + length)
        header = json.loads(file.read(length))
        header.pop("__metadata__", None)
        ends = [_end_of(entry) for entry in header.values()]
        _expect_size(path, size, 8 + length + max(ends, default=0))
        return {name: tuple(entry["shape"]) for name, entry in header.items()}


def _end_of(entry: dict[str, Any]) -> int:
    """Where the bytes of a tensor end. ValueError where they are not as many as its shape needs."""
    start, end = entry["data_offsets"]
    needed = math.prod(entry["shape"]) * _BYTES[entry["dtype"]]
    if not 0 <= start <= end or end - start != needed or min(entry["shape"], default=0) < 0:
        raise ValueError("damaged")
    return int(end)


def _expect_size(path: Path, size: int, needed: int) -> None:
    if size < needed:
        raise AppError(
            "{path} is cut off: it has {size} of {needed} bytes. Download it again.",
            path=path, size=size, needed=needed,
        )  # fmt: skip


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
        return {str(name): value for name, value in found.items() if isinstance(value, Tensor)}


def _refuse_bomb(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        whole = sum(entry.file_size for entry in archive.infolist())
    if whole > _MOST_BLOWN_UP * path.stat().st_size:
        raise AppError("{path} would unpack to {size} bytes; it is not opened.",
                       path=path, size=whole)  # fmt: skip
