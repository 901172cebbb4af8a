"""The verb sheet: a page with all that is needed to judge or repeat runs."""

import argparse
from pathlib import Path
from typing import Any

from lmstudio.cli.shared import add_verb, do, open_workspace, written_to
from lmstudio.cli.terminal import say, say_json
from lmstudio.messages import tr
from lmstudio.operations import sheets


def add_verbs(verbs: Any) -> None:
    """Add the verb of this module."""
    verb = add_verb(
        verbs, "sheet",
        tr("Write a run sheet: data, settings, programs, curves, figures, commands"), _sheet,
    )  # fmt: skip
    verb.add_argument("runs", nargs="+", metavar="RUN", help=tr("Names of the runs"))
    verb.add_argument(
        "path", type=Path, metavar="FILE",
        help=tr("A page, .html, with the same beside it for machines, or that alone, .json"),
    )  # fmt: skip


def _sheet(options: argparse.Namespace) -> None:
    files = dict.fromkeys((options.path, options.path.with_suffix(".json")))
    sentences = [written_to(path) for path in files]
    with open_workspace(options, may_read=True) as ws:
        do(sheets.save, ws, options.runs, options.path)
    if options.json:
        say_json({"path": str(options.path)})
    else:
        say("\n".join(sentences))
