"""Offsets in code points to offsets in UTF-16 units, which is what Qt's text cursors count."""

from collections.abc import Sequence

import numpy as np


def utf16_offset(text: str, index: int) -> int:
    """UTF-16 units before code point `index`: in "😀北京", 1 becomes 2."""
    return index + sum(character > "\uffff" for character in text[:index])


def utf16_offsets(text: str, indices: Sequence[int] | np.ndarray) -> np.ndarray:
    """int64: the same for many indices of one text, in any order."""
    wide = np.frombuffer(text.encode("utf-32-le"), "<u4") > 0xFFFF
    before = np.concatenate([[0], np.cumsum(wide)])
    chosen = np.asarray(indices, np.int64)
    return chosen + before[chosen]
