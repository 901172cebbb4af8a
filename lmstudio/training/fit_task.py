"""A segmentation, a task and a RunSpec with a head -> a fine-tuned model. Torch-free at import.

run_folder/labels.json: the classes or tags by number; examples.json: the SHA-256 of the examples
that it began with; checkpoints/ as of any network, with the whole models.tasks.TaskModel in them.
It is trained by the one loop, training.loop.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lmstudio.data.batches import Batch
from lmstudio.data.cut_plan import CutPlan
from lmstudio.data.labelled.encoding import Cutting, Row, encode
from lmstudio.data.labelled.example import Example
from lmstudio.data.labelled.tags import tag_names
from lmstudio.data.labelled.task_batches import TaskBatches, in_order
from lmstudio.data.labelled.task_folder import read_part
from lmstudio.data.vocab import Vocabulary
from lmstudio.errors import AppError
from lmstudio.files import read_json, reading, write_json
from lmstudio.jobs import Job
from lmstudio.messages import Message, msg
from lmstudio.training.environment import environment
from lmstudio.training.estimate import Estimate
from lmstudio.training.plan import Plan, Speed, longer, plan
from lmstudio.training.spec import RunSpec
from lmstudio.training.task_config import TaskConfig

if TYPE_CHECKING:
    from lmstudio.models.tasks.task_model import Judge, TaskModel
    from lmstudio.training.loop import Training

LABELS = "labels.json"
EXAMPLES = "examples.json"
SAMPLE = 512  # rows, with which the speed of a training is measured
CHANGED = msg("The examples of the task are no longer those that this run began with.")
_DAMAGED = msg("{path} is missing or damaged. Fine-tune again to replace it.")


@dataclass(frozen=True)
class Tuning:
    """What a fine-tuning is made of; it crosses to the worker."""

    segmentation_folder: Path
    plan: CutPlan
    task_folder: Path
    run_folder: Path
    spec: RunSpec
    encoder: Path | None  # folder of the run whose weights it begins with; None: it is gone

    @property
    def head(self) -> TaskConfig:
        """The settings of the head."""
        assert self.spec.task is not None
        return self.spec.task


@dataclass(frozen=True)
class Way:
    """How the answers to rows become what is said of an example."""

    task: str  # kind
    labels: tuple[str, ...]
    config: TaskConfig
    may_be_none: bool  # a question may be said to have no answer


MakesJudge = Callable[[Way, Sequence[Example], Sequence[Row]], "Judge"]
"""Who scores the valid part as a finished run is scored: analysis.tasks.judging."""


@dataclass
class TaskData:
    """The batches of a task, and what the user should know of them."""

    labels: tuple[str, ...]
    train: TaskBatches
    valid: list[Batch]
    counts: list[int]  # examples to train with, by class
    notes: list[Message] = field(default_factory=list)
    judge: "Judge | None" = None


def labels_of(examples: Iterable[Example], head: TaskConfig) -> tuple[str, ...]:
    """The classes, or the tags of all types of spans, in alphabetical order; of qa none."""
    if head.kind == "qa":
        return ()
    if head.kind == "tag":
        types = sorted({span.type for one in examples for span in one.spans})
        return tuple(tag_names(types, head.scheme))
    return tuple(sorted({one.label for one in examples if one.labelled}))


def read_labels(run_folder: Path) -> tuple[str, ...]:
    """The labels of a run that is, or was, fine-tuned. AppError where they are lost."""
    with reading(run_folder / LABELS, _DAMAGED):
        labels = read_json(run_folder / LABELS)
        if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
            raise TypeError("no labels")
        return tuple(labels)


def cutting_of(head: TaskConfig, labels: tuple[str, ...], window: int = 0) -> Cutting:
    """How texts become rows; no longer than the `window` of the encoder, 0: it has none."""
    length = min(head.length, window) if window else head.length
    cut = head.cut
    if cut == "auto":  # a tag that is not read is an error; a class can be told from the beginning
        cut = "windows" if head.kind == "tag" else "head"
    return Cutting(head.kind, labels, length, cut, head.stride, head.scheme)


def window_of(spec: RunSpec) -> int:
    """How many tokens the encoder can read at once; 0: any number."""
    return int(getattr(spec.config, "window", 0)) if spec.model in ("bert", "gpt") else 0


def fit(
    tuning: Tuning, judges: MakesJudge, *, resume: bool = False, job: Job
) -> dict[str, Any]:  # fmt: skip
    """Fine-tune the encoder for the task; the facts are those of `fit_neural.fit`, and "labels".

    `resume` goes on from the last checkpoint. Raises Cancelled (after a last checkpoint) and
    AppError where the task has nothing to train with, or has other labels now.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # read when torch is first imported
    from lmstudio.training import device as devices
    from lmstudio.training.checkpoint import Checkpoints
    from lmstudio.training.remembered import can_remember, remember

    device, absent = devices.choose(tuning.spec.training.device)
    devices.use_threads()
    data = prepare(tuning, judges, job=job)
    resume = resume and Checkpoints(tuning.run_folder, tuning.spec.model).exists("last")
    _take_note(tuning, data, resume=resume)
    course = None
    if tuning.spec.training.minutes and not resume:
        course = _timed(tuning, data, device, job=job)[0]
    training = assemble(tuning, data, device, resume=resume, course=course)
    if not training.progress.step:
        training.checkpoints.clear()
    notes = [*([absent] if absent else []), *data.notes]
    for note in notes:
        job.remark(note)
    write_json(tuning.run_folder / LABELS, list(data.labels))
    if can_remember(training, data.valid):
        remember(training, data.valid, job=job)
    devices.refuse_too_large(training.module, device)
    job.tick(training.progress.step, training.total, Message("Training"))
    why_ended = training.run(job)
    return _facts(training, data, why_ended, [*notes, *training.progress.notes])


def _take_note(tuning: Tuning, data: TaskData, *, resume: bool) -> None:
    """Note what examples a fresh run begins with; of one that goes on, whether they are the same.

    AppError where the labels are not.
    """
    files = [tuning.task_folder / f"{part}.jsonl" for part in ("train", "valid")]
    digests = [sha256(file.read_bytes()).hexdigest() for file in files if file.exists()]
    kept = tuning.run_folder / EXAMPLES
    if not resume:
        write_json(kept, digests)
        return
    if read_labels(tuning.run_folder) != data.labels:
        raise AppError("The task has other labels now than this run began with. Fine-tune anew.")
    if kept.exists() and read_json(kept) != digests:
        data.notes.append(Message(CHANGED))


def prepare(tuning: Tuning, judges: MakesJudge, *, job: Job) -> TaskData:
    """The batches of a task for an encoder. AppError where there is nothing to train with."""
    head, training = tuning.head, tuning.spec.training
    train = read_part(tuning.task_folder, "train")
    valid = [one for one in read_part(tuning.task_folder, "valid") if one.labelled]
    labels = labels_of(train, head)
    if head.kind in ("classify", "pair") and len(labels) < 2:
        raise AppError("All examples to train with have the same label. At least two are needed.")
    cutting = cutting_of(head, labels, window_of(tuning.spec))
    vocabulary = Vocabulary.load(tuning.segmentation_folder)
    job.tick(0, 0, Message("Cutting examples into tokens"))
    some = drawn(train, training.share, training.seed)
    encoded = encode(some, cutting, tuning.plan, vocabulary, job=job)
    if not encoded.rows:
        raise AppError("The task has no example to train with.")
    looked_at = encode(valid, cutting, tuning.plan, vocabulary, job=job)
    batches = TaskBatches(encoded.rows, head.kind, batch=training.batch or 32, seed=training.seed)
    rows, size = looked_at.rows, training.batch or 32
    if not any(row.known(head.kind) for row in rows):
        rows = []
    none = head.kind == "qa" and any(one.labelled and not one.spans for one in train)
    judge = judges(Way(head.kind, labels, head, none), valid, rows)
    shown = [batch | {"row": np.array(some)} for some, batch in in_order(rows, head.kind, size)]
    counts = [sum(row.label == number for row in encoded.rows) for number in range(len(labels))]
    return TaskData(labels, batches, shown, counts, encoded.lost.notes(), judge)


def drawn(examples: Sequence[Example], share: float, seed: int) -> Sequence[Example]:
    """A share of the examples, one at least, in their order; which ones the seed decides."""
    if share == 1:
        return examples
    order = np.random.default_rng(seed).permutation(len(examples))
    return [examples[n] for n in sorted(order[: max(1, round(share * len(examples)))])]


def assemble(
    tuning: Tuning, data: TaskData, device: Any, *, resume: bool = False, course: Plan | None = None
) -> "Training":
    """The training of a task, at its beginning or where its last checkpoint was.

    `course`: the plan of a fresh one, if not that of its epochs.
    """
    import torch

    from lmstudio.training.checkpoint import Checkpoints
    from lmstudio.training.loop import Training

    checkpoints = Checkpoints(tuning.run_folder, tuning.spec.model)
    torch.manual_seed(tuning.spec.training.seed)
    module = _module(tuning, data, begun=resume)
    module.judge = data.judge
    config = tuning.spec.training
    if course is None:
        course = plan(config, len(data.train), look=_look(tuning.head, data))
        course = replace(course, minutes=config.minutes)  # as asked for
    if resume:
        course = checkpoints.progress("last").plan
    valid = (lambda: data.valid) if data.valid else None
    training = Training(module, data.train, valid, tuning.spec.training, checkpoints, device,
                        course=course)  # fmt: skip
    if resume:
        training.resume()
        before = training.progress
        asked = longer(course, config, len(data.train), step=before.step, seconds=before.seconds)
        if asked:
            before.take_up(asked)
    return training


def estimate(tuning: Tuning, judges: MakesJudge, *, job: Job) -> Estimate:
    """Time some steps of the fine-tuning; nothing is written."""
    from lmstudio.training import device as devices

    device, _ = devices.choose(tuning.spec.training.device)
    devices.use_threads()
    data = prepare(tuning, judges, job=job)
    course, speed, seconds = _timed(tuning, data, device, job=job)
    return Estimate(
        seconds, speed.memory, speed.step, course.total, tuning.spec.training.batch,
        len(data.train), course.most, tuple(data.notes),
    )  # fmt: skip


def _timed(
    tuning: Tuning, data: TaskData, device: Any, *, job: Job
) -> tuple[Plan, Speed, float]:  # fmt: skip
    """The plan that keeps to the minutes, if there are any; the speed; and all seconds together.

    Some steps are timed of a training that is thrown away.
    """
    from lmstudio.training.feeds import TrainingData
    from lmstudio.training.measuring import measure
    from lmstudio.training.remembered import can_remember, remember

    training, config = assemble(tuning, data, device), tuning.spec.training
    tokens = sum(int(each["sizes"].sum()) for each in data.valid)
    reading = 0.0
    if can_remember(training, data.valid):
        training.train, share = data.train.some(SAMPLE)
        reading = remember(training, data.valid[:1], job=job) / share
    speed = measure(training, TrainingData(data.train, training.valid, tokens), job=job)
    left = replace(config, minutes=max(config.minutes - reading / 60, speed.step / 60))
    course = plan(left if config.minutes else config, len(data.train), valid=tokens, speed=speed,
                  look=_look(tuning.head, data))  # fmt: skip
    course = replace(course, minutes=config.minutes, valid_tokens=0)  # all examples are looked at
    return course, speed, reading + course.seconds(speed, tokens)


def _look(head: TaskConfig, data: TaskData) -> float:
    """What a look at the valid part costs, in steps: counted, for it must be the same everywhere.

    A step goes forward and, twice as long, backward; not where the encoder stands still.
    """
    shown = sum(int(each["sizes"].sum()) for each in data.valid)
    trained = sum(len(row.ids) for row in data.train.rows) / len(data.train)
    return shown / trained / (3 if head.tuned else 1)


def _module(tuning: Tuning, data: TaskData, *, begun: bool) -> "TaskModel":
    """A model with the weights of its encoder, unless those of a checkpoint follow."""
    from lmstudio.models.tasks import task_model
    from lmstudio.models.tasks.class_head import balanced
    from lmstudio.training.feeds import train_counts

    weights: Sequence[float] | None = None
    if tuning.head.weights == "balanced" and tuning.head.kind in ("classify", "pair"):
        weights = balanced(data.counts)
    counts = train_counts(tuning.segmentation_folder)
    module = task_model.build(tuning.spec, counts, tuning.segmentation_folder, data.labels, weights)
    if tuning.head.start == "pretrained" and not begun:
        if tuning.encoder is None:
            raise AppError("The run of the encoder is gone. Choose another, or begin from scratch.")
        task_model.begin_with(module, tuning.encoder)
    return module


def _facts(
    training: "Training", data: TaskData, why_ended: Message, notes: list[Message]
) -> dict[str, Any]:
    progress = training.progress
    return {
        "parameters": sum(p.numel() for p in training.module.parameters()),
        "tuned_parameters": sum(p.numel() for p in training.module.parameters() if p.requires_grad),
        "labels": list(data.labels),
        "seconds": progress.seconds,
        "step": progress.step,
        "steps_per_epoch": len(data.train),
        "batch": training.config.batch,
        "device": str(training.device),
        "precision": training.precision.name,
        "made_with": environment(training.device),
        "best_step": progress.early.best_step or progress.step,
        "why_ended": [why_ended.sentence, why_ended.values],
        "notes": [note.to_json() for note in notes],
    }
