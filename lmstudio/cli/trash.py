"""The verbs delete, trash and restore: what is deleted is kept until the trash is emptied."""

import argparse
from dataclasses import asdict
from datetime import datetime
from typing import Any

from lmstudio.cli.shared import add_verb, do, open_workspace
from lmstudio.cli.terminal import say, say_json, say_table
from lmstudio.figures import size as spoken
from lmstudio.messages import tr
from lmstudio.operations import corpora, disk, runs, segmentations, tasks, trash
from lmstudio.operations.changes import Changes
from lmstudio.store.workspace import Workspace

KINDS = ("corpus", "segmentation", "run", "task")


def add_verbs(verbs: Any) -> None:
    """Add the verbs of this module."""
    delete = add_verb(
        verbs, "delete", tr("Put a corpus, segmentation, run or task into the trash, with what "
                            "belongs to it"), _delete,
    )  # fmt: skip
    delete.add_argument("kind", choices=KINDS, help=tr("What it is"))
    delete.add_argument("which", metavar="NAME", help=tr("Its name"))
    listed = add_verb(verbs, "trash", tr("List what was deleted, or delete it for good"), _trash)
    listed.add_argument("--empty", action="store_true", help=tr("Delete it for good"))
    listed.add_argument(
        "which", nargs="*", metavar="NUMBER|NAME",
        help=tr("Number or name of what to delete for good; without, all"),
    )  # fmt: skip
    restore = add_verb(verbs, "restore", tr("Bring back what was deleted"), _restore)
    restore.add_argument("kind", nargs="?", choices=KINDS, help=tr("What it is"))
    restore.add_argument(
        "which", metavar="NUMBER|NAME", help=tr("Its number in the trash, or its name")
    )


def _delete(options: argparse.Namespace) -> None:
    with open_workspace(options) as ws:
        runs = trash.going(ws, options.kind, getattr(ws, options.kind)(options.which).id)
        changes = _deleted(ws, options.kind, options.which)
    for note in changes.notes:
        say(str(note))
    if options.json:
        say_json({"trash": changes.deleted[0], "runs": runs})
    else:
        say(tr("{name} is in the trash. To have it back: lmstudio restore {number}",
               name=options.which, number=changes.deleted[0]))  # fmt: skip


def _deleted(ws: Workspace, kind: str, which: str) -> Changes:
    if kind == "run":
        return runs.delete(ws, which)
    if kind == "segmentation":
        return segmentations.delete(ws, which)
    changes: Changes = do(corpora.delete if kind == "corpus" else tasks.delete, ws, which)
    return changes


def _trash(options: argparse.Namespace) -> None:
    if not options.empty:
        with open_workspace(options, may_read=True) as ws:
            _list(ws, options)
        return
    with open_workspace(options) as ws:
        before = disk.trash_bytes(ws)
        do(trash.empty, ws, options.which)
        freed = sum(before.values()) - sum(disk.trash_bytes(ws).values())
    if options.json:
        say_json({"freed": freed})
    else:
        say(tr("{size} is free again.", size=spoken(freed)))


def _list(ws: Workspace, options: argparse.Namespace) -> None:
    found, sizes = trash.deleted(ws), disk.trash_bytes(ws)
    if options.json:
        say_json([asdict(one) | {"bytes": sizes[one.id]} for one in found])
        return
    say_table(
        (tr("No."), tr("Kind"), tr("Name"), tr("Deleted at"), tr("Size")),
        [(one.id, tr(trash.NOUN_NAMES[one.noun]), one.name, _moment(one.deleted),
          spoken(sizes[one.id])) for one in found],
    )  # fmt: skip


def _restore(options: argparse.Namespace) -> None:
    with open_workspace(options) as ws:
        one = trash.find(ws, options.which, options.kind or "")
        changes = do(trash.restore, ws, one.id)
    for note in changes.notes:
        say(str(note))
    if options.json:
        say_json(asdict(one))


def _moment(created: str) -> str:
    """When, on the clock of this computer."""
    return datetime.fromisoformat(created).astimezone().strftime("%Y-%m-%d %H:%M")
