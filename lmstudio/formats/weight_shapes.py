"""A safetensors file -> the shapes that its header tells, checked before anything else is read."""

import json
import math
from pathlib import Path
from typing import Any

from lmstudio.errors import AppError
from lmstudio.files import reading
from lmstudio.formats.huggingface.model_folder import DAMAGED

_LONGEST_HEADER = 100_000_000  # bytes; the limit of the safetensors library
_BYTES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U8": 1,
          "BOOL": 1}  # fmt: skip


def shapes(path: Path) -> dict[str, tuple[int, ...]]:
    """The shapes that the header of a safetensors file tells, checked against the file's size."""
    with reading(path, DAMAGED, RecursionError), path.open("rb") as file:
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
