"""The verb finetune: a head on a network, trained for a labelled task."""

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lmstudio.cli.run_options import add_log_option, log_to, start
from lmstudio.cli.shared import add_name, add_verb, do, open_workspace, seeds
from lmstudio.cli.terminal import say, say_caption, say_json, say_table
from lmstudio.cli.tuning_options import add_tuning, say_usual, tuning_of
from lmstudio.errors import AppError
from lmstudio.figures import duration, percent
from lmstudio.messages import Message, tr
from lmstudio.operations import finetuning, task_pretraining, task_results, tasks
from lmstudio.store.rows import HELD_OUT, RunRow, TaskRow
from lmstudio.store.workspace import Workspace
from lmstudio.training.spec import RunSpec
from lmstudio.training.task_config import KINDS, TaskConfig


def add_verbs(verbs: Any) -> None:
    """Add the verb of this module."""
    tune = add_verb(verbs, "finetune", tr("Fine-tune a network for a labelled task"), _finetune)
    add_name(tune, "run")
    tune.add_argument("--on", metavar="TASK", help=tr("Name of the task"))
    tune.add_argument(
        "--data", nargs="+", type=Path, metavar="FILE",
        help=tr("Files of labelled examples, imported as a new task first"),
    )  # fmt: skip
    for part in HELD_OUT:
        tune.add_argument(f"--{part}", nargs="+", type=Path, default=[], metavar="FILE",
                          help=tr("Files of the {part} part", part=tr(part)))  # fmt: skip
    tune.add_argument("--task", choices=KINDS, help=tr("Kind of task; else what the files hold"))
    tune.add_argument("--name", default="", metavar="NAME", help=tr("Name of the new run"))
    tune.add_argument("--seeds", type=seeds, default=1, metavar="N",
                      help=tr("Train so many runs that differ in chance only"))  # fmt: skip
    add_log_option(tune)
    tune.add_argument(
        "--pretrain", action="store_true",
        help=tr("Go on pre-training on the task's texts first, as the network was trained: "
                "--minutes and all else count for the fine-tuning"),
    )  # fmt: skip
    add_tuning(tune)


def _finetune(options: argparse.Namespace) -> None:
    with open_workspace(options) as ws:
        task = _task(ws, options)
        spec = _spec(ws, task, options)
        assert spec.task is not None
        say_usual(ws, options.run, spec.task.start)
        rows = _queued(ws, task, spec, options)
        log_to(ws, rows, options)
        said: set[str] = set()
        for row in rows:  # what is so of the examples is so for each seed
            notes = start(ws, row, said).notes
            _say_notes(notes)
            said.update(map(str, notes))
        tuned = [ws.run(row.id) for row in rows if row.task is not None]
        _tell(ws, tuned, task, options)


def _spec(ws: Workspace, task: TaskRow, options: argparse.Namespace) -> RunSpec:
    """What was said of the training of a task. AppError where it could not be queued."""
    head, how = tuning_of(options, task.kind)
    usual = finetuning.usual_training(ws, options.run, head.get("start", TaskConfig.start))
    spec = finetuning.spec_for(ws, task, options.run, head, usual | how)
    finetuning.check_encoder(ws, spec, ws.run(options.run))
    finetuning.check_names(ws, spec, options.name, options.seeds)
    return spec


def _queued(
    ws: Workspace, task: TaskRow, spec: RunSpec, options: argparse.Namespace
) -> Sequence[RunRow]:
    """The runs to train, in order."""
    assert spec.task is not None
    what = task.id, ws.run(options.run).id, spec.task, spec.training
    if not options.pretrain:
        return finetuning.queue_tuning(ws, *what, name=options.name, seeds=options.seeds)
    _say_forecast(ws, task, spec, what[1])
    chain = do(task_pretraining.queue_chain, ws, *what, name=options.name, seeds=options.seeds)
    _say_notes(chain.notes)
    return chain.runs


def _say_forecast(ws: Workspace, task: TaskRow, spec: RunSpec, encoder: int) -> None:
    """How long going on before takes, if that is known, and then a fine-tuning."""
    expected = do(task_pretraining.estimate_chain, ws, task.id, encoder, spec)
    if expected.first:
        say(tr("Pre-training, with the settings of {encoder}: about {time} on this computer.",
               encoder=ws.run(encoder).name, time=duration(expected.first)))  # fmt: skip
    say(tr("Fine-tuning, with the settings given here: about {time} a run.",
           time=duration(expected.tuned.seconds)))  # fmt: skip


def _say_notes(notes: Iterable[Message]) -> None:
    for note in notes:
        say(str(note))


def _task(ws: Workspace, options: argparse.Namespace) -> TaskRow:
    """The task that is named, or a new one of the files."""
    if bool(options.on) == bool(options.data):
        raise AppError("Give either --data with files, or --on with the name of a task.")
    if options.on and (options.valid or options.test):
        raise AppError("--valid and --test go with --data; the task of --on has its own parts.")
    if options.on:
        task = ws.task(options.on)
        if options.task not in (None, task.kind):
            raise AppError("{name} is a task of the kind {kind}.", name=task.name, kind=task.kind)
        return task
    files = {"train": options.data, "valid": options.valid, "test": options.test}
    if not options.valid and not options.test:
        files = tasks.parts_of(options.data)
    finetuning.encoder_of(ws, options.run)  # or files would be read for nothing
    changes = do(tasks.import_task, ws, "", options.task or "auto", files,
                 accept=lambda task: _spec(ws, task, options))  # fmt: skip
    _say_notes(changes.notes)
    return ws.task(changes.new_id)


def _tell(ws: Workspace, rows: list[RunRow], task: TaskRow, options: argparse.Namespace) -> None:
    """A line for each run, then mean and spread."""
    scores = {row.id: {part: ws.evaluation(row.id, part) for part in HELD_OUT}
              for row in rows}  # fmt: skip
    if options.json:
        say_json([asdict(row) | {"scores": scores[row.id]} for row in rows])
        return
    measures = task_results.MEASURES[task.kind]
    for part in HELD_OUT:
        known = [(row, found) for row in rows if (found := scores[row.id][part])]
        if not known:
            continue
        table = [[row.name, *(percent(found[name], 1) for name in measures if name in found),
                  duration(row.seconds)] for row, found in known]  # fmt: skip
        names = [name for name in measures if name in known[0][1]]
        if len(known) > 1:
            table.append([tr("mean ± standard deviation"), *(
                task_results.told(task_results.spread([float(found[name]) for _, found in known]))
                for name in names
            ), ""])  # fmt: skip
        say_table((tr(part), *(tr(measures[name]) for name in names), tr("Time")), table)
        if "majority" in known[0][1]:
            say_caption(tr("The most frequent class alone: {share}.",
                           share=percent(known[0][1]["majority"], 1)))  # fmt: skip
        if note := task_results.chooser_note(task, part):
            say_caption(note)
