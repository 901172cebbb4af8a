"""One setting, several values -> a run of each, waiting to be trained."""

from collections.abc import Sequence

from lmstudio.errors import Fault, SpecError
from lmstudio.messages import Message, shortened, tr
from lmstudio.models.registry import MODELS
from lmstudio.operations.training import queue_run
from lmstudio.options import Option, options_of
from lmstudio.store.names import free
from lmstudio.store.rows import RunRow
from lmstudio.store.workspace import Workspace
from lmstudio.training.spec import RunSpec, TrainingConfig

MOST = 200
"""Runs that a sweep may have."""
_SWITCH = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}

Value = int | float | str | bool


def sweep(
    ws: Workspace, segmentation: int | str, spec: RunSpec, field: str, values: Sequence[Value],
    *, name: str = "",
) -> list[RunRow]:  # fmt: skip
    """Queue a run of `spec` for each value of `field`, a setting of the model or the training.

    They share `name` as their `RunRow.sweep`. SpecError lists everything that is wrong with any of
    them, and then none is queued.
    """
    shared, runs = planned(ws, spec, field, values, name=name)
    row = ws.segmentation(segmentation)
    return [queue_run(ws, row.id, one, name=run, sweep=shared) for run, one in runs]


def planned(
    ws: Workspace, spec: RunSpec, field: str, values: Sequence[Value], *, name: str = ""
) -> tuple[str, list[tuple[str, RunSpec]]]:
    """The name of the sweep that `sweep` would make, and the name and spec of each of its runs."""
    specs = _specs(spec, field, values)
    shared = name or f"{tr(MODELS[spec.model].title)} {field}"
    shared = free(shared, {run.sweep for run in ws.runs()})
    names = [ws.free_name("run", f"{shared}={_told(value)}") for value in values]
    return shared, list(zip(names, specs, strict=True))


def values_of(spec: RunSpec, field: str, text: str) -> list[Value]:
    """The values that `text` names: "1,2,5", "0.1,0.2", "1..5", "yes,no".

    SpecError names all that `field` cannot have, or the field itself.
    """
    found = _option(spec, field)
    if found is None:
        raise SpecError([_unknown(spec, field)])
    values: list[Value] = []
    faults: list[Fault] = []
    for word in (part.strip() for part in text.split(",")):
        try:
            values += _values(word, found[0])
        except (ValueError, OverflowError):
            wrong = (Message("{value} is no value of it", {"value": shortened(word)}) if word
                     else Message("a value between two commas is missing"))  # fmt: skip
            faults.append(Fault(field, wrong, found[1].label))
    if faults:
        raise SpecError(faults)
    return list(dict.fromkeys(values))


def _values(word: str, default: object) -> list[Value]:
    if isinstance(default, bool):
        if word.lower() not in _SWITCH:
            raise ValueError(word)
        return [_SWITCH[word.lower()]]
    if isinstance(default, int):
        low, dots, high = word.partition("..")
        numbers = range(int(low), int(high if dots else low) + 1)
        if not 0 < len(numbers) <= MOST:
            raise ValueError(word)
        return list(numbers)
    return [float(word)] if isinstance(default, float) else [word]


def _option(spec: RunSpec, field: str) -> tuple[object, Option] | None:
    """The default of a setting and what is said of it; None where the run has no such setting."""
    known = options_of(spec.config)
    if MODELS[spec.model].kind == "neural":
        known |= options_of(TrainingConfig)
    return (known[field][0].default, known[field][1]) if field in known else None


def _specs(spec: RunSpec, field: str, values: Sequence[Value]) -> list[RunSpec]:
    """The spec of each value. SpecError lists all faults, each once."""
    faults = []
    if not 1 < len(values) <= MOST:
        faults.append(Fault(field, Message("needs from 2 to {most} values", {"most": MOST})))
    data = spec.to_json()
    place = "config" if field in options_of(spec.config) else "training"
    specs = []
    for value in values:
        one, wrong = RunSpec.read(data | {place: data.get(place, {}) | {field: value}})
        specs.append(one)
        faults += [fault for fault in wrong if fault not in faults]
    if faults:
        raise SpecError(faults)
    return specs


def _unknown(spec: RunSpec, field: str) -> Fault:
    model = Message(MODELS[spec.model].title)
    return Fault(field, Message("is not a known setting of {model}", {"model": model}))


def _told(value: Value) -> str:
    if isinstance(value, bool):
        return tr("yes") if value else tr("no")
    return f"{value:g}" if isinstance(value, float) else str(value)
