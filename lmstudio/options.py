"""Config dataclasses whose fields carry their help, limits and choices.

The same object is the JSON on disk, the options of the command line and the form in the window.
"""

import dataclasses
import math
from typing import TYPE_CHECKING, Any, TypeVar

from lmstudio.errors import Fault
from lmstudio.messages import Message, listed

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_Config = TypeVar("_Config", bound="DataclassInstance")


@dataclasses.dataclass(frozen=True)
class Option:
    """What a form and `--help` say of one field."""

    label: str  # a catalogue sentence, short
    help: str  # a catalogue sentence
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()  # what is not offered, but may stand in a config that came elsewhere
    more: bool = False  # shown behind "more settings"
    above: bool = False  # `low` itself is not allowed
    formless: bool = False  # no form has it; a config that came with it keeps it


def option(default: Any, label: str, help: str, **limits: Any) -> Any:  # noqa: A002, ANN401
    """A dataclass field with its help; `limits` are the other fields of Option."""
    return dataclasses.field(default=default, metadata={"option": Option(label, help, **limits)})


def options_of(config: Any) -> dict[str, tuple[dataclasses.Field[Any], Option]]:
    """The fields of a config (class or instance) that a user may set, by name."""
    return {
        f.name: (f, f.metadata["option"])
        for f in dataclasses.fields(config)
        if "option" in f.metadata
    }


def faults(config: "DataclassInstance") -> list[Fault]:
    """Every field outside its limits or of the wrong kind, with a sentence for each.

    If there is none, what the config's own method `faults` finds, where it has one.
    """
    found = []
    for name, (field, opt) in options_of(config).items():
        if message := _fault(getattr(config, name), field.default, opt):
            found.append(Fault(name, message, opt.label))
    own = getattr(config, "faults", list)
    return found or own()


def _fault(value: object, default: object, opt: Option) -> Message | None:
    if isinstance(default, bool):
        return None if isinstance(value, bool) else Message("must be yes or no")
    if isinstance(default, str):
        if opt.choices and value not in opt.choices + opt.kept:
            return Message("must be one of {choices}", {"choices": listed(opt.choices)})
        return None if isinstance(value, str) else Message("must be text")
    whole = isinstance(default, int)
    if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
        return Message("must be a whole number") if whole else Message("must be a number")
    if isinstance(value, float) and math.isnan(value):  # an infinite one is beyond the limits
        return Message("must be a number")
    if opt.low is not None and (value < opt.low or (opt.above and value == opt.low)):
        if opt.above:
            return Message("must be more than {low}", {"low": opt.low})
        return Message("must be at least {low}", {"low": opt.low})
    if opt.high is not None and value > opt.high:
        return Message("must be at most {high}", {"high": opt.high})
    return None


def from_dict(kind: type[_Config], data: dict[str, Any]) -> tuple[_Config, list[Fault]]:
    """A config from JSON: unknown names become faults, missing ones take their default."""
    known = {f.name for f in dataclasses.fields(kind)}
    wrong = [Fault(name, Message("is not a known setting")) for name in data if name not in known]
    config = kind(**{name: value for name, value in data.items() if name in known})
    return config, wrong + faults(config)
