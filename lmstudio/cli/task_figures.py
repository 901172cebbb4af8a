"""The verbs zero-shot, task-scaling and task-relation: scores by prompt, size and perplexity."""

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from lmstudio.analysis.tasks.relations import Correlation
from lmstudio.analysis.tasks.zero_shot import Prompt, ZeroShot
from lmstudio.cli.predicting import add_part
from lmstudio.cli.shared import (
    add_csv,
    add_verb,
    add_written,
    do,
    do_each,
    open_workspace,
    positive,
    seeds,
)
from lmstudio.cli.task_layers import train_all
from lmstudio.cli.terminal import say, say_caption, say_json, say_table
from lmstudio.cli.tuning_options import add_tuning, say_usual, tuning_of
from lmstudio.errors import AppError
from lmstudio.figures import decimal
from lmstudio.messages import listed, tr
from lmstudio.operations import (
    finetuning,
    task_relations,
    task_results,
    task_scaling,
    task_scores,
    zero_shot,
)
from lmstudio.operations.task_relations import Relation
from lmstudio.operations.task_scaling import Point
from lmstudio.store.workspace import Workspace

_PLACES = 4  # of scores


def add_verbs(verbs: Any) -> None:
    """Add the verbs of this module."""
    verb = add_verb(verbs, "zero-shot",
                    tr("Let language models do a task that they never learned, by a prompt"),
                    _zero_shot)  # fmt: skip
    verb.add_argument("run", nargs="+", metavar="RUN", help=tr("Name of the run"))
    verb.add_argument("--on", required=True, metavar="TASK", help=tr("Name of the task"))
    _add_prompt(verb)
    add_part(verb)
    add_csv(verb)
    verb = add_verb(verbs, "task-scaling",
                    tr("Set the scores of a task against the size of the networks"),
                    _scaling)  # fmt: skip
    verb.add_argument("task", metavar="TASK", help=tr("Name of the task"))
    verb.add_argument("--encoders", nargs="+", default=[], metavar="RUN",
                      help=tr("Fine-tune these networks first, with the same head; the training is "
                              "as usual for each, unless it is set"))  # fmt: skip
    verb.add_argument("--seeds", type=seeds, default=1, metavar="N",
                      help=tr("Train so many runs that differ in chance only"))  # fmt: skip
    verb.add_argument("--zero-shot", nargs="+", default=[], metavar="RUN",
                      help=tr("Ask these language models by a prompt as well"))  # fmt: skip
    _add_prompt(verb)
    _add_figure(verb)
    add_tuning(verb)
    verb = add_verb(verbs, "task-relation",
                    tr("Set the scores of a task against the perplexity of the networks"),
                    _relation)  # fmt: skip
    verb.add_argument("task", metavar="TASK", help=tr("Name of the task"))
    verb.add_argument("--by", choices=tuple(task_relations.BY), default="bits_per_character",
                      help=tr("The figure of the networks"))  # fmt: skip
    _add_figure(verb)


def _add_prompt(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--template", metavar="TEXT",
                      help=tr("What stands before the word: {text} is the text, {other} the second "
                              "of a pair", text="{text}", other="{other}"))  # fmt: skip
    verb.add_argument("--word", action="append", default=[], metavar="LABEL=WORD",
                      help=tr("The word of a label, else the label itself"))  # fmt: skip
    verb.add_argument("--calibrated", action="store_true",
                      help=tr("Take off what the words score without the text"))  # fmt: skip
    verb.add_argument("--limit", type=positive, default=zero_shot.LIMIT, metavar="N",
                      help=tr("Most examples that models are asked for"))  # fmt: skip


def _add_figure(verb: argparse.ArgumentParser) -> None:
    add_part(verb)
    verb.add_argument("--measure", default="", metavar="NAME",
                      help=tr("The score, such as accuracy, macro_f1 or f1"))  # fmt: skip
    add_csv(verb)
    add_written(verb, "--chart", tr("Draw it as an SVG file"))


# --- prompts ------------------------------------------------------------------------------------


def _zero_shot(options: argparse.Namespace) -> int:
    with open_workspace(options, may_read=True) as ws:
        found, code = _asked(ws, options.run, options.on, options)
    if options.csv:
        do(zero_shot.save_figures, options.csv, found)
    if options.json:
        say_json([_plain(one) for one in found])
        return code
    say_caption(tr("Prompt: {prompt}", prompt=found[0].prompt.template + "…"))
    say_table((tr("Run"), tr("Parameters"), tr("accuracy"), tr("macro F1"), tr("Commonest class"),
               tr("Examples")), [
        (one.run, one.parameters, decimal(known["accuracy"], _PLACES),
         decimal(known["macro_f1"], _PLACES), decimal(known["majority"], _PLACES),
         len(one.examples))
        for one in found for known in [one.figures]
    ], right=(2, 3, 4))  # fmt: skip
    for note in dict.fromkeys(str(note) for one in found for note in one.notes):
        say(note)
    return code


def _asked(
    ws: Workspace, runs: Sequence[str], task: str, options: argparse.Namespace
) -> tuple[list[ZeroShot], int]:
    """What runs say to the prompt, those that can be asked, and the exit code."""
    prompt = _prompt(ws, task, options)
    part = options.part or task_scores.usual_part(ws, task)

    def asked(name: str) -> ZeroShot:
        (one,) = do(zero_shot.score, ws, [name], task, prompt, part=part,
                    limit=options.limit, calibrated=options.calibrated)  # fmt: skip
        return one

    return do_each(runs, asked)


def _prompt(ws: Workspace, task: str, options: argparse.Namespace) -> Prompt:
    """What is offered for the task, with what was said instead."""
    offered = zero_shot.default_prompt(ws, task)
    words = dict(offered.words)
    for said in options.word:
        label, equals, word = said.partition("=")
        if not equals or label not in words:
            raise AppError("Give words as LABEL=WORD. The labels are: {labels}.",
                           labels=listed(words))  # fmt: skip
        words[label] = word
    return Prompt(options.template or offered.template, words)


def _plain(one: ZeroShot) -> dict[str, object]:
    return {
        "run": one.run, "model": one.model, "parameters": one.parameters, "part": one.part,
        "template": one.prompt.template, "words": one.prompt.words, "calibrated": one.calibrated,
        **one.figures, "notes": [str(note) for note in one.notes],
        "guesses": [{"text": example.text, "other": example.other, "right": example.label,
                     "said": said, "logs": logs.tolist()}
                    for example, said, logs in zip(one.examples, one.guesses, one.logs,
                                                   strict=True)],
    }  # fmt: skip


# --- size ---------------------------------------------------------------------------------------


def _scaling(options: argparse.Namespace) -> int:
    code = 0
    with open_workspace(options, may_read=not options.encoders) as ws:
        task = ws.task(options.task)
        measure = task_scaling.checked(task.kind, options.measure)
        part = options.part or task_scores.usual_part(ws, task.id)
        if options.zero_shot:  # or all would be trained before it is refused
            zero_shot.check_askable(ws, options.zero_shot, task.id, _prompt(ws, task.name, options))
        if options.encoders:
            head, how = tuning_of(options, task.kind)
            spec = finetuning.spec_for(ws, task, options.encoders[0], head, how)
            assert spec.task is not None
            queued = task_scaling.queue(ws, task.id, options.encoders, spec.task, how,
                                        seeds=options.seeds)  # fmt: skip
            for encoder in options.encoders:
                say_usual(ws, encoder, spec.task.start)
            train_all(ws, queued)
        points = task_scaling.points(ws, task.id, part, measure)
        if options.zero_shot:
            asked, code = _asked(ws, options.zero_shot, task.name, options)
            points += task_scaling.zero_shot_points(ws, asked, measure)
    title = tr(task_results.MEASURES[task.kind][measure])
    _tell_points(points, measure, title, options)
    return code


def _tell_points(
    points: Sequence[Point], measure: str, title: str, options: argparse.Namespace
) -> None:
    if options.csv:
        do(task_scaling.save_csv, options.csv, points, measure)
    if options.chart:
        name = tr("{measure} by {x}", measure=title, x=tr("Parameters"))
        task_scaling.save_chart(options.chart, points, name)
    if options.json:
        say_json([asdict(one) for one in points])
        return
    if not points:
        say(tr("No run of this task has a score yet. Give --encoders to fine-tune some."))
        return
    say_table((tr("Encoder"), tr("Parameters"), tr("Series"), title, tr("Runs")), [
        (one.encoder, one.parameters, one.series, _spread(one), one.n) for one in points
    ], right=(3,))  # fmt: skip


def _spread(one: Point) -> str:
    mean = decimal(one.mean, _PLACES)
    return mean if one.spread is None else f"{mean} ± {decimal(one.spread, _PLACES)}"


# --- perplexity ---------------------------------------------------------------------------------


def _relation(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        task = ws.task(options.task)
        measure = task_scaling.checked(task.kind, options.measure)
        part = options.part or task_scores.usual_part(ws, task.id)
        found = do(task_relations.relation, ws, task.id, part, measure, by=options.by)
    title, figure = tr(task_results.MEASURES[task.kind][measure]), tr(task_relations.BY[options.by])
    if options.csv:
        do(task_relations.save_csv, options.csv, found, options.by, measure)
    if options.chart:
        name = tr("{measure} by {x}", measure=title, x=figure)
        _, *others = task_relations.save_charts(options.chart, found, name)
        for path in others:
            say(tr("Chart: {path}", path=path))
    if options.json:
        say_json([asdict(one) for one in found])
        return
    if not found:
        say(tr("No run of this task has both a score and a network that was evaluated."))
    for one in found:
        _tell_relation(one, figure, title)


def _tell_relation(found: Relation, figure: str, title: str) -> None:
    say_caption(found.title)
    say_table((tr("Encoder"), figure, title, tr("Runs")), [
        (one.point.encoder, decimal(one.x, _PLACES), _spread(one.point), one.point.n)
        for one in found.points
    ], right=(1, 2))  # fmt: skip
    if found.n < 2:
        return
    say_caption(tr("Pearson {pearson}, Spearman {spearman}, of {n} networks",
                   pearson=_correlation(found.pearson), spearman=_correlation(found.spearman),
                   n=found.n))  # fmt: skip


def _correlation(one: Correlation) -> str:
    told = decimal(one.value, 2)
    if one.low != one.low:  # there is no interval
        return told
    return tr("{value} (95 %: {low} to {high})", value=told, low=decimal(one.low, 2),
              high=decimal(one.high, 2))  # fmt: skip
