"""The verbs predict, task-scores and errors: what fine-tuned runs say, how well, where they err."""

import argparse
from pathlib import Path
from typing import Any

from lmstudio.analysis.tasks.errors import NONE, PartScores
from lmstudio.analysis.tasks.one_sided import one_sided
from lmstudio.analysis.tasks.prediction import Prediction
from lmstudio.analysis.tasks.scores.counts import Counts
from lmstudio.cli.shared import (
    add_csv,
    add_name,
    add_text,
    add_verb,
    add_written,
    do,
    do_each,
    open_workspace,
    positive,
    say_empty,
    written_to,
)
from lmstudio.cli.terminal import clipped, say, say_caption, say_json, say_table
from lmstudio.data.labelled.encoding import MOST_UNKNOWN
from lmstudio.data.labelled.example import Example
from lmstudio.errors import AppError
from lmstudio.figures import count, decimal, percent
from lmstudio.messages import listed, tr
from lmstudio.operations import predicting, task_results, task_scores
from lmstudio.store.rows import PARTS, Part
from lmstudio.store.workspace import Workspace

_WIDEST = 60  # columns of a terminal that a text may take


def add_verbs(verbs: Any) -> None:
    """Add the verbs of this module."""
    verb = add_verb(verbs, "predict", tr("Let a fine-tuned run predict for texts"), _predict)
    add_name(verb, "run")
    add_text(verb, "text", tr("Texts, each a word of the line or in quotation marks; the first of "
                              "a pair, the passage of a question"), needed=False)  # fmt: skip
    verb.add_argument("--other", action="append", default=[], metavar="TEXT",
                      help=tr("The second text of a pair, or the question: one for each text, in "
                              "their order"))  # fmt: skip
    verb.add_argument(
        "--file", type=Path, metavar="FILE",
        help=tr("Texts, one a line; of a pair both with a tab between, of a question: question, "
                "tab, passage"),
    )  # fmt: skip
    verb.add_argument("--best", type=positive, default=5, metavar="N",
                      help=tr("Answers or classes that are listed"))  # fmt: skip
    add_csv(verb)
    verb = add_verb(verbs, "task-scores", tr("Score fine-tuned runs on a part of their task"),
                    _scores)  # fmt: skip
    verb.add_argument("run", nargs="+", metavar="RUN", help=tr("Name of the run"))
    add_part(verb)
    add_written(verb, "--classes", tr("The scores of each class of all runs as CSV"))
    add_csv(verb)
    verb = add_verb(verbs, "errors", tr("List what a fine-tuned run takes for what"), _errors)
    add_name(verb, "run")
    add_part(verb)
    verb.add_argument("--gold", default="", metavar="LABEL",
                      help=tr("Only what is this; O: no span, or no answer"))  # fmt: skip
    verb.add_argument("--guess", default="", metavar="LABEL",
                      help=tr("Only what is taken for this"))  # fmt: skip
    verb.add_argument("--limit", type=positive, default=20, metavar="N",
                      help=tr("Most examples that are printed"))  # fmt: skip
    add_csv(verb)


def add_part(verb: argparse.ArgumentParser) -> None:
    """The part of a task whose examples are asked."""
    verb.add_argument("--part", choices=PARTS, default="", help=tr(
        "The part of the task; else test, or valid where it has no test part"
    ))  # fmt: skip


def _part(ws: Workspace, run: str, options: argparse.Namespace) -> Part:
    """The part that is asked for, or that the task of a run has."""
    part: Part = options.part or task_scores.usual_part(ws, ws.run(run).task)
    return part


# --- predict ------------------------------------------------------------------------------------


def _predict(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        one = predicting.asked_task(ws, options.run)
        if options.file and (options.text or options.other):
            raise AppError("Give either a text, or --file with texts.")
        if options.file:
            texts, others, empty = predicting.read_lines(options.file, one.task)
            say_empty(empty)
        else:
            texts, others = options.text, options.other
        found = do(predicting.predict, ws, options.run, texts, others)
    read, unknown = (sum(getattr(each, name) for each in found) for name in ("read", "unknown"))
    if unknown > MOST_UNKNOWN * read:
        say(tr("{share} of the tokens are not in the vocabulary: of these the network sees only "
               "that they are unknown.", share=percent(unknown / read, 0)))  # fmt: skip
    if options.csv:
        do(predicting.save_predictions, found, one.labels, options.csv)
    if options.json:
        say_json([_said(prediction, one.labels) for prediction in found])
    elif len(found) == 1:
        _tell_one(found[0], one.labels, options.best)
    else:
        say_table((tr("Text"), tr("Said"), "p"), [
            (clipped(prediction.text, _WIDEST), task_scores.said_of(one.task, prediction),
             decimal(prediction.confidence, 3))
            for prediction in found
        ])  # fmt: skip


def _said(found: Prediction, labels: tuple[str, ...]) -> dict[str, Any]:
    """A prediction as plain data; beside probabilities the labels that they are of."""
    return found.to_json() | ({"labels": labels} if found.probabilities else {})


def _tell_one(found: Prediction, labels: tuple[str, ...], best: int) -> None:
    if found.probabilities:
        ranked = sorted(zip(labels, found.probabilities, strict=True), key=lambda one: -one[1])
        say_table((tr("Label"), "p"), [(label, decimal(p, 4)) for label, p in ranked[:best]])
    elif found.answers:
        say_table((tr("Answer"), tr("Start"), tr("End"), "p"), [
            (answer.text or tr("no answer"), answer.start, answer.end, decimal(answer.p, 4))
            for answer in found.answers[:best]
        ])  # fmt: skip
    else:
        say_table((tr("Span"), tr("Type"), tr("Start"), tr("End"), "p"), [
            (found.text[span.start : span.end], span.type, span.start, span.end, decimal(span.p, 4))
            for span in found.spans
        ])  # fmt: skip
    if found.cut:
        say(tr("Only {read} tokens of the text were read: it is longer than the run reads.",
               read=count(found.read)))  # fmt: skip


# --- scores -------------------------------------------------------------------------------------


def _scores(options: argparse.Namespace) -> int:
    notes = []
    with open_workspace(options, may_read=True, keeps=True) as ws:

        def scored(name: str) -> tuple[str, PartScores]:
            one = do(task_scores.score_part, ws, name, _part(ws, name, options))
            notes.append(task_results.chooser_note(ws.task(ws.run(name).task or 0), one.part))
            return name, one

        found, code = do_each(options.run, scored)
    if options.csv:
        for name, one in found:
            path = _csv_of(options.csv, name, len(found))
            sentence = written_to(path)
            do(task_scores.save_scores, one, path)
            if path != options.csv:
                say(sentence)
    if options.classes:
        do(task_scores.save_classes, found, options.classes)
    if options.json:
        say_json([{"run": name, "part": one.part, **one.figures, "labels": one.labels,
                   "classes": {label: _plain(row) for label, row in one.rows.items()},
                   "confusion": one.confusion.tolist()} for name, one in found])  # fmt: skip
        return code
    for (name, one), note in zip(found, notes, strict=True):
        _tell_scores(name, one, note)
    return code


def _plain(row: Counts) -> dict[str, float]:
    return {"precision": row.precision, "recall": row.recall, "f1": row.f1,
            "correct": row.correct, "support": row.gold, "found": row.found}  # fmt: skip


def _csv_of(path: Path, name: str, runs: int) -> Path:
    """The file of a run: its own where there are several."""
    return path if runs == 1 else path.with_name(f"{path.stem} {name}{path.suffix}")


def _tell_scores(name: str, found: PartScores, note: str) -> None:
    say_caption(_headline(name, found))
    if note:
        say_caption(note)
    if alike := one_sided(found):
        say_caption(str(alike))
    if found.task == "qa":
        return
    say_table((tr("Label"), tr("Precision"), tr("Recall"), "F1", tr("Support"), tr("Found")), [
        (label, percent(one.precision, 1), percent(one.recall, 1), percent(one.f1, 1), one.gold,
         one.found)
        for label, one in found.rows.items()
    ], right=(1, 2, 3))  # fmt: skip


def _headline(name: str, found: PartScores) -> str:
    """The scores of all examples, as a sentence."""
    figures = found.figures
    if found.task == "qa":
        return tr("{run}, {part}: exact match {em}, F1 {f1} by the rule of CMRC; {squad_em}, "
                  "{squad_f1} by that of SQuAD; {questions} questions.",
                  run=name, part=tr(found.part), em=percent(figures["em"], 1),
                  f1=percent(figures["f1"], 1), squad_em=percent(figures["squad_em"], 1),
                  squad_f1=percent(figures["squad_f1"], 1),
                  questions=count(figures["questions"]))  # fmt: skip
    if found.task == "tag":
        return tr("{run}, {part}: F1 {f1} of whole spans, tags read strictly; {lenient} as "
                  "conlleval reads them; {spans} spans.",
                  run=name, part=tr(found.part), f1=percent(figures["f1"], 1),
                  lenient=percent(figures["lenient_f1"], 1),
                  spans=count(figures["spans"]))  # fmt: skip
    return tr("{run}, {part}: accuracy {accuracy}, macro F1 {macro}; the most frequent class "
              "alone: {majority}; {examples} examples.",
              run=name, part=tr(found.part), accuracy=percent(figures["accuracy"], 1),
              macro=percent(figures["macro_f1"], 1), majority=percent(figures["majority"], 1),
              examples=count(figures["examples"]))  # fmt: skip


# --- errors -------------------------------------------------------------------------------------


def _errors(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        part = _part(ws, options.run, options)
        found = do(task_scores.score_part, ws, options.run, part)
    for label in filter(None, (options.gold, options.guess)):
        if label not in (*found.labels, NONE):
            raise AppError("There is no label {name}. The labels are: {labels}.",
                           name=label, labels=listed(found.labels))  # fmt: skip
    numbers = task_scores.chosen(found, options.gold, options.guess)
    if options.csv:
        do(task_scores.save_errors, found, numbers, options.csv)
    rows = [(number, found.examples[number], found.predictions[number]) for number in numbers]
    if options.json:
        say_json([{"row": number + 1, "place": example.place, "right": example.to_json(),
                   "said": said.to_json(), "score": found.each[number]}
                  for number, example, said in rows])  # fmt: skip
        return
    texts = (tr("Text"), tr("Second text")) if found.task == "pair" else (tr("Text"),)
    say_table((tr("Row"), *texts, tr("What is right"), tr("Said"), "p"), [
        (number + 1, *(clipped(one, _WIDEST) for one in (*_read(found.task, example),
                       *task_scores.apart(found.task, example, said))),
         decimal(found.sure[number], 3))
        for number, example, said in rows[: options.limit]
    ])  # fmt: skip
    say_caption(_told_count(len(rows), len(found.examples), options))


def _read(task: str, example: Example) -> tuple[str, ...]:
    """What tells a reader which example it is: both texts of a pair, the question of a passage."""
    return (example.text, example.other) if task == "pair" else (example.other or example.text,)


def _told_count(listed: int, every: int, options: argparse.Namespace) -> str:
    """How many examples there are of what was asked for, and how many of them are shown."""
    values = {"count": count(listed), "all": count(every), "shown": count(options.limit)}
    if options.gold or options.guess:
        if listed <= options.limit:
            return tr("{count} of {all} examples.", **values)
        return tr("{count} of {all} examples; {shown} are shown (--limit).", **values)
    if listed <= options.limit:
        return tr("{count} of {all} are wrong.", **values)
    return tr("{count} of {all} are wrong; {shown} are shown (--limit).", **values)
