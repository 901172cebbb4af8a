"""Tasks: labelled files looked at, imported with a report, and written out again.

`TaskRow.facts` hold

    labels   classes, or types of spans, in the order of their numbers; [] of questions
    counts   examples by part
    report   a `checking.Report`
    sample   of those that come with the program: its name in every language
    files    names of the files in source/ by part; {} of a sample
    layout, scheme, columns, split, options    how they were read
"""

import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lmstudio.data.labelled import exporting
from lmstudio.data.labelled.checking import Report, check
from lmstudio.data.labelled.example import PARTS, Example
from lmstudio.data.labelled.importing import (
    NAMED,
    Files,
    facts_of,
    import_examples,
    read_files,
)
from lmstudio.data.labelled.label_options import LabelOptions
from lmstudio.data.labelled.problems import Problem, Problems
from lmstudio.data.labelled.reading import label_names
from lmstudio.data.labelled.reading.sources import LABELS, TAGS, WORDS
from lmstudio.data.labelled.task_folder import read_part, write_part
from lmstudio.data.watched import watched
from lmstudio.errors import AppError, SpecError
from lmstudio.files import written_folder
from lmstudio.formats.table_file import save_table
from lmstudio.jobs import Job
from lmstudio.messages import Message, listed, tr
from lmstudio.operations import trash
from lmstudio.operations.changes import Changes
from lmstudio.operations.guards import check_idle
from lmstudio.options import faults
from lmstudio.store.names import CONTROLS
from lmstudio.store.rows import Facts, TaskRow
from lmstudio.store.workspace import Workspace
from lmstudio.text.encoding import known_encoding
from lmstudio.text.read import shown

_DEFAULT = LabelOptions()
_PREVIEWED = 200  # examples of each file
_PART_NAMES = {
    "train": {"train", "training", "trial"},
    "valid": {"valid", "validation", "val", "dev"},
    "test": {"test"},
}
_NO_NAMES = set.union(*_PART_NAMES.values())  # of a file: its folder says more


@dataclass(frozen=True)
class TaskPreview:
    """What importing would find, as the first examples of each file show."""

    kind: str
    layout: str
    scheme: str
    names: list[str]  # of the columns of a table
    columns: dict[str, str]  # of those that are used: "text", "other", "label"
    header: bool
    examples: dict[str, list[Example]]  # by part
    problems: list[Problem]


def preview_task(files: Files, kind: str = "auto", options: LabelOptions = _DEFAULT, *, job: Job
                 ) -> TaskPreview:  # fmt: skip
    """The first examples of files by part. AppError if one cannot be used."""
    found = job.call(read_files, dict(files), kind, _checked(options), limit=_PREVIEWED)
    return TaskPreview(found.kind, found.layout, found.scheme, found.names, found.columns,
                       found.header, found.parts, list(found.problems))  # fmt: skip


def parts_of(paths: Sequence[Path]) -> dict[str, list[Path]]:
    """Files that were given together, by the parts that they are named as; else all to train on.

    Of a folder with folders or files train, valid (or dev) and test, those; what is called as a
    file of the labels' names is that.
    """
    if len(paths) == 1 and paths[0].is_dir() and not (paths[0] / WORDS).is_file():
        paths = sorted(path for path in paths[0].iterdir() if not path.name.startswith("."))
    names = [path for path in paths if path.name.lower() in label_names.FILE_NAMES]
    if names and len(names) < len(paths):
        return parts_of([path for path in paths if path not in names]) | {NAMED: names}
    found: dict[str, list[Path]] = {}
    for path in paths:
        words = re.split(r"[\W_]+", path.name.lower())
        named = [part for part, known in _PART_NAMES.items() if known & set(words)]
        if len(named) != 1:
            return {"train": list(paths)}
        found.setdefault(named[0], []).append(path)
    return found if "train" in found else {"train": list(paths)}


def name_for(ws: Workspace, files: Files) -> str:
    """A name that is free, after the first file."""
    paths = [path for part in PARTS for path in files.get(part, ())]
    if not paths:
        return ws.free_name("task", "task")
    name = shown(paths[0]).partition(".")[0] or shown(paths[0])
    if shown(paths[0]) in (WORDS, TAGS, LABELS) or name.lower() in _NO_NAMES:
        name = shown(paths[0].resolve().parent)
    return ws.free_name("task", CONTROLS.sub("_", name))


def import_task(
    ws: Workspace, name: str, kind: str = "auto", files: Files | None = None,
    options: LabelOptions = _DEFAULT, *, accept: Callable[[TaskRow], object] | None = None,
    job: Job,
) -> Changes:  # fmt: skip
    """Add a task of files by part. AppError if one cannot be used; `report` tells what was found.

    Without a name it takes that of the first file. Without a validation part one is held out.
    `accept` is shown the task before there is one: what it raises leaves nothing behind.
    """
    files = {part: [Path(path) for path in paths] for part, paths in (files or {}).items() if paths}
    options = _checked(options)
    if name:
        ws.check_name("task", name)
    name = name or name_for(ws, files)
    task_id = ws.next_id("task")
    with written_folder(ws.task_folder(task_id)) as folder:
        kind, facts = job.call(import_examples, folder, files, kind, options)
        row = TaskRow(task_id, name, "", kind, facts)
        if accept:
            accept(row)
    return _added(ws, row)


def add_examples(
    ws: Workspace, name: str, kind: str, parts: Mapping[str, list[Example]], *, sample: str = "",
    job: Job,
) -> Changes:  # fmt: skip
    """Add a task of examples that are there already; `sample`: which of the program's it is."""
    ws.check_name("task", name)
    task_id = ws.next_id("task")
    facts: Facts = facts_of(kind, parts, check(kind, parts, Problems(), job=job))
    with written_folder(ws.task_folder(task_id)) as folder:
        for part, rows in parts.items():
            write_part(folder, part, watched(rows, job))
    return _added(ws, TaskRow(task_id, name, "", kind, facts | {"files": {}}
                             | ({"sample": sample} if sample else {})))  # fmt: skip


def _added(ws: Workspace, row: TaskRow) -> Changes:
    try:
        ws.add_task(row)
    except BaseException:
        shutil.rmtree(ws.task_folder(row.id), ignore_errors=True)
        raise
    return Changes(tasks=True, new_id=row.id, notes=tuple(notes(Report.from_json(
        row.facts["report"]))))  # fmt: skip


def notes(found: Report) -> list[Message]:
    """What to tell of a report: how much is used, then its problems."""
    used = Message("Examples used: {used}, left out: {dropped}.",
                   {"used": sum(found.used.values()), "dropped": found.dropped})  # fmt: skip
    return [used, *splits(found), *(problem.message for problem in found.problems)]


def splits(found: Report) -> list[Message]:
    """What parts the program drew, and how."""
    return [told for part in PARTS if (told := found.split(part))]


def report(ws: Workspace, task: int | str) -> Report:
    """What was found when a task was imported. AppError where a file of a run left it out."""
    row = ws.task(task)
    if "report" not in row.facts:
        raise AppError("What was found in the files of {name} did not come with the run that it "
                       "is of.", name=row.name)  # fmt: skip
    return Report.from_json(row.facts["report"])


def save_report(ws: Workspace, task: int | str, path: Path, *, job: Job) -> None:
    """A row for each label and part, then for each place of a problem, as a table."""
    found = report(ws, task)
    rows: list[list[object]] = [
        [part, tr("Label"), label, count, ""]
        for part, labels in found.labels.items() for label, count in labels.items()
    ]  # fmt: skip
    rows += [[part, str(told), "", found.used[part], ""]
             for part in PARTS if (told := found.split(part))]  # fmt: skip
    for problem in found.problems:
        for place, detail in problem.places or [("", "")]:
            rows.append([problem.part, str(problem.message), place, problem.count, detail])
    header = [tr("Part"), tr("What"), tr("Place"), tr("Count"), tr("Detail")]
    save_table(path, header, rows, job=job)


def examples(ws: Workspace, task: int | str, part: str) -> list[Example]:
    """The examples of a part of a task."""
    return read_part(ws.task_folder(ws.task(task).id), part)


def export_task(
    ws: Workspace, task: int | str, folder: Path, layout: str = "", *, job: Job
) -> list[Path]:
    """Write every part of a task into a folder, to be imported again; the files.

    `layout`: one of `exporting.FORMATS` of its kind; the first where none is chosen.
    """
    row = ws.task(task)
    known = exporting.FORMATS[row.kind]
    layout = layout or known[0]
    if layout not in known:
        raise AppError("Examples of this kind are written as {known}.", known=listed(known))
    files = []
    for number, part in enumerate(part for part in PARTS if part in row.facts["counts"]):
        job.tick(number, len(row.facts["counts"]))
        path = folder / f"{part}.{layout}"
        exporting.save(path, row.kind, examples(ws, row.id, part), layout)
        files.append(path)
    return files


def rename(ws: Workspace, task: int | str, name: str) -> Changes:
    """Give a task another name."""
    ws.rename("task", ws.task(task).id, name)
    return Changes(tasks=True)


def delete(ws: Workspace, task: int | str, *, job: Job) -> Changes:
    """Put a task and the runs fine-tuned for it into the trash; AppError while one is trained."""
    job.check()
    row = ws.task(task)
    check_idle(ws.tuned_runs(row.id))
    return trash.delete(ws, "task", row.id)


def _checked(options: LabelOptions) -> LabelOptions:
    """Options as they are used, or an AppError."""
    if wrong := faults(options):
        raise SpecError(wrong)
    if options.encoding == "auto":
        return options
    return LabelOptions(**(options.__dict__ | {"encoding": known_encoding(options.encoding)}))
