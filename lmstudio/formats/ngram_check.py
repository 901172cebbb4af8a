"""The header and the arrays of an n-gram file in; whether a model can be made of them, out."""

import json
import re
import zlib
from typing import Any

import numpy as np

from lmstudio.data.layout import SPECIALS
from lmstudio.jobs import Job
from lmstudio.models.ngram.smoothing import Arrays

_NAME = re.compile(r"([a-z]+)([1-9])")  # what is stored of an order
_WHOLE = {"keys", "counts", "class_of", "characters"}
_BEFORE = "sums"  # one for each context, that is, each n-gram of the order below
_PIECE = 1 << 24  # bytes between two looks at the job
_CODES = 0x110000


def header_sum(header: dict[str, Any]) -> int:
    """CRC-32 of a header without its own."""
    kept = {name: value for name, value in header.items() if name != "header_sum"}
    return zlib.crc32(json.dumps(kept).encode())


def array_sum(table: np.ndarray, job: Job) -> int:
    """CRC-32 of the bytes of an array."""
    data, found = np.ascontiguousarray(table).view(np.uint8), 0
    for start in range(0, len(data), _PIECE):
        found = zlib.crc32(data[start : start + _PIECE].data, found)
        job.check()
    return found


def fit_together(header: dict[str, Any], arrays: Arrays) -> bool:
    """Whether the lengths are those of one model, of as many ids and orders as the header says.

    Instant: only of what is short the content is looked at, and of keys the two ends.
    """
    rows, order = header["rows"], header["config"]["order"]
    if type(rows) is not int or type(order) is not int or rows < len(SPECIALS):
        return False
    if "class_of" in arrays:
        class_of = arrays["class_of"]
        if not len(class_of) == len(arrays["members"]) == rows or class_of.min() < 0:
            return False
        rows = int(class_of.max()) + 1
    if "characters" in arrays and not _are_characters(arrays["characters"], rows):
        return False
    sizes = [1, rows, *(len(arrays[f"keys{n}"]) for n in range(2, order + 1))]
    return all(_fits(name, table, sizes) for name, table in arrays.items())


def _are_characters(table: np.ndarray, rows: int) -> bool:
    rise = bool((table[1:] > table[:-1]).all()) and bool((table < _CODES).all())
    return rise and len(table) == rows - len(SPECIALS)


def _fits(name: str, table: np.ndarray, sizes: list[int]) -> bool:
    """Whether an array has as many values as there are n-grams (`sizes`, by order), of its kind."""
    found = _NAME.fullmatch(name)
    what, order = (found[1], int(found[2])) if found else (name, 0)
    if (what in _WHOLE) != (table.dtype.kind in "iu") or order >= len(sizes):
        return False
    if what == "keys" and len(table):
        low, high = int(table[0]), int(table[-1]) // sizes[1]
        return low >= 0 and high < sizes[order - 1]
    expected = sizes[order - (what == _BEFORE)] if found else len(sizes) - 1
    return name in ("class_of", "members", "characters") or len(table) == expected


def keys_rise(arrays: Arrays, job: Job) -> bool:
    """Whether all keys rise, as the search through them needs; between right ends none is wild."""
    for name, table in arrays.items():
        for start in range(0, len(table) if name.startswith("keys") else 0, _PIECE):
            piece = table[start : start + _PIECE + 1]
            if not (piece[1:] > piece[:-1]).all():
                return False
            job.check()
    return True
