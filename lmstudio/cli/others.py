"""The verbs that are not of one noun, such as rename, report, demo, self-test, help and gui."""

import argparse
from contextlib import suppress
from pathlib import Path
from typing import Any

from lmstudio import help_pages
from lmstudio.cli.runs import print_runs
from lmstudio.cli.shared import WRITTEN, add_verb, add_written, do, open_workspace
from lmstudio.cli.terminal import say, say_json, say_table
from lmstudio.cli.trash import KINDS
from lmstudio.errors import WorkspaceError
from lmstudio.figures import size
from lmstudio.messages import tr
from lmstudio.operations import demo, problem_report, reports, runs, samples
from lmstudio.operations import self_test as checks
from lmstudio.store import settings


def add_verbs(verbs: Any) -> None:
    """Add the verbs of this module."""
    rename = add_verb(verbs, "rename", tr("Give a corpus, segmentation or run a name"), _rename)
    rename.add_argument("kind", choices=KINDS, help=tr("What it is"))
    rename.add_argument("which", metavar="NAME", help=tr("Its name"))
    rename.add_argument("to", metavar="NEW", help=tr("Its new name"))
    report = add_verb(verbs, "report", tr("Write a report of all runs as one HTML file"), _report)
    about = tr("The file, report.html if none is named")
    add_written(report, "path", about, nargs="?", default=Path("report.html"))
    problem = add_verb(
        verbs, "report-problem",
        tr("Write a file about this program for whoever looks into a problem, without your texts"),
        _report_problem,
    )  # fmt: skip
    add_written(problem, "path", tr(WRITTEN), type=problem_report.place)
    sample = add_verb(verbs, "sample", tr("Write the sample corpus as a text file"), _sample)
    add_written(sample, "path", tr(WRITTEN))
    demo = add_verb(
        verbs, "demo", tr("Train a model of each kind on the sample corpus and report"), _demo
    )
    add_written(demo, "--report", about, default=Path("report.html"))
    for verb in (sample, demo):
        verb.add_argument(
            "--size",
            type=_size,
            default=300_000,
            metavar="SIZE",
            help=tr("Bytes, such as 300kB or 3MB"),
        )
    sample.add_argument(
        "--seed", type=int, default=1, metavar="N", help=tr("Seed of the generator")
    )
    add_verb(verbs, "self-test", tr("Check that everything the program needs is here"), self_test)
    told = add_verb(verbs, "help", tr("Print the page of the help on a panel"), _help)
    told.add_argument("panel", nargs="?", default="", metavar="PANEL",
                      help=tr("Its name; without one, what pages there are"))  # fmt: skip
    opened = add_verb(verbs, "gui", tr("Open the window"), window)
    opened.add_argument("files", nargs="*", type=Path, metavar="FILE", help=tr("Files to import"))
    opened.add_argument("--sample", action="store_true", help=tr("Start with the sample corpus"))
    opened.add_argument("--tour", action="store_true", help=tr("Start with the first guided tour"))


def _rename(options: argparse.Namespace) -> None:
    with open_workspace(options) as ws:
        ws.rename(options.kind, getattr(ws, options.kind)(options.which).id, options.to)


def _report(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        do(reports.write, ws, options.path)


def _report_problem(options: argparse.Namespace) -> None:
    try:
        ws = open_workspace(options, may_read=True)
    except WorkspaceError as error:  # which may be the problem
        say(str(error))
        report = do(problem_report.contents, None)
    else:
        with ws:
            report = do(problem_report.contents, ws)
    path = do(problem_report.write, report, options.path)
    if options.json:
        say_json({"path": str(path), "files": list(report)})
        return
    for name, text in report.items():
        say(f"{name}: {size(len(text))}")


def _sample(options: argparse.Namespace) -> None:
    do(samples.write, options.path, size=options.size, seed=options.seed)


def _demo(options: argparse.Namespace) -> None:
    options.workspace = options.workspace or settings.sample_workspace()
    with open_workspace(options) as ws:
        do(demo.run, ws, size=options.size)
        do(reports.write, ws, options.report)
        rows = runs.runs(ws)
    if options.json:
        say_json(rows)
    else:
        print_runs(rows)


def self_test(options: argparse.Namespace) -> int:
    """Check what the program needs; 1 if something is wrong."""
    found = do(checks.run)
    if options.json:
        say_json([vars(check) for check in found])
    else:
        say_table(
            (tr("Check"), tr("Result"), ""),
            [
                (check.name, check.result, tr("good") if check.good else tr("BAD"))
                for check in found
            ],
        )
    return 0 if all(check.good for check in found) else 1


def _help(options: argparse.Namespace) -> None:
    if options.panel:
        text = help_pages.plain(options.panel)
        say_json({"page": options.panel, "text": text}) if options.json else print(text)
        return
    titles = {name: help_pages.title(name) for name in help_pages.names()}
    rows = list(titles.items())
    say_json(titles) if options.json else say_table((tr("Page"), tr("Panel")), rows)


def window(options: argparse.Namespace) -> int:
    """Open the window; it returns when the window is closed."""
    from lmstudio.gui import app  # Qt is for those who want the window

    return app.main(
        options.workspace, files=options.files, sample=options.sample, tour=options.tour
    )


def _size(text: str) -> int:
    """Bytes from words such as 300kB or 3MB."""
    number = text.lower().removesuffix("b")
    factor = {"k": 1000, "m": 1_000_000}.get(number[-1:], 1)
    with suppress(ValueError, OverflowError):
        if (size := int(float(number.rstrip("km")) * factor)) > 0:
            return size
    raise argparse.ArgumentTypeError(tr("must be a size such as 300kB or 3MB"))
