"""What a job will need of disk and memory -> AppError before it begins, where there is less.

Needs are estimates from what was measured on texts of some megabytes (tests/operations/
test_room.py keeps them honest): a job that begins may still find the disk full, and says so then.
"""

import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from lmstudio.errors import AppError
from lmstudio.figures import size

KEPT_FREE = 50_000_000
"""Bytes of the disk that are left to the system and the database."""

IMPORTED = 2.7
"""Times the bytes of the files: a copy of them, their text, where its lines are."""
PACKED = (".gz", ".bz2", ".xz", ".zip", ".docx", ".epub", ".tgz")
UNPACKED = 4.0
"""Times its bytes that the text in a packed file has."""
TOKEN = 12
"""Bytes of a token: its id and its place."""
TOKENS = {"characters": 1.0, "jieba": 0.7, "given": 0.7, "whitespace": 0.3}
TOKENS_OTHERWISE = 0.8
"""Tokens a character, by segmenter."""
SPELLER = 12
"""Bytes a character of what unknown words are spelled by, which the first segmentation makes."""
NGRAM = 9
"""Bytes of an n-gram in its file."""
NEW_NGRAMS = 0.7
"""N-grams of an order that an event of the text brings."""
WEIGHT = 4
"""Bytes of a weight in a file; in memory it has a gradient and two averages of the optimiser."""
CHECKPOINTS = 7
"""The best, the last with two averages, and the last once more while it is written."""
LEARNT = 4
"""A weight in memory, its gradient and two averages."""
WORKING = 250_000_000
"""Bytes of memory that torch wants for any step; with less it may die without a word."""


def of_import(files: Iterable[Path]) -> int:
    """Bytes of disk that importing files takes."""
    return round(sum(_text_in(file) for file in files))


def _text_in(file: Path) -> float:
    with suppress(OSError):
        octets = file.stat().st_size
        packed = file.suffix.lower() in PACKED
        return octets + UNPACKED * octets * (IMPORTED - 1) if packed else IMPORTED * octets
    return 0.0


def of_segmentation(characters: int, segmenter: str) -> int:
    """Bytes of disk that a segmentation of so many characters takes."""
    return round(characters * (TOKENS.get(segmenter, TOKENS_OTHERWISE) * TOKEN + SPELLER))


def of_ngrams(events: int, order: int) -> int:
    """Bytes of disk that the n-grams of a text of so many events take."""
    return round(events * order * NEW_NGRAMS * NGRAM)


def of_checkpoints(parameters: int) -> int:
    """Bytes of disk that the checkpoints of a network take while it is trained."""
    return parameters * WEIGHT * CHECKPOINTS


def of_learning(parameters: int) -> int:
    """Bytes of memory that training a network takes at least."""
    return parameters * WEIGHT * LEARNT


def refuse_disk(folder: Path, need: int) -> None:
    """AppError where the disk of `folder`, or of the first folder above that there is, has less."""
    place = next((one for one in (folder, *folder.absolute().parents) if one.exists()), folder)
    free = free_disk(place)
    if free is not None and need + KEPT_FREE > free:
        raise AppError(
            "This needs about {need} of disk, and {free} are free at {path}. Free some space there "
            "(Settings, Disk), or take another disk.",
            need=size(need + KEPT_FREE), free=size(free), path=place,
        )  # fmt: skip


def free_disk(folder: Path) -> int | None:
    """Bytes that are free on the disk of a folder; None where it does not say."""
    try:
        usage = shutil.disk_usage(folder)
    except OSError:
        return None
    return usage.free if usage.total else None  # none has no size at all


def refuse_memory(need: int, free: int) -> None:
    """AppError where less than `need` bytes of memory are free."""
    if need > free:
        raise AppError(
            "This needs about {need} of memory at least, and {free} are free. Close other "
            "programs, make the model smaller, or raise the limit in the settings.",
            need=size(need), free=size(free),
        )  # fmt: skip
