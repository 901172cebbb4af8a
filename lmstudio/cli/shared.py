"""What the verbs share: workspaces, jobs, options made from dataclasses, how results are told."""

import argparse
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from lmstudio.cli.terminal import TerminalJob, carry_out, say, say_json, say_table
from lmstudio.errors import SpecError, WorkspaceError
from lmstudio.messages import tr
from lmstudio.operations.changes import Changes
from lmstudio.options import from_dict, options_of
from lmstudio.store import settings
from lmstudio.store.workspace import Workspace

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Verb = Callable[[argparse.Namespace], int | None]
_Config = TypeVar("_Config", bound="DataclassInstance")
_KINDS = {int: "N", float: "X", str: "TEXT"}  # what an option takes, as --help says it


def add_verb(verbs: Any, name: str, about: str, verb: Verb) -> argparse.ArgumentParser:
    """A verb of the command line; each has --json."""
    added: argparse.ArgumentParser = verbs.add_parser(name, help=about, description=about)
    added.set_defaults(verb=verb)
    added.add_argument("--json", action="store_true", help=tr("Print one JSON value for machines"))
    return added


def add_name(verb: argparse.ArgumentParser, kind: str) -> None:
    """The name of the corpus, segmentation or run that a verb is about."""
    about = {
        "corpus": tr("Name of the corpus"),
        "segmentation": tr("Name of the segmentation"),
        "run": tr("Name of the run"),
    }
    verb.add_argument(kind, metavar=kind.upper(), help=about[kind])


def add_csv(verb: argparse.ArgumentParser) -> None:
    """A file for the table that a verb prints."""
    verb.add_argument("--csv", type=Path, metavar="FILE", help=tr("Write all rows to a CSV file"))


def add_options(verb: argparse.ArgumentParser, *configs: type) -> None:
    """An option for each field of config dataclasses; of a name in several, the first one's."""
    fields: dict[str, Any] = {}
    for config in configs:
        fields = options_of(config) | fields
    for name, (field, option) in fields.items():
        how: dict[str, Any] = {"default": argparse.SUPPRESS, "help": tr(option.help)}
        if isinstance(field.default, bool):
            how["action"] = argparse.BooleanOptionalAction
        elif option.choices:
            how["choices"] = option.choices
        else:
            kind = type(field.default)
            how |= {"type": kind, "metavar": _KINDS[kind]}
        verb.add_argument(f"--{name.replace('_', '-')}", **how)


def given(options: argparse.Namespace, *configs: type) -> dict[str, Any]:
    """What was said on the command line about the fields of configs."""
    names = {name for config in configs for name in options_of(config)}
    return {name: value for name, value in vars(options).items() if name in names}


def config(options: argparse.Namespace, kind: type[_Config]) -> _Config:
    """A config with what was said on the command line; SpecError if that is out of its limits."""
    made, faults = from_dict(kind, given(options, kind))
    if faults:
        raise SpecError(faults)
    return made


def open_workspace(options: argparse.Namespace, *, may_read: bool = False) -> Workspace:
    """The workspace; only for reading where that is enough and another program holds it."""
    folder = options.workspace or settings.default_workspace()
    try:
        return Workspace(folder, read_only=may_read and not folder.exists())
    except WorkspaceError:
        if may_read:
            return Workspace(folder, read_only=True)
        raise


def do(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Carry out an operation with a progress line."""
    return carry_out(TerminalJob(), function, *args, **kwargs)


def tell(options: argparse.Namespace, changes: Changes, row: Any, sentence: str) -> None:
    """What a verb made, as a sentence or its row as JSON; its notes either way."""
    for note in changes.notes:
        say(str(note))
    if options.json:
        say_json(asdict(row))
    else:
        say(sentence)


def list_rows(options: argparse.Namespace, rows: Iterable[Any], columns: dict[str, str]) -> None:
    """Rows of the workspace as a table or as JSON. `columns`: header by attribute."""
    if options.json:
        say_json([asdict(row) for row in rows])
    else:
        say_table(
            list(columns.values()), [[getattr(row, name) for name in columns] for row in rows]
        )


def positive(text: str) -> int:
    """A whole number from 1 on."""
    if not (text.isdecimal() and int(text)):
        raise argparse.ArgumentTypeError(tr("must be at least {low}", low=1))
    return int(text)
