"""The verb mix: trained runs interpolated, with the weights that the valid part likes best."""

import argparse
from dataclasses import asdict
from typing import Any

from lmstudio.cli.shared import add_csv, add_verb, do, open_workspace, positive
from lmstudio.cli.terminal import say, say_json, say_table
from lmstudio.messages import tr
from lmstudio.models.ngram.smoothing.jelinek_mercer import TUNED
from lmstudio.operations import mixtures


def add_verbs(verbs: Any) -> None:
    """Add the verb of this module."""
    verb = add_verb(
        verbs, "mix",
        tr("Mix trained runs of one segmentation, by weights tuned on the valid part"), _mix,
    )  # fmt: skip
    verb.add_argument("runs", nargs="+", metavar="RUN", help=tr("Names of the runs"))
    verb.add_argument("--cache", type=positive, default=0, metavar="N",
                      help=tr("Mix in also how often a word was among the last N"))  # fmt: skip
    add_csv(verb)


def _mix(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        found = do(mixtures.mix, ws, options.runs, cache=options.cache)
    if options.csv:
        do(mixtures.save, found, options.csv)
    if options.json:
        return say_json(_plain(found))
    say(tr(TUNED))
    return say_table(*mixtures.table(found))


def _plain(found: mixtures.Mixture) -> dict[str, Any]:
    """The mixture as JSON; what is no run has the same name in every language."""
    plain = asdict(found)
    plain["mixture"]["name"] = "mixture"
    if found.cache:
        plain["components"][-1]["name"] = "cache"
    return plain
