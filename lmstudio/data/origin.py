"""A character of a corpus line to its position in the document it came from."""

from bisect import bisect_right
from pathlib import Path

from lmstudio.data.layout import IMPORT_AGAIN, SHIFT, mapped


def original_position(folder: Path, line: int, character: int) -> int:
    """Where `character` of `line` stands in the decoded text of its document.

    Positions are code points; a byte-order mark is not counted, \\r\\n counts as two. The space
    that joining puts between two Latin words has the position of the white space it stands for.
    Raises IndexError for a line that is not there.
    """
    shifts = mapped(folder / "shifts.idx", SHIFT, IMPORT_AGAIN)
    if not len(shifts):
        raise IndexError(line)
    wanted = (line, character)
    index = bisect_right(shifts, wanted, key=lambda s: (int(s["line"]), int(s["character"])))
    shift = shifts[index - 1]
    if index == 0 or int(shift["line"]) != line:
        raise IndexError(line)
    return character + int(shift["shift"])
