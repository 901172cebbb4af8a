"""The verb leaks."""

import argparse
from dataclasses import asdict
from typing import Any

from lmstudio.cli.shared import add_name, add_verb, add_written, do, open_workspace
from lmstudio.cli.terminal import say, say_json, say_table
from lmstudio.figures import count, percent
from lmstudio.messages import tr
from lmstudio.operations import leaks

_SHOWN = 5  # examples of a part that are printed
_WIDTH = 40  # characters of a line that are printed


def add_verbs(verbs: Any) -> None:
    """Add the verb of this module."""
    verb = add_verb(
        verbs, "leaks", tr("Tell what of the held-out parts stands in the training part"), _leaks
    )
    add_name(verb, "corpus")
    add_written(verb, "--csv", tr("Write examples of leaked lines to a CSV file"))


def _leaks(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True, keeps=True) as ws:
        found = do(leaks.leaks, ws, options.corpus)
        examples = do(leaks.examples, ws, options.corpus)
        if options.csv:
            do(leaks.save_examples, ws, options.corpus, options.csv)
    for told in leaks.notes(found).values():
        say(str(told))
    if options.json:
        say_json({part: own | {"examples": [asdict(one) for one in examples if one.part == part]}
                  for part, own in found.items()})  # fmt: skip
        return
    header = (tr("Part"), tr("Lines"), tr("Of these in train"), tr("Documents or blocks"),
              tr("Nearly in train"), tr("Characters that leak"))  # fmt: skip
    say_table(header, [_cells(part, own) for part, own in found.items()])
    for part in found:
        for one in [one for one in examples if one.part == part][:_SHOWN]:
            print(tr("{part}, corpus line {line} = corpus line {train}: {text}", part=tr(part),
                     line=count(one.line + 1), train=count(one.train_line + 1),
                     text=one.text[:_WIDTH]))  # fmt: skip


def _cells(part: str, own: dict[str, Any]) -> list[str]:
    return [tr(part), count(own["lines"]), count(own["leaked_lines"]), count(own["stretches"]),
            count(own["near_stretches"]), percent(own["share"], 1)]  # fmt: skip
