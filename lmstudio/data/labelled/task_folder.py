"""A task's examples and a folder of lines of JSON, one file a part.

tasks/ID/train.jsonl, valid.jsonl, test.jsonl: an Example a line (see `Example.to_json`)
         source/: copies of the files that they came from
"""

import json
from collections.abc import Iterable
from pathlib import Path

from lmstudio.data.labelled.example import Example
from lmstudio.data.layout import ABSENT
from lmstudio.errors import AppError
from lmstudio.files import reading, written
from lmstudio.messages import msg

IMPORT_AGAIN = msg("{path} is missing or damaged. Import the task again.")


def write_part(folder: Path, part: str, examples: Iterable[Example]) -> None:
    """Keep the examples of a part, in their order."""
    with written(folder / f"{part}.jsonl") as path, path.open("w", encoding="utf-8") as file:
        for example in examples:
            file.write(json.dumps(example.to_json(), ensure_ascii=False) + "\n")


def read_part(folder: Path, part: str) -> list[Example]:
    """The examples of a part; none where the task has no such part. AppError if it is damaged."""
    path = folder / f"{part}.jsonl"
    if (folder / ABSENT).exists():
        raise AppError("This needs the examples of the task, which are not here: the run came as a "
                       "file, without them.")  # fmt: skip
    if not path.exists():
        return []
    with reading(path, IMPORT_AGAIN), path.open(encoding="utf-8") as file:
        return [Example.from_json(json.loads(line)) for line in file]
