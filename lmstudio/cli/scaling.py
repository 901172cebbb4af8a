"""The verb scaling: runs against what they differ in, as a table, CSV or chart."""

import argparse
from dataclasses import asdict
from typing import Any

from lmstudio.cli.runs import STAR
from lmstudio.cli.shared import add_csv, add_verb, add_written, do, open_workspace
from lmstudio.cli.terminal import say, say_json, say_table
from lmstudio.figures import decimal, duration
from lmstudio.messages import tr
from lmstudio.operations import scaling
from lmstudio.operations.scaling import Scaling
from lmstudio.store.rows import PARTS


def add_verbs(verbs: Any) -> None:
    """Add the verb of this module."""
    verb = add_verb(
        verbs, "scaling", tr("Set the runs of a sweep, or any runs, against their size or data"),
        _scaling,
    )  # fmt: skip
    verb.add_argument("names", nargs="+", metavar="NAME", help=tr("A sweep, or runs"))
    verb.add_argument(
        "--x", default="", metavar="NAME",
        help=tr("A setting, parameters, seconds or tokens; what the runs differ in if none is "
                "named"),
    )  # fmt: skip
    verb.add_argument("--part", default="valid", choices=PARTS, help=tr("Part of the corpus"))
    add_csv(verb)
    add_written(verb, "--chart", tr("Draw it as an SVG file"))


def _scaling(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        one = options.names[0]
        is_sweep = len(options.names) == 1 and all(run.name != one for run in ws.runs())
        which = one if is_sweep else options.names
        found = do(scaling.scaling, ws, which, options.x.replace("-", "_"), options.part)
    if options.csv:
        do(scaling.save_csv, found, options.csv)
    if options.chart:
        scaling.save_chart(found, options.chart)
    print_scaling(found, options)


def print_scaling(found: Scaling, options: argparse.Namespace) -> None:
    """The table of a terminal, or its rows as JSON."""
    if options.json:
        say_json(asdict(found))
        return
    header = (tr(found.title), tr("Run"), tr("Bits per character"), tr("Parameters"), tr("Time"))
    rows = [(row.x if row.x != row.seconds else round(row.seconds, 1),
             row.run + ("" if row.comparable else STAR), row.bits_per_character, row.parameters,
             duration(row.seconds or None)) for row in found.rows]  # fmt: skip
    say_table(header, [(_whole(x), *rest) for x, *rest in rows])
    if not all(row.comparable for row in found.rows):
        say(tr("* scores other events and is not on the axis."))
    if found.oracle is not None:
        say(tr("The limit of the language itself, {bits}: no model can go below",
               bits=decimal(found.oracle)))  # fmt: skip


def _whole(x: object) -> object:
    """Settings that are whole numbers without a point."""
    return int(x) if isinstance(x, float) and x.is_integer() else x
