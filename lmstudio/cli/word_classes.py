"""The verb classes: the word classes that an n-gram model of classes has found."""

import argparse
from dataclasses import asdict
from typing import Any

from lmstudio.cli.shared import add_csv, add_name, add_verb, do, open_workspace, positive
from lmstudio.cli.terminal import say_json, say_table
from lmstudio.figures import percent
from lmstudio.messages import tr
from lmstudio.operations import word_classes


def add_verbs(verbs: Any) -> None:
    """Add the verb of this module."""
    verb = add_verb(
        verbs, "classes", tr("List the word classes that an n-gram model of classes found"),
        _classes,
    )  # fmt: skip
    add_name(verb, "run")
    verb.add_argument("--top", type=positive, default=10, metavar="N",
                      help=tr("Frequent words of each class to list"))  # fmt: skip
    add_csv(verb)


def _classes(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        found = do(word_classes.classes, ws, options.run, top=options.top)
    if options.csv:
        do(word_classes.save, found, options.csv)
    if options.json:
        return say_json([asdict(one) for one in found])
    rows = [(one.number, percent(one.share, 2), one.size, " ".join(one.words)) for one in found]
    header = (tr("Word class"), tr("Share of tokens"), tr("Different words"), tr("Frequent words"))
    return say_table(header, rows)
