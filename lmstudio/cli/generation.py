"""The verbs next, generate and prompts: what runs think comes next, and what they write."""

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from lmstudio.analysis.generation.generate import Generated
from lmstudio.analysis.generation.next_table import NextTable
from lmstudio.analysis.generation.options import GenerationOptions
from lmstudio.analysis.generation.token import Continuation
from lmstudio.cli.shared import (
    add_csv,
    add_options,
    add_verb,
    config,
    do,
    do_each,
    list_rows,
    open_workspace,
    positive,
)
from lmstudio.cli.terminal import say, say_json, say_table
from lmstudio.errors import AppError
from lmstudio.figures import count, decimal, percent
from lmstudio.messages import Message, tr
from lmstudio.operations import generation, prompts
from lmstudio.text.prompt_templates import PromptTemplate, filled

_RUNS = "RUN... TEXT"
_DECIMALS = 4


def add_verbs(verbs: Any) -> None:
    """Add the verbs of this module."""
    verb = add_verb(
        verbs, "next", tr("Print the likeliest next tokens after a text, for each run"), _next
    )
    _add_question(verb)
    verb.add_argument("--top", type=positive, default=10, metavar="N",
                      help=tr("Tokens that are listed"))  # fmt: skip
    add_csv(verb)
    verb = add_verb(verbs, "generate", tr("Let runs go on with a text"), _generate)
    _add_question(verb)
    add_options(verb, GenerationOptions)
    about = tr("Print each token with its probability and its rank")
    verb.add_argument("--tokens", action="store_true", help=about)
    about = tr("A template that the text is put into, see the verb prompts")
    verb.add_argument("--prompt", metavar="NAME", help=about)
    about = tr("What belongs into the template at {place}", place="{question}")
    verb.add_argument("--question", default="", metavar="TEXT", help=about)
    add_csv(verb)
    verb = add_verb(verbs, "prompts", tr("List, keep or forget prompt templates"), _prompts)
    verb.add_argument("name", nargs="?", metavar="NAME", help=tr("Name of the prompt"))
    change = verb.add_mutually_exclusive_group()
    change.add_argument("--text", metavar="TEXT",
                        help=tr("Keep this under the name; {place} is where a text belongs",
                                place="{text}"))  # fmt: skip
    change.add_argument("--delete", action="store_true", help=tr("Forget it"))


def _add_question(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("runs", nargs="+", metavar=_RUNS, help=tr("Names of runs, then the text"))


def _question(options: argparse.Namespace) -> tuple[Sequence[str], str]:
    *runs, text = options.runs
    if not runs:
        raise AppError("Name at least one run, then a text.")
    return list(dict.fromkeys(runs)), text


# --- next -----------------------------------------------------------------------------------------


def _next(options: argparse.Namespace) -> int:
    runs, text = _question(options)
    with open_workspace(options, may_read=True) as ws:
        tables: list[NextTable]
        tables, code = do_each(
            runs, lambda run: do(generation.next_table, ws, run, text, count=options.top)
        )
    if options.csv:
        do(generation.save_next, tables, options.csv)
    if options.json:
        say_json([_with_notes(asdict(table), table.notes) for table in tables])
        return code
    for table in tables:
        _print_table(table)
    return code


def _print_table(table: NextTable) -> None:
    rows: list[tuple[object, ...]] = [
        (rank, guess.piece, decimal(guess.p, _DECIMALS), decimal(generation.bits(guess.p)))
        for rank, guess in enumerate(table.guesses, 1)
    ]
    rows.append(("", tr("others"), decimal(table.rest, _DECIMALS), ""))
    print(tr("{name}: {value}", name=table.name, value=f"{' '.join(table.read)} …"))
    say_table((tr("Rank"), tr("Token"), "p", tr("Bits")), rows, right=(0, 2, 3))
    say(tr("{run}: entropy {bits} bits over {count} tokens; the sentence ends here: {end}.",
           run=table.name, bits=decimal(table.entropy), count=count(table.vocabulary),
           end=decimal(table.end, _DECIMALS)))  # fmt: skip
    for note in _notes(table):
        say(note)


def _notes(table: NextTable) -> Iterable[str]:
    yield from map(str, table.notes)
    if not table.proper:
        yield tr("Scores of stupid back-off: they do not sum to one")


# --- generate -------------------------------------------------------------------------------------


def _generate(options: argparse.Namespace) -> int:
    runs, text = _question(options)
    chosen = config(options, GenerationOptions)
    with open_workspace(options, may_read=True) as ws:
        if options.prompt:
            form = prompts.template(ws, options.prompt)
            text = filled(form.text, {"text": text, "question": options.question})
        found: list[Generated] = do(generation.generate, ws, runs, text, chosen)
    silent = [one for one in found if not one.texts]
    for one in silent:
        say(tr("{run}: {error}", run=one.name, error=" ".join(map(str, one.notes))))
    found = [one for one in found if one.texts]
    code = 1 if silent else 0
    if options.csv:
        do(generation.save_generated, found, options.csv)
    if options.json:
        say_json([_json(one, text) for one in found])
        return code
    for one in found:
        _print_generated(one, text, tokens=options.tokens)
    return code


def _json(one: Generated, text: str) -> dict[str, Any]:
    made = _with_notes(asdict(one), one.notes)
    return made | {"text": text, "tokens_per_second": one.tokens_per_second}


def _with_notes(made: dict[str, Any], notes: Sequence[Message]) -> dict[str, Any]:
    return made | {"notes": [str(note) for note in notes]}


def _print_generated(one: Generated, text: str, *, tokens: bool) -> None:
    for number, written in enumerate(one.texts, 1):
        which = f" {number}" if len(one.texts) > 1 else ""
        print(f"{one.name}{which}: {text}▸{written.text}".rstrip("\n"))
        if tokens:
            _print_tokens(written)
        say(tr("Ended by: {end}. {count} tokens, ln p = {log}.",
               end=tr(generation.ENDS[written.end]), count=count(len(written.tokens)),
               log=decimal(written.log_p)))  # fmt: skip
    say(tr("{name}: {speed} tokens a second.", name=one.name, speed=count(one.tokens_per_second)))
    for note in one.notes:
        say(str(note))


def _print_tokens(written: Continuation) -> None:
    rows = [(token.piece, decimal(token.p, _DECIMALS), token.rank, percent(token.share, 1))
            for token in written.tokens]  # fmt: skip
    header = (tr("Token"), "p", tr("Rank"), tr("Drawn with"))
    say_table(header, rows, right=(1, 2, 3))


# --- prompts --------------------------------------------------------------------------------------


def _prompts(options: argparse.Namespace) -> None:
    changes = options.delete or options.text is not None
    if changes and not options.name:
        raise AppError("Give the prompt a name.")
    with open_workspace(options, may_read=not changes) as ws:
        if options.delete:
            prompts.delete(ws, options.name)
        elif options.text is not None:
            prompts.save(ws, options.name, options.text)
        found = prompts.templates(ws)
        if options.name and not options.delete:
            found = [prompts.template(ws, options.name)]
    list_rows(options, found, (tr("Name"), tr("About"), tr("Text")), _cells)


def _cells(one: PromptTemplate) -> tuple[str, str, str]:
    return one.name, prompts.title(one), one.text.replace("\n", "\\n")
