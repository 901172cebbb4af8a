"""The lines of a corpus to its parts: train, valid and test, by document or by blocks of lines."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lmstudio.data.layout import PART_NAMES
from lmstudio.messages import msg
from lmstudio.options import option

ENOUGH_DOCUMENTS = 20
BLOCKS = 200
_PERCENT = msg("Of the text, in percent; chosen by document or by blocks of lines.")
_VALID, _TEST = PART_NAMES.index("valid"), PART_NAMES.index("test")


@dataclass(frozen=True)
class SplitRule:
    """What goes where; the rest is for training. The same seed gives the same split."""

    valid: float = option(5.0, msg("Validation part"), _PERCENT, low=0, high=45)
    test: float = option(5.0, msg("Test part"), _PERCENT, low=0, high=45)
    seed: int = option(1, msg("Seed of the split"), msg("Another seed, another split."), low=0)
    by: str = option(
        "auto", msg("Split by"),
        msg("auto: the column that names the part if there is one, else documents if there are 20 "
            "or more, else blocks of lines."),
        choices=("auto", "document", "line-blocks", "column"),
    )  # fmt: skip


def split(
    lines: np.ndarray, documents: Sequence[int], rule: SplitRule, *,
    copy_of: np.ndarray | None = None, characters: np.ndarray | None = None,
) -> str:  # fmt: skip
    """Set `lines["part"]` of LINE records, in place; returns the rule in words.

    `documents`: the first line of each. By "auto", with at least 20 documents a document is in one
    part; else about 200 blocks of lines are dealt out. Each part that is asked for gets something
    if there are three documents, or lines, or more; of fewer, all are for training.

    `copy_of` (D,): for each document the first one with the same text, which it goes with; then
    `characters` (L,) of each line are needed.
    """
    copies = np.arange(len(documents)) if copy_of is None else copy_of
    by_document = rule.by == "document" or (
        rule.by != "line-blocks" and len(documents) >= ENOUGH_DOCUMENTS
    )
    if by_document:
        _deal_documents(lines, documents, copies, rule)
    else:
        _deal_blocks(lines, rule)
        if characters is not None:
            _follow(lines, [*documents, len(lines)], copies, characters)
    kind = "documents" if by_document else "blocks"
    train = 100 - rule.valid - rule.test
    return f"{kind} {train:g}/{rule.valid:g}/{rule.test:g} seed {rule.seed}"


def _deal_documents(
    lines: np.ndarray, documents: Sequence[int], copy_of: np.ndarray, rule: SplitRule
) -> None:
    firsts = np.asarray(documents, np.int64)
    sizes = np.diff(np.append(lines["start"][firsts], _size(lines)))
    together = np.bincount(copy_of, sizes, len(firsts)).astype(np.int64)
    units = np.flatnonzero(copy_of == np.arange(len(firsts)))
    parts = np.zeros(len(firsts), np.uint8)
    if len(units) >= 3:
        parts[units] = _dealt(together[units], rule)
    lines["part"] = np.repeat(parts[copy_of], np.diff(np.append(firsts, len(lines))))


def _deal_blocks(lines: np.ndarray, rule: SplitRule) -> None:
    if len(lines) < 3:
        return
    firsts = _block_starts(lines)
    parts = _dealt(np.diff(np.append(lines["start"][firsts], _size(lines))), rule).tolist()
    for part, first, end in zip(parts, firsts, [*firsts[1:], len(lines)], strict=True):
        lines["part"][first:end] = part


def _follow(
    lines: np.ndarray, bounds: Sequence[int], copy_of: np.ndarray, characters: np.ndarray
) -> None:
    """Let each line of a copy be in the part where its first character is in the first document."""
    for copy in np.flatnonzero(copy_of != np.arange(len(copy_of))).tolist():
        first = slice(bounds[copy_of[copy]], bounds[copy_of[copy] + 1])
        own = slice(bounds[copy], bounds[copy + 1])
        ends = np.cumsum(characters[first])
        begins = np.cumsum(characters[own]) - characters[own]
        lines["part"][own] = lines["part"][first][np.searchsorted(ends, begins, side="right")]


def _size(lines: np.ndarray) -> int:
    """Bytes of all lines with their ends."""
    return int(lines["start"][-1]) + int(lines["size"][-1]) + 1


def _block_starts(lines: np.ndarray) -> list[int]:
    """The first line of each of about 200 blocks; a block has a line at least.

    They are of like size in bytes, or, where a few lines are most of the text, in lines.
    """
    starts, total, count = lines["start"], _size(lines), len(lines)
    if count > BLOCKS:
        wanted = (number * total // BLOCKS for number in range(BLOCKS))
        # not np.searchsorted, which would copy the whole mapped column
        firsts = {min(bisect_left(starts, start), count - 1) for start in wanted}
        if len(firsts) > BLOCKS // 2:
            return sorted(firsts)
    blocks = min(BLOCKS, count)
    return [number * count // blocks for number in range(blocks)]


def _dealt(sizes: np.ndarray, rule: SplitRule) -> np.ndarray:
    """The part of each unit (a document or a block of `sizes` bytes), u1."""
    parts = np.zeros(len(sizes), np.uint8)
    order = np.random.default_rng(rule.seed).permutation(len(sizes))
    asked = [(part, share) for part, share in ((_VALID, rule.valid), (_TEST, rule.test)) if share]
    for number, (part, percent) in enumerate(asked):
        free = order[parts[order] == 0]
        others = len(asked) - number  # the parts still without a unit, train among them
        if len(free) > others:
            parts[_nearest(free, sizes, sizes.sum() * percent / 100, others)] = part
    return parts


def _nearest(units: np.ndarray, sizes: np.ndarray, wanted: float, others: int) -> list[int]:
    """Units, in their order, that together come near the wanted size; `others` stay free."""
    chosen: list[int] = []
    taken = 0
    for unit in units[: len(units) - others].tolist():
        if taken + sizes[unit] / 2 <= wanted:
            chosen.append(unit)
            taken += int(sizes[unit])
    return chosen or [int(units[np.argmin(sizes[units])])]
