"""The verbs metrics, import-curve and imported-curves: curves as files, and files as curves."""

import argparse
from pathlib import Path
from typing import Any

from lmstudio.cli.shared import add_csv, add_verb, do, open_workspace
from lmstudio.cli.terminal import say, say_json, say_table
from lmstudio.errors import AppError
from lmstudio.messages import tr
from lmstudio.operations import foreign_curves, metric_names, metrics
from lmstudio.store import names
from lmstudio.store.rows import with_text
from lmstudio.store.workspace import Workspace


def add_verbs(verbs: Any) -> None:
    """Add the verbs of this module."""
    told = add_verb(verbs, "metrics", tr("Print all that was recorded of runs in training"),
                    _metrics)  # fmt: skip
    told.add_argument("runs", nargs="+", metavar="RUN", help=tr("Names of the runs"))
    add_csv(told)
    taken = add_verb(
        verbs, "import-curve", tr("Add the curves of another program's table to a corpus"), _import
    )
    taken.add_argument(
        "file", type=Path, metavar="FILE",
        help=tr("CSV with steps and values, TensorBoard's download, or a table with a column a "
                "run"),
    )  # fmt: skip
    _add_corpus(taken)
    taken.add_argument("--column", action="append", default=[], metavar="NAME",
                       help=tr("Only this column; may be given several times"))  # fmt: skip
    taken.add_argument("--name", default="", metavar="NAME", help=tr("Name of the curve"))
    taken.add_argument(
        "--measure", default="", choices=foreign_curves.MEASURES,
        help=tr("What it is a curve of, else what the column's name says"),
    )  # fmt: skip
    taken.add_argument("--part", default="", choices=foreign_curves.PARTS,
                       help=tr("Part that it was measured on"))  # fmt: skip
    listed = add_verb(
        verbs, "imported-curves", tr("List the curves from files, or remove one"), _list
    )
    _add_corpus(listed)
    listed.add_argument("--remove", default="", metavar="NAME", help=tr("The curve to remove"))


def _add_corpus(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "--corpus", default="", metavar="CORPUS",
        help=tr("Name of the corpus; may be left out where there is one"),
    )  # fmt: skip


def _corpus(ws: Workspace, options: argparse.Namespace) -> int:
    """The id of the corpus that is named, or of the only one, word lists of imports aside."""
    if options.corpus:
        return ws.corpus(options.corpus).id
    rows = with_text(ws.corpora())
    if not rows:
        raise AppError("There is no corpus yet. Import one first.")
    if len(rows) != 1:
        raise AppError("Name the corpus with --corpus: {known}.",
                       known=names.listed([row.name for row in rows]))  # fmt: skip
    return rows[0].id


def _metrics(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        header, rows = metrics.table(ws, options.runs)
        if options.csv:
            do(metrics.save, ws, options.runs, options.csv)
        if options.json:
            say_json(metrics.plain(ws, options.runs))
            return
    cells = [[metric_names.shown(name, cell) for name, cell in zip(header, row, strict=True)]
             for row in rows]  # fmt: skip
    say_table([metric_names.title(name) for name in header], cells,
              right=[i for i, name in enumerate(header) if name != "run"])  # fmt: skip


def _import(options: argparse.Namespace) -> None:
    with open_workspace(options) as ws:
        corpus = _corpus(ws, options)
        before = {curve.number for curve in foreign_curves.curves(ws, corpus)}
        changes = do(foreign_curves.add, ws, corpus, options.file, name=options.name,
                     columns=options.column, measure=options.measure,
                     part=options.part)  # fmt: skip
        added = [c for c in foreign_curves.curves(ws, corpus) if c.number not in before]
    for note in changes.notes:
        say(str(note))
    _print(added, options)


def _list(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=not options.remove) as ws:
        corpus = _corpus(ws, options)
        if options.remove:
            foreign_curves.remove(ws, corpus, options.remove)
        found = foreign_curves.curves(ws, corpus)
    _print(found, options)


def _print(curves: list[foreign_curves.ForeignCurve], options: argparse.Namespace) -> None:
    if options.json:
        say_json([_plain(curve) for curve in curves])
    elif not curves:
        say(tr("There are no curves from files."))
    else:
        header = (
            tr("Name"),
            tr("Measure"),
            tr("Part"),
            tr("Points"),
            tr("Last value"),
            tr("Source"),
        )
        say_table(header, [(c.name, c.measure, c.part, len(c.values), c.values[-1], c.source)
                           for c in curves])  # fmt: skip


def _plain(curve: foreign_curves.ForeignCurve) -> dict[str, Any]:
    return {"name": curve.name, "measure": curve.measure, "part": curve.part,
            "source": curve.source, "step": curve.steps, "seconds": curve.seconds,
            "tokens": curve.tokens, "value": curve.values}  # fmt: skip
