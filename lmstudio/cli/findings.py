"""The verbs findings and tag: what was kept, listed, shown, tagged, asked again; tags of things."""

import argparse
import json
from dataclasses import asdict
from typing import Any

from lmstudio.cli.shared import add_csv, add_verb, do, natural, open_workspace
from lmstudio.cli.terminal import clipped, say, say_json, say_table
from lmstudio.errors import AppError
from lmstudio.messages import listed, tr
from lmstudio.operations import finding_questions, findings, tags
from lmstudio.operations.answer_tables import shown
from lmstudio.operations.finding_tables import save_finding, table_of
from lmstudio.store.rows import FindingRow
from lmstudio.store.workspace import Workspace

_WIDEST = 40  # columns of a title in the list
_LISTED = 30  # rows of an answer that a terminal is shown


def add_verbs(verbs: Any) -> None:
    """Add the verbs of this module."""
    verb = add_verb(verbs, "findings", tr("List, show or change the questions that were kept"),
                    _findings)  # fmt: skip
    verb.add_argument("number", nargs="?", type=natural, metavar="NUMBER",
                      help=tr("Number of the finding"))  # fmt: skip
    verb.add_argument(
        "--search", default="", metavar="WORDS",
        help=tr("Only those in whose title, question or tags these words stand"),
    )  # fmt: skip
    verb.add_argument("--ask", metavar="RUN", help=tr("Put the question to this run as well"))
    verb.add_argument("--title", metavar="TEXT", help=tr("Call it otherwise"))
    verb.add_argument("--tags", metavar="WORDS", help=tr("Its tags, instead of those it had"))
    verb.add_argument("--delete", action="store_true", help=tr("Forget it"))
    verb.add_argument("--new", metavar="KIND",
                      help=tr("Keep a new question of this kind: {kinds}; with --question and "
                              "--ask", kinds=listed(findings.KINDS)))  # fmt: skip
    verb.add_argument("--question", default="{}", metavar="JSON",
                      help=tr("What is asked, as a JSON object"))  # fmt: skip
    add_csv(verb)
    tag = add_verb(verbs, "tag", tr("Put tags on a corpus or a run, instead of those it had"), _tag)
    tag.add_argument("noun", choices=("corpus", "run"), help=tr("What is tagged"))
    tag.add_argument("name", metavar="NAME", help=tr("Its name"))
    tag.add_argument("tags", nargs="*", metavar="TAG", help=tr("The tags; none removes them all"))


def _findings(options: argparse.Namespace) -> None:
    changing = options.ask or options.title is not None or options.tags is not None
    question = _new_question(options) if options.new else {}  # before a window is in the way
    with open_workspace(options, may_read=not (changing or options.delete or options.new)) as ws:
        if options.new:
            options.number = _new(ws, question, options)
        elif options.number is None:
            if changing or options.delete or options.csv:
                raise AppError("Name the number of the finding.")
            _list(ws, options)
            return
        elif options.delete:
            findings.delete(ws, options.number)
            say(tr("Finding {number} is deleted.", number=options.number))
            return
        _change(ws, options)
        row, words = findings.finding(ws, options.number), tags.tags(ws, "finding")
    if options.csv:
        do(save_finding, row, options.csv)
    _show(row, words.get(row.id, ()), options)


def _new_question(options: argparse.Namespace) -> dict[str, Any]:
    """What is asked. AppError for a kind that there is not, and where something is missing."""
    findings.check_kind(options.new)
    try:
        question = json.loads(options.question)
    except ValueError:
        question = None
    if not isinstance(question, dict) or not options.ask:
        raise AppError("A new finding needs --ask RUN and --question with a JSON object.")
    findings.check_question(options.new, question)
    return question


def _new(ws: Workspace, question: dict[str, Any], options: argparse.Namespace) -> int:
    """Ask, and keep what is answered; the number it was given."""
    title = options.title or finding_questions.told(options.new, question)
    changes = do(findings.new, ws, options.new, title, question, options.ask)
    options.ask = options.title = None
    number: int = changes.new_id
    return number


def _change(ws: Workspace, options: argparse.Namespace) -> None:
    if options.title is not None:
        findings.rename(ws, options.number, options.title)
    if options.tags is not None:
        tags.set_tags(ws, "finding", options.number, tags.words_of(options.tags))
    if options.ask:
        do(findings.ask_again, ws, options.number, options.ask)


def _list(ws: Workspace, options: argparse.Namespace) -> None:
    words = tags.tags(ws, "finding")
    rows = findings.search(ws, options.search)
    if options.json:
        say_json([{**asdict(row), "tags": words.get(row.id, ())} for row in rows])
        return
    header = (tr("No."), tr("Kind"), tr("Title"), tr("Runs"), tr("Tags"))
    say_table(header, [(str(row.id), findings.kind_name(row.kind), clipped(row.title, _WIDEST),
                        clipped(listed(row.answers), _WIDEST),
                        " ".join(words.get(row.id, ()))) for row in rows], right=[0])  # fmt: skip


def _show(row: FindingRow, words: tuple[str, ...], options: argparse.Namespace) -> None:
    if options.json:
        say_json({**asdict(row), "tags": words})
        return
    say(f"{row.id}  {row.title}  {' '.join(words)}".rstrip())
    if (told := finding_questions.told(row.kind, row.question)) != row.title:
        say(told)
    for run, answer in row.answers.items():
        table = table_of(row.kind, answer)
        print(run)
        for name, value in table.facts.items():
            print("  " + tr("{name}: {value}", name=name, value=shown(value)))
        if table.columns:
            numbers = [i for i in range(len(table.columns)) if table.holds_numbers(i)]
            say_table(table.columns, [list(map(shown, cells)) for cells in table.rows[:_LISTED]],
                      right=numbers)  # fmt: skip
        if len(table.rows) > _LISTED:
            say(tr("{count} rows in all; --csv writes them.", count=len(table.rows)))


def _tag(options: argparse.Namespace) -> None:
    with open_workspace(options) as ws:
        words = [word for given in options.tags for word in tags.words_of(given)]
        tags.set_tags(ws, options.noun, options.name, words)
        row = ws.run(options.name) if options.noun == "run" else ws.corpus(options.name)
        kept = tags.tags(ws, options.noun).get(row.id, ())
    if options.json:
        say_json(list(kept))
    else:
        say(tr("Tags of {name}: {tags}", name=row.name, tags=" ".join(kept) or "–"))
