"""The verbs probe and layer-weights: what the layers of networks know of tasks."""

import argparse
from dataclasses import asdict
from typing import Any

from lmstudio.analysis.tasks.probing import LIMIT, SEEDS, LayerScore, Probed
from lmstudio.cli.shared import add_csv, add_name, add_verb, do, open_workspace, positive, seeds
from lmstudio.cli.terminal import say, say_caption, say_json, say_table
from lmstudio.errors import AppError
from lmstudio.figures import count, decimal
from lmstudio.messages import tr
from lmstudio.operations import layer_weights, task_probing, task_results, training
from lmstudio.store.rows import RunRow
from lmstudio.store.workspace import Workspace

_PLACES = 3


def add_verbs(verbs: Any) -> None:
    """Add the verbs of this module."""
    verb = add_verb(verbs, "probe", tr("Probe what each layer of a network knows of a task"),
                    _probe)  # fmt: skip
    add_name(verb, "run")
    verb.add_argument("--on", required=True, metavar="TASK", help=tr("Name of the task"))
    verb.add_argument("--seeds", type=seeds, default=SEEDS, metavar="N",
                      help=tr("Draw the examples so many times"))  # fmt: skip
    verb.add_argument("--limit", type=positive, default=LIMIT, metavar="N",
                      help=tr("Most examples to learn from, and to be scored on"))  # fmt: skip
    verb.add_argument("--control", action="store_true",
                      help=tr("Probe the same network with random weights too"))  # fmt: skip
    add_csv(verb)
    verb = add_verb(verbs, "layer-weights",
                    tr("Show what fine-tuned runs take of each layer, or train such runs"),
                    _layer_weights)  # fmt: skip
    verb.add_argument("run", nargs="*", metavar="RUN",
                      help=tr("Runs that read a mix of layers, else all of them"))  # fmt: skip
    verb.add_argument("--encoder", metavar="RUN",
                      help=tr("Train a run on this network for each of --tasks"))  # fmt: skip
    verb.add_argument("--tasks", nargs="+", default=[], metavar="TASK", help=tr("Names of tasks"))
    verb.add_argument("--epochs", type=positive, default=layer_weights.RECIPE["epochs"],
                      metavar="N", help=tr("Epochs of these runs"))  # fmt: skip
    verb.add_argument("--seeds", type=seeds, default=1, metavar="N",
                      help=tr("Train so many runs that differ in chance only"))  # fmt: skip
    add_csv(verb)


# --- probes -------------------------------------------------------------------------------------


def _probe(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        found = do(task_probing.probe, ws, options.run, options.on, seeds=options.seeds,
                   limit=options.limit, control=options.control)  # fmt: skip
    if options.csv:
        do(task_probing.save_probed, options.csv, found)
    if options.json:
        say_json(asdict(found) | {
            "layers": [_plain(one) for one in found.layers],
            "control": [_plain(one) for one in found.control],
            "notes": [str(note) for note in found.notes],
        })  # fmt: skip
        return
    _tell_probed(found)


def _plain(one: LayerScore) -> dict[str, object]:
    return asdict(one) | {"name": one.name, "mean": one.mean, "spread": one.spread}


def _tell_probed(found: Probed) -> None:
    title = tr(task_results.MEASURES[found.kind][found.figure])
    header = [tr("Layer"), title, *([tr("random weights")] if found.control else [])]
    columns = [found.layers, *([found.control] if found.control else [])]
    say_table(header, [[pair[0].name, *map(_told, pair)] for pair in zip(*columns, strict=True)],
              right=(1, 2)[: len(columns)])  # fmt: skip
    say_caption(tr("{train} examples to learn from, {held_out} of {part} to be scored on; who "
                   "always says what is commonest scores {majority}.",
                   train=count(found.train), held_out=count(found.held_out), part=tr(found.part),
                   majority=decimal(found.majority, _PLACES)))  # fmt: skip
    for note in found.notes:
        say(str(note))


def _told(one: LayerScore) -> str:
    mean = decimal(one.mean, _PLACES)
    return mean if one.spread is None else f"{mean} ± {decimal(one.spread, _PLACES)}"


# --- weights of layers --------------------------------------------------------------------------


def _layer_weights(options: argparse.Namespace) -> None:
    if bool(options.encoder) != bool(options.tasks):
        raise AppError("Give --encoder and --tasks together, to train a run for each task.")
    if options.encoder and options.run:
        raise AppError("Name either runs, or --encoder and --tasks to train new ones.")
    with open_workspace(options, may_read=not options.encoder) as ws:
        names = options.run or [run.name for run in _runs(ws, options)]
        if not names:
            raise AppError("No run reads a mix of layers yet. Give --encoder and --tasks to train "
                           "some.")  # fmt: skip
        found = layer_weights.weights(ws, names)
    if options.csv:
        do(layer_weights.save_weights, options.csv, found)
    if options.json:
        say_json([asdict(one) for one in found])
        return
    layers = max((one.names for one in found), key=len)
    say_table((tr("Run"), tr("Task"), *layers, "gamma"), [
        (one.run, one.task, *(decimal(share, _PLACES) for share in one.shares),
         *[""] * (len(layers) - len(one.shares)), decimal(one.gamma, _PLACES))
        for one in found
    ], right=range(2, len(layers) + 3))  # fmt: skip


def _runs(ws: Workspace, options: argparse.Namespace) -> list[RunRow]:
    """Those that there are, or new ones."""
    if not options.encoder:
        return layer_weights.mixed_runs(ws)
    made = layer_weights.queue(ws, options.encoder, options.tasks, epochs=options.epochs,
                               seeds=options.seeds)  # fmt: skip
    train_all(ws, made)
    return made


def train_all(ws: Workspace, queued: list[RunRow]) -> None:
    """Train runs that were queued, one after another; their notes are told."""
    for row in queued:
        for note in do(training.start, ws, row.id).notes:
            say(str(note))
