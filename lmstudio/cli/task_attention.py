"""The verb task-attention: what a fine-tuned transformer looks at in a text of its task."""

import argparse
from typing import Any

from lmstudio.analysis.attending.text import check_head
from lmstudio.analysis.tasks.looking import WHOLE
from lmstudio.cli.attention import rows_of
from lmstudio.cli.shared import (
    add_csv,
    add_name,
    add_text,
    add_verb,
    do,
    joined,
    open_workspace,
    positive,
)
from lmstudio.cli.terminal import say_json, say_table
from lmstudio.messages import tr
from lmstudio.operations import task_attention


def add_verbs(verbs: Any) -> None:
    """Add the verb of this module."""
    verb = add_verb(verbs, "task-attention",
                    tr("Look at what a fine-tuned transformer looks at in a text of its task"),
                    _attention)  # fmt: skip
    add_name(verb, "run")
    add_text(verb, "text", tr("The text; the first of a pair; the passage of a question"))
    verb.add_argument("--other", default="", metavar="TEXT",
                      help=tr("The second text of a pair, or the question"))  # fmt: skip
    verb.add_argument("--layer", type=positive, metavar="N",
                      help=tr("The layer; the last if not given"))  # fmt: skip
    verb.add_argument("--head", type=positive, metavar="N",
                      help=tr("The head of the layer; the mean of all if not given"))  # fmt: skip
    add_csv(verb)


def _attention(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        found = do(task_attention.looks, ws, options.run, joined(options.text), options.other)
    layers, heads = found.weights.shape[:2]
    layer, head = options.layer or layers, options.head or 0
    check_head(layer - 1, max(head - 1, 0), layers, heads)
    if options.csv:
        do(task_attention.save_looks, found, options.csv)
    matrix = found.seen(layer - 1, head - 1 if head else WHOLE)
    if options.json:
        say_json({"names": found.names, "layer": layer, "head": head, "asks": found.asks,
                  "weights": matrix.tolist()})  # fmt: skip
        return
    say_table(("#", tr("Token"), tr("Looks at"), tr("Row sum")), list(rows_of(found.names, matrix)))
