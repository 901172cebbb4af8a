"""Positions in a text file to its lines, as an editor numbers them."""

from collections.abc import Sequence
from pathlib import Path

from lmstudio.text.files.kinds import kind_of
from lmstudio.text.files.opened import Opened
from lmstudio.text.lines import END, whole_ends
from lmstudio.text.read import OpenFile, shown, text_chunks


def file_lines(path: Path, encoding: str, positions: Sequence[int]) -> list[int | None]:
    """The line, from 1, in which each position stands: code points of the decoded text, from 0.

    None for each where the file is no plain text. It is read as it streams, up to the last
    position. ReadError if it cannot be.
    """
    with OpenFile(path) as file:
        if kind_of(Opened(shown(path), file.stream, lambda _: None)) != "text":
            return [None] * len(positions)
    order = sorted(range(len(positions)), key=positions.__getitem__)
    found: list[int | None] = [1] * len(positions)
    line, base, done = 1, 0, 0
    with OpenFile(path) as file:
        for chunk in whole_ends(text_chunks(file, encoding)):
            read = 0
            while done < len(order) and positions[order[done]] < base + len(chunk):
                place = positions[order[done]] - base
                line += len(END.findall(chunk, read, place))
                read = place
                found[order[done]] = line
                done += 1
            if done == len(order):
                break
            line += len(END.findall(chunk, read))
            base += len(chunk)
    return found
