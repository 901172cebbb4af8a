"""The verb attention: who looks at whom, how a cell comes about, what each head is worth."""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from lmstudio.analysis.attending.attention import Attention
from lmstudio.analysis.attending.cell import CellArithmetic
from lmstudio.analysis.attending.switches import ALL, Effect, HeadChanges
from lmstudio.cli.shared import (
    add_csv,
    add_name,
    add_text,
    add_verb,
    do,
    joined,
    natural,
    open_workspace,
    positive,
)
from lmstudio.cli.terminal import say, say_json, say_table
from lmstudio.figures import count, decimal, percent, signed
from lmstudio.messages import tr
from lmstudio.operations import attention
from lmstudio.store.workspace import Workspace

_TOP = 4  # of what a row looks at


def add_verbs(verbs: Any) -> None:
    """Add the verb of this module."""
    verb = add_verb(
        verbs, "attention", tr("Look at what the heads of a transformer look at"), _attention
    )
    add_name(verb, "run")
    add_text(verb, "text", tr("Text to be read as one sentence"))
    verb.add_argument("--layer", type=positive, metavar="N", help=tr("The layer; all if not given"))
    verb.add_argument("--head", type=positive, metavar="N",
                      help=tr("The head of the layer; the mean of all if not given"))  # fmt: skip
    verb.add_argument(
        "--rollout", nargs="?", type=positive, const=0, metavar="N",
        help=tr("Attention rollout through the first N layers instead; through all if not given"),
    )  # fmt: skip
    verb.add_argument(
        "--words", nargs="?", const="auto", default="tokens", metavar="WORDS",
        help=tr("Join tokens to words: auto, spaces, jieba, or the name of a segmentation"),
    )  # fmt: skip
    verb.add_argument("--no-marks", action="store_true", help=tr("Hide <s> and </s>"))
    verb.add_argument("--renormalize", action="store_true",
                      help=tr("Scale rows without them to sum to 1 again"))  # fmt: skip
    verb.add_argument(
        "--off", action="append", default=[], metavar="L.H",
        help=tr("Switch a head off, 3.6, or a layer, 3; may be repeated"),
    )  # fmt: skip
    verb.add_argument(
        "--row", type=natural, default=0, metavar="N",
        help=tr("With --off: the row of the table whose prediction is compared"),
    )  # fmt: skip
    verb.add_argument("--cell", type=positive, nargs=2, metavar=("ROW", "COLUMN"),
                      help=tr("Work out this cell of the head"))  # fmt: skip
    verb.add_argument("--rank", action="store_true",
                      help=tr("List the heads by the loss without them"))  # fmt: skip
    add_csv(verb)


def _attention(options: argparse.Namespace) -> None:
    text = joined(options.text)
    with open_workspace(options, may_read=True) as ws:
        if options.rank:
            _tell_ranks(options, do(attention.head_changes, ws, options.run, text,
                                    layers=[options.layer] if options.layer else None,
                                    off=options.off))  # fmt: skip
        elif options.cell:
            row, column = (number - 1 + options.no_marks for number in options.cell)
            head = f"{options.layer or 1}.{options.head or 1}"
            _tell_cell(options, head, do(attention.cell, ws, options.run, text, head, row, column,
                                         words=options.words, off=options.off))  # fmt: skip
        else:
            _tell_matrix(options, *_matrix(ws, options, text))


# --- who looks at whom --------------------------------------------------------------------------


def _matrix(
    ws: Workspace, options: argparse.Namespace, text: str
) -> tuple[Attention, Effect | None]:
    layer, head = options.layer, options.head
    heads = [] if not layer and not head else [f"{layer or 1}.{head}" if head else f"{layer}"]
    found = do(
        attention.attention, ws, options.run, text, heads=heads, rollout=options.rollout,
        words=options.words, off=options.off, marks=not options.no_marks,
        renormalise=options.renormalize,
    )  # fmt: skip
    if not options.off:
        return found, None
    row = max(options.row - 1, 0) + options.no_marks
    return found, do(attention.effect, ws, options.run, text, row, off=options.off,
                     words=options.words)  # fmt: skip


def _tell_matrix(options: argparse.Namespace, found: Attention, effect: Effect | None) -> None:
    if options.csv:
        do(attention.save_matrix, found, options.csv)
    if options.json:
        say_json({"names": found.names, "weights": found.weights.tolist(), "layers": found.layers,
                  "heads": found.heads, "read": found.read, "cut": found.cut,
                  "unknown": found.unknown, "to_marks": found.to_marks,
                  "effect": asdict(effect) if effect else None})  # fmt: skip
        return
    looks = f"{tr('Looks at')} ({_shown(options, found)})"
    say_table(("#", tr("Token"), looks, tr("Row sum")), list(rows_of(found.names, found.weights)))
    for sentence in told(found, hidden=options.no_marks, shared=options.renormalize):
        say(sentence)
    if effect:
        _tell_effect(effect, with_row=options.row > 0)


def _shown(options: argparse.Namespace, found: Attention) -> str:
    """Which heads the matrix is of; a head without a layer is one of the first."""
    if options.rollout is not None:
        return tr("rollout of {layers} layers", layers=options.rollout or found.layers)
    if options.head:
        return _head(options.layer or 1, options.head)
    if options.layer:
        return tr("mean of layer {layer}", layer=options.layer)
    return tr("mean of all heads")


def _head(layer: int | str, head: int | str) -> str:
    return tr("layer {layer}, head {head}", layer=layer, head=head)


def rows_of(names: Sequence[str], matrix: np.ndarray) -> Iterator[tuple[object, ...]]:
    """A line for each row of a matrix (T, T): what it looks at most."""
    for number, (name, weights) in enumerate(zip(names, matrix, strict=True), 1):
        best = np.argsort(-weights, kind="stable")[:_TOP]
        looks = "  ".join(f"{names[n]} {weights[n]:.2f}" for n in best if weights[n] > 0)
        yield number, name, looks, float(weights.sum())


def told(found: Attention, *, hidden: bool, shared: bool) -> list[str]:
    """What must be said of a matrix."""
    said = []
    if found.cut:
        said.append(tr("Only the first {read} tokens are read; {cut} do not fit into the window.",
                       read=count(found.read), cut=count(found.cut)))  # fmt: skip
    if found.unknown:
        said.append(tr("{unknown} of {read} tokens are unknown.", unknown=count(found.unknown),
                       read=count(found.read)))  # fmt: skip
    if hidden and shared:
        said.append(tr("<s> and </s> are hidden; the {share} that went to them is shared out.",
                       share=percent(found.to_marks)))  # fmt: skip
    elif hidden:
        said.append(tr("<s> and </s> are hidden; {share} of a row goes to them on average.",
                       share=percent(found.to_marks)))  # fmt: skip
    return said


def _tell_effect(found: Effect, *, with_row: bool) -> None:
    before, after = (decimal(loss, 4) for loss in found.loss)
    say(tr("Loss, nats a token: {before} with all heads, {after} without.",
           before=before, after=after))  # fmt: skip
    if with_row:
        say(tr("p({token}): {before} with all heads, {after} without.", token=found.token,
               before=decimal(found.p[0], 4), after=decimal(found.p[1], 4)))  # fmt: skip


# --- a cell, and all heads ----------------------------------------------------------------------


def _tell_cell(options: argparse.Namespace, head: str, found: CellArithmetic) -> None:
    if options.csv:
        do(attention.save_cell, found, options.csv)
    if options.json:
        values = {name: value.tolist() if isinstance(value, np.ndarray) else value
                  for name, value in vars(found).items()}  # fmt: skip
        say_json({"head": head, **values, "given": found.given.tolist()})
        return
    root = f"√{found.dimensions}"
    rows = [("q · k", found.product), (f"÷ {root}", found.scaled), ("exp", found.exponential),
            (tr("sum of the row"), found.row_sum), (tr("weight"), found.weight)]  # fmt: skip
    title = tr("{row} looks at {column}", row=found.row, column=found.column)
    say_table((title, _head(*head.split("."))),
              [(name, f"{value:.6g}") for name, value in rows], right=[1])  # fmt: skip
    if not found.seen:
        say(tr("It is later, so it cannot be seen."))


def _tell_ranks(options: argparse.Namespace, found: HeadChanges) -> None:
    ranked = found.sorted()
    if options.csv:
        do(attention.save_changes, ranked, options.csv)
    if options.json:
        say_json({"loss": found.loss, "scored": found.scored, "guessed": found.guessed,
                  "changes": [{"head": attention.name_of((one.layer, one.head)),
                               "change": one.change} for one in ranked]})  # fmt: skip
        return
    if not ranked:
        say(tr("Nothing in this text can be guessed, so no head is missed."))
        return
    say_table((tr("Layer"), tr("Head"), tr("Change of loss, nats a token")),
              [(one.layer + 1, tr("all") if one.head == ALL else str(one.head + 1),
                signed(one.change)) for one in ranked], right=[0, 1, 2])  # fmt: skip
    say(tr("With all heads that are on: {loss} nats a token, of {scored} guesses.",
           loss=decimal(found.loss, 4), scored=count(found.scored)))  # fmt: skip
