"""A run -> the command lines that repeat it: import, segment, and train or fine-tune.

Only what differs from the defaults is said. What a run left open (the batch that fits, the steps
that fit into the minutes, the device) is said as it was decided.
"""

import shlex
from collections.abc import Container, Iterator
from dataclasses import fields, replace
from typing import TYPE_CHECKING

from lmstudio.data.layout import PART_NAMES
from lmstudio.data.split import SplitRule
from lmstudio.models.config import UNUSED, NgramConfig
from lmstudio.models.registry import MODELS, TRAINABLE
from lmstudio.operations import corpora, finetuning
from lmstudio.options import from_dict, options_of
from lmstudio.store.rows import CorpusRow, Facts, RunRow, SegmentationRow
from lmstudio.store.workspace import Workspace
from lmstudio.text.segment_options import SegmentOptions, applies
from lmstudio.training.plan import Plan
from lmstudio.training.spec import RunSpec, TrainingConfig
from lmstudio.training.task_config import TUNING, TaskConfig

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def import_command(ws: Workspace, corpus: CorpusRow) -> str:
    """What makes the corpus of its files, which lie in the folder that one is in."""
    options = corpora.options_of(ws, corpus.id)
    split, usual = options.split, SplitRule()
    words = ["import", *_files(ws, corpus), "--name", corpus.name]
    if corpus.split_rule != "files":
        if (split.valid, split.test) != (usual.valid, usual.test):
            words += ["--shares", f"{split.valid:g}", f"{split.test:g}"]
        if split.by != usual.by:
            words += ["--split-by", split.by]
        if split.seed != usual.seed:
            words += ["--seed", str(split.seed)]
    for config in (options.reading, options.normalise, options):
        words += flags(config, type(config)())
    return _line(words)


def _files(ws: Workspace, corpus: CorpusRow) -> Iterator[str]:
    """The names of its files, by part where they were given as parts."""
    names = {source.number: source.name for source in ws.sources(corpus.id)}
    if corpus.split_rule != "files":
        yield from names.values()
        return
    parts = {document.source: document.part for document in ws.documents(corpus.id)}
    for part in PART_NAMES:
        given = [names[number] for number in names if parts.get(number) == part]
        if given:
            yield f"--{part}"
            yield from given


def segment_command(ws: Workspace, cut: SegmentationRow) -> str:
    """What cuts the corpus in this way."""
    options, _ = from_dict(SegmentOptions, cut.facts.get("options", {}))
    pieces = (cut.facts.get("tokenizer") or {}).get("name", "")
    words = ["segment", ws.corpus(cut.corpus_id).name, "--name", cut.name, "--by", options.by]
    heeded = applies(options.by, pieces)
    skipped = {field.name for field in fields(SegmentOptions)} - set(heeded)
    words += flags(options, SegmentOptions(), skip=skipped)
    for name, file in (("dictionary", cut.facts.get("dictionary")), ("tokenizer", {"name": pieces}),
                       ("stop-words", cut.facts.get("stop_words"))):  # fmt: skip
        if file and file["name"]:
            words += [f"--{name}", file["name"]]
    return _line(words)


def train_command(ws: Workspace, run: RunRow, spec: RunSpec) -> str:
    """What trains the run; `spec` as `resolved` gives it."""
    if spec.task is not None:
        return _finetune_command(ws, run, spec, spec.task)
    cut = ws.segmentation(run.segmentation_id)
    words = ["train", cut.name, "--name", run.name, "--model", spec.model]
    idle: set[str] = set()
    if isinstance(spec.config, NgramConfig):
        idle = {fault.field for fault in spec.config.idle()}
    words += flags(spec.config, MODELS[spec.model].config(), skip=idle)
    if MODELS[spec.model].kind == "neural":
        words += flags(spec.training, TrainingConfig(), skip=UNUSED.get(spec.model, ()))
    if run.parent is not None:
        parent = ws.run(run.parent)
        words += ["--warm-start" if parent.model in TRAINABLE else "--vectors", parent.name]
    return _line(words)


def _finetune_command(ws: Workspace, run: RunRow, spec: RunSpec, head: TaskConfig) -> str:
    assert run.task is not None
    encoder = "" if run.parent is None else ws.run(run.parent).name
    words = ["finetune", encoder, "--on", ws.task(run.task).name, "--name", run.name]
    words += flags(head, TaskConfig(kind=head.kind), skip=("kind",))
    usual = finetuning.usual_training(ws, run.parent, head.start) if run.parent else TUNING
    words += flags(spec.training, TrainingConfig(**usual), skip=options_of(TaskConfig))
    return _line(words)


def resolved(spec: RunSpec, facts: Facts, plan: Plan | None) -> RunSpec:
    """A spec with what was decided while it was trained, as `facts` of the run and `plan` say.

    A plan that fits into minutes is said by its steps; that a sample of the valid part was looked
    at meanwhile has no setting.
    """
    if MODELS[spec.model].kind != "neural":
        return spec
    known = {name: facts[name] for name in ("device", "precision", "batch") if facts.get(name)}
    training = replace(spec.training, **known)
    if plan is not None and training.minutes:
        training = replace(training, minutes=0.0, max_steps=plan.total,
                           validate_every=plan.validate_every)  # fmt: skip
    return replace(spec, training=training)


def flags(
    config: "DataclassInstance", usual: "DataclassInstance", *, skip: Container[str] = ()
) -> list[str]:
    """The options of the command line for what differs from `usual`."""
    words: list[str] = []
    for name in options_of(config):
        value = getattr(config, name)
        if name in skip or value == getattr(usual, name):
            continue
        flag = name.replace("_", "-")
        if isinstance(value, bool):
            words.append(f"--{flag}" if value else f"--no-{flag}")
        else:
            words += [f"--{flag}", str(value)]
    return words


def _line(words: list[str]) -> str:
    """Words as a shell takes them."""
    return shlex.join(["lmstudio", *words])
