"""The verbs tasks, task-samples, task-import, task-report and task-export."""

import argparse
import os
import shlex
from pathlib import Path
from typing import Any

from lmstudio.cli.shared import (
    add_csv,
    add_options,
    add_verb,
    config,
    do,
    list_rows,
    open_workspace,
    tell,
)
from lmstudio.cli.terminal import say, say_caption, say_json, say_table
from lmstudio.data.labelled.checking import Report
from lmstudio.data.labelled.example import PARTS
from lmstudio.data.labelled.exporting import FORMATS
from lmstudio.data.labelled.importing import NAMED
from lmstudio.data.labelled.label_options import LabelOptions
from lmstudio.data.labelled.samples import NAMES
from lmstudio.errors import AppError
from lmstudio.figures import count
from lmstudio.messages import listed, tr
from lmstudio.operations import sample_tasks, tasks
from lmstudio.training.task_config import KINDS

_SHOWN = 10  # places of a problem


def add_verbs(verbs: Any) -> None:
    """Add the verbs of this module."""
    add_verb(verbs, "tasks", tr("List the tasks"), _tasks)
    add_verb(verbs, "task-samples",
             tr("Add the tasks that come with the program: sentiment, travel, inference, passages"),
             _samples)  # fmt: skip
    added = add_verb(verbs, "task-import", tr("Add a task of labelled files"), _import)
    added.add_argument("name", metavar="NAME", help=tr("Name of the new task"))
    added.add_argument(
        "files", nargs="*", type=Path, metavar="FILE",
        help=tr("Files or folders, taken as the parts that they are named as"),
    )  # fmt: skip
    for part in PARTS:
        added.add_argument(f"--{part}", nargs="+", type=Path, default=[], metavar="FILE",
                           help=tr("Files of the {part} part", part=tr(part)))  # fmt: skip
    added.add_argument(
        f"--{NAMED}", nargs="+", type=Path, default=[], metavar="FILE",
        help=tr("A file that names labels that are numbers: one name a line, the first for 0"),
    )  # fmt: skip
    added.add_argument("--kind", choices=("auto", *KINDS), default="auto",
                       help=tr("Kind of task; auto for what the files hold"))  # fmt: skip
    add_options(added, LabelOptions)
    report = add_verb(verbs, "task-report", tr("Say what was found in a task's files"), _report)
    report.add_argument("task", metavar="TASK", help=tr("Name of the task"))
    add_csv(report)
    export = add_verb(verbs, "task-export", tr("Write the parts of a task as files"), _export)
    export.add_argument("task", metavar="TASK", help=tr("Name of the task"))
    export.add_argument("folder", type=Path, metavar="FOLDER", help=tr("Where they go"))
    layouts = sorted({layout for known in FORMATS.values() for layout in known})
    export.add_argument("--layout", choices=layouts, default="", help=tr("How they are written"))


def _samples(options: argparse.Namespace) -> None:
    with open_workspace(options) as ws:
        changes = do(sample_tasks.sample_tasks, ws)
        names = listed(row.name for row in ws.tasks()[-len(NAMES) :])
        tell(options, changes, ws.task(changes.new_id or 0), tr("Added: {names}", names=names))


def _tasks(options: argparse.Namespace) -> None:
    header = (tr("Task"), tr("Kind of task"), *(tr(part) for part in PARTS), tr("Labels"))
    with open_workspace(options, may_read=True) as ws:
        list_rows(options, ws.tasks(), header, lambda row: (
            row.name, row.kind, *(row.facts["counts"].get(part, "") for part in PARTS),
            len(row.facts["labels"]) or "",
        ))  # fmt: skip


def _import(options: argparse.Namespace) -> None:
    _check_name(options)
    files = {part: getattr(options, part) for part in PARTS if getattr(options, part)}
    if bool(files) == bool(options.files):
        raise AppError("Give either files, or --train and perhaps --valid and --test.")
    files = files or tasks.parts_of(options.files)
    if options.names:
        files[NAMED] = options.names
    with open_workspace(options) as ws:
        changes = do(tasks.import_task, ws, options.name, options.kind, files,
                     config(options, LabelOptions))  # fmt: skip
        row = ws.task(changes.new_id)
        counts = listed((f"{tr(part)} {count(n)}" for part, n in row.facts["counts"].items()),
                        clauses=True)  # fmt: skip
        sentence = tr("Task {name} ({kind}): examples {counts}, labels {labels}.", name=row.name,
                      kind=row.kind, counts=counts, labels=len(row.facts["labels"]))  # fmt: skip
        tell(options, changes, row, sentence)


def _check_name(options: argparse.Namespace) -> None:
    """AppError where the name is a file: it was left out, and a file would be lost in silence."""
    word, path = options.name, Path(options.name)
    given = options.files or any(getattr(options, part) for part in PARTS)
    late = next((str(file) for file in options.files if not file.exists()), "NAME")
    others = [str(file) for file in options.files if str(file) != late]
    if {"/", os.sep} & set(word) or path.is_file() or (path.exists() and not given):
        raise AppError(
            "The first word is the name of the task, and {word} is a file or folder. Write: "
            "{command}",
            word=word, command=shlex.join(["lmstudio", "task-import", late, word, *others]),
        )  # fmt: skip


def _report(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        found = tasks.report(ws, options.task)
        if options.csv:
            do(tasks.save_report, ws, options.task, options.csv)
    if options.json:
        say_json(found.to_json())
        return
    parts = [part for part in PARTS if part in found.used]
    labels = list(dict.fromkeys(label for part in parts for label in found.labels[part]))
    say_table(
        (tr("Label"), *map(tr, parts)),
        [[label, *(found.labels[part].get(label, 0) for part in parts)] for label in labels],
    )
    _say_problems(found)


def _say_problems(found: Report) -> None:
    used, *_ = tasks.notes(found)
    for told in (used, *tasks.splits(found)):
        say_caption(str(told))
    for problem in found.problems:
        say_caption(str(problem.message))
        for place, detail in problem.places[:_SHOWN]:
            say_caption(f"    {place}  {detail}")


def _export(options: argparse.Namespace) -> None:
    there = set(options.folder.glob("*"))
    with open_workspace(options, may_read=True) as ws:
        files = do(tasks.export_task, ws, options.task, options.folder, options.layout)
    if replaced := listed(str(file) for file in files if file in there):
        say(tr("In place of files that were there: {files}.", files=replaced))
    if options.json:
        say_json([str(file) for file in files])
    else:
        say(tr("Written: {files}.", files=listed(map(str, files))))
