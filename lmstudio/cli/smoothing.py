"""The verb smoothing: every smoothing on one context, frequent contexts, figures under a knob."""

import argparse
import math
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

from lmstudio.analysis.laboratory import Column
from lmstudio.analysis.ngram_growth import Point
from lmstudio.cli.shared import (
    add_csv,
    add_field,
    add_name,
    add_text,
    add_verb,
    do,
    given,
    joined,
    open_workspace,
    positive,
)
from lmstudio.cli.terminal import say, say_json, say_table
from lmstudio.errors import AppError
from lmstudio.figures import count, decimal
from lmstudio.messages import msg, tr
from lmstudio.models.config import DISCOUNTING, SCORES_ONLY, SETTINGS, SMOOTHINGS, NgramConfig
from lmstudio.operations import laboratory
from lmstudio.options import options_of
from lmstudio.store.workspace import Workspace

KNOBS = ("k", "discount")
AGAINST = (*KNOBS, "order", "size")
_SET = ("order", "k", "discount", "cutoff", "interpolate", "uniform", "min_counts")
_ABOUT = msg(
    "Show what every smoothing gives to the words after a context. others: all words that are not "
    "listed, together; seen: all that the training text has after this context."
)


def add_verbs(verbs: Any) -> None:
    """Add the verb of this module."""
    verb = add_verb(verbs, "smoothing", tr(_ABOUT), _smoothing)
    add_name(verb, "segmentation")
    about = tr("What stands before, anywhere in a sentence; with <s> at its front a sentence "
               "begins so")  # fmt: skip
    add_text(verb, "context", about, needed=False)
    for name in _SET:
        field = options_of(NgramConfig)[name]
        add_field(verb, name, field, default=field[0].default)
    verb.add_argument("--word", nargs="+", default=[], metavar="WORD",
                      help=tr("Words to list in any case"))  # fmt: skip
    verb.add_argument("--top", type=positive, default=10, metavar="N",
                      help=tr("Frequent followers, or contexts, to list"))  # fmt: skip
    verb.add_argument("--smoothing", choices=SMOOTHINGS,
                      help=tr("Only this one; the one that --against is about"))  # fmt: skip
    verb.add_argument(
        "--against", choices=AGAINST, action="append",
        help=tr("Tell how the figure of the valid part changes with this"),
    )  # fmt: skip
    verb.add_argument("--frequent", action="store_true",
                      help=tr("List frequent contexts to ask about"))  # fmt: skip
    add_csv(verb)


def _smoothing(options: argparse.Namespace) -> None:
    asked = [*(options.against or []), *["frequent"] * options.frequent,
             *["context"] * bool(options.context)]  # fmt: skip
    if len(asked) > 1:
        raise AppError("One question at a time: a context, --frequent or one --against.")
    with open_workspace(options, may_read=True) as ws:
        if options.frequent:
            return _frequent(ws, options)
        if options.against:
            return _against(ws, options, options.against[0])
        return _bars(ws, options)


def _bars(ws: Workspace, options: argparse.Namespace) -> None:
    settings = given(options, NgramConfig)
    order, one = settings.pop("order", NgramConfig().order), settings.pop("smoothing")
    asked = ([NgramConfig(order, one, **settings)] if one  # with what is not its own: refused
             else laboratory.configs(order, **settings))  # fmt: skip
    table = do(
        laboratory.bars, ws, options.segmentation, joined(options.context), asked,
        words=options.word, most=options.top,
    )  # fmt: skip
    if options.csv:
        do(laboratory.save_bars, table, options.csv)
    for note in table.notes:
        say(str(note))
    if options.json:
        return say_json(_plain(table))
    bars = table.bars
    seen = {"count": count(bars.occurrences), "followers": count(bars.followers)}
    if table.context:
        say(tr("After {context}: seen {count} times, {followers} different words.",
               context=" ".join(table.context), **seen))  # fmt: skip
    else:
        say(tr("Without a context: {count} tokens, {followers} different words.", **seen))
    header = (tr("Smoothing"), *table.words, tr("others"), tr("seen"), tr("sum"),
              tr("Valid perplexity"))  # fmt: skip
    say_table(header, [_cells(column) for column in bars.columns], right=range(1, len(header)))
    return _remark(bars.columns)


def _remark(columns: list[Column]) -> None:
    """What is to be said about the figures; once where it is the same of several smoothings."""
    said: dict[str, list[str]] = {}
    for column in columns:
        for note in (*column.notes, *column.remarks):
            said.setdefault(str(note), []).append(column.config.smoothing)
    for text, names in said.items():
        say(text if len(names) == len(columns) else f"{', '.join(names)}: {text}")


def _frequent(ws: Workspace, options: argparse.Namespace) -> None:
    order = given(options, NgramConfig).get("order", NgramConfig().order)
    found = do(laboratory.frequent_contexts, ws, options.segmentation, order)
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
        _named(column),
        *map(_figures, shares),
        math.inf if loss > 700 else math.exp(loss),
    ]


def _named(column: Column) -> str:
    """A smoothing with its k or D, of the highest order where there are several."""
    name = column.config.smoothing
    if name in SETTINGS["k"]:
        return f"{name} k={column.config.k:g}"
    if name in DISCOUNTING and column.discounts:
        return f"{name} D={'/'.join(f'{value:.3g}' for value in column.discounts)}"
    return name


def _figures(value: float) -> str | None:
    """Three figures, however small it is."""
    return None if math.isnan(value) else f"{value:.3g}"


def _plain(table: laboratory.Table) -> dict[str, Any]:
    """The bars as JSON."""
    return {
        "context": table.context, "occurrences": table.bars.occurrences,
        "followers": table.bars.followers, "words": table.words, "counts": table.bars.counts,
        "others": table.bars.others, "notes": [str(note) for note in table.notes],
        "columns": [
            asdict(replace(column, notes=(), remarks=())) | {
                "probs": column.probs.tolist(), "rest": column.rest,
                "notes": [str(note) for note in column.notes],
                "remarks": [str(note) for note in column.remarks],
            }
            for column in table.bars.columns
        ],
    }  # fmt: skip


def _against(ws: Workspace, options: argparse.Namespace, what: str) -> None:
    settings = given(options, NgramConfig)
    usual = SETTINGS.get(what, (NgramConfig().smoothing,))[0]
    config = NgramConfig(**settings | {"smoothing": settings["smoothing"] or usual})
    if what in KNOBS:
        return _against_knob(ws, options, config, what)
    grown: Callable[..., list[Point]] = (
        laboratory.against_order if what == "order" else laboratory.against_size
    )
    points = do(grown, ws, options.segmentation, config)
    if config.smoothing in SCORES_ONLY:  # scores have no perplexity
        points = [replace(p, valid_bits=math.nan, valid_perplexity=math.nan) for p in points]
    if options.csv:
        do(laboratory.save_points, points, options.csv)
    if options.json:
        return say_json([asdict(point) for point in points])
    header = (tr("Order"), tr("Tokens"), tr("n-grams"), "V^n", tr("Parameters"), tr("Bytes"),
              tr("Seconds"), tr("Bits per character"), tr("Perplexity"))  # fmt: skip
    rows = [list(asdict(p).values()) for p in points]
    return say_table(header, [[*row[:3], _figures(row[3]), *row[4:]] for row in rows], right=(3,))


def _against_knob(
    ws: Workspace, options: argparse.Namespace, config: NgramConfig, knob: str
) -> None:
    found = do(laboratory.against_knob, ws, options.segmentation, config, knob)
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
