"""The verb compare: runs head to head, as tables, CSV or JSON."""

import argparse
from dataclasses import asdict
from typing import Any

import numpy as np

from lmstudio.analysis.bootstrap import LEVEL, SAMPLES
from lmstudio.analysis.breakdown import ENDS
from lmstudio.analysis.comparison import SENTENCES, UNITS, Comparison
from lmstudio.cli.shared import add_csv, add_verb, do, open_workspace, positive
from lmstudio.cli.terminal import clipped, say, say_json, say_table
from lmstudio.figures import count, decimal, percent
from lmstudio.messages import tr
from lmstudio.operations import comparison
from lmstudio.operations.comparison import BREAKDOWNS
from lmstudio.store.rows import HELD_OUT
from lmstudio.store.workspace import Workspace

TABLES = ("runs", *BREAKDOWNS, "sentences")
_LISTED = 20  # sentences and documents that a terminal is shown
_WIDEST = 60  # columns that a sentence may take there


def add_verbs(verbs: Any) -> None:
    """Add the verb of this module."""
    verb = add_verb(verbs, "compare", tr("Set runs of a corpus against each other"), _compare)
    verb.add_argument("runs", nargs="+", metavar="RUN", help=tr("Names of the runs"))
    verb.add_argument("--part", default="valid", choices=HELD_OUT, help=tr("Part of the corpus"))
    verb.add_argument(
        "--base", default="", metavar="RUN",
        help=tr("The run that the others are set against, else the first"),
    )  # fmt: skip
    verb.add_argument("--by", default="sentence", choices=UNITS,
                      help=tr("What the bootstrap draws"))  # fmt: skip
    verb.add_argument(
        "--words", default="", metavar="SEGMENTATION",
        help=tr("Add up over its words, else over the longest tokens that the runs have"),
    )  # fmt: skip
    verb.add_argument("--table", default="runs", choices=TABLES, help=tr("The table to print"))
    verb.add_argument("--sentences", type=positive, default=SENTENCES, metavar="N",
                      help=tr("How many sentences to list for each run"))  # fmt: skip
    verb.add_argument("--samples", type=positive, default=SAMPLES, metavar="N",
                      help=tr("Draws of the bootstrap"))  # fmt: skip
    verb.add_argument("--seed", type=int, default=1, metavar="N", help=tr("Seed of the draws"))
    add_csv(verb)


def _compare(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True, keeps=True) as ws:
        found = do(
            comparison.compare, ws, options.runs, options.part, words=options.words, by=options.by,
            base=options.base, sentences=options.sentences, samples=options.samples,
            seed=options.seed,
        )  # fmt: skip
        for name, why in comparison.choose(ws, options.runs).left_out.items():
            say(tr("{name} is left out: {reason}", name=name, reason=why))
        if options.csv:
            _save(ws, found, options)
        if options.json:
            say_json(_plain(found))
        else:
            _print(ws, found, options.table)


def _save(ws: Workspace, found: Comparison, options: argparse.Namespace) -> None:
    if options.table == "runs":
        do(comparison.save_differences, found, options.csv)
    elif options.table == "sentences":
        do(comparison.save_sentences, found, options.csv)
    else:
        do(comparison.save_breakdown, ws, found, options.table, options.csv)


def _plain(found: Comparison) -> dict[str, Any]:
    """Everything, with lists for arrays and the two measures of each breakdown."""
    value = asdict(found)
    value["bits"], value["bits_per_character"] = (
        found.bits.tolist(), found.bits_per_character().tolist(),
    )  # fmt: skip
    for kind in BREAKDOWNS:
        groups = getattr(found, kind)
        value[kind] = {
            name: array.tolist() if isinstance(array, np.ndarray) else array
            for name, array in value[kind].items()
        } | {
            "bits_per_character": groups.bits_per_character().tolist(),
            "bits_per_word": groups.bits_per_word().tolist(),
        }
    return value


def _print(ws: Workspace, found: Comparison, table: str) -> None:
    if table == "runs":
        _print_runs(found)
    elif table == "sentences":
        rows = [(s.line + 1, *s.bits, clipped(s.text, _WIDEST)) for s in found.examples[:_LISTED]]
        say_table((tr("Line"), *found.runs, tr("Sentence")), rows)
    else:
        _print_breakdown(ws, found, table)


def _print_runs(found: Comparison) -> None:
    header = (tr("Run"), tr("Bits per character"), tr("Difference"), tr("From"), tr("To"),
              tr("Better in"))  # fmt: skip
    rows = []
    for run, bits, apart, low, high, _, better, is_base in comparison.difference_rows(found):
        told = ("", "", "", "") if is_base else (
            _signed(apart), _signed(low), _signed(high),
            percent(None if np.isnan(better) else better, 1),
        )  # fmt: skip
        rows.append((run, decimal(bits, 4), *told))
    say_table(header, rows, right=range(1, 6))
    unit = tr("sentences") if found.by == "sentence" else tr("documents")
    say(tr("{level} intervals of the paired bootstrap: {samples} draws from {units} {unit}, "
           "against {base}.", level=percent(LEVEL), samples=count(found.samples),
           units=count(found.units), unit=unit, base=found.runs[found.base]))  # fmt: skip
    if found.pseudo:
        say(tr("These are pseudo figures, from both sides; they have an axis of their own."))


def _print_breakdown(ws: Workspace, found: Comparison, kind: str) -> None:
    groups = getattr(found, kind)
    names = comparison.group_names(ws, found, kind, comparison.corpus_of(ws, found))
    ends = groups.groups == ENDS
    bits = np.where(ends, groups.bits_per_word(), groups.bits_per_character())
    rows = [(name, int(groups.words[i]), int(groups.characters[i]), *bits[:, i].tolist())
            for i, name in enumerate(names)]  # fmt: skip
    say_table((tr(BREAKDOWNS[kind]), tr("Words"), tr("Characters"), *found.runs), rows)
    say(tr("Bits per character, over the words of {name}.", name=found.words_of))
    if ends.any():
        say(tr("The end of a sentence has no characters: there it is bits per end."))


def _signed(value: float) -> str:
    return "–" if np.isnan(value) else f"{'+' if value > 0 else ''}{decimal(value, 4)}"
