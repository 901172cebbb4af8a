"""Words and vectors -> vectors.tsv and metadata.tsv, as the Embedding Projector reads them.

A line a vector in both. The second has no header where it has one column only, and then no line
may be empty; tabs and line ends of any kind inside a word are written as marks.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lmstudio.files import unwritten, written
from lmstudio.jobs import Job

MARKS = {"\t": "\u2409", "\n": "\u240a", "\r": "\u240d"}
OTHER_BREAKS = "\v\f\x1c\x1d\x1e\x85\u2028\u2029"  # what some readers take for the end of a line
EMPTY = "\u2205"
_AT_ONCE = 1000


def write_projector(
    folder: Path, words: Sequence[str], vectors: np.ndarray,
    columns: Sequence[tuple[str, Sequence[object]]] = (), *, job: Job,
) -> None:  # fmt: skip
    """Write both files into `folder`; `columns` are (name, a value a word) besides the words.

    AppError if they cannot be written.
    """
    with unwritten(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with written(folder / "vectors.tsv") as path, path.open("w", encoding="utf-8") as file:
            for number, vector in enumerate(vectors):
                if number % _AT_ONCE == 0:
                    job.tick(number, len(vectors))
                file.write("\t".join(map(str, vector.astype(np.float32))) + "\n")
        with written(folder / "metadata.tsv") as path, path.open("w", encoding="utf-8") as file:
            if columns:
                file.write("\t".join(["word", *(name for name, _ in columns)]) + "\n")
            for number, word in enumerate(words):
                values = [label(word), *(label(str(each[number])) for _, each in columns)]
                file.write("\t".join(values) + "\n")


def label(word: str) -> str:
    """A word as it may stand in a line of a table."""
    marked = "".join(
        MARKS.get(letter) or ("\u2424" if letter in OTHER_BREAKS else letter) for letter in word
    )
    return marked or EMPTY
