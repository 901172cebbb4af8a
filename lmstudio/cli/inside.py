"""The verbs inside and reach: what goes on in a network, and how far back a model sees."""

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np

from lmstudio.analysis.context_reach import ContextReach
from lmstudio.analysis.inside import Inside
from lmstudio.cli.shared import add_csv, add_name, add_text, add_verb, do, joined, open_workspace
from lmstudio.cli.terminal import say, say_json, say_table
from lmstudio.figures import count, decimal, percent
from lmstudio.messages import tr
from lmstudio.operations import inside
from lmstudio.store.rows import PARTS


def add_verbs(verbs: Any) -> None:
    """Add the verbs of this module."""
    verb = add_verb(
        verbs, "inside", tr("Look at the gates or the norms of a network, token by token"), _inside
    )
    add_name(verb, "run")
    add_text(verb, "text", tr("Text to be read as one sentence"))
    add_csv(verb)
    verb = add_verb(verbs, "reach", tr("Find out how far back a model sees"), _reach)
    add_name(verb, "run")
    verb.add_argument("--part", default="valid", choices=PARTS, help=tr("Part of the corpus"))
    add_csv(verb)


def _inside(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        found = do(inside.inside, ws, options.run, joined(options.text))
    if options.csv:
        do(inside.save_inside, found, options.csv)
    if options.json:
        values = {name: array.tolist() for name, array in found.values.items()}
        say_json({"tokens": found.tokens, "kind": found.kind, **values,
                  "notes": list(map(str, found.notes))})  # fmt: skip
        return
    header = (tr("Token"), tr("Layer"), *found.values)
    say_table(header, list(_rows(found)))
    if found.kind == "gates":
        say(tr("Means over the units of a layer; --csv and --json have each of them."))
    for note in found.notes:
        say(str(note))


def _rows(found: Inside) -> Iterator[tuple[object, ...]]:
    """A line for each token and layer: lengths, or means of gates."""
    flat = [values.mean(axis=2) if values.ndim == 3 else values for values in found.values.values()]
    for place, token in enumerate(found.tokens):
        for layer in range(flat[0].shape[0]):
            yield token, layer + 1, *(float(values[layer, place]) for values in flat)


def _reach(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        found = do(inside.reach, ws, options.run, options.part)
    if options.csv:
        do(inside.save_reach, found, options.csv)
    if options.json:
        say_json({name: value.tolist() if isinstance(value, np.ndarray) else value
                  for name, value in vars(found).items()})  # fmt: skip
    else:
        _print_reach(found)


def _print_reach(found: ContextReach) -> None:
    header = (tr("Distance"), tr("Share of events with more"), tr("Cut, nats"),
              tr("Shuffled, nats"))  # fmt: skip
    columns = (found.distances, found.longer, found.cut, found.shuffled)
    say_table(header, [(int(distance), percent(longer), float(cut), float(shuffled))
                       for distance, longer, cut, shuffled in zip(*columns, strict=True)],
              right=[1])  # fmt: skip
    say(tr("With all of the context: {loss} nats an event, of {events} events.",
           loss=decimal(found.full, 3), events=count(found.events)))  # fmt: skip
    if found.both_sides:
        say(tr("It sees both sides: a distance is that to the left and to the right."))
