"""The verbs that look at networks layer by layer: lens, directions, layer-similarity and more."""

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np

from lmstudio.analysis.logit_lens import Lens
from lmstudio.cli.shared import add_csv, add_name, add_text, add_verb, do, joined, open_workspace
from lmstudio.cli.terminal import say, say_json, say_table
from lmstudio.figures import decimal
from lmstudio.messages import Message, listed, tr
from lmstudio.operations import layers

SHOWN = 32  # positions, in a table on a terminal


def add_verbs(verbs: Any) -> None:
    """Add the verbs of this module."""
    verb = add_verb(verbs, "lens", tr("What each layer of a network would predict"), _lens)
    _add_question(verb)
    verb.add_argument("--side", default="before", choices=("before", "behind", "both"),
                      help=tr("ELMo: from which side of each place"))  # fmt: skip
    verb.add_argument("--visible", action="store_true",
                      help=tr("BERT: let it see the token that it guesses"))  # fmt: skip
    verb = add_verb(
        verbs,
        "directions",
        tr("What both directions of an ELMo predict at each place"),
        _directions,
    )
    _add_question(verb)
    verb = add_verb(
        verbs,
        "layer-similarity",
        tr("How much each layer turns the vectors of the tokens"),
        _similarity,
    )
    _add_question(verb)
    verb = add_verb(
        verbs,
        "positions",
        tr("How alike the positions of a transformer are, beside sinusoids"),
        _positions,
    )
    add_name(verb, "run")
    add_csv(verb)
    verb = add_verb(
        verbs,
        "input-sum",
        tr("Token, position and segment: the sum that a transformer reads"),
        _terms,
    )
    _add_question(verb)


def _add_question(verb: argparse.ArgumentParser) -> None:
    add_name(verb, "run")
    add_text(verb, "text", tr("Text to be read as one sentence"))
    add_csv(verb)


def _lens(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        found = do(layers.lens, ws, options.run, joined(options.text), options.side,
                   not options.visible)  # fmt: skip
    if options.csv:
        do(layers.save_lens, found, options.csv)
    if options.json:
        say_json(_plain(found))
    else:
        _print_guesses(found)


def _plain(found: Lens) -> dict[str, Any]:
    told = [
        [
            {"guesses": found.guesses(layer, column),
             "rank": int(found.truth_ranks[layer, column]) or None,
             "p": float(found.truth_probs[layer, column]),
             "entropy": float(found.entropies[layer, column])}
            for column in range(len(found.columns))
        ]
        for layer in range(len(found.ids))
    ]  # fmt: skip
    return {"places": found.places, "tokens": found.columns, "layers": told,
            "notes": list(map(str, found.notes))}  # fmt: skip


def _print_guesses(found: Lens) -> None:
    """A line for each place, from layer 0 to the last: the best guess and the token's rank."""
    header = [tr("Token")]
    for layer in range(len(found.ids)):
        header += [tr("layer {number}", number=layer), tr("Rank")]
    rows = []
    for column, token in enumerate(found.columns):
        row: list[object] = [token]
        for layer in range(len(found.ids)):
            guess, p = found.guesses(layer, column)[0]
            row += [f"{guess} {p:.3f}", int(found.truth_ranks[layer, column]) or None]
        rows.append(row)
    say_table(header, rows)
    say(tr("The best guess of each layer with its p, and the rank of the token that stands there."))
    _say_notes(found.notes)


def _say_notes(notes: Sequence[Message]) -> None:
    for note in notes:
        say(str(note))


def _directions(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        found = do(layers.two_directions, ws, options.run, joined(options.text))
    if options.csv:
        do(layers.save_two_directions, found, options.csv)
    sides = {"before": found.before, "behind": found.behind, "both": found.both}
    if options.json:
        say_json({side: _plain(seen) if seen else None for side, seen in sides.items()})
        return
    names = {"before": tr("From the left"), "behind": tr("From the right"), "both": tr("Both")}
    known = {side: seen for side, seen in sides.items() if seen}
    rows = []
    for place, token in enumerate(found.tokens):
        row = [token]
        for seen in known.values():
            at = seen.places.index(place) if place in seen.places else None
            row.append("" if at is None else "{} {:.3f}".format(*seen.guesses(-1, at)[0]))
        rows.append(row)
    say_table([tr("Token"), *(names[side] for side in known)], rows)
    _say_notes(found.notes)
    say(tr("Best guesses with their p, of the last layer ({layer}); --csv and --json have every "
           "layer.", layer=len(found.forward) - 1))  # fmt: skip


def _similarity(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        found = do(layers.layer_similarity, ws, options.run, joined(options.text))
    if options.csv:
        do(layers.save_layer_similarity, found, options.csv)
    if options.json:
        say_json({"tokens": found.tokens, "cosines": found.cosines.tolist(),
                  "means": found.means.tolist(), "apart": found.apart.tolist(),
                  "notes": list(map(str, found.notes))})  # fmt: skip
        return
    steps = [f"{layer} → {layer + 1}" for layer in range(len(found.cosines))]
    rows: list[list[object]] = [
        [token, *map(float, found.cosines[:, place])] for place, token in enumerate(found.tokens)
    ]
    say_table([tr("Token"), *steps], [*rows, [tr("Mean"), *map(float, found.means)]])
    apart = listed(decimal(float(mean), 3) for mean in found.apart)
    say(tr("Mean cosine of different tokens in the same layer, from layer 0: {apart}", apart=apart))
    _say_notes(found.notes)


def _positions(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        found = do(layers.positions, ws, options.run)
    if options.csv:
        do(layers.save_positions, found, options.csv)
    if options.json:
        say_json({"kind": found.kind, "window": found.window, "agreement": found.agreement(),
                  "own": None if found.own is None else found.own.tolist(),
                  "sinusoids": found.waves.tolist()})  # fmt: skip
        return
    none = np.full(len(found.waves), np.nan)
    own = none if found.own is None else found.by_distance(found.own)
    waves = found.by_distance(found.waves)
    say_table(
        [tr("Distance"), tr("Mean cosine"), tr("of sinusoids")],
        [(d, float(own[d]), float(waves[d])) for d in range(min(SHOWN, len(waves)))],
    )
    say(tr("Positions: {kind}, {window} of them. r with the cosines of sinusoids: {r}",
           kind=found.kind, window=found.window, r=decimal(found.agreement(), 3)))  # fmt: skip


def _terms(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        found = do(layers.input_terms, ws, options.run, joined(options.text))
    if options.csv:
        do(layers.save_input_terms, found, options.csv)
    lengths, shares = found.lengths(), found.shares()
    if options.json:
        say_json(
            {
                "tokens": found.tokens,
                "lengths": {name: values.tolist() for name, values in lengths.items()},
                "shares": {name: values.tolist() for name, values in shares.items()},
                "values": {name: term.tolist() for name, term in found.values.items()},
                "notes": list(map(str, found.notes)),
            }
        )
        return
    header = [tr("Token"), *lengths, *(tr("share of {name}", name=name) for name in shares)]
    columns = [*lengths.values(), *shares.values()]
    say_table(header, [[token, *(float(column[place]) for column in columns)]
                       for place, token in enumerate(found.tokens)])  # fmt: skip
    say(tr("Lengths of the vectors, and what part of the sum each term makes up; --csv and --json "
           "have every component."))  # fmt: skip
    _say_notes(found.notes)
