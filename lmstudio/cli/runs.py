"""The verbs train, resume, evaluate, runs and curve."""

import argparse
from pathlib import Path
from typing import Any

from lmstudio.cli.shared import add_name, add_options, add_verb, do, given, open_workspace, tell
from lmstudio.cli.terminal import say, say_json, say_table
from lmstudio.errors import Cancelled
from lmstudio.figures import decimal, duration
from lmstudio.messages import msg, tr
from lmstudio.models.config import NgramConfig
from lmstudio.models.registry import MODELS
from lmstudio.operations import evaluation, leaks, run_names, runs, training
from lmstudio.operations.value_names import value_name
from lmstudio.options import options_of
from lmstudio.store.rows import PARTS, RunRow
from lmstudio.store.workspace import Workspace
from lmstudio.training.spec import RunSpec, TrainingConfig, read_file

_FIGURES = {
    "bits_per_character": msg("Bits per character"), "perplexity": msg("Perplexity per event"),
    "perplexity_per_word": msg("Perplexity per word"),
    "perplexity_without_unknown": msg("Perplexity without unknown words"),
    "perplexity_ppl1": msg("The same without sentence ends (ppl1)"), "events": msg("Events"),
    "events_without_unknown": msg("Events without unknown words"), "tokens": msg("Tokens"),
    "sentences": msg("Sentences"), "characters": msg("Characters"), "unknown": msg("Unknown"),
    "zero_probability": msg("Zero events"), "spelling_bits": msg("Bits to spell unknown words"),
    "log10_probability": msg("log10 of the probability"), "context": msg("Context"),
}  # fmt: skip
"""What the figures of an evaluation are called, in the order they are told."""
CONFIGS = tuple(info.config for info in MODELS.values())


def add_verbs(verbs: Any) -> None:
    """Add the verbs of this module."""
    train = add_verb(verbs, "train", tr("Train a model on a segmentation"), _train)
    add_name(train, "segmentation")
    train.add_argument("--name", default="", metavar="NAME", help=tr("Name of the new run"))
    train.add_argument("--spec", type=Path, metavar="FILE", help=tr("A run's settings as JSON"))
    train.add_argument("--model", choices=tuple(MODELS), help=tr("Kind of model"))
    train.add_argument("--preset", metavar="NAME", help=tr("small, base or large"))
    add_options(train, *CONFIGS, TrainingConfig)
    resume = add_verb(verbs, "resume", tr("Go on with a stopped or interrupted run"), _resume)
    add_name(resume, "run")
    evaluate = add_verb(
        verbs, "evaluate", tr("Work out the figures of a run on a part of its corpus"), _evaluate
    )
    add_name(evaluate, "run")
    evaluate.add_argument("--split", default="test", choices=PARTS, help=tr("Part of the corpus"))
    add_verb(verbs, "runs", tr("List the runs with their figures"), _runs)
    curve = add_verb(verbs, "curve", tr("Print the curve of a run as CSV or JSON"), _curve)
    add_name(curve, "run")
    curve.add_argument("--part", default="valid", choices=PARTS[:2], help=tr("Part of the corpus"))
    curve.add_argument("--measure", default="bits_per_character", choices=evaluation.MEASURES,
                       help=tr("What goes up and down"))  # fmt: skip
    curve.add_argument("--x", default="seconds", choices=("seconds", "step", "tokens"),
                       help=tr("What goes from left to right"))  # fmt: skip


def _train(options: argparse.Namespace) -> None:
    with open_workspace(options) as ws:
        spec = RunSpec.from_json(_spec(options))
        if MODELS[spec.model].kind == "neural":
            cut = ws.segmentation(options.segmentation)
            expected = do(training.estimate, ws, cut.id, spec)
            say(tr("About {time} on this computer.", time=duration(expected.seconds)))
        run = training.queue_run(ws, options.segmentation, spec, name=options.name)
        _finish(ws, run.id, options)


def _spec(options: argparse.Namespace) -> dict[str, Any]:
    """The spec file, if one is given, with what the command line says on top."""
    data = read_file(options.spec) if options.spec else {}
    for name in ("model", "preset"):
        if getattr(options, name):
            data[name] = getattr(options, name)
    data["training"] = data.get("training", {}) | given(options, TrainingConfig)
    data["config"] = data.get("config", {}) | given(options, *CONFIGS)
    if "model" not in data and _about_ngrams(data):
        data["model"] = "ngram"
    return data


def _about_ngrams(data: dict[str, Any]) -> bool:
    """Something is set, and nothing that n-grams do not have: no need to say --model."""
    config = set(data["config"])
    others = data["training"] or "preset" in data
    return bool(config) and config <= set(options_of(NgramConfig)) and not others


def _resume(options: argparse.Namespace) -> None:
    with open_workspace(options) as ws:
        _finish(ws, ws.run(options.run).id, options)


def _finish(ws: Workspace, run_id: int, options: argparse.Namespace) -> None:
    try:
        changes = do(training.start, ws, run_id)
    except (Cancelled, KeyboardInterrupt):
        say(tr("To go on with it: lmstudio resume {name}", name=ws.run(run_id).name))
        raise
    run = ws.run(run_id)
    _say_axis(ws, run)
    figures = ws.evaluation(run_id, "test") or ws.evaluation(run_id, "valid")
    if figures is None:
        sentence = tr("Run {name} is trained; there is no held-out text to test it.", name=run.name)
    else:
        sentence = tr(
            "Run {name}: {bits} bits per character, perplexity {perplexity}, {time}.",
            name=run.name, bits=decimal(figures["bits_per_character"], 3),
            perplexity=decimal(figures["perplexity"]), time=duration(run.seconds),
        )  # fmt: skip
    tell(options, changes, run, sentence)


def _say_axis(ws: Workspace, run: RunRow) -> None:
    """Why figures of a run must not be compared with those of others, where that is so."""
    if why := run_names.own_axis(run, ws.segmentation(run.segmentation_id)):
        say(tr(why))


def _evaluate(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        run = ws.run(options.run)
        figures = do(evaluation.evaluate, ws, options.run, options.split)
        leaking = do(leaks.notes_on_run, ws, options.run).get(options.split)
        _say_axis(ws, run)
    if run.state != "done":
        say(tr("The run is not finished ({state}); these are the figures of its best checkpoint.",
               state=run_names.state_name(run.state)))  # fmt: skip
    if leaking:
        say(str(leaking))
    if options.json:
        say_json(figures)
    else:
        say_table((tr("Figure"), tr("Value")), _figure_rows(figures), right=[1])


def _figure_rows(figures: dict[str, Any]) -> list[tuple[str, Any]]:
    """The figures of an evaluation by what they are called; lists are for --json."""
    return [(tr(title), value_name(value) if isinstance(value, str) else value)
            for key, title in _FIGURES.items() if (value := figures.get(key)) is not None
            ]  # fmt: skip


def _runs(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        rows = runs.runs(ws)
    if options.json:
        say_json(rows)
    else:
        print_runs(rows)


def print_runs(rows: list[dict[str, Any]]) -> None:
    """The run table of a terminal."""
    header = (tr("Run"), tr("State"), tr("Parameters"), tr("Time"), tr("Valid bits/char"),
              tr("Test bits/char"), tr("Test perplexity"))  # fmt: skip
    say_table(header, [_run_cells(row, row["valid"] or {}, row["test"] or {}) for row in rows])


def _run_cells(row: dict[str, Any], valid: dict[str, Any], test: dict[str, Any]) -> list[Any]:
    bits = "bits_per_character"
    figures = [valid.get(bits), test.get(bits), test.get("perplexity")]
    state, time = run_names.state_name(row["state"]), duration(row["seconds"])
    return [row["name"], state, row["parameters"], time, *figures]


def _curve(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        run = ws.run(options.run)
        x, y = evaluation.curve(ws, run.id, part=options.part, measure=options.measure, x=options.x)
    if options.json:
        say_json({options.x: x.tolist(), options.measure: y.tolist()})
    else:
        lines = [f"{a:g},{b:g}" for a, b in zip(x, y, strict=True)]
        print("\n".join([f"{options.x},{options.measure}", *lines]))
