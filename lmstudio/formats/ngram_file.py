"""N-gram models (of classes too) and spellers to one file each and back: a header, raw arrays.

    8 bytes   LMWNGRAM
    4 bytes   version, 4 bytes length of the header in bytes (little-endian)
    header    UTF-8 JSON: kind, rows, config, arrays {name: [dtype, length, offset]}, their size,
              their CRC-32 (sums {name: number}) and that of the header without it (header_sum)
    arrays    little-endian, each at a multiple of 64 bytes

Arrays are mapped into memory when a file is opened, so that is instant and costs no memory. Their
lengths are compared then, and of files up to CHECKED bytes the sums too; of larger ones `check`
does it, for those who read them as a whole. Files of older versions have no sums.
"""

import json
import struct
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from lmstudio.errors import AppError
from lmstudio.files import written
from lmstudio.formats.ngram_check import array_sum, fit_together, header_sum, keys_rise
from lmstudio.jobs import Job
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
_PIECE = 1 << 21  # values written between two looks at the job
_DTYPES = {"<i4", "<i8", "<u4", "<f4", "<f8"}
_KINDS = ("model", "classes", "speller")
CHECKED = 50_000_000
"""Bytes of a file that takes no time to check, a tenth of a second at the first opening."""
_DAMAGE = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)
_sound: set[tuple[Path, int, int]] = set()  # files of this size and time that were checked


def save(path: Path, model: NgramModel | ClassNgramModel, *, job: Job | None = None) -> None:
    """Write a model; the file is whole or not there. Cancelled soon after a stop of `job`."""
    kind = "classes" if isinstance(model, ClassNgramModel) else "model"
    _write(path, kind, model, model.arrays(), job or Job())


def check(path: Path, *, job: Job) -> None:
    """Read a file, of any size, from end to end. AppError as in `load` if a byte is not right."""
    header, arrays = _read(path, *_KINDS)
    _check(path, header, arrays, job)


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
    _write(path, "speller", speller.model, arrays, Job())


def load_speller(path: Path) -> Speller:
    """Open a speller. AppError as in `load`."""
    header, arrays = _read(path, "speller")
    return Speller(_model(path, header, arrays), arrays["characters"])


def _model(path: Path, header: dict[str, Any], arrays: Arrays) -> NgramModel:
    try:
        config, faults = from_dict(NgramConfig, header["config"])
        if not faults:
            return NgramModel.load(arrays, header["rows"], config)
    except _DAMAGE:
        raise _damaged(path) from None
    raise _damaged(path)


def _classes(path: Path, header: dict[str, Any], arrays: Arrays) -> ClassNgramModel:
    try:
        config, faults = from_dict(ClassNgramConfig, header["config"])
        if not faults:
            return ClassNgramModel.load(arrays, header["rows"], config)
    except _DAMAGE:
        raise _damaged(path) from None
    raise _damaged(path)


def _write(
    path: Path, kind: str, model: NgramModel | ClassNgramModel, arrays: Arrays, job: Job
) -> None:
    arrays = {name: table.astype(table.dtype.newbyteorder("<"), copy=False)
              for name, table in arrays.items()}  # fmt: skip
    header: dict[str, Any] = {"kind": kind, "rows": model.rows, "config": asdict(model.config)}
    offset, places = 0, {}  # offsets count from the first array
    for name, table in arrays.items():
        places[name] = [table.dtype.str, len(table), offset]
        offset += -(-table.nbytes // _ALIGN) * _ALIGN
    sums = {name: array_sum(table, job) for name, table in arrays.items()}
    header |= {"arrays": places, "size": offset, "sums": sums}
    text = json.dumps(header | {"header_sum": header_sum(header)}).encode()
    text += b" " * (-(len(text) + _HEAD.size) % _ALIGN)
    with written(path) as temporary, temporary.open("wb") as file:
        file.write(_HEAD.pack(MAGIC, VERSION, len(text)))
        file.write(text)
        for table in arrays.values():
            for start in range(0, len(table), _PIECE):
                table[start : start + _PIECE].tofile(file)
                job.check()
            file.write(bytes(-table.nbytes % _ALIGN))


def _read(path: Path, *kinds: str) -> tuple[dict[str, Any], Arrays]:
    """The header and the mapped arrays of a file of one of `kinds`."""
    try:
        text, start = _header(path)
    except FileNotFoundError:
        raise AppError("{name} is missing. Train again to make it.", name=path.name) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise AppError("{path} cannot be read: {error}.", path=path, error=reason) from error
    try:
        header = json.loads(text)
        if header["kind"] not in kinds:
            raise AppError("{name} is not an n-gram file of this program.", name=path.name)
        if start + header["size"] != path.stat().st_size or not _is_itself(header):
            raise _damaged(path)
        arrays = _mapped(path, start, header["arrays"])
        if not fit_together(header, arrays):
            raise _damaged(path)
        if path.stat().st_size <= CHECKED:
            _check(path, header, arrays, Job())
    except _DAMAGE:
        raise _damaged(path) from None
    return header, arrays


def _header(path: Path) -> tuple[bytes, int]:
    """The text of the header, and where the arrays begin. OSError if the file cannot be read."""
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
        return file.read(min(length, path.stat().st_size)), _HEAD.size + length


def _is_itself(header: dict[str, Any]) -> bool:
    return "header_sum" not in header or header["header_sum"] == header_sum(header)


def _check(path: Path, header: dict[str, Any], arrays: Arrays, job: Job) -> None:
    """Compare the sums, once for a file; of a file without any, see that no key leads astray."""
    facts = path.stat()
    file = path.absolute(), facts.st_size, facts.st_mtime_ns
    if file in _sound:
        return
    sums = header.get("sums")
    if sums is None:
        right = keys_rise(arrays, job)
    else:
        right = all(sums[name] == array_sum(table, job) for name, table in arrays.items())
    if not right:
        raise _damaged(path)
    _sound.add(file)


def _mapped(path: Path, start: int, places: dict[str, list[Any]]) -> Arrays:
    """Views into the file; ValueError where one would leave it."""
    file = np.memmap(path, np.uint8, mode="r")
    arrays = {}
    for name, (dtype, length, offset) in places.items():
        if dtype not in _DTYPES or min(length, offset) < 0:
            raise ValueError(dtype)
        arrays[name] = np.frombuffer(file, dtype, length, start + offset)
    return arrays


def _damaged(path: Path) -> AppError:
    return AppError("{name} is damaged or incomplete. Train again to replace it.", name=path.name)
