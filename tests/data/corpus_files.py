"""Lines by part -> the text files of a corpus, without an import."""

from pathlib import Path

import numpy as np

from lmstudio.data.layout import LINE, PART_NAMES


def write_corpus(folder: Path, **parts: list[str]) -> Path:
    """`train=["...", ...]`, `valid=`, `test=`: lines, a document a part."""
    folder.mkdir(parents=True, exist_ok=True)
    records, lines, start = [], [], 0
    for part, name in enumerate(PART_NAMES):
        for line in parts.get(name, []):
            data = line.encode()
            records.append((start, len(data), part, part))
            lines.append(data + b"\n")
            start += len(data) + 1
    (folder / "text.utf8").write_bytes(b"".join(lines))
    np.array(records, LINE).tofile(folder / "lines.idx")
    return folder
