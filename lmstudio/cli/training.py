"""The verbs train, resume and sweep."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from lmstudio.cli.run_options import add_log_option, add_run_options, log_to, spec_of, start
from lmstudio.cli.runs import say_axis
from lmstudio.cli.scaling import print_scaling
from lmstudio.cli.shared import add_name, add_verb, do, open_workspace, positive, tell
from lmstudio.cli.terminal import say
from lmstudio.errors import AppError, Cancelled
from lmstudio.figures import decimal, duration, percent
from lmstudio.messages import listed, tr
from lmstudio.models.config import SCORES_ONLY
from lmstudio.models.registry import MODELS
from lmstudio.operations import scaling, sheets, sweeps, task_results, training, vector_files
from lmstudio.operations.value_names import value_name
from lmstudio.options import options_of
from lmstudio.store.rows import Facts, Part, RunRow
from lmstudio.store.workspace import Workspace
from lmstudio.training.spec import TrainingConfig, read_file

_TOLD: tuple[Part, ...] = ("test", "valid")
"""The parts whose figures the last line of a training tells: the first that has some."""


def add_verbs(verbs: Any) -> None:
    """Add the verbs of this module."""
    train = add_verb(verbs, "train", tr("Train a model on a segmentation"), _train)
    train.add_argument(
        "segmentation", nargs="?", default="", metavar="SEGMENTATION",
        help=tr("Name of the segmentation; with a run sheet, the one that has its data"),
    )  # fmt: skip
    train.add_argument("--name", default="", metavar="NAME", help=tr("Name of the new run"))
    train.add_argument(
        "--warm-start", metavar="RUN",
        help=tr("Begin with the weights of another run of the same kind of model"),
    )  # fmt: skip
    train.add_argument(
        "--vectors", metavar="RUN",
        help=tr("Begin the look-up table with word vectors: of a run that import-vectors made, or "
                "of a file"),
    )  # fmt: skip
    add_log_option(train)
    add_run_options(train)
    resume = add_verb(
        verbs, "resume", tr("Go on with a run that ended early, or longer with one that is done"),
        _resume,
    )  # fmt: skip
    add_name(resume, "run")
    resume.add_argument("--epochs", type=positive, default=0, metavar="N", help=tr("Epochs more"))
    resume.add_argument("--minutes", type=_minutes, default=0.0, metavar="X",
                        help=tr("Minutes more"))  # fmt: skip
    resume.add_argument("--steps", type=positive, default=0, metavar="N", help=tr("Steps more"))
    sweep = add_verb(
        verbs, "sweep", tr("Train a run for each of several values of a setting"), _sweep
    )
    add_name(sweep, "segmentation")
    sweep.add_argument("--field", required=True, metavar="NAME",
                       help=tr("The setting, such as order, width or share"))  # fmt: skip
    sweep.add_argument("--values", required=True, metavar="LIST",
                       help=tr("Its values: 1,2,5 or 1..5 or 0.1,0.2"))  # fmt: skip
    sweep.add_argument("--name", default="", metavar="NAME", help=tr("Name of the sweep"))
    add_log_option(sweep)
    add_run_options(sweep)


def _train(options: argparse.Namespace) -> None:
    with open_workspace(options) as ws:
        entry = _sheet(ws, options)
        spec = spec_of(ws, options)
        begun = _beginning(ws, options)
        try:
            run = _queue(entry)(ws, options.segmentation, spec, name=options.name,
                                warm_start=begun.run)  # fmt: skip
        except AppError:
            _forget_import(ws, begun)
            raise
        log_to(ws, [run], options)
        if MODELS[spec.model].kind == "neural":
            expected = do(training.estimate, ws, run.segmentation_id, spec)
            say(tr("About {time} on this computer.", time=duration(expected.seconds)))
            if expected.scoring >= 1:
                say(tr("Scoring the held-out text afterwards takes about {time}.",
                       time=duration(expected.scoring)))  # fmt: skip
        try:
            _finish(ws, run, options)
            if entry and (told := sheets.compared(ws, run, entry)):
                say(str(told))
        except AppError:
            if options.warm_start or options.vectors:
                _forget_unbegun(ws, run.id, begun)
            raise


@dataclass(frozen=True)
class _Beginning:
    """The run whose weights, or vectors, a new one begins with."""

    run: int | str | None
    imported: int | None = None  # its id where it was brought in for that


def _beginning(ws: Workspace, options: argparse.Namespace) -> _Beginning:
    if options.vectors is None:
        return _Beginning(options.warm_start)
    if options.warm_start:
        raise AppError("Begin either with the weights of a run or with word vectors.")
    run, changes = do(vector_files.beginning, ws, options.segmentation, options.vectors)
    for note in changes.notes:
        say(str(note))
    return _Beginning(int(run), changes.new_id)


def _sheet(ws: Workspace, options: argparse.Namespace) -> Facts | None:
    """The run to repeat, if --spec is a run sheet; then its data are found, or refused."""
    entry = sheets.read(options.spec, options.run) if options.spec else None
    if entry is not None:
        sheets.spec_of(entry)
        found = do(sheets.matching, ws, entry, options.segmentation or None)
        options.segmentation = found.name
    elif not options.segmentation:
        if options.spec:
            read_file(options.spec)  # what is wrong with the file comes first
        raise AppError("Name the segmentation to train on.")
    return entry


def _queue(entry: Facts | None) -> Callable[..., RunRow]:
    """What queues a run: a new one, or one that repeats that of a sheet."""
    return training.queue_run if entry is None else partial(sheets.queue, entry)


def _forget_unbegun(ws: Workspace, run_id: int, begun: _Beginning) -> None:
    """Delete a run that failed before its first step: weights did not fit, which training finds."""
    run = ws.run(run_id)
    if run.state == "failed" and not run.step:
        ws.delete("run", run_id)
        _forget_import(ws, begun)


def _forget_import(ws: Workspace, begun: _Beginning) -> None:
    """Delete the vectors of a file that were brought in for a run that there is not."""
    if begun.imported is not None:
        ws.delete("run", begun.imported)


def _resume(options: argparse.Namespace) -> None:
    with open_workspace(options) as ws:
        run = ws.run(options.run)
        if options.epochs or options.minutes or options.steps:
            run = training.prolong(ws, run.id, epochs=options.epochs, minutes=options.minutes,
                                   max_steps=options.steps)  # fmt: skip
        _finish(ws, run, options)


def _finish(ws: Workspace, queued: RunRow, options: argparse.Namespace) -> None:
    changes = start(ws, queued)
    run = ws.run(queued.id)
    if run.task is None:
        say_axis(ws, run)
    tell(options, changes, run, _result(ws, run))


def _result(ws: Workspace, run: RunRow) -> str:
    known = {part: ws.evaluation(run.id, part) for part in _TOLD}
    part, figures = next(((p, found) for p, found in known.items() if found), ("", None))
    if figures is None:
        return tr("Run {name} is trained; there is no held-out text to test it.", name=run.name)
    if run.task is not None:
        task = ws.task(run.task)
        measures = task_results.MEASURES[task.kind]
        scores = listed(f"{tr(title)} {percent(figures[name], 1)}"
                        for name, title in measures.items() if name in figures)  # fmt: skip
        told = tr("Run {name}: {scores} on {part}, {time}.", name=run.name, scores=scores,
                  part=value_name(part), time=duration(run.seconds))  # fmt: skip
        return " ".join(filter(None, (told, task_results.chooser_note(task, part))))
    if run.spec.get("config", {}).get("smoothing") in SCORES_ONLY:
        return tr("Run {name}: {time}.", name=run.name, time=duration(run.seconds))
    return tr(
        "Run {name}: {bits} bits per character, perplexity {perplexity} on {part}, {time}.",
        name=run.name, part=value_name(part), bits=decimal(figures["bits_per_character"], 3),
        perplexity=decimal(figures["perplexity"]), time=duration(run.seconds),
    )  # fmt: skip


def _sweep(options: argparse.Namespace) -> int:
    field = options.field.replace("-", "_")
    with open_workspace(options) as ws:
        spec = spec_of(ws, options, swept=field)
        values = sweeps.values_of(spec, field, options.values)
        rows = sweeps.sweep(ws, options.segmentation, spec, field, values, name=options.name)
        log_to(ws, rows, options)
        failed = sum(not _trained(ws, row, rows[number:]) for number, row in enumerate(rows, 1))
        print_scaling(do(scaling.scaling, ws, rows[0].sweep, field), options)
    return 1 if failed else 0


def _trained(ws: Workspace, row: RunRow, left: list[RunRow]) -> bool:
    """Train a run of a sweep; False where it failed, which the others may not."""
    try:
        start(ws, row)
    except AppError as error:
        say(tr("{name}: {error}", name=row.name, error=error))
        return False
    except (Cancelled, KeyboardInterrupt):
        if left:
            names = listed(run.name for run in left)
            say(tr("Still to be trained, in the same way: {names}", names=names))
        raise
    say(_result(ws, ws.run(row.id)))
    return True


def _minutes(text: str) -> float:
    """A number above zero that training can be limited to."""
    try:
        minutes = float(text)
    except ValueError:
        minutes = 0.0
    if not minutes > 0:
        raise argparse.ArgumentTypeError(tr("must be more than {low}", low=0))
    most = options_of(TrainingConfig)["minutes"][1].high
    if most is not None and minutes > most:
        raise argparse.ArgumentTypeError(tr("must be at most {high}", high=most))
    return minutes
