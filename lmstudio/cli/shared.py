"""What the verbs share: workspaces, jobs, options made from dataclasses, how results are told."""

import argparse
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import Field as DataclassField
from dataclasses import asdict, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from lmstudio.cli.terminal import TerminalJob, carry_out, clipped, say, say_json, say_table
from lmstudio.errors import AppError, SpecError, WorkspaceError
from lmstudio.figures import count
from lmstudio.files import refuse_inside
from lmstudio.messages import listed, msg, phrases, shortened, tr
from lmstudio.operations.changes import Changes
from lmstudio.options import Option, from_dict, options_of
from lmstudio.store import settings
from lmstudio.store.workspace import Workspace

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Verb = Callable[[argparse.Namespace], int | None]
Arguments = argparse.ArgumentParser | argparse._ArgumentGroup  # what options are added to
Field = tuple[DataclassField[Any], Option]  # of a config, as `options_of` gives it
_Answer = TypeVar("_Answer")
_Config = TypeVar("_Config", bound="DataclassInstance")
_WRONG, _UNKNOWN = msg("%(prog)s: error: %(message)s\n"), msg("unrecognized arguments: %s")
"""Sentences of argparse, by its own names of values."""
DICTIONARY = msg("User dictionary for jieba: one of this workspace by its name, or a file")
WRITTEN = msg("The file to write, in place of one that is there; folders above are made")
"""Help for a file that a verb writes: one rule for all, see lmstudio.files."""
_NAME_OR_FILE = ("dictionary",)  # options that a file can be given to as text, see DICTIONARY
_TOLD = (str, int, float)  # defaults that help tells
_MOST = 10**9 - 1  # of whatever is counted
_MOST_SEEDS = 100
_DIGITS = 20  # of a count that are read: more are too many, and int() refuses some thousands
_WIDEST = 40  # columns of a terminal that a cell of a list may take
_KINDS = {int: "N", float: "X", str: "TEXT"}  # what an option takes, as --help says it


class DefaultsHelp(argparse.HelpFormatter):
    """Help that says after each option what counts where it is not given."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        switch = action.nargs == 0  # it is off where it is not given, as everybody knows
        return action.help if switch else _with_default(action.help, action.default)


class VerbParser(argparse.ArgumentParser):
    """The words of a verb; what is wrong with them is said below what the verb cannot do without.

    All options of some verbs are a page, which would hide it.
    """

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        """Of a word that cannot be, what is said shows the beginning only, if it is long."""
        try:
            return super()._get_values(action, arg_strings)
        except argparse.ArgumentError as error:
            for word in arg_strings:
                error.message = error.message.replace(word, shortened(word))
            raise

    def error(self, message: str) -> NoReturn:
        """Say it and end with 2."""
        needed = [action for action in self._actions if action.required]
        short = self.formatter_class(prog=f"{self.prog} [...]")
        short.add_usage(self.usage, needed, [])
        wrong = tr(_WRONG) % {"prog": self.prog, "message": message}
        told = tr("All options: {command}", command=f"{self.prog} --help")
        self.exit(2, f"{short.format_help()}{wrong}{told}\n")


class TopParser(argparse.ArgumentParser):
    """The parser of all verbs: a word that is none of them is told those that it comes near to."""

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Instead of listing all of them."""
        if isinstance(action, argparse._SubParsersAction) and value not in action.choices:
            wrong = tr("{word} is neither a verb nor a file that is here.", word=value)
            every = tr("All verbs: {command}", command=f"{self.prog} --help")
            self.error(" ".join([wrong, *_meant(value, action.choices), every]))
        super()._check_value(action, value)


def unknown(parser: argparse.ArgumentParser, words: Sequence[str]) -> NoReturn:
    """End with 2 for words that the parser has no use for; options are told what they are near."""
    wrong = tr(_UNKNOWN) % " ".join(map(shortened, words))
    options = [word.partition("=")[0] for word in words if word.startswith("--")]
    meant = _meant(options[0], parser._option_string_actions) if options else []
    parser.error(phrases([wrong, *meant]))


def _meant(word: str, known: Iterable[str]) -> list[str]:
    """The sentence that tells the known words that one comes near to, if there are any."""
    near = get_close_matches(word.lower().replace("_", "-"), list(known))
    return [tr("Did you mean {names}?", names=listed(near))] if near else []


def add_verb(verbs: Any, name: str, about: str, verb: Verb) -> argparse.ArgumentParser:
    """A verb of the command line; each has --json."""
    added: argparse.ArgumentParser = verbs.add_parser(
        name, help=about, description=about, formatter_class=DefaultsHelp
    )
    added.set_defaults(verb=verb, own=added)
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


def add_text(verb: argparse.ArgumentParser, name: str, about: str, *, needed: bool = True) -> None:
    """A text that may be several words, before or after the options; see `joined`."""
    verb.add_argument(name, nargs="+" if needed else "*", metavar="TEXT", help=about)
    verb.set_defaults(spread=name)


def joined(words: list[str]) -> str:
    """The text of `add_text`: the shell took it apart at spaces."""
    return " ".join(words)


def add_written(verb: argparse.ArgumentParser, name: str, about: str, **how: Any) -> None:
    """A file that a verb writes; see `telling`."""
    added = verb.add_argument(name, metavar="FILE", help=about, **({"type": Path} | how))
    verb.set_defaults(written=(*(verb.get_default("written") or ()), added.dest))


def add_csv(verb: argparse.ArgumentParser) -> None:
    """A file for the table that a verb prints."""
    add_written(
        verb, "--csv",
        tr("Write all rows to a file, in place of one that is there: .csv, .tsv with tabs or .tex "
           "for LaTeX; folders above are made"),
    )  # fmt: skip


def add_options(verb: Arguments, *configs: type) -> None:
    """An option for each field of config dataclasses; of a name in several, the first one's."""
    fields: dict[str, Field] = {}
    for config in configs:
        fields = options_of(config) | fields
    for name, field in fields.items():
        add_field(verb, name, field, default=field[0].default)


def add_field(verb: Arguments, name: str, field: Field, *, default: object) -> None:
    """The option of one field of a config; help tells its `default`."""
    kind, option = type(field[0].default), field[1]
    how: dict[str, Any] = {"default": argparse.SUPPRESS,
                           "help": _with_default(tr(option.help), default)}  # fmt: skip
    if kind is bool:
        how["action"] = argparse.BooleanOptionalAction
    elif option.choices:
        how["choices"] = option.choices
    else:
        how |= {"type": kind, "metavar": _KINDS[kind]}
    verb.add_argument(f"--{name.replace('_', '-')}", **how)


def _with_default(about: str | None, default: object) -> str | None:
    """Help with the default of its option, if that says something: text, a number or a switch."""
    if about is None or default in ("", argparse.SUPPRESS) or not isinstance(default, _TOLD):
        return about
    if isinstance(default, bool):
        default = tr("yes") if default else tr("no")
    return tr("{about} (default: {default})", about=about, default=default)


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


def open_workspace(
    options: argparse.Namespace, *, may_read: bool = False, keeps: bool = False
) -> Workspace:
    """The workspace. With `may_read` only for reading: others may write to it meanwhile.

    With `keeps` too, it is for writing where nobody else does, as what was worked out is kept.
    """
    folder = options.workspace or settings.default_workspace()
    if not may_read:
        return Workspace(folder)
    if folder.exists():
        with suppress(WorkspaceError):
            opened = Workspace(folder)  # mends what a program that died left behind
            if keeps:
                return opened
            opened.close()
    return Workspace(folder, read_only=True)


def do(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Carry out an operation with a progress line. Notes that were said there are left out."""
    return do_by(TerminalJob(), function, *args, **kwargs)


def do_by(job: TerminalJob, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The same by a job that knows what was said before."""
    found = carry_out(job, function, *args, **kwargs)
    if not isinstance(found, Changes):
        return found
    return replace(found, notes=tuple(note for note in found.notes if not job.has_said(note)))


def do_each(names: Sequence[str], question: Callable[[str], _Answer]) -> tuple[list[_Answer], int]:
    """What runs answer, those that can, and the exit code: 1 where one cannot.

    Which one, and why, is told on stderr; AppError where none can.
    """
    answers: list[_Answer] = []
    faults: dict[str, AppError] = {}
    for name in dict.fromkeys(names):
        try:
            answers.append(question(name))
        except AppError as error:
            faults[name] = error
    if faults and not answers:
        *others, (_, last) = faults.items()
        _say_faults([(name, error) for name, error in others if str(error) != str(last)])
        raise last
    _say_faults(faults.items())
    return answers, 1 if faults else 0


def _say_faults(faults: Iterable[tuple[str, AppError]]) -> None:
    for name, error in faults:
        say(tr("{run}: {error}", run=name, error=str(error)))


def tell(options: argparse.Namespace, changes: Changes, row: Any, sentence: str) -> None:
    """What a verb made, as a sentence or its row as JSON; its notes either way."""
    for note in changes.notes:
        say(str(note))
    if options.json:
        say_json(asdict(row))
    else:
        say(sentence)


@contextmanager
def telling(options: argparse.Namespace) -> Iterator[None]:
    """The block carries out a verb: then the files of `add_written` that it wrote are told.

    AppError before where one is in a workspace, or would be read too, or written twice.
    """
    given = {name: getattr(options, name) for name in getattr(options, "written", ())}
    files = [path for path in given.values() if path is not None]
    for path in files:
        refuse_inside(path)
    others = {name: value for name, value in vars(options).items() if name not in given}
    named = [Path(others[name]) for name in _NAME_OR_FILE if others.get(name)]
    _refuse_read(files, [*others.values(), named])
    _refuse_twice(files)
    before = [(path, _state(path), written_to(path)) for path in files]
    yield
    for path, state, sentence in before:
        if _state(path) not in (None, state):
            say(sentence)


def _refuse_read(files: Iterable[Path], values: Iterable[Any]) -> None:
    """AppError where one of `files` is among the paths in the values of other options."""
    several = (value if isinstance(value, list) else [value] for value in values)
    read = [path for some in several for path in some if isinstance(path, Path)]
    for file in files:
        for path in read:
            with suppress(OSError):  # one is not there
                if path.samefile(file):
                    raise AppError("{path} is read by this command. Choose another file.",
                                   path=file)  # fmt: skip


def _refuse_twice(files: Sequence[Path]) -> None:
    """AppError where two of `files` are one."""
    real = [os.path.realpath(file) for file in files]
    for number, file in enumerate(files):
        if real[number] in real[:number]:
            raise AppError("{path} would be written twice. Choose another file.", path=file)


def _state(path: Path) -> tuple[int, int] | None:
    """What is another when a file gave way to one; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def written_to(path: Path) -> str:
    """What is said when `path` is written; asked before, when a file may be there."""
    if os.path.isfile(path):  # False for a name that no system takes
        return tr("Written to {path}, in place of the file that was there.", path=path)
    return tr("Written to {path}.", path=path)


def say_empty(lines: int) -> None:
    """Tell how many lines of a file hold nothing, if any do."""
    if lines:
        say(tr("{count} empty lines were skipped.", count=count(lines)))


def list_rows(
    options: argparse.Namespace, rows: Iterable[Any], header: Sequence[str],
    cells: Callable[[Any], Sequence[Any]],
) -> None:  # fmt: skip
    """Rows of the workspace as JSON, or as a table of their `cells`, long ones cut."""
    if options.json:
        say_json([asdict(row) for row in rows])
        return
    say_table(header, [[clipped(cell, _WIDEST) if isinstance(cell, str) else cell
                        for cell in cells(row)] for row in rows])  # fmt: skip


def natural(text: str) -> int:
    """A whole number from 0 on."""
    return _whole(text, 0, _MOST)


def positive(text: str) -> int:
    """A whole number from 1 on."""
    return _whole(text, 1, _MOST)


def seeds(text: str) -> int:
    """How often something is done with another seed."""
    return _whole(text, 1, _MOST_SEEDS)


def _whole(text: str, low: int, high: int) -> int:
    number = int(text[:_DIGITS]) if text.isdecimal() else low - 1
    if number < low:
        raise argparse.ArgumentTypeError(tr("must be at least {low}", low=low))
    if number > high:
        raise argparse.ArgumentTypeError(tr("must be at most {high}", high=high))
    return number
