"""The settings of a run as options of a verb, grouped by the models that have them, and back."""

import argparse
from collections import defaultdict
from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path
from shlex import quote
from typing import Any

from lmstudio.awake import Awake
from lmstudio.cli.shared import Field, add_field, add_options, do_by, given
from lmstudio.cli.terminal import TerminalJob, say
from lmstudio.errors import AppError, Cancelled, Fault, SpecError
from lmstudio.messages import Message, listed, phrases, tr
from lmstudio.models.config import PRESETS, UNUSED, NgramConfig
from lmstudio.models.registry import MODELS, TRAINABLE
from lmstudio.operations import runs, sheets, tensorboard, training
from lmstudio.operations.changes import Changes
from lmstudio.options import options_of
from lmstudio.store.rows import RunRow
from lmstudio.store.settings import Settings
from lmstudio.store.workspace import Workspace
from lmstudio.training.spec import RunSpec, TrainingConfig, read_file

CONFIGS = tuple(info.config for info in TRAINABLE.values())


def add_run_options(verb: argparse.ArgumentParser) -> None:
    """What decides how a run goes: where settings come from, then each of them."""
    source = verb.add_mutually_exclusive_group()
    source.add_argument("--spec", type=Path, metavar="FILE",
                        help=tr("A run's settings, or a run sheet, as JSON"))  # fmt: skip
    source.add_argument(
        "--like", metavar="RUN",
        help=tr("Take the settings of another run, and change what is given"),
    )  # fmt: skip
    verb.add_argument("--run", default="", metavar="NAME",
                      help=tr("Which run of a run sheet, where it holds several"))  # fmt: skip
    verb.add_argument("--model", choices=tuple(TRAINABLE), help=tr("Kind of model"))
    verb.add_argument(
        "--preset", metavar="NAME",
        help=tr("small, base or large: what about 1, 10 or 60 minutes on this computer are for"),
    )  # fmt: skip
    for models, fields in _by_models().items():
        group = verb.add_argument_group(_heading(models))
        for name, field in fields.items():
            add_field(group, name, field, default=_default(models, name))
    training = verb.add_argument_group(tr("Training of networks"))
    add_options(training, TrainingConfig)


def add_log_option(verb: argparse.ArgumentParser) -> None:
    """Where the curves go besides the workspace."""
    verb.add_argument(
        "--tensorboard", type=Path, metavar="FOLDER",
        help=tr("Write the curves for TensorBoard too, as they come, below this folder"),
    )  # fmt: skip


def log_to(ws: Workspace, rows: Iterable[RunRow], options: argparse.Namespace) -> None:
    """Let the training of queued runs write there, if that was asked for."""
    if options.tensorboard:
        for row in rows:
            tensorboard.log_to(ws, row.id, options.tensorboard)


def spec_of(ws: Workspace, options: argparse.Namespace, *, swept: str = "") -> RunSpec:
    """The spec that the command line asks for, `swept` to be set later.

    SpecError lists all that is wrong with it.
    """
    data = _base(ws, options)
    changed = given(options, TrainingConfig)
    data["training"] = data.get("training", {}) | changed
    data["config"] = data.get("config", {}) | given(options, *CONFIGS)
    if "model" not in data and _about_ngrams(data, swept):
        data["model"] = "ngram"
    spec, faults = RunSpec.read(data)
    model = Message(MODELS[spec.model].title)
    nothing = Message("means nothing to {model}, which has a window of its own", {"model": model})
    faults += [Fault(name, nothing) for name in UNUSED.get(spec.model, ()) if name in changed]
    if isinstance(spec.config, NgramConfig):
        faults += [fault for fault in spec.config.idle() if fault.field in given(options, *CONFIGS)]
    if faults:
        raise SpecError(faults)
    return spec


def _base(ws: Workspace, options: argparse.Namespace) -> dict[str, Any]:
    """The file or the run that settings are taken from, of another model or preset if one is said.

    Of a run of another model only the training is kept.
    """
    data: dict[str, Any] = {}
    if options.spec:
        data = _from_file(options.spec, options.run)
        if options.model and data.get("model", options.model) != options.model:
            raise AppError("{path} is of the model {model}. Leave out --model, or take another "
                           "file.", path=options.spec, model=data["model"])  # fmt: skip
    elif options.run:
        raise _refused_run()
    elif options.like:
        data = runs.spec_of(ws, options.like).to_json()
        if options.model not in (None, data["model"]):
            del data["config"]
        preset = PRESETS[options.model or data["model"]].get(options.preset or "", {})
        for ours, theirs in (("config", "model"), ("training", "training")):
            data[ours] = data.get(ours, {}) | preset.get(theirs, {})
    for name in ("model", "preset"):
        if getattr(options, name):
            data[name] = getattr(options, name)
    return data


def _from_file(path: Path, run: str) -> dict[str, Any]:
    """The settings in a file: of a run, or of a run sheet, there of the `run` that is named."""
    entry = sheets.read(path, run)
    if entry is not None:
        return sheets.spec_of(entry).to_json()
    found = read_file(path)
    if run:
        raise _refused_run()
    return found


def _refused_run() -> AppError:
    return AppError("--run chooses from a run sheet of several runs; give the sheet with --spec.")


def _about_ngrams(data: dict[str, Any], swept: str) -> bool:
    """Something is set, and nothing that n-grams do not have: no need to say --model."""
    config = {*data["config"], swept} - {""}
    others = data["training"] or "preset" in data
    return bool(config) and config <= set(options_of(NgramConfig)) and not others


def _by_models() -> dict[tuple[str, ...], dict[str, Field]]:
    """The settings by the models that have them, in the order of TRAINABLE."""
    owners: dict[str, list[str]] = defaultdict(list)
    fields: dict[str, Field] = {}
    for model, info in TRAINABLE.items():
        for name, field in options_of(info.config).items():
            owners[name].append(model)
            fields.setdefault(name, field)
    found: dict[tuple[str, ...], dict[str, Field]] = defaultdict(dict)
    for name, models in owners.items():
        found[tuple(models)][name] = fields[name]
    return found


def _heading(models: tuple[str, ...]) -> str:
    """Who has the settings of a group."""
    networks = {name for name, info in MODELS.items() if info.kind == "neural"}
    others = networks - set(models)
    if others == networks or len(others) > 1:
        return _titles(models)
    return tr("Networks but {model}", model=_titles(others)) if others else tr("All networks")


def _titles(models: Iterable[str]) -> str:
    return listed(tr(MODELS[name].title) for name in models)


def _default(models: tuple[str, ...], name: str) -> object:
    """The default of a setting; in words where it is not the same for all models."""
    by_default: dict[Any, list[str]] = defaultdict(list)
    for model in models:
        by_default[options_of(MODELS[model].config)[name][0].default].append(model)
    if len(by_default) == 1:
        return next(iter(by_default))
    return phrases(f"{_titles(names)}: {value}" for value, names in by_default.items())


def start(ws: Workspace, run: RunRow, remarks: set[str] | None = None) -> Changes:
    """Train; whoever stops it is told how to go on. What `remarks` have is not said again."""
    job = TerminalJob(remarks=remarks)
    try:
        with Awake() if Settings.load().keep_awake else nullcontext():
            changes: Changes = do_by(job, training.start, ws, run.id)
    except (Cancelled, KeyboardInterrupt):
        say(tr("To go on with it: lmstudio resume {name}", name=quote(run.name)))
        raise
    return changes
