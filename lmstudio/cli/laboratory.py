"""The verbs smoothing, walk, export-arpa and score-arpa: n-gram models looked into."""

import argparse
import math
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from lmstudio.analysis.laboratory import Column
from lmstudio.analysis.sentence_walk import Step
from lmstudio.cli.shared import add_csv, add_name, add_verb, do, open_workspace, positive
from lmstudio.cli.terminal import say, say_json, say_table
from lmstudio.figures import count, decimal
from lmstudio.messages import tr
from lmstudio.models.config import SCORES_ONLY, SETTINGS, SMOOTHINGS, NgramConfig
from lmstudio.operations import arpa_files, laboratory
from lmstudio.store.workspace import Workspace

KNOBS = ("k", "discount")
AGAINST = (*KNOBS, "order", "size")


def add_verbs(verbs: Any) -> None:
    """Add the verbs of this module."""
    _add_smoothing(verbs)
    walk = add_verb(
        verbs, "walk", tr("Show word by word which n-gram answered and what it cost"), _walk
    )
    add_name(walk, "run")
    walk.add_argument("text", metavar="TEXT", help=tr("Text to be cut"))
    add_csv(walk)
    export = add_verb(verbs, "export-arpa", tr("Write an n-gram run as an ARPA file"), _export)
    add_name(export, "run")
    export.add_argument("file", type=Path, metavar="FILE", help=tr("The file to write"))
    score = add_verb(
        verbs, "score-arpa", tr("Work out the figures of an ARPA file on a file of words"), _score
    )
    score.add_argument("file", type=Path, metavar="ARPA",
                       help=tr("ARPA file, also as .gz, of this or another program"))  # fmt: skip
    score.add_argument("text", type=Path, metavar="FILE",
                       help=tr("UTF-8 text, a sentence a line, words between spaces"))  # fmt: skip


def _add_smoothing(verbs: Any) -> None:
    verb = add_verb(
        verbs, "smoothing", tr("Show what every smoothing gives to the words after a context"),
        _smoothing,
    )  # fmt: skip
    add_name(verb, "segmentation")
    verb.add_argument("context", nargs="?", default="", metavar="TEXT",
                      help=tr("What stands before, anywhere in a sentence; with <s> at its front "
                              "a sentence begins so"))  # fmt: skip
    verb.add_argument("--order", type=int, default=3, metavar="N",
                      help=tr("n: a token is predicted from the n - 1 before it"))  # fmt: skip
    verb.add_argument("--word", nargs="+", default=[], metavar="WORD",
                      help=tr("Words to list in any case"))  # fmt: skip
    verb.add_argument("--top", type=positive, default=10, metavar="N",
                      help=tr("Frequent followers, or contexts, to list"))  # fmt: skip
    verb.add_argument("--k", type=float, default=0.1, metavar="X",
                      help=tr("The count that add-k gives every n-gram"))  # fmt: skip
    verb.add_argument(
        "--discount", type=float, default=0.0, metavar="X",
        help=tr("What is taken from every count; 0: estimated from the counts"),
    )  # fmt: skip
    verb.add_argument("--smoothing", choices=SMOOTHINGS,
                      help=tr("The one that --against is about"))  # fmt: skip
    verb.add_argument(
        "--against", choices=AGAINST,
        help=tr("Tell how the figure of the valid part changes with this"),
    )  # fmt: skip
    verb.add_argument("--frequent", action="store_true",
                      help=tr("List frequent contexts to ask about"))  # fmt: skip
    add_csv(verb)


def _smoothing(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        if options.frequent:
            return _frequent(ws, options)
        if options.against:
            return _against(ws, options)
        asked = laboratory.configs(options.order, k=options.k, discount=options.discount)
        table = do(
            laboratory.bars, ws, options.segmentation, options.context, asked,
            words=options.word, most=options.top,
        )  # fmt: skip
        if options.csv:
            do(laboratory.save_bars, table, options.csv)
    if options.json:
        return say_json(_plain(table))
    bars = table.bars
    say(tr("After {context}: seen {count} times, {followers} different words.",
           context=" ".join(table.context) or "…", count=count(bars.occurrences),
           followers=count(bars.followers)))  # fmt: skip
    say_table((tr("Smoothing"), *table.words, tr("others"), tr("seen"), tr("sum"),
               tr("Valid perplexity")), [_cells(column) for column in bars.columns],
              right=range(1, len(table.words) + 5))  # fmt: skip
    _remark(bars.columns)
    return None


def _remark(columns: list[Column]) -> None:
    """What is to be said about the figures; once where it is the same of several smoothings."""
    said: dict[str, list[str]] = {}
    for column in columns:
        for note in (*column.notes, *column.remarks):
            said.setdefault(str(note), []).append(column.config.smoothing)
    for text, names in said.items():
        say(f"{', '.join(names)}: {text}")


def _frequent(ws: Workspace, options: argparse.Namespace) -> None:
    found = do(laboratory.frequent_contexts, ws, options.segmentation, options.order)
    if options.csv:
        do(laboratory.save_frequent, found, options.csv)
    if options.json:
        return say_json([asdict(context) for context in found])
    rows = [(" ".join(c.words), c.occurrences, c.followers) for c in found[: options.top]]
    say_table((tr("Context"), tr("Count"), tr("Different words after it")), rows)
    if len(found) > len(rows):
        say(tr("{count} more are not listed; --top N lists more.", count=len(found) - len(rows)))
    return None


def _cells(column: Column) -> list[Any]:
    loss = math.nan if column.config.smoothing in SCORES_ONLY else column.valid_loss
    shares = (*map(float, column.probs), column.rest, column.seen, column.total)
    return [
        column.config.smoothing,
        *map(_figures, shares),
        math.inf if loss > 700 else math.exp(loss),
    ]


def _figures(value: float) -> str | None:
    """Three figures, however small it is."""
    return None if math.isnan(value) else f"{value:.3g}"


def _plain(table: laboratory.Table) -> dict[str, Any]:
    """The bars as JSON."""
    return {
        "context": table.context, "occurrences": table.bars.occurrences,
        "followers": table.bars.followers, "words": table.words, "counts": table.bars.counts,
        "others": table.bars.others,
        "columns": [
            asdict(replace(column, notes=(), remarks=())) | {
                "probs": column.probs.tolist(), "rest": column.rest,
                "notes": [str(note) for note in column.notes],
                "remarks": [str(note) for note in column.remarks],
            }
            for column in table.bars.columns
        ],
    }  # fmt: skip


def _against(ws: Workspace, options: argparse.Namespace) -> None:
    usual = SETTINGS.get(options.against, (NgramConfig().smoothing,))[0]
    smoothing = options.smoothing or usual
    config = NgramConfig(options.order, smoothing, options.k, options.discount)
    ask = ws, options.segmentation, config
    if options.against in KNOBS:
        return _against_knob(ask, options)
    grown = laboratory.against_order if options.against == "order" else laboratory.against_size
    points = do(grown, *ask)
    if options.csv:
        do(laboratory.save_points, points, options.csv)
    if options.json:
        return say_json([asdict(point) for point in points])
    header = (tr("Order"), tr("Tokens"), tr("n-grams"), "V^n", tr("Parameters"), tr("Bytes"),
              tr("Seconds"), tr("Bits per character"), tr("Perplexity"))  # fmt: skip
    rows = [list(asdict(p).values()) for p in points]
    return say_table(header, [[*row[:3], _figures(row[3]), *row[4:]] for row in rows], right=(3,))


def _against_knob(ask: tuple[Workspace, str, NgramConfig], options: argparse.Namespace) -> None:
    found, knob = do(laboratory.against_knob, *ask, options.against), options.against
    if options.csv:
        do(laboratory.save_curve, found, knob, options.csv)
    if options.json:
        return say_json(found)
    rows = [(_figures(value), bits, perplexity) for value, bits, perplexity in found]
    say_table((knob, tr("Bits per character"), tr("Perplexity")), rows, right=(0,))
    value, bits, _ = min(found, key=lambda row: row[1])
    if math.isfinite(bits):
        say(tr("Lowest: {bits} bits per character at {knob} = {value}.", bits=decimal(bits, 3),
               knob=knob, value=_figures(value)))  # fmt: skip
    return None


def _walk(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        walk = do(laboratory.walk, ws, options.run, options.text)
    steps, types = walk.steps, walk.types
    if options.csv:
        do(laboratory.save_walk, walk, options.csv)
    if options.json:
        say_json([_told(step, types) for step in steps])
        return
    rows = [(types[step.token], " ".join(types[i] for i in step.context), step.order,
             step.formula, step.bits) for step in steps]  # fmt: skip
    say_table((tr("Word"), tr("Context"), tr("Answered by"), "p", tr("Bits")), rows)


def _told(step: Step, types: list[str]) -> dict[str, Any]:
    """A step as JSON, words instead of ids."""
    context = [types[token] for token in step.context]
    return asdict(step) | {"token": types[step.token], "context": context, "bits": step.bits}


def _export(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        do(arpa_files.export, ws, options.run, options.file)
    say(tr("{path} is written.", path=options.file))


def _score(options: argparse.Namespace) -> None:
    found = do(arpa_files.score, options.file, options.text)
    for note in found.notes:
        say(str(note))
    figures = {name: value for name, value in asdict(found).items() if name != "notes"}
    if options.json:
        say_json(figures)
    else:
        say_table((tr("Figure"), tr("Value")), list(figures.items()))
