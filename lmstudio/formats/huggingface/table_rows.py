"""The look-up table of a run -> the rows that it has in another program, by name.

Pieces of a file keep the numbers that they have there. Marks that no piece stands for, and words
that were added, come after them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from lmstudio.data.layout import BOS, EOS, UNK

NOTHING = -1
"""The source of a row that no type of ours stands for: zeros."""
_MARKS = {"unk": "<unk>", "first": "<s>", "last": "</s>", "mask": "[MASK]", "pad": "[PAD]"}
_NAMES = {
    "first": ("[CLS]", "<s>", "<|endoftext|>"), "last": ("[SEP]", "</s>", "<|endoftext|>"),
    "mask": ("[MASK]", "<mask>"), "pad": ("[PAD]", "<pad>"),
}  # fmt: skip


@dataclass
class TableRows:
    """Row n of the written table: its name, and the rows of ours that it is made of."""

    names: list[str]
    table: list[int] = field(default_factory=list)  # of the vectors
    bias: list[int] = field(default_factory=list)  # NOTHING: it is never predicted
    marks: dict[str, str] = field(default_factory=dict)  # unk, first, last, mask, pad -> name
    added: list[str] = field(default_factory=list)  # names that the file of pieces has not


def table_rows(
    types: Sequence[str], pieces: dict[str, int] | None, unknown: str | None, *,
    mask: bool, same_marks: bool,
) -> TableRows:  # fmt: skip
    """The rows for the types of a vocabulary.

    `pieces`: the numbers in the file that the text is cut by, None without one; `unknown` its name
    for what is unknown. `mask`: the table ends with [MASK], and something may stand for padding.
    `same_marks`: the rows of <s> and </s> are equal, so that one name can stand for both.
    """
    own = {name: number for number, name in enumerate(types)}
    rows = TableRows(_by_number(pieces) if pieces is not None else list(types))
    taken = set(rows.names)
    rows.marks["unk"] = unknown or _MARKS["unk"]
    wanted = ["unk", "first", "last", *(["mask", "pad"] if mask else [])]
    for kind in wanted[1:]:
        rows.marks[kind] = _name(kind, taken, pieces is None)
    if rows.marks["first"] == rows.marks["last"] and not same_marks:
        rows.marks["first"] = _MARKS["first"]
    if pieces is not None and unknown is None:
        wanted.remove("unk")  # no text is unknown to it
        del rows.marks["unk"]
    every = [*(rows.marks[kind] for kind in wanted), *types[EOS + 1 :]]
    rows.added = [name for name in dict.fromkeys(every) if name not in taken]
    rows.names += rows.added
    source = {"unk": UNK, "first": BOS, "last": EOS, "mask": len(types), "pad": NOTHING}
    of_marks = {rows.marks[kind]: source[kind] for kind in wanted if kind != "pad"}
    for name in rows.names:
        number = of_marks[name] if name == rows.marks.get("unk") else own.get(name, NOTHING)
        rows.table.append(of_marks.get(name, number))
        rows.bias.append(NOTHING if number in (BOS, EOS) else number)
    return rows


def _by_number(pieces: dict[str, int]) -> list[str]:
    """Names by number; a line that a file has twice leaves a gap, which gets a name."""
    names = [f"[unused-{number}]" for number in range(max(pieces.values(), default=-1) + 1)]
    for name, number in pieces.items():
        names[number] = name
    return names


def _name(kind: str, taken: set[str], ours: bool) -> str:
    """What a mark is called: as a piece that stands for it, else as in `ours`, a name that is free.

    In our own vocabularies <s> and </s> are what stands for them, whatever else there is.
    """
    if not ours:
        return next((name for name in _NAMES[kind] if name in taken), _MARKS[kind])
    free = (name for name in _NAMES[kind] if name not in taken)
    return _MARKS[kind] if kind in ("first", "last") else next(free)
