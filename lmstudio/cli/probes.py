"""The verb probes: what a network answered to the same few questions as it learned."""

import argparse
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from lmstudio.cli.shared import add_csv, add_name, add_verb, do, open_workspace
from lmstudio.cli.terminal import say, say_json
from lmstudio.figures import count, decimal, duration, percent
from lmstudio.messages import tr
from lmstudio.operations import probes
from lmstudio.training.probes import Blank, ProbeRecord

BLANK = "▁▁"
SHOWN = 6  # tokens of each side of a blank


def add_verbs(verbs: Any) -> None:
    """Add the verb of this module."""
    verb = add_verb(
        verbs, "probes", tr("Print what a network answered at each look during its training"),
        _probes,
    )  # fmt: skip
    add_name(verb, "run")
    add_csv(verb)


def _probes(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        records = do(probes.probes, ws, options.run)
        if options.csv:
            do(probes.save_probes, records, options.csv)
    if options.json:
        say_json([asdict(record) for record in records])
    elif not records:
        say(tr("Nothing was asked of this run: networks are, at each look at the valid part."))
    for record in [] if options.json else records:
        print("\n".join([*_lines(record), ""]))


def _lines(record: ProbeRecord) -> Iterable[str]:
    """A record as text: blanks, then neighbours, then a line of its own."""
    yield tr("Step {step}, {time}", step=count(record.step), time=duration(record.seconds))
    for blank in record.blanks:
        guesses = "  ".join(f"{word} {percent(p)}" for word, p in blank.guesses)
        yield f"  {_context(blank)} [{blank.truth}]  →  {guesses}"
    for found in record.neighbours:
        nearest = "  ".join(f"{word} {decimal(cosine)}" for word, cosine in found.nearest)
        yield f"  {found.token}  ≈  {nearest}"
    if record.line:
        yield f"  ✎ {' '.join(record.line)}"


def _context(blank: Blank) -> str:
    before, after = blank.before[-SHOWN:], blank.after[:SHOWN]
    return " ".join([*before, BLANK, *after])
