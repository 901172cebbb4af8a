"""Files in; their SHA-256 out: what tells whether two workspaces hold the same data.

text     of the lines of a corpus, as they were read and normalised
split    of which line is in which document and part
tokens   of the ids that every model on a segmentation is given, and of its vocabulary
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from lmstudio.data.layout import ABSENT, IMPORT_AGAIN, SEGMENT_AGAIN, TEXT
from lmstudio.files import reading
from lmstudio.jobs import Job
from lmstudio.messages import Message

_CHUNK = 1 << 22  # bytes


def digests(corpus_folder: Path, segmentation_folder: Path, *, job: Job) -> dict[str, str]:
    """Those of a corpus and a segmentation; "" for what is not here: it came without.

    AppError where a file is damaged.
    """
    found = {"text": "", "split": "", "tokens": ""}
    if not (corpus_folder / ABSENT).exists():
        with reading(corpus_folder / TEXT, IMPORT_AGAIN):
            found["text"] = sha256([corpus_folder / TEXT], job=job)
            found["split"] = sha256([corpus_folder / "lines.idx"], job=job)
    if not (segmentation_folder / ABSENT).exists():
        names = ("tokens.bin", "sentences.idx", "vocab.json")
        with reading(segmentation_folder / names[0], SEGMENT_AGAIN):
            files = [segmentation_folder / name for name in names]
            found["tokens"] = sha256(files, job=job)
    return found


def sha256(files: Sequence[Path], *, job: Job) -> str:
    """Of the bytes of some files, one after the other, in hexadecimal."""
    found = hashlib.sha256()
    total, done = sum(file.stat().st_size for file in files), 0
    for file in files:
        with file.open("rb") as stream:
            while chunk := stream.read(_CHUNK):
                found.update(chunk)
                done += len(chunk)
                job.tick(done, total, Message("Checking the data"))
    return found.hexdigest()
