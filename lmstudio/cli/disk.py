"""The verb disk: what takes how much of it, and what of that can be had back."""

import argparse
from dataclasses import asdict
from typing import Any

from lmstudio.cli.shared import add_csv, add_verb, do, open_workspace
from lmstudio.cli.terminal import clipped, say, say_json, say_table
from lmstudio.figures import size
from lmstudio.messages import tr
from lmstudio.operations import disk
from lmstudio.operations.disk import Disk

_WIDEST = 40  # columns of a name


def add_verbs(verbs: Any) -> None:
    """Add the verb of this module."""
    verb = add_verb(verbs, "disk", tr("Tell what takes how much of the disk, or free some"), _disk)
    verb.add_argument("--reclaim", choices=tuple(disk.RECLAIMS),
                      help=tr("Delete this for good: last checkpoints of runs that are done, what "
                              "is made again at need, the trash, or what a kill left"))  # fmt: skip
    add_csv(verb)


def _disk(options: argparse.Namespace) -> None:
    if options.reclaim:
        with open_workspace(options) as ws:
            changes = do(disk.reclaim, ws, options.reclaim)
        for note in changes.notes:
            say(str(note))
    with open_workspace(options, may_read=True) as ws:
        found: Disk = do(disk.disk, ws)
    if options.csv:
        do(disk.save_csv, found, options.csv)
    if options.json:
        say_json(asdict(found) | {"total": found.total})
    else:
        _show(found)


def _show(found: Disk) -> None:
    say_table(
        (tr("Kind"), tr("Name"), *(tr(title) for title in disk.KINDS.values()), tr("Total")),
        [(tr(disk.NOUNS[use.noun]), clipped(use.name, _WIDEST),
          *(size(use.bytes[kind]) if kind in use.bytes else "" for kind in disk.KINDS),
          size(use.total)) for use in found.lines()],
    )  # fmt: skip
    print()
    for key, octets in found.reclaimable.items():
        title, lost = disk.RECLAIMS[key]
        print(tr("{name}: {size} (--reclaim {key}). {lost}", name=tr(title), size=size(octets),
                 key=key, lost=tr(lost)))  # fmt: skip
    if found.program_cache:
        print(tr("{size} of the caches lie outside the workspace: all workspaces share them.",
                 size=size(found.program_cache)))  # fmt: skip
    print(tr("The workspace takes {total}; {free} are free on the disk.",
             total=size(found.total), free=size(found.free)))  # fmt: skip
