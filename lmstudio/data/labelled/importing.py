"""Files of labelled examples to a task's folder; missing parts are held out of the training."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from lmstudio.data.labelled.checking import Report, check, label_counts
from lmstudio.data.labelled.example import PARTS, Example
from lmstudio.data.labelled.label_options import LabelOptions
from lmstudio.data.labelled.problems import Problems
from lmstudio.data.labelled.reading import label_names
from lmstudio.data.labelled.reading.reader import Reader
from lmstudio.data.labelled.reading.sources import sources
from lmstudio.data.labelled.splitting import TOO_FEW, hold_out
from lmstudio.data.labelled.task_folder import write_part
from lmstudio.data.watched import watched
from lmstudio.errors import AppError
from lmstudio.files import FreeNames
from lmstudio.jobs import Job
from lmstudio.messages import Message, listed
from lmstudio.text.read import shown

Files = Mapping[str, Sequence[Path]]
"""Files and folders by part, train, valid or test; under NAMED a file that names the labels."""

NAMED = "names"


@dataclass(frozen=True)
class Labelled:
    """Examples as they were read. `columns`: the names of those that were used, by role."""

    kind: str
    parts: dict[str, list[Example]]
    problems: Problems
    layout: str
    scheme: str  # that the tags in the files are written in; "" where there are none
    names: list[str]  # of the columns of a table
    columns: dict[str, str]
    header: bool


def read_files(
    files: Files, kind: str, options: LabelOptions, *, limit: int | None = None, job: Job
) -> Labelled:
    """The examples of files; at most `limit` of each. AppError if a file cannot be used."""
    names = dict[str, str]()
    for path in files.get(NAMED, ()):
        names |= label_names.read(path, options.encoding, job)
    reader = Reader(kind, options, names, job)
    parts: dict[str, list[Example]] = {}
    for part in PARTS:
        for source in sources(files.get(part, ())):
            job.check()
            reader.problems.part = part
            for example in islice(reader.read(source), limit):
                parts.setdefault(reader.problems.part, []).append(example)
    used, sheet = reader.roles, reader.sheet
    parts = {part: parts[part] for part in PARTS if part in parts}
    return Labelled(
        reader.kind, parts, reader.problems, reader.layout, reader.scheme,
        sheet.names if sheet else [], used.guess() if used else {}, bool(sheet and sheet.header),
    )  # fmt: skip


def import_examples(
    folder: Path, files: Files, kind: str, options: LabelOptions, *, job: Job
) -> tuple[str, dict[str, Any]]:
    """Write the parts of a task into `folder`, and copies of its files; the kind and the facts."""
    found = read_files(files, kind, options, job=job)
    parts = {part: found.parts[part] for part in PARTS if found.parts.get(part)}
    _check_parts(found, files)
    split = _hold_out(found.kind, parts, options, job)
    report = check(found.kind, parts, found.problems, job=job)
    report = replace(report, held_out=split, seed=options.seed)
    for part, rows in parts.items():
        write_part(folder, part, watched(rows, job))
    names = _copy(folder / "source", files)
    return found.kind, facts_of(found.kind, parts, report) | {
        "files": names, "layout": found.layout, "scheme": found.scheme, "columns": found.columns,
        "split": split, "options": asdict(options),
    }  # fmt: skip


def facts_of(kind: str, parts: Mapping[str, list[Example]], report: Report) -> dict[str, Any]:
    """What every task's facts hold, however it was made: see `operations.tasks`."""
    return {
        "labels": labels_of(kind, parts),
        "counts": {part: len(rows) for part, rows in parts.items()},
        "report": report.to_json(),
    }


def labels_of(kind: str, parts: Mapping[str, Sequence[Example]]) -> list[str]:
    """All classes or types of spans, in their order: numbers by size, then letters."""
    if kind == "qa":
        return []
    found = {label for rows in parts.values() for label in label_counts(kind, rows)}
    return sorted(found, key=lambda label: (not label.isdecimal(), label.rjust(20, "0")
                                            if label.isdecimal() else label))  # fmt: skip


def _check_parts(found: Labelled, files: Files) -> None:
    """AppError where a part that is given cannot be used, or there is nothing to train with."""
    _check_training(found, files)
    for part in PARTS[1:]:
        if files.get(part) and not found.parts.get(part):
            raise AppError("No example of the {part} part can be used. {reason}",
                           part=Message(part), reason=_why_none(found, part))  # fmt: skip


def _why_none(found: Labelled, part: str) -> Message:
    dropped = (p.message for p in found.problems if (p.level, p.part) == ("dropped", part))
    return next(dropped, Message("There is no usable text in it."))


def _check_training(found: Labelled, files: Files) -> None:
    rows = found.parts.get("train", ())
    if not rows:
        first = next((p for p in found.problems if p.level == "dropped"), None)
        if first:
            raise AppError("No example can be used to train on. {reason}", reason=first.message)
        raise AppError("There is no example to train on. Choose files for the training part.")
    labels = label_counts(found.kind, rows)
    if not labels:
        raise _no_labels(found, listed(shown(path) for path in files.get("train", ())))
    if found.kind in ("classify", "pair") and len(labels) < 2:  # noqa: PLR2004 - or no choice
        raise AppError("All examples have the same label, {label}.", label=next(iter(labels)))


def _no_labels(found: Labelled, names: str) -> AppError:
    """What the files hold instead, and what to do."""
    if not found.names:
        return AppError("{names}: there are no labels to train on.", names=names)
    if len(found.names) == 1 and not found.header:
        return AppError("{names}: this is no table, and there are no labels. Give files with a "
                        "text and its label in each line, a tab between them.",
                        names=names)  # fmt: skip
    return AppError("{names}: no column holds labels. Choose the one that does (--label-column "
                    "NAME); the columns are: {columns}.",
                    names=names, columns=listed(found.names))  # fmt: skip


def _hold_out(
    kind: str, parts: dict[str, list[Example]], options: LabelOptions, job: Job
) -> dict[str, float]:
    """Take missing parts from the training part; which, and what share of it, by part.

    AppError if what stays has one class only, or nothing tagged.
    """
    shares: dict[str, float] = {}
    if kind == "tag" and len(parts["train"]) == 1 and not parts.get("valid"):
        raise AppError("There is only one sentence to train on. In files with a token and its tag "
                       "in each line, a blank line parts sentences.")  # fmt: skip
    for part, share in (("test", options.test_share), ("valid", options.valid_share)):
        if part not in parts and share:
            every = len(parts["train"])
            parts["train"], parts[part] = hold_out(parts["train"], share, options.seed, job=job)
            shares[part] = len(parts[part]) / every
    least = 2 if kind in ("classify", "pair") else 1
    if shares and len(label_counts(kind, parts["train"])) < least:
        raise AppError(TOO_FEW)
    return shares


def _copy(folder: Path, files: Files) -> dict[str, list[str]]:
    """Copies of the files in `folder`; their names there, by part."""
    folder.mkdir()
    free, names = FreeNames(), dict[str, list[str]]()
    for part, paths in files.items():
        for source in sources(paths):
            for path in source.paths:
                name = free.take(f"{part}-{shown(path)}" if source.aligned else shown(path))
                shutil.copyfile(path, folder / name)
                names.setdefault(part, []).append(name)
    return names
