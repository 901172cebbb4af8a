"""The verbs evaluate, runs, note, log and curve."""

import argparse
from shlex import quote
from typing import Any

from lmstudio.cli.shared import add_name, add_text, add_verb, do, joined, open_workspace, tell
from lmstudio.cli.terminal import clipped, say, say_json, say_table
from lmstudio.figures import duration
from lmstudio.messages import listed, msg, tr
from lmstudio.models.config import SCORES_ONLY
from lmstudio.operations import evaluation, leaks, run_names, runs
from lmstudio.operations.value_names import value_name
from lmstudio.store.rows import PARTS, RunRow
from lmstudio.store.workspace import Workspace

_FIGURES = {
    "bits_per_character": msg("Bits per character"), "perplexity": msg("Perplexity per event"),
    "perplexity_per_word": msg("Perplexity per word"),
    "perplexity_without_unknown": msg("Perplexity without unknown words"),
    "perplexity_ppl1": msg("The same over words: ends in the sum, not in the count (SRILM: ppl1)"),
    "events": msg("Events"),
    "events_without_unknown": msg("Events without unknown words"), "tokens": msg("Tokens"),
    "sentences": msg("Sentences"), "characters": msg("Characters"), "unknown": msg("Unknown"),
    "zero_probability": msg("Zero events"), "spelling_bits": msg("Bits to spell unknown words"),
    "log10_probability": msg("log10 of the probability"), "context": msg("Context"),
    "backward_perplexity": msg("Perplexity from the end, per event"),
    "sampled": msg("Share of the part that was scored"),
}  # fmt: skip
"""What the figures of an evaluation are called, in the order they are told."""
STAR = " *"  # after the name of a run that is not on the axis
_WIDEST = 40  # columns that a note may take in the table


def add_verbs(verbs: Any) -> None:
    """Add the verbs of this module."""
    evaluate = add_verb(
        verbs, "evaluate", tr("Work out the figures of a run on a part of its corpus"), _evaluate
    )
    add_name(evaluate, "run")
    evaluate.add_argument("--split", default="test", choices=PARTS, help=tr("Part of the corpus"))
    every = add_verb(verbs, "runs", tr("List the runs with their figures"), _runs)
    every.add_argument(
        "--search", default="", metavar="WORDS",
        help=tr("Only those in whose name, model, corpus, note or tags these words stand"),
    )  # fmt: skip
    note = add_verb(verbs, "note", tr("Write a note on a run; an empty one removes it"), _note)
    add_name(note, "run")
    add_text(note, "text", tr("What is to be remembered"), needed=False)
    log = add_verb(verbs, "log", tr("Print the dated log of a run's training"), _log)
    add_name(log, "run")
    curve = add_verb(verbs, "curve", tr("Print the curve of a run as CSV or JSON"), _curve)
    add_name(curve, "run")
    curve.add_argument("--part", default="valid", choices=PARTS[:2], help=tr("Part of the corpus"))
    curve.add_argument(
        "--measure", default="bits_per_character", metavar="NAME",
        help=tr("What goes up and down: {known}, or what else was recorded, such as gradient_norm",
                known=listed(evaluation.MEASURES)),
    )  # fmt: skip
    curve.add_argument("--x", default="seconds", choices=("seconds", "step", "tokens"),
                       help=tr("What goes from left to right"))  # fmt: skip


def say_axis(ws: Workspace, run: RunRow) -> None:
    """Why figures of a run must not be compared with those of others, where that is so."""
    if why := run_names.own_axis(run, ws.segmentation(run.segmentation_id)):
        say(tr(why))


def _evaluate(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True, keeps=True) as ws:
        run = ws.run(options.run)
        figures = do(evaluation.evaluate, ws, options.run, options.split)
        leaking = do(leaks.notes_on_run, ws, options.run).get(options.split)
        say_axis(ws, run)
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
        rows = runs.runs(ws, search=options.search)
        tuned = ws.tuned_runs()
    if options.json:
        say_json(rows)
        return
    print_runs(rows)
    if tuned:
        say(tr("Fine-tuned runs are listed by {command}.", command="lmstudio task-results TASK"))


def _note(options: argparse.Namespace) -> None:
    with open_workspace(options) as ws:
        changes = runs.note(ws, options.run, joined(options.text))
        row = ws.run(options.run)
    tell(options, changes, row, tr("Noted on {name}.", name=row.name))


def _log(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        text = runs.log(ws, options.run)
    if options.json:
        say_json(text.splitlines())
    else:
        print(text, end="")


def print_runs(rows: list[dict[str, Any]]) -> None:
    """The run table of a terminal."""
    header = [tr("Run"), tr("State"), tr("Parameters"), tr("Time"), tr("Valid bits/char"),
              tr("Test bits/char"), tr("Test perplexity")]  # fmt: skip
    cells = [_run_cells(row, row["valid"] or {}, row["test"] or {}) for row in rows]
    places = [f"{row['corpus']} · {row['segmentation']}" for row in rows]
    if len({row["segmentation_id"] for row in rows}) > 1:  # figures over the same events compare
        header.insert(1, tr("Segmentation"))
        for line, place in zip(cells, places, strict=True):
            line.insert(1, place)
    if any(row["tags"] for row in rows):
        header.append(tr("Tags"))
        for line, row in zip(cells, rows, strict=True):
            line.append(" ".join(row["tags"]))
    if any(row["note"] for row in rows):
        header.append(tr("Note"))
        for line, row in zip(cells, rows, strict=True):
            line.append(clipped(" ".join(row["note"].split()), _WIDEST))
    say_table(header, cells)
    for row in rows:
        for part in row["lacking"]:
            command = f"lmstudio evaluate {quote(row['name'])} --split {part}"
            say(tr("{name} is not scored on the {part} part yet. To score it: {command}",
                   name=row["name"], part=tr(part), command=command))  # fmt: skip
    if any(line[0].endswith(STAR) for line in cells):
        say(tr("* scores other events and is not on the axis."))


def _run_cells(row: dict[str, Any], valid: dict[str, Any], test: dict[str, Any]) -> list[Any]:
    bits = "bits_per_character"
    figures = [valid.get(bits), test.get(bits), test.get("perplexity")]
    if row["spec"].get("config", {}).get("smoothing") in SCORES_ONLY:
        figures = [None] * len(figures)  # scores have no perplexity
    state = run_names.state_name(row["state"])
    time = duration(row["seconds"]) if row["seconds"] else None  # an imported one took none
    if row["lacking"] and not (valid or test):
        state = tr("not scored yet")
    star = "" if (test or valid).get("comparable", True) else STAR
    return [row["name"] + star, state, row["parameters"], time, *figures]


def _curve(options: argparse.Namespace) -> None:
    with open_workspace(options, may_read=True) as ws:
        run = ws.run(options.run)
        x, y = evaluation.curve(ws, run.id, part=options.part, measure=options.measure, x=options.x)
        sample = evaluation.sampled([evaluation.looked_at(ws, run.id)])
    if sample and _is_of_valid(options):
        say(str(sample))
    if options.json:
        say_json({options.x: x.tolist(), options.measure: y.tolist()})
    else:
        lines = [f"{a:g},{b:g}" for a, b in zip(x, y, strict=True)]
        print("\n".join([f"{options.x},{options.measure}", *lines]))


def _is_of_valid(options: argparse.Namespace) -> bool:
    """The curve asked for is made of looks at the valid part."""
    if options.measure in evaluation.MEASURES:
        return bool(options.part == "valid")
    return bool(options.measure.startswith("valid_"))
