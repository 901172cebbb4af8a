"""The verbs import-run, export-workspace and open-workspace: runs and workspaces as files."""

import argparse
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import Any

from lmstudio.cli.shared import WRITTEN, add_verb, do, open_workspace, written_to
from lmstudio.cli.terminal import say, say_json
from lmstudio.messages import tr
from lmstudio.operations import run_files, workspace_files


def add_verbs(verbs: Any) -> None:
    """Add the verbs of this module."""
    taken = add_verb(
        verbs, "import-run", tr("Add a run from the file that “export --format run” wrote"), _import
    )
    taken.add_argument("path", type=Path, metavar="PATH", help=tr("The file, such as run.lmrun"))
    taken.add_argument("--name", default="", metavar="TEXT", help=tr("Name of the run"))
    packed = add_verb(
        verbs, "export-workspace", tr("Pack the workspace, without its trash, into one file"), _pack
    )
    packed.add_argument("path", type=Path, metavar="FILE", help=tr(WRITTEN))
    opened = add_verb(
        verbs, "open-workspace", tr("Unpack a workspace that “export-workspace” wrote"), _unpack
    )
    opened.add_argument("path", type=Path, metavar="FILE", help=tr("The packed workspace"))
    opened.add_argument(
        "folder", type=Path, metavar="FOLDER",
        help=tr("Where it goes: a folder that is empty or not there yet"),
    )  # fmt: skip


def _import(options: argparse.Namespace) -> None:
    with open_workspace(options) as ws:
        changes = do(run_files.import_run, ws, options.path, name=options.name)
        row = ws.run(changes.new_id)
    for note in changes.notes:
        say(str(note))
    if options.json:
        say_json(asdict(row))


def _pack(options: argparse.Namespace) -> None:
    sentence = written_to(options.path)
    with open_workspace(options) as ws:  # nobody may change it meanwhile
        do(workspace_files.export_workspace, ws, options.path)
    _told(options, options.path, sentence)


def _unpack(options: argparse.Namespace) -> None:
    do(workspace_files.unpack_workspace, options.path, options.folder)
    _told(options, options.folder, tr("The workspace is in {path}. To use it: lmstudio --workspace "
                                      "{path} …", path=quote(str(options.folder))))  # fmt: skip


def _told(options: argparse.Namespace, path: Path, sentence: str) -> None:
    if options.json:
        say_json({"path": str(path)})
    else:
        say(sentence)
