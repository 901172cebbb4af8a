"""The verb import-report."""

import argparse
from dataclasses import asdict
from typing import Any

from lmstudio.cli.shared import add_csv, add_name, add_verb, do, open_workspace
from lmstudio.cli.terminal import say_json, say_table
from lmstudio.figures import count
from lmstudio.messages import tr
from lmstudio.operations import import_report

_WIDTH = 80  # characters of a detail that are printed


def add_verbs(verbs: Any) -> None:
    """Add the verb of this module."""
    about = tr("Tell what an import took, left out, found twice and changed")
    verb = add_verb(verbs, "import-report", about, _report)
    add_name(verb, "corpus")
    add_csv(verb)


def _report(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        rows = import_report.import_report(ws, options.corpus)
        if options.csv:
            do(import_report.save_csv, ws, options.corpus, options.csv)
    if options.json:
        say_json([asdict(row) for row in rows])
        return
    header = (tr("What"), tr("Name"), tr("Number"), tr("Detail"))
    say_table(header, [[row.title(), row.name, "" if row.count is None else count(row.count),
                        row.detail[:_WIDTH]] for row in rows])  # fmt: skip
