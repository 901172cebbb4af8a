"""N-gram models (of classes too) and spellers to one file each and back: a header, raw arrays.

    8 bytes   LMWNGRAM
    4 bytes   version, 4 bytes length of the header in bytes (little-endian)
    header    UTF-8 JSON: kind, rows, config, arrays {name: [dtype, length, offset]}, their size
    arrays    little-endian, each at a multiple of 64 bytes

Arrays are mapped into memory when a file is opened, so that is instant and costs no memory.
"""

import json
import struct
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from lmstudio.errors import AppError
from lmstudio.files import written
from lmstudio.models.config import ClassNgramConfig, NgramConfig
from lmstudio.models.ngram.class_model import ClassNgramModel
from lmstudio.models.ngram.model import NgramModel
from lmstudio.models.ngram.smoothing import Arrays
from lmstudio.models.ngram.spelling import Speller
from lmstudio.options import from_dict

MAGIC = b"LMWNGRAM"
VERSION = 1
_HEAD = struct.Struct("<8sII")
_ALIGN = 64
_DTYPES = {"<i4", "<i8", "<u4", "<f4", "<f8"}


def save(path: Path, model: NgramModel | ClassNgramModel) -> None:
    """Write a model; the file is whole or not there."""
    kind = "classes" if isinstance(model, ClassNgramModel) else "model"
    _write(path, kind, model, model.arrays())


def load(path: Path) -> NgramModel:
    """Open a model. AppError if the file is missing, damaged, newer, or something else."""
    header, arrays = _read(path, "model")
    return _model(path, header, arrays)


def load_classes(path: Path) -> ClassNgramModel:
    """Open a model of classes. AppError as in `load`."""
    header, arrays = _read(path, "classes")
    return _classes(path, header, arrays)


def load_either(path: Path) -> NgramModel | ClassNgramModel:
    """Open a model, of classes or not. AppError as in `load`."""
    header, arrays = _read(path, "model", "classes")
    return (_classes if header["kind"] == "classes" else _model)(path, header, arrays)


def save_speller(path: Path, speller: Speller) -> None:
    """Write a speller; the file is whole or not there."""
    arrays = speller.model.arrays() | {"characters": speller.characters}
    _write(path, "speller", speller.model, arrays)


def load_speller(path: Path) -> Speller:
    """Open a speller. AppError as in `load`."""
    header, arrays = _read(path, "speller")
    return Speller(_model(path, header, arrays), arrays["characters"])


def _model(path: Path, header: dict[str, Any], arrays: Arrays) -> NgramModel:
    config, faults = from_dict(NgramConfig, header["config"])
    if faults:
        raise _damaged(path)
    try:
        return NgramModel.load(arrays, header["rows"], config)
    except KeyError:
        raise _damaged(path) from None


def _classes(path: Path, header: dict[str, Any], arrays: Arrays) -> ClassNgramModel:
    config, faults = from_dict(ClassNgramConfig, header["config"])
    if faults:
        raise _damaged(path)
    try:
        if not len(arrays["class_of"]) == len(arrays["members"]) == header["rows"]:
            raise _damaged(path)
        return ClassNgramModel.load(arrays, header["rows"], config)
    except KeyError:
        raise _damaged(path) from None


def _write(path: Path, kind: str, model: NgramModel | ClassNgramModel, arrays: Arrays) -> None:
    arrays = {name: table.astype(table.dtype.newbyteorder("<"), copy=False)
              for name, table in arrays.items()}  # fmt: skip
    header: dict[str, Any] = {"kind": kind, "rows": model.rows, "config": asdict(model.config)}
    offset, places = 0, {}  # offsets count from the first array
    for name, table in arrays.items():
        places[name] = [table.dtype.str, len(table), offset]
        offset += -(-table.nbytes // _ALIGN) * _ALIGN
    text = json.dumps(header | {"arrays": places, "size": offset}).encode()
    text += b" " * (-(len(text) + _HEAD.size) % _ALIGN)
    with written(path) as temporary, temporary.open("wb") as file:
        file.write(_HEAD.pack(MAGIC, VERSION, len(text)))
        file.write(text)
        for table in arrays.values():
            table.tofile(file)
            file.write(bytes(-table.nbytes % _ALIGN))


def _read(path: Path, *kinds: str) -> tuple[dict[str, Any], Arrays]:
    """The header and the mapped arrays of a file of one of `kinds`."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD.size).ljust(_HEAD.size, b"\0")
            magic, version, length = _HEAD.unpack(head)
            if magic != MAGIC:
                raise AppError("{name} is not an n-gram file of this program.", name=path.name)
            if version > VERSION:
                raise AppError(
                    "{name} was written by a newer version of this program. Update it to open "
                    "the file.",
                    name=path.name,
                )
            text = file.read(min(length, path.stat().st_size))
    except FileNotFoundError:
        raise AppError("{name} is missing. Train again to make it.", name=path.name) from None
    try:
        header = json.loads(text)
        start = _HEAD.size + length
        if start + header["size"] != path.stat().st_size:
            raise _damaged(path)
        arrays = _mapped(path, start, header["arrays"])
    except (ValueError, KeyError, TypeError):
        raise _damaged(path) from None
    if header["kind"] not in kinds:
        raise AppError("{name} is not an n-gram file of this program.", name=path.name)
    return header, arrays


def _mapped(path: Path, start: int, places: dict[str, list[Any]]) -> Arrays:
    """Views into the file; ValueError where one would leave it."""
    file = np.memmap(path, np.uint8, mode="r")
    arrays = {}
    for name, (dtype, length, offset) in places.items():
        if dtype not in _DTYPES:
            raise ValueError(dtype)
        arrays[name] = np.frombuffer(file, dtype, length, start + offset)
    return arrays


def _damaged(path: Path) -> AppError:
    return AppError("{name} is damaged or incomplete. Train again to replace it.", name=path.name)
