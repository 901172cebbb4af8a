"""The verb task-results: settings tried for a task and their scores, as the window has them."""

import argparse
import math
from dataclasses import asdict
from typing import Any

from lmstudio.cli.shared import add_csv, add_verb, do, open_workspace
from lmstudio.cli.terminal import say_caption, say_json, say_table
from lmstudio.errors import AppError
from lmstudio.figures import DASH, duration, short
from lmstudio.messages import listed, tr
from lmstudio.operations import run_names, task_results
from lmstudio.operations.task_results import Scored, Setting
from lmstudio.store.rows import HELD_OUT


def add_verbs(verbs: Any) -> None:
    """Add the verb of this module."""
    verb = add_verb(verbs, "task-results",
                    tr("List what was fine-tuned for a task, with scores and their spread"),
                    _results)  # fmt: skip
    verb.add_argument("task", metavar="TASK", help=tr("Name of the task"))
    verb.add_argument("--measure", metavar="NAME", help=tr("Such as accuracy, macro_f1, f1 or em"))
    verb.add_argument(
        "--runs", action="store_true", help=tr("A row for each run, not each setting")
    )
    add_csv(verb)


def _results(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        task = ws.task(options.task)
        found = task_results.settings(ws, task.id)
    measures = task_results.measures(task.kind, found)
    measure = options.measure or next(iter(measures))
    if measure not in measures:
        raise AppError("This task is not scored by {name}, but by: {known}.", name=measure,
                       known=listed(measures))  # fmt: skip
    if options.csv:
        do(task_results.save_csv, found, measure, options.csv)
    if options.json:
        say_json([_plain(setting, list(measures)) for setting in found])
        return
    if options.runs:
        rows = [_row(Setting(one.run.name, (one,)), one.run.spec.get("training", {}).get("seed", 1),
                     measure) for s in found for one in s.runs]  # fmt: skip
    else:
        rows = [_row(setting, len(setting.runs), measure) for setting in found]
    first, second = (tr("Run"), tr("Seed")) if options.runs else (tr("Setting"), tr("Seeds"))
    header = (first, tr("Encoder"), second, tr("Valid"), tr("Test"), tr("Time"),
              tr("Parameters"), tr("State"))  # fmt: skip
    say_table(header, rows, right=(3, 4, 5, 6))
    say_caption(tr("{measure}; mean ± standard deviation over the seeds.",
                   measure=tr(measures[measure])))  # fmt: skip
    if any(setting.scores("valid", measure) for setting in found):
        say_caption(tr("{name}: {value}", name=tr("Valid"),
                       value=task_results.chooser_note(task, "valid")))  # fmt: skip


def _row(setting: Setting, seeds: int, measure: str) -> list[Any]:
    """A setting, or a run alone; `seeds`: how many there are, or which it is."""
    runs = [scored.run for scored in setting.runs]
    seconds = math.fsum(run.seconds for run in runs) / len(runs)
    parameters = runs[0].parameters
    return [setting.name, setting.runs[0].encoder or DASH, seeds,
            *(task_results.told(task_results.spread(setting.scores(part, measure)))
              for part in HELD_OUT),
            duration(seconds), DASH if parameters is None else short(parameters),
            listed(dict.fromkeys(run_names.state_name(run.state) for run in runs))]  # fmt: skip


def _plain(setting: Setting, measures: list[str]) -> dict[str, Any]:
    """Every score of a setting, by part and measure."""
    spreads = {
        part: {measure: asdict(known) for measure in measures
               if (known := task_results.spread(setting.scores(part, measure)))}
        for part in HELD_OUT
    }  # fmt: skip
    return {"setting": setting.name, "encoder": setting.runs[0].encoder, "model": setting.model,
            "scores": spreads, "runs": [_plain_run(one) for one in setting.runs]}  # fmt: skip


def _plain_run(scored: Scored) -> dict[str, Any]:
    run = scored.run
    return {"run": run.name, "seed": run.spec.get("training", {}).get("seed"), "state": run.state,
            "seconds": run.seconds, "parameters": run.parameters,
            "figures": scored.figures}  # fmt: skip
